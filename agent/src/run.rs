//! A run from its start to its end: the order of the steps, the agent's own thread, what is printed and released.

pub(crate) mod background;
pub(crate) mod final_dump;
pub(crate) mod life_cycle;
pub(crate) mod load;
pub(crate) mod phase;
pub(crate) mod removal;
pub(crate) mod summary;
pub(crate) mod thread_events;
pub(crate) mod wake;
