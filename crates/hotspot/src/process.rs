//! This process: memory that may be unmapped, memory of the agent's own, and its threads. Nothing here knows of a VM.

pub(crate) mod careful_read;
pub(crate) mod confirmed_pages;
pub(crate) mod elapsed;
pub(crate) mod own_memory;
pub(crate) mod own_thread;
pub(crate) mod page_size;
pub(crate) mod reservation;
pub(crate) mod walk_pool;
