//! A run from start to end: the order of its steps, the agent's own thread, and what is printed and released.

pub(crate) mod background;
pub(crate) mod final_dump;
pub(crate) mod life_cycle;
pub(crate) mod load;
pub(crate) mod phase;
pub(crate) mod removal;
pub(crate) mod summary;
pub(crate) mod thread_events;
pub(crate) mod wake;
