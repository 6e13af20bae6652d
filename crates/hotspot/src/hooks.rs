//! Functions of other libraries that libjvm calls through slots; the agent's own code runs before them, on threads that it watches.

pub(crate) mod driver_threads;
mod import_slots;
mod memory_hook;
pub(crate) mod pause_hook;
pub(crate) mod watched_thread;
