//! What tests of several crates share: runs whose every number is known, the way from
//! event files to a replay, and what is beside a test: tools, processes, folders.

#![forbid(unsafe_code)]

mod file_replay;
mod files_below;
mod finished;
mod fleet_tools;
pub mod large_run;
pub mod naive_vm;
mod place;
mod processes;
mod random;
pub mod sample_events;
pub mod sample_heap;
pub mod sample_run;

pub use file_replay::replay_files;
pub use files_below::files_below;
pub use finished::{Finished, has_program, json_by, printed_by, refused_by};
pub use fleet_tools::{fleet_tool, python_with};
pub use place::Place;
pub use processes::{Ended, free_port};
pub use random::Random;
