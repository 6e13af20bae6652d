//! The agent from load to last word, in real JVMs: however a program ends and whatever the VM is told, its recording is complete, its counts
//! are exact, and the program does not notice.
//!
//! Programs: `LifeCycleProbe`, `JniProbe` and `NoOpAgent` of `tests/java`. The agent and the command are those of `DUCKTRACK_LIBRARY` and
//! `DUCKTRACK_COMMAND`, or the release build.

mod attaching;
mod endings;
mod kills;
mod native_code;
mod neighbours;
mod options;
mod outputs;
mod recording;
mod slots;
mod storage_failures;
mod tracked_jvm;
mod vm_options;
