//! Tests of the replay against a naive virtual machine: a `Vec` of objects, random programs, random collections.

mod bridge;
mod bridge_deaths;
mod comparison;
mod fuzzed_traces;
mod program;
mod random_programs;
mod replaying;
mod special_cases;
mod staleness;
mod through_files;
