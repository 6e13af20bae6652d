//! What an agent would have written: pieces of threads, stamps and moves of collections.

use ducktrack_analyses::TraceBridge;
use ducktrack_count_model::CountModelBuilder;
use ducktrack_test_support::naive_vm::define_main;
use ducktrack_trace_format::{
    AllocationKind, CalledMethod, Collection, EventBlockHeader, EventFlags, EventWords, MethodId,
    MoveRun, Position, Record, ReferenceLayout, Site, SiteId, StaticField, ThreadId,
};

pub(super) const SITE: SiteId = SiteId(16);
/// Bytes of an object.
pub(super) const SIZE: u64 = 32;
pub(super) const METHOD: u32 = 7;
pub(super) const UPDATE: u16 = 0x4000;
pub(super) const STATIC_UPDATE: u16 = 0x0201;
pub(super) const ENTER: u16 = 0x8000 + METHOD as u16;

/// A part of a trace, in the order of the file.
pub(super) enum Part {
    Piece(Vec<u8>),
    Collection {
        stamps: Vec<Vec<u8>>,
        collection: Box<Collection>,
        runs: Vec<MoveRun>,
    },
}

/// The words of a thread.
pub(super) struct Stream {
    pub(super) thread: ThreadId,
    piece: EventWords,
    begun: u64,
    /// The epoch that its next word begins, if that is not the one of the word before.
    cut: Option<u32>,
    flags: EventFlags,
    top: u64,
    /// Words that it has written so far.
    position: u64,
}

impl Stream {
    pub(super) fn new(number: u32) -> Self {
        let thread = ThreadId(number + 1);
        Self {
            thread,
            piece: EventWords::new(),
            begun: 0,
            cut: None,
            flags: EventFlags::NONE,
            top: base(thread),
            position: 0,
        }
    }

    /// Writes the time and an event.
    pub(super) fn write(&mut self, micros: u64, event: impl FnOnce(EventWords) -> EventWords) {
        let mut piece = std::mem::take(&mut self.piece);
        let before = piece.as_bytes().len();
        if before == 0 {
            self.begun = micros;
            self.flags = self.cut.map_or(EventFlags::NONE, |_| EventFlags::AFTER_CUT);
        }
        if let Some(epoch) = self.cut.take() {
            piece = piece.cut(epoch);
        }
        self.piece = event(piece.clock((micros - self.begun) as u32));
        self.position += (self.piece.as_bytes().len() - before) as u64 / 4;
    }

    /// The address of the next object.
    pub(super) fn allocate(&mut self) -> u64 {
        self.top += SIZE;
        self.top - SIZE
    }

    /// The present on its clock.
    pub(super) fn now(&self) -> Position {
        Position {
            thread: Some(self.thread),
            words: self.position,
        }
    }

    /// Hands the piece over.
    pub(super) fn take(&mut self, epoch: u32) -> Option<Vec<u8>> {
        let words = std::mem::take(&mut self.piece);
        if words.as_bytes().is_empty() {
            return None;
        }
        let (thread, begun, flags) = (self.thread, self.begun, self.flags);
        let mut content = Vec::new();
        EventBlockHeader {
            thread,
            epoch,
            begun,
            handed_over: begun,
            flags,
            last_top: 0,
        }
        .encode(&mut content);
        content.extend_from_slice(words.as_bytes());
        Some(content)
    }

    /// A collection has emptied its buffer; gives where it goes on.
    pub(super) fn begin_epoch(&mut self, epoch: u32) -> (ThreadId, u64) {
        self.cut = Some(epoch);
        self.top = base(self.thread);
        self.position += 1;
        (self.thread, self.position)
    }
}

/// Where a thread allocates.
fn base(thread: ThreadId) -> u64 {
    u64::from(thread.0) << 16
}

/// A bridge that knows the names.
pub(super) fn bridge() -> TraceBridge {
    let mut builder = CountModelBuilder::new();
    define_main(&mut builder);
    let ty = Some("La/Small;".into());
    builder.fold(Record::Site(Site {
        id: SITE,
        method: MethodId(0),
        bci: 0,
        line: None,
        kind: AllocationKind::New,
        ty,
    }));
    builder.fold(Record::SiteSize {
        site: SITE,
        bytes: SIZE as u32,
    });
    builder.fold(Record::ReferenceLayout(ReferenceLayout {
        base: 0,
        shift: 3,
    }));
    builder.fold(Record::CalledMethod(CalledMethod {
        number: METHOD,
        method: MethodId(0),
    }));
    for number in 0..3_u32 {
        let name = format!("field{number}");
        builder.fold(Record::StaticField(StaticField {
            number,
            class: "a/Main".into(),
            name,
            descriptor: "La/Small;".into(),
        }));
    }
    let (model, names) = builder.finish_trace();
    TraceBridge::new(model, names)
}
