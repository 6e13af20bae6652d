//! Events that a killed process left in `events.live`: pieces that no event file has, and words that its threads wrote after their
//! last piece.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use ducktrack_trace_format::{
    BlockHeader, BlockKind, Compression, EventBlockHeader, EventFlags, KeptCollection,
    LIVE_EVENTS_FILE_NAME, LivePiece, PackedContent, ThreadCut, ThreadId, live, of_live_place,
};

use crate::block_reader::StoredBlock;

/// The content of the file.
#[derive(Debug, Default)]
pub(crate) struct LiveEvents {
    /// In the order in which they were handed over, then those from threads' buffers.
    pub(crate) pieces: Vec<FoundPiece>,
    /// The kept collections, by number.
    pub(crate) collections: BTreeMap<u32, KeptCollection>,
    /// Process id and start time of the run.
    pub(crate) run: (u32, u64),
    /// Number of collections that had begun.
    pub(crate) epoch: u32,
    /// Threads whose last events are lost.
    pub(crate) private_threads: u64,
    /// The process still has the file mapped.
    pub(crate) is_running: bool,
}

/// Events that were recovered of a killed process in addition to its event files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecoveredEvents {
    /// Pieces of threads' buffers.
    pub pieces: u64,
    /// Bytes of the words in these pieces.
    pub bytes: u64,
    /// Collections whose moves are lost.
    pub collections: u64,
    /// Collections of which the agent had kept a copy.
    pub kept_collections: u64,
    /// Threads whose last events are lost, because the memory that outlives the process had no room for their
    /// buffers.
    pub private_threads: u64,
    /// The process is running: events in its threads' buffers are missing.
    pub is_running: bool,
}

/// A piece found in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundPiece {
    pub(crate) header: EventBlockHeader,
    /// It is the thread's first piece since a collection cut its buffer.
    pub(crate) after_cut: bool,
    /// The top of the thread's allocation buffer at that collection, and at the last event before it.
    pub(crate) cut: (u64, u64),
    /// The event file and block that it was to become.
    pub(crate) place: Option<(u32, u32)>,
    pub(crate) words: Vec<u8>,
}

/// Words of 8 bytes, little-endian; missing ones are 0.
#[derive(Clone, Copy)]
struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    fn get(self, index: usize) -> u64 {
        let bytes = self.0.get(index * 8..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    fn bytes(self, from: usize, length: usize) -> Option<&'a [u8]> {
        self.0.get(from..from.checked_add(length)?)
    }
}

impl FoundPiece {
    /// The cut of its thread by the collection before it.
    pub(crate) fn cut(&self) -> Option<ThreadCut> {
        let (top, last) = self.cut;
        (self.after_cut && top != 0).then_some(ThreadCut {
            thread: self.header.thread,
            top,
            last,
        })
    }

    /// The block that it would have become, after `epoch` collections. `None` if its words do not fit a block.
    pub(crate) fn block(&self, epoch: u32) -> Option<StoredBlock> {
        let mut header = self.header;
        if header.epoch < epoch {
            header.flags = header.flags.with(EventFlags::LATE);
        }
        if self.after_cut && header.epoch > 0 {
            header.flags = header.flags.with(EventFlags::AFTER_CUT);
        }
        let mut content = Vec::with_capacity(self.words.len() + 64);
        header.encode(&mut content);
        content.extend_from_slice(&self.words);
        let packed = PackedContent::pack_owned(content, Compression::Off).ok()?;
        let (bytes, stored) = packed.block(BlockKind::EVENTS, 0);
        Some(StoredBlock {
            header: BlockHeader::decode(&bytes).ok()?,
            at: 0,
            index: 0,
            stored: stored.to_vec(),
        })
    }
}

/// A piece in a slot of handed-over pieces.
struct InSlot {
    sequence: u64,
    piece: LivePiece,
    found: FoundPiece,
}

/// Words still in a thread's buffer.
struct InBuffer {
    position: u64,
    last_top: u64,
    was_cut: bool,
    cut: (u64, u64),
    begun: u64,
    thread: ThreadId,
    words: Vec<u8>,
}

