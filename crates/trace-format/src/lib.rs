#![doc = include_str!("../FORMAT.md")]
#![forbid(unsafe_code)]

mod application;
mod block;
mod block_header;
mod byte_fields;
mod class_pattern;
mod collection;
pub mod counter_file;
mod damage;
mod error;
mod event;
mod event_block;
mod event_columns;
mod event_decoder;
mod event_file;
mod event_shortener;
mod event_sink;
mod event_word;
mod explained;
mod extension_block;
mod file_header;
mod ids;
mod journal_block;
mod kept_collection;
mod levels;
mod live_events;
mod move_runs;
mod piece_words;
mod process_stamp;
mod raw_survivors;
mod record_stream;
mod records;
mod roots;
mod short_forms;
mod site_facts;
mod stack_records;
mod stamps;
mod sync_point;
mod trial;
mod trial_source;
mod unended;
mod uses;
mod varint;
mod witness_event;
mod word_reader;

pub use block::{Compression, PackedContent, decode_content, encode_block};
pub use block_header::{BLOCK_MARK, BlockHeader, BlockKind, MAX_CONTENT};
pub use class_pattern::class_pattern_matches;
pub use collection::{
    AddressRange, Collection, CollectionCounts, CollectionKind, MovesLevel, OLD_GENERATION, Space,
    SpaceKind, ThreadCut,
};
pub use counter_file::{
    BLOCK_HEADER_WORDS, BlockOwner, BlockWord, COUNTER_FILE_MAGIC, COUNTER_FILE_NAME,
    COUNTER_FILE_VERSION, EXTENT_TABLE, Extent, HEAD_BYTES, HISTOGRAM_BYTES, HISTOGRAM_PLACE,
    HeaderWord, KEYED_ENTRY_BYTES, KEYED_PLACE, KeyedEntry, MAX_EXTENTS, note, words,
};
pub use damage::Damage;
pub use ducktrack_probe_vocabulary::{AllocationKind, Captures, OffHeapKind, Unit};
pub use error::FormatError;
pub use event::{Allocation, Event, Place};
pub use event_block::{EventBlock, EventBlockHeader, EventFlags};
pub use event_columns::{EventColumns, EventColumnsEncoder, ReferenceColumn};
pub use event_decoder::{DecodedPiece, EventDecoder, MAX_ARRAYS};
pub use event_file::EventFile;
pub use event_shortener::{EventShortener, ShortWords};
pub use event_sink::{EventSink, NotedEvent, PlainRun, RecordRun, Word};
pub use event_word::{
    CALLER, CLASS_STATED, END_OF_CALLED_SITES, END_OF_SITES, EventWords, FIRST_CALLED_SITE,
    FIRST_EXTENDED, FIRST_SITE, MAX_CLOCK, MAX_UNITS, UNIT, is_site,
};
pub use explained::{Explained, decode_explained, encode_explained};
pub use extension_block::{ExtensionBlock, ExtensionHeader};
pub use file_header::{FORMAT_VERSION, FileHeader, MAGIC};
pub use journal_block::{JOURNAL_FILE_NAME, JournalBlock};
pub use kept_collection::{KEPT_SURVIVOR_WORDS, KeptCollection, Survivor};
pub use live_events::{LIVE_EVENTS_FILE_NAME, LivePiece, live, live_place, of_live_place};
pub use move_runs::{MoveDecoder, MoveEncoder, MoveRun};
pub use piece_words::{PieceWord, PieceWords, words_as_written};
pub use process_stamp::{boot_id, process_state_and_start};
pub use raw_survivors::{decode_survivors, encode_survivors};
pub use record_stream::{MAX_RECORD, RecordStream, push_record};
pub use records::{
    AgentCost, Application, BytecodeFacts, CallSite, CallSiteId, CallTerms, CalledMethod,
    CalledSite, Cause, Class, ClassAddress, ClassId, Context, ContextBlock, ContextExecutions,
    ContextId, CountedCall, Counter, CounterId, CounterRole, End, ExecutionObjects, FoldedBlock,
    HeapClass, HeapClassId, HeapClassSize, HeapField, HeapLayout, HeapLimits, KeyedCount,
    LargestExecution, Method, MethodId, MethodName, ObjectLayout, OffHeapFrame, OffHeapMaker,
    OutOfMemory, Record, Refusal, Reinstrumented, Run, RunMode, Site, SiteId, Snapshot, StackId,
    StackMethodId, StackTypeId, StaticField, Term, Thread, ThreadCounts, ThreadId, VarargsMethod,
    execution_bucket, execution_bucket_range,
};
pub use roots::{HeldBy, HeldObject, decode_roots, encode_roots};
pub use short_forms::shorten_events;
pub use site_facts::{ArrayLayout, ClassNameHash, SiteFacts};
pub use stack_records::{
    SampleSums, SizeClass, StackDefinitions, StackMethod, StackNode, StackRow, StackSamples,
    StackType,
};
pub use stamps::{
    DeadEncoder, DeadObject, DeadObjects, Position, StampsHead, decode_stamps, encode_stamps,
};
pub use sync_point::{MAX_SHAPES, SyncDecoder, SyncEncoder, SyncObject};
pub use trial::{NullUse, Removal, Trial};
pub use trial_source::{is_of_jdk, may_lose_references};
pub use unended::{MissingEnd, ProcessState, RunState};
pub use uses::{Use, UseEncoder, UsesHead, decode_uses};
pub use witness_event::{MethodEvent, ReferenceLayout, StaticUpdate, Update};
