//! Threads, and the memory in which each of them counts.

pub(crate) mod block_store;
pub(crate) mod counter_block;
pub(crate) mod counter_file;
pub(crate) mod folded_rows;
pub(crate) mod retired_blocks;
pub(crate) mod slot;
pub(crate) mod thread_table;
pub(crate) mod written_pages;
