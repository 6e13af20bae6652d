//! Writes what the agent records to disk without stopping the program, and reports what could not be written.
//!
//! ```text
//! let directory = TraceDirectory::create(path)?;            // owns a new file, never an existing one
//! let mut writer = directory.into_count_writer(WriterOptions::default());
//! writer.define(&Record::Run(run))?;                         // first; then classes, methods, sites, counters, ...
//! writer.snapshot(&complete_values)?;                        // every interval, on demand, at exit
//! writer.finish(End { .. })?;                                // the end record
//! ```
//!
//! In trace mode an [`EventLog`] writes event files in the same directory:
//!
//! ```text
//! let log = EventLog::start(directory, EventOptions::default(), site_facts, tally, host)?;
//! if log.buffer(piece) == FlushOutcome::Full { log.wait_for_room(); }   // program's threads: a full buffer of events
//! log.collection(collection, survivors);                           // inside the pause; never blocks
//! log.finish(End { .. });                                          // writes all that was handed over
//! ```
//!
//! Nothing here is global, and a [`CountWriter`] starts no thread and reads no clock. No error is fatal: after each the file is whole
//! and the next call tries again (see [`CountWriter`]); an [`EventLog`] counts what it could not write and begins a new file.
#![forbid(unsafe_code)]

mod compaction;
mod count_writer;
mod definitions_journal;
mod error;
mod event_log;
mod losses;
#[cfg(test)]
mod memory_disk;
mod private_directory;
mod snapshot_delta;
mod snapshot_parts;
mod storage;
mod trace_directory;
mod trace_file;
mod waiting_room;

pub use count_writer::{CountWriter, WriterOptions};
pub use error::WriteError;
pub use event_log::{
    Buffer, BufferWords, CLASS_OF_SITE, CollectionPlace, CompressStrategy, Dropped, Durable,
    DurableWords, EqualEvents, EventHost, EventLog, EventOptions, EventStats, EventSum,
    FlushOutcome, OnFull, Survivors, Tally,
};
pub use snapshot_delta::SnapshotDelta;
pub use trace_directory::{TRACE_FILE_NAME, TraceDirectory};

pub use ducktrack_trace_format::Compression;
