//! The oracle of OracleGC-like simulators: when each allocation may be freed, counted in allocations; in and out.
//!
//! ```text
//! alloc_seq,free_at_seq,size,type,obj_id,thread,thread_alloc_seq,thread_free_seq
//! ```
//!
//! `alloc_seq` is the number of the allocation, from 1. The object may be freed before allocation `free_at_seq`: as many
//! allocations as were made when it was reachable last, and one. The last three columns have the same in allocations of the
//! thread alone, because the order of allocations between threads differs from run to run. Empty: alive at the end.
//!
//! A reader needs the first three columns, by the names in the first line and in any order. Without `type`, `obj_id` or
//! `thread` there is one type, the id is `alloc_seq`, and the thread is not known; it counts what is of a thread itself.

mod reader;
mod writer;

pub use reader::{OracleError, OracleFault, OracleReader};
pub use writer::OracleWriter;
