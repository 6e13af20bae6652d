//! Draws a method's graph, its paths and its counters, so that they can be checked by eye against the figures of the
//! DuckTracks paper.
//!
//! ```no_run
//! use ducktrack_explain::{ClassSource, MethodName, Options};
//!
//! let bytes = std::fs::read("target/classes/Example.class")?;
//! let source = ClassSource::from_bytes("Example.class", bytes)?;
//! let options = Options { method: Some(MethodName::parse("Example.main")), ..Options::default() };
//! println!("{}", ducktrack_explain::text(&source, &options)?);
//! std::fs::write("main.dot", ducktrack_explain::dot(&source, &options)?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | in a picture that Graphviz draws | means |
//! |---|---|
//! | red, continuous | the hot path |
//! | blue and other shades, dashed | side paths |
//! | green, dashed | loop paths |
//! | orange, dotted | paths that begin in an exception handler |
//! | `c0` on a thick edge | a counter; the legend lists what it counts |
//! | a number on an edge | its share count |
//! | `k0` beside a site | a separate counter of the site, if the rewriter does not use paths |
//!
//! Paths and their counters are the plan. The section "in the code" shows what the agent really inserts: it runs the rewriter, and gives
//! the reason if the rewriter does not use paths.
//!
//! Input is untrusted: nothing here panics on it.

#![forbid(unsafe_code)]

mod allocation_sites;
mod class_source;
mod error;
mod explained_method;
mod explanation;
mod in_code;
mod java_type;
mod method_dot;
mod method_name;
mod method_text;
mod options;
mod overview;
mod palette;
mod site;
#[cfg(test)]
mod tests;

pub use class_source::ClassSource;
pub use error::Error;
pub use explained_method::ExplainedMethod;
pub use explanation::{dot, text};
pub use method_name::MethodName;
pub use options::{EdgeCount, Options};
pub use site::Site;
