//! Changes to a program that save allocations: from the counts of a run to a ranked list, each row with its place in code that is not the
//! JDK's.
//!
//! ```text
//! CountModel ─┬─ sites of the program's classes ─────────────────────┐
//! Profile ────┼─ sites of the JDK, by the first frame that is not ───┼─> portions ─ rule ─> rows ─ order ─> Vec<Advice>
//!             └─ executed calls of JDK methods that make objects ────┘
//! ```
//!
//! A *portion* is the part of a site's objects that one line of the program asked for. Who asked is exact
//! where the site is the program's own, where a tracked call was noted, and where the executed calls of
//! the JDK method are as many as its objects. Elsewhere sampled stacks give an estimate with its interval.
//!
//! A figure is what the change saves of *executed* allocations; [`Advice::reaches_heap`] is the part of them that the JIT has left.
#![forbid(unsafe_code)]

mod advice;
mod attribution;
mod classify;
mod counted_askers;
mod growth;
mod growth_rule;
mod heap_share;
mod jdk;
mod joining;
mod owner;
mod portion;
mod ranking;
mod row;
mod rule;
mod seen_askers;
mod together;
mod unclear;

pub use advice::{Advice, Change, Place, Sure, Together};
pub use ranking::{AdviceOptions, advise};
pub use rule::Rule;
