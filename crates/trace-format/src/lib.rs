//! What each byte of a trace means.
#![forbid(unsafe_code)]

mod block;
mod block_header;
mod byte_fields;
mod damage;
mod error;
mod file_header;
mod record_stream;
mod records;

pub use block::{Compression, decode_content, encode_block};
pub use block_header::{BLOCK_MARK, BlockHeader, BlockKind, MAX_CONTENT};
pub use damage::Damage;
pub use error::FormatError;
pub use file_header::{FORMAT_VERSION, FileHeader, MAGIC};
pub use record_stream::{MAX_RECORD, RecordStream, push_record};
pub use records::{
    AgentCost, AllocationKind, CallSite, CallSiteId, Class, ClassId, Counter, CounterId,
    CounterRole, End, KeyedCount, Method, MethodId, ObjectLayout, Record, Refusal, Reinstrumented,
    Run, Site, SiteId, Snapshot, Term, Thread, ThreadCounts, ThreadId, Unit,
};
