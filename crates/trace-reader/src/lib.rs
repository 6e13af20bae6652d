//! Reads the records of a trace in order, and reports what is missing.
//!
//! ```text
//! let mut reader = TraceReader::open(path)?;      // an error: the reason why nothing at all can be read
//! for record in &mut reader { .. }                // every record of every intact block, in order
//! for (file, damage) in reader.damage() { .. }    // how the files end, and what in them was unreadable
//! ```
//!
//! The event files of `mode=trace` are read by [`EventFiles`], step by step: files, epochs with their buffers, collections.
//!
//! A directory whose run has not ended also has mapped counters ([`CounterFile`]): the reader returns their values as a last snapshot,
//! and [`TraceReader::unended`] describes the state of the run.
//!
//! Trace files are untrusted. Nothing panics, memory does not grow by lengths that are only stated (one block of at most
//! [`MAX_CONTENT`](ducktrack_trace_format::MAX_CONTENT) bytes is held at a time), and time is bounded by the size of the file.
#![forbid(unsafe_code)]

mod block_reader;
mod block_tail;
mod buffer_decoding;
mod byte_window;
mod collection_tail;
mod counter_file;
mod damage_log;
mod error;
mod event_buffers;
mod event_file_list;
mod event_files;
mod event_following;
mod event_sizes;
mod event_step;
mod journal_records;
mod last_values;
mod live_events;
mod open_collection;
mod process_state;
mod read_ahead;
mod record_reader;
mod regained_heap;
mod survivor_filter;
mod survivor_matching;
mod trace_reader;
mod trace_tail;

pub use buffer_decoding::BufferDecoding;
pub use collection_tail::CollectionTail;
pub use counter_file::{CounterFile, MappedBlock, MappedCounters};
pub use error::{ReadError, StartError};
pub use event_buffers::EventBuffers;
pub use event_files::EventFiles;
pub use event_sizes::EventSizes;
pub use event_step::{Epoch, EventContent, EventStep};
pub use last_values::CounterContext;
pub use live_events::RecoveredEvents;
pub use record_reader::RecordReader;
pub use trace_reader::TraceReader;
pub use trace_tail::TraceTail;

pub use ducktrack_trace_format::{
    Collection, CollectionKind, Damage, MissingEnd, MovesLevel, ProcessState, Record,
};
