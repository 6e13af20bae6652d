//! The agent from load to last word, in real JVMs: however a program ends and whatever the VM
//! is told, its recording is complete, its counts are exact, and the program does not notice.
//!
//! Programs: `LifeCycleProbe`, `ControlProbe`, `JniProbe`, `NoOpAgent`, and those that a module names. The
//! agent and the command are those of `DUCKTRACK_LIBRARY` and `DUCKTRACK_COMMAND`, or the release build.

mod address_space;
mod arrival;
mod attaching;
mod class_loaders;
mod class_views;
mod clients;
mod container;
mod control;
mod cycles;
mod dumps;
mod endings;
mod full_disk;
mod full_heap;
mod hostile_names;
mod jdk_tools;
mod kills;
mod live_top;
mod metaspace;
mod module_reads;
mod native_code;
mod neighbours;
mod options;
mod outputs;
mod own_memory;
mod own_threads;
mod postmortem;
mod recording;
mod recursion;
mod redefinitions;
mod said_at_start;
mod slots;
mod stopping;
mod storage_failures;
mod tracked_jvm;
mod unloaded_classes;
mod vm_options;
