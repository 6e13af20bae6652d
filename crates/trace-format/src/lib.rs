//! What each byte of a trace means.
//!
//! A trace file is a header and then blocks; nothing else. All numbers are little-endian. This page and the pages
//! it names are enough to write a reader in any language.
//!
//! | part | layout | in short |
//! |---|---|---|
//! | file header | [`FileHeader`] | magic, version, header length, CRC: 16 bytes |
//! | block header | [`BlockHeader`] | mark, kind, flags, sequence, lengths, CRC over header and content: 24 bytes |
//! | content of kinds 1, 2, 3 | [`RecordStream`] | records, each with its length: definitions, values, the end |
//! | content of kind 16 | [`EventBlock`], [`EventWords`] | events of one thread (`mode=trace`) |
//! | content of kind 17 | [`Collection`] | a collection: kind, cause, times, spaces |
//! | content of kind 18 | [`MoveDecoder`] | where its survivors went |
//! | content of kind 19 | [`SyncDecoder`] | all live objects, at the start of a file |
//! | content of kind 20 | [`EventFile`] | the first block of an event file |
//! | content of kind 21 | [`Explained`] | sites of objects that were found before |
//! | a record | [`Record`] | one statement: a class, a site, a counter's meaning, a snapshot, ... |
//!
//! A block whose flag bit 0 is set holds one raw LZ4 block (no frame), to be expanded to the plain length that its
//! header states. Each block stands alone: a file that is cut anywhere is readable up to its last whole block. The
//! last block of a trace that ended properly is of kind 3.
//!
//! # What the records say together
//!
//! Definitions introduce classes, methods, sites, counters, calls and threads by id, in any order and possibly after the
//! values that use them. A snapshot names the values that changed since the snapshot before; a snapshot in several
//! parts counts when its last part is there. With the values of the last whole snapshot:
//!
//! ```text
//! objects of a site = sum over threads and counters of word * factor   (terms of unit Count)
//!                   + keyed counts of the site
//! bytes of a site   = size * objects                                    (a SiteSize is there)
//!                   | sum of word * factor (terms of unit Bytes) + keyed bytes
//! ```
//!
//! # Example
//!
//! Objects of site 300 have 24 bytes; then the agent's last word at time 5, cause `exit`, no losses. 78 bytes:
//!
//! ```text
//! 8b 44 55 43 4b 0d 0a 1a                    magic
//! 01 00 10 00                                version 1, header of 16 bytes
//! 28 73 a6 d8                                CRC of these 12 bytes
//! db 4b 42 db  01 00 00 00                   block: definitions, no flags, zero
//! 00 00 00 00  05 00 00 00  05 00 00 00      sequence 0, plain length 5, stored length 5
//! b2 72 74 bf                                CRC of these 20 bytes and the content
//! 04  06 ac 02 18                            4 bytes: tag 6 (SiteSize), site 300, 24 bytes
//! db 4b 42 db  03 00 00 00                   block: end
//! 01 00 00 00  09 00 00 00  09 00 00 00      sequence 1, plain length 9, stored length 9
//! 80 f0 1e 0b                                CRC
//! 08  0b 05 04 65 78 69 74 00                8 bytes: tag 11 (End), time 5, "exit", 0 losses
//! ```
//!
//! # Example of events
//!
//! A piece of the buffer of thread 1 in an event file. Site 16 has objects of 24 bytes, site 17 makes arrays. 73 bytes:
//!
//! ```text
//! db 4b 42 db  10 00 00 00                   block: events, no flags, zero
//! 01 00 00 00  31 00 00 00  31 00 00 00      sequence 1, plain length 49, stored length 49
//! cf a9 66 d3                                CRC
//! 01 00 05 02 01                             thread 1, epoch 0, begun at 5, handed over 2 later, cut by a collection
//! 00 10 00 80 00 00 00 00                    the top stood at 80001000
//! 03 00 01 00                                site 16, 3 units: an object at 80001000, which ends at 80001018
//! 05 00 01 00                                site 16, 5 units: a gap of 16 bytes, an object at 80001028
//! 00 00 01 00                                site 16, 0 units: an object that was eliminated
//! 00 30 00 00  11 00 00 00                   array, of site 17,
//! 40 9c 00 00 00 00 00 00                    of 40,000 bytes,
//! 00 00 01 80 00 00 00 00                    which ends at 80010000: it lies at 800063c0
//! ```
//!
//! # Event files
//!
//! In trace mode the directory holds `ducktrack.trace` as always (definitions, counts, heap classes) and `events-00000000.trace`,
//! `events-00000001.trace`, ...: the same header and container, and blocks of kinds 16 to 21.
//!
//! ```text
//! event file = EVENT_FILE  SYNC*  (EVENTS | EXPLAINED* COLLECTION MOVES* EXPLAINED*)*  END?
//! ```
//!
//! To know the heap: begin with the oldest file, and with its synchronization point, if it has one (the first file of a run needs none).
//! Events put objects where their [`Place`] says, `End` and `Outside` with an address; other places need no attention, what
//! they lead to is stated as `EXPLAINED`. A collection takes all objects of its `collected` ranges away, and its moves bring back those
//! that survived; a run names objects that are known, a found object is new. Where moves are not known ([`Collection::fault`],
//! [`MovesLevel::Off`], [`EventFile::without_moves`]), the heap is not known from there on.
//! Files without `END` as last block were cut, or still grow.
//!
//! # Versions
//!
//! [`FORMAT_VERSION`] is what this crate writes. [`current`] names the records of that version. A change that an old
//! reader would misread raises the version and gets a module of its own beside [`v1`]; new kinds of blocks and
//! records do not, readers skip and count what they do not know. `tests/golden` holds a trace of every version with
//! the recipe that made it.
#![forbid(unsafe_code)]

