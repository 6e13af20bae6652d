//! What tests of several crates share: runs whose every number is known, and the way from event files to a replay.

#![forbid(unsafe_code)]

mod file_replay;
pub mod large_run;
pub mod sample_events;
pub mod sample_heap;
pub mod sample_run;

pub use file_replay::replay_files;
