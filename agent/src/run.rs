//! A run from start to end: the order of its steps, the agent's own thread, what commands do, and what is printed and released.

pub(crate) mod agent;
pub(crate) mod arrival;
pub(crate) mod arrival_progress;
pub(crate) mod background;
pub(crate) mod commands;
pub(crate) mod desk;
pub(crate) mod end_cause;
pub(crate) mod exhaustion;
pub(crate) mod final_dump;
pub(crate) mod life_cycle;
pub(crate) mod program_choice;
pub(crate) mod removal;
pub(crate) mod snapshot;
pub(crate) mod summary;
pub(crate) mod thread_events;