/// Reads the file of a directory; `None` if there is none, or it has another layout.
pub(crate) fn read_live_events(directory: &Path) -> Option<LiveEvents> {
    let mut file = File::open(directory.join(LIVE_EVENTS_FILE_NAME)).ok()?;
    let header = read_at(&mut file, 0, live::PAGE).ok()?;
    let header = Words(&header);
    if header.get(0) != live::MAGIC || header.get(1) != live::VERSION {
        return None;
    }
    let run = (header.get(live::PROCESS) as u32, header.get(live::START));
    let is_running = is_mapped_by(run.0);
    let (mut slots, mut buffers) = (Vec::new(), Vec::new());
    let mut collections = BTreeMap::new();
    let mut at = live::PAGE as u64;
    let length = file.metadata().ok()?.len();
    // An area that is cut off was still being created and holds nothing.
    while let Ok(area) = read_area(&mut file, at, length) {
        let words = Words(&area);
        match words.get(live::KIND) {
            live::THREAD => buffers.extend(buffer(words)),
            live::PIECES => slots.extend(pieces(words)),
            live::COLLECTION => collections.extend(collection(words)),
            _ => break,
        }
        at += words.get(live::AREA_BYTES);
    }
    let epoch = header.get(live::EPOCH) as u32;
    Some(LiveEvents {
        pieces: in_order(slots, buffers, epoch),
        collections,
        run,
        is_running,
        epoch,
        private_threads: header.get(live::PRIVATE_THREADS),
    })
}

/// The threads whose buffers are in the file of a directory; `None` if there is none, or if it has the buffers of all
/// threads.
pub(crate) fn threads_with_buffers(directory: &Path) -> Option<BTreeSet<ThreadId>> {
    let mut file = File::open(directory.join(LIVE_EVENTS_FILE_NAME)).ok()?;
    let header = read_at(&mut file, 0, live::PAGE).ok()?;
    let header = Words(&header);
    let is_known = header.get(0) == live::MAGIC && header.get(1) == live::VERSION;
    if !is_known || header.get(live::PRIVATE_THREADS) == 0 {
        return None;
    }
    let mut threads = BTreeSet::new();
    let mut at = live::PAGE as u64;
    while let Ok(page) = read_at(&mut file, at, live::PAGE) {
        let words = Words(&page);
        match words.get(live::KIND) {
            live::THREAD => threads.extend(u32::try_from(words.get(live::OWNER)).map(ThreadId)),
            live::PIECES | live::COLLECTION => {}
            _ => break,
        }
        // A damaged length ends the file.
        let length = words.get(live::AREA_BYTES).max(live::PAGE as u64);
        let Some(next) = at.checked_add(length) else {
            break;
        };
        at = next;
    }
    Some(threads)
}

/// Whether the process with this number has such a file mapped. A process that ended, or another one that reused its number,
/// has not.
fn is_mapped_by(process: u32) -> bool {
    let maps = std::fs::read(format!("/proc/{process}/maps")).unwrap_or_default();
    let name = LIVE_EVENTS_FILE_NAME.as_bytes();
    maps.split(|byte| *byte == b'\n')
        .any(|line| line.ends_with(name))
}

/// Reads one area of a file of this length.
fn read_area(file: &mut File, at: u64, length: u64) -> io::Result<Vec<u8>> {
    let first = read_at(file, at, live::PAGE)?;
    let bytes = Words(&first).get(live::AREA_BYTES);
    let is_there = bytes <= length.saturating_sub(at);
    if bytes < live::PAGE as u64 || !is_there || !bytes.is_multiple_of(live::PAGE as u64) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let first = Words(&first);
    if first.get(live::KIND) == live::COLLECTION && first.get(live::NUMBER) == 0 {
        // A free area may still have large old content.
        return read_at(file, at, live::PAGE);
    }
    read_at(file, at, bytes as usize)
}

