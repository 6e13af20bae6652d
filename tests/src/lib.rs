//! Support for tests that run on real JVMs: finding JDKs, compiling the Java programs of `tests/java`, building agents.
//!
//! Nothing here touches the network. What is missing on a machine (a JDK, a compiler) makes a test print one line and check less.

#![forbid(unsafe_code)]

mod built_library;
mod java_program;
mod jdk;
mod product;

pub use built_library::{built_command, built_example, built_library};
pub use java_program::compile_java;
pub use jdk::{Jdk, installed_jdks};
pub use product::{agent_library, ducktrack_command};
