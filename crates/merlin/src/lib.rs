//! Exact death times of a program's objects, from a stream that knows no language.
//!
//! ```text
//! front end ─ StreamWriter ─> bytes ─ BlockReader ─> Record ─ Merlin ─> Fate of each object, RunTotals
//! ```
//!
//! A front end (the JVM's, CPython's, any) writes what the program did: allocations, reference updates, uses, calls, and what
//! collections found dead. `STREAM.md` beside this crate is the page of the format. The algorithm is in [`Merlin`].
//!
//! Bytes in, values out: nothing here opens a file, starts a thread or reads a clock. Streams are untrusted: no panic, and no
//! memory because a length claims it.
#![forbid(unsafe_code)]

mod check;
mod death;
mod elephant;
mod names;
mod oracle;
mod stream;
mod text;

pub use check::{CheckFinding, CheckResult, Checker};
pub use death::clock::{Instant, KnownClocks};
pub use death::contradictions::Contradictions;
pub use death::fate::Fate;
pub use death::merlin::Merlin;
pub use death::run_totals::{CollectionTotals, EventCounts, Level, ObjectSum, RunTotals, Uses};
pub use death::shape::{DeathGroups, HeapShape, Log2Histogram, PointerDistances};
pub use elephant::{ElephantError, ElephantFault, ElephantForm, ElephantReader, ElephantWriter};
pub use names::{MethodName, Names, SiteName};
pub use oracle::{OracleError, OracleFault, OracleReader, OracleWriter};
pub use stream::block::VERSION;
pub use stream::block_reader::{Block, BlockReader, BlockRecords};
pub use stream::error::{RecordFault, StreamError};
pub use stream::record::{
    Allocation, Definition, MethodId, ObjectId, Reading, Record, RootKind, SiteId, SlotId,
    ThreadId, Time, TypeId,
};
pub use stream::writer::{StreamWriter, WriteError};
pub use text::{TextError, TextFault, record_to_text, records_from_text};