fn read_at(file: &mut File, at: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The words that a thread wrote but did not hand over.
fn buffer(area: Words<'_>) -> Option<InBuffer> {
    let start = area.get(live::BUFFER_START);
    let (taken, cursor) = (area.get(live::TAKEN), area.get(live::CURSOR));
    let thread = u32::try_from(area.get(live::OWNER)).ok()?;
    let from = taken.checked_sub(start)?;
    let length = usize::try_from(cursor.checked_sub(taken)?).ok()?;
    if thread == 0 {
        return None;
    }
    let place = live::PAGE.checked_add(usize::try_from(from).ok()?)?;
    Some(InBuffer {
        position: area.get(live::POSITION).checked_add(from / 4)?,
        last_top: area.get(live::LAST_TOP),
        was_cut: area.get(live::WAS_CUT) != 0,
        cut: (area.get(live::CUT_TOP), area.get(live::CUT_LAST)),
        begun: area.get(live::BEGUN),
        thread: ThreadId(thread),
        words: area.bytes(place, length)?.to_vec(),
    })
}

/// A collection and its number, if the area holds one.
fn collection(area: Words<'_>) -> Option<(u32, KeptCollection)> {
    let number = u32::try_from(area.get(live::NUMBER)).ok()?;
    let count = usize::try_from(area.get(live::SURVIVORS)).ok()?;
    let kept = KeptCollection::decode(area.0.get(live::PAGE..)?, count)?;
    (number != 0 && kept.collection.number == number).then_some((number, kept))
}

fn pieces(area: Words<'_>) -> Vec<InSlot> {
    let slot_bytes = usize::try_from(area.get(live::SLOT_BYTES)).unwrap_or(0);
    if slot_bytes < live::SLOT_HEADER_BYTES {
        return Vec::new();
    }
    let slots = area.0.get(live::PAGE..).unwrap_or_default();
    slots.chunks_exact(slot_bytes).filter_map(in_slot).collect()
}

fn in_slot(slot: &[u8]) -> Option<InSlot> {
    let words = Words(slot);
    let sequence = words.get(live::SEQUENCE);
    if sequence == 0 {
        return None;
    }
    let piece = LivePiece::decode(std::array::from_fn(|index| words.get(index + 2)));
    let length = usize::try_from(piece.bytes).ok()?;
    let found = FoundPiece {
        header: piece.header,
        after_cut: piece.after_cut,
        cut: piece.cut,
        place: of_live_place(words.get(live::PLACE)),
        words: words.bytes(live::SLOT_HEADER_BYTES, length)?.to_vec(),
    };
    Some(InSlot {
        sequence,
        piece,
        found,
    })
}

/// The pieces of slots in order, then those of buffers, without the words that a slot has too.
fn in_order(mut slots: Vec<InSlot>, buffers: Vec<InBuffer>, epoch: u32) -> Vec<FoundPiece> {
    slots.sort_by_key(|slot| slot.sequence);
    let mut handed_over: HashMap<ThreadId, (u64, u64)> = HashMap::new();
    for InSlot { piece, .. } in &slots {
        let end = piece.position.saturating_add(u64::from(piece.bytes / 4));
        let known = handed_over.entry(piece.header.thread).or_default();
        *known = (*known).max((end, piece.header.handed_over));
    }
    let rest = buffers.into_iter().filter_map(|buffer| {
        let (known, handed_over) = handed_over.get(&buffer.thread).copied().unwrap_or_default();
        in_buffer(buffer, known, handed_over, epoch)
    });
    let mut pieces: Vec<FoundPiece> = slots.into_iter().map(|slot| slot.found).collect();
    pieces.extend(rest.collect::<Vec<_>>());
    pieces
}

fn in_buffer(buffer: InBuffer, known: u64, handed_over: u64, epoch: u32) -> Option<FoundPiece> {
    let double = usize::try_from(known.saturating_sub(buffer.position)).ok()?;
    let words = buffer.words.get(double.checked_mul(4)?..)?;
    if words.is_empty() {
        return None;
    }
    Some(FoundPiece {
        header: EventBlockHeader {
            thread: buffer.thread,
            epoch,
            begun: buffer.begun,
            handed_over: buffer.begun.max(handed_over),
            flags: EventFlags::NONE,
            last_top: buffer.last_top,
        },
        after_cut: buffer.was_cut,
        cut: buffer.cut,
        place: None,
        words: words.to_vec(),
    })
}
