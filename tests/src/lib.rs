//! Support for tests that run on real JVMs: finding JDKs, compiling the Java programs of `tests/java`, building agents.
//!
//! Nothing here touches the network. What is missing on a machine (a compiler, a browser) makes a test say so in a line that `scripts/test`
//! shows; where a test would check nothing at all without it, it fails.

#![forbid(unsafe_code)]

mod announcement;
mod built_library;
mod java_program;
mod jdk;
mod product;

pub use announcement::{checked, skipped};
pub use built_library::built_example;
pub use java_program::compile_java;
pub use jdk::{Jdk, installed_jdks, matrix_jdks};
pub use product::{agent_library, ducktrack_command};
