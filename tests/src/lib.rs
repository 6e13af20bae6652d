//! Support for tests that run on real JVMs: finding JDKs, compiling their Java programs, building agents.
//!
//! Nothing here uses the network. If something is missing on a machine (a compiler, a browser), a test announces it in a line that
//! `scripts/test` shows; a test that would then check nothing at all fails.

#![forbid(unsafe_code)]

mod announcement;
pub mod browser;
mod build_tool;
mod built_library;
mod class_histogram;
mod full_run;
mod harness_folder;
mod java_artifacts;
mod java_program;
mod jdk;
mod judged_program;
mod leaky_program;
mod native_library;
mod product;
mod program_source;
mod said_lines;
mod table_file;
mod trace_commands;
mod traced_deaths;
mod traced_layouts;
mod traced_run;
mod turn;
mod workload;

pub use announcement::{checked, skipped};
pub use build_tool::offline_first;
pub use built_library::{built_agent, with_file};
pub use class_histogram::{
    ClassAmount, RebuiltHeap, class_differences, parse_class_histogram, stable_class_name,
};
pub use ducktrack_test_support::{Finished, has_program, json_by, printed_by, refused_by};
pub use full_run::is_full_run;
pub use harness_folder::harness_folder;
pub use java_artifacts::install_java_artifacts;
pub use java_program::{
    compile_java, compile_java_with_parameters, compiled, compiled_with, compiled_with_api,
};
pub use jdk::{Jdk, installed_jdks, matrix_jdks, newest_jdk, traced_jdks};
pub use judged_program::{JudgedProgram, has_judged_libraries, judged_programs};
pub use leaky_program::{
    LeakyProgram, compiled_leaky_programs, compiled_with_leaky, leaky_programs,
};
pub use native_library::native_library;
pub use product::{agent_argument, agent_library, ducktrack_command};
pub use program_source::program_source;
pub use said_lines::{Lines, blamed_lines, said_lines};
pub use table_file::note;
pub use trace_commands::{
    count_report, heap_at, last_collection_by, trace_command, trace_text, tried_command,
};
pub use traced_deaths::{
    ObjectNumber, ObjectUpdate, deaths_command, traced_objects, traced_updates,
};
pub use traced_layouts::{jdks_of_traced_layouts, traced_layouts};
pub use traced_run::TracedRun;
pub use turn::{Turns, jdks_in_turn, pairs};
pub use workload::{harness_jar, workloads};
