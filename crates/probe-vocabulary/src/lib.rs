//! The one list of what instrumented code, the helper classes and the agent must agree on.
//!
//! | list | who uses it |
//! |---|---|
//! | [`block_word`]: the words of a thread's block | the helper classes, the agent, readers of `events.live` |
//! | [`event_word`]: the words of a thread's events | the helper classes, the crate `trace-format` |
//! | [`fact`]: what a helper class asks the agent when it is initialized | the helper classes, the agent |
//! | [`AllocationKind`], [`Captures`], [`Unit`]: how a site allocates, and what a counter counts | the class rewriter, the crate `trace-format` |
//! | [`OffHeapKind`]: the kinds of memory outside of the heap | probes, the agent, the crate `trace-format` |
//! | [`helper`]: the methods of the helper classes | the class rewriter, the agent |
//!
//! The program of this crate prints the Java side of the first three ([`java_source`]), which is checked in as `DuckTrackLayout.java`:
//! `scripts/build-helper` writes it, and `scripts/build-helper --check` compares it. The methods are compared with the helper's class files
//! by `tests/helper_methods.rs`.
#![forbid(unsafe_code)]

mod allocation_kind;
pub mod block_word;
mod captures;
pub mod event_word;
pub mod fact;
pub mod helper;
mod java_source;
mod numbered;
mod off_heap_kind;
mod unit;

/// Instead of a call site, -1 as an int: the objects are counted by the method that calls. Entries under it are left out by every reader of a block.
pub const COUNTED_BY_CALLER: u32 = u32::MAX;

pub use allocation_kind::AllocationKind;
pub use captures::Captures;
pub use helper::HelperMethod;
pub use java_source::java_source;
pub use off_heap_kind::OffHeapKind;
pub use unit::Unit;
