//! The agent's use of its process and of the system: memory, files, messages, the clock.

pub(crate) mod address_space;
pub(crate) mod agent_libraries;
pub(crate) mod clock;
pub(crate) mod log;
pub(crate) mod mapped_file;
pub(crate) mod memory;
pub(crate) mod other_thread;
pub(crate) mod own_library;
pub(crate) mod own_process;
pub(crate) mod thread_clock;
mod unwind_tables;