mod block;
mod block_header;
mod byte_fields;
mod collection;
mod damage;
mod error;
mod event;
mod event_block;
mod event_decoder;
mod event_file;
mod event_shortener;
mod event_sink;
mod event_word;
mod explained;
mod file_header;
mod levels;
mod move_runs;
mod record_stream;
mod records;
mod repeated_callers;
mod site_facts;
mod sync_point;
pub mod v1;
mod varint;

pub use block::{Compression, PackedContent, decode_content, encode_block};
pub use block_header::{BLOCK_MARK, BlockHeader, BlockKind, MAX_CONTENT};
pub use collection::{
    AddressRange, Collection, CollectionCounts, CollectionKind, MovesLevel, Space, SpaceKind,
    ThreadCut,
};
pub use current::{
    AgentCost, AllocationKind, CallSite, CallSiteId, CalledSite, Class, ClassId, Counter,
    CounterId, CounterRole, End, HeapClass, HeapClassId, HeapClassSize, HeapField, HeapLayout,
    KeyedCount, Method, MethodId, ObjectLayout, Record, Refusal, Reinstrumented, Run, Site, SiteId,
    Snapshot, Term, Thread, ThreadCounts, ThreadId, Unit,
};
pub use damage::Damage;
pub use error::FormatError;
pub use event::{Allocation, Event, Place};
pub use event_block::{EventBlock, EventBlockHeader, EventFlags};
pub use event_decoder::{DecodedPiece, EventDecoder, MAX_ARRAYS};
pub use event_file::EventFile;
pub use event_shortener::{EventShortener, ShortWords};
pub use event_sink::{EventSink, NotedEvent, PlainRun, Word};
pub use event_word::{
    CALLER, END_OF_CALLED_SITES, EventWords, FIRST_CALLED_SITE, FIRST_SITE, MAX_UNITS, UNIT,
};
pub use explained::{Explained, decode_explained, encode_explained};
pub use file_header::{FORMAT_VERSION, FileHeader, MAGIC};
pub use move_runs::{MoveDecoder, MoveEncoder, MoveRun};
pub use record_stream::{MAX_RECORD, RecordStream, push_record};
pub use repeated_callers::shorten_events;
pub use site_facts::{ArrayLayout, ClassNameHash, SiteFacts};
pub use sync_point::{MAX_SHAPES, SyncDecoder, SyncEncoder, SyncObject};
pub use v1 as current;
