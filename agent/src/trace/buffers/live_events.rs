//! `events.live`: events that threads wrote and handed over, in memory that
//! outlives the process. The layout is in [`ducktrack_trace_format::live`].
//!
//! ```text
//! header     the number of collections so far
//! threads    the first page of a thread's block and its buffer are pages of the file
//! pieces     slots of four lengths; a piece stays in one until its block is in an event file
//! others     collections (`kept_collections`)
//! ```
//!
//! A piece for which there is no room stays only in the process, and is counted. A kill loses it.

use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ducktrack_hotspot::page_size;
use ducktrack_trace_format::{LIVE_EVENTS_FILE_NAME, LivePiece, live, live_place};
use ducktrack_trace_writer::{BufferWords, Durable, DurableWords};
use parking_lot::Mutex;

use crate::process::mapped_file::{FileRange, MappedFile, Refusal};
use crate::process::memory::populate;
use crate::threads::counter_block::replace_with_private;
use crate::trace::buffers::live_words::LiveWords;

/// Bytes of the slots of each class. The last class takes a whole buffer of maximum size.
const SLOT_BYTES: [usize; 4] = [512, 4 << 10, 24 << 10, 44 << 10];

/// The buffers of this many threads are in the file at most. Each takes four of the
/// process's mappings: Linux allows 65,530, and each thread of the VM needs some, too.
const MOST_BUFFERS: u64 = 4000;

/// Free slots of each class that there should be: threads hand over one at a time, but several may do so at once.
const SPARE_SLOTS: usize = 4;

/// Approximate bytes of an area of slots.
const AREA_BYTES: usize = 256 << 10;

/// The file, and its free slots.
#[derive(Debug)]
pub(crate) struct LiveEvents {
    /// Open until the run has been stopped.
    file: Mutex<Option<MappedFile>>,
    /// The mapped areas: addresses and bytes.
    areas: Mutex<Vec<(usize, usize)>>,
    most: u64,
    header: LiveWords,
    /// Free slots by class. The slot freed last is used first, so that few pages are dirty.
    free: [Mutex<Vec<usize>>; SLOT_BYTES.len()],
    sequence: AtomicU64,
    /// Threads whose buffers are in the file.
    buffers: AtomicU64,
}

impl LiveEvents {
    /// Creates the file of a run, with at most `most` bytes.
    ///
    /// # Errors
    /// Why a kill will lose the events in the threads' buffers.
    pub(crate) fn begin(
        directory: &Path,
        start_unix_millis: u64,
        most: u64,
    ) -> Result<Arc<Self>, String> {
        if most == 0 {
            return Err("option memory=mapped:off".to_owned());
        }
        if page_size() != live::PAGE {
            return Err(format!("pages of {} bytes are not supported", page_size()));
        }
        Self::begin_file(directory, start_unix_millis, most).map_err(|refusal| refusal.to_string())
    }

    fn begin_file(
        directory: &Path,
        start_unix_millis: u64,
        most: u64,
    ) -> Result<Arc<Self>, Refusal> {
        let mut file = MappedFile::create(&directory.join(LIVE_EVENTS_FILE_NAME), most)?;
        let header = match file.reserve(live::PAGE).and_then(|range| file.map(range)) {
            Ok(header) => LiveWords(header.expose_provenance().get()),
            Err(refusal) => {
                file.remove();
                return Err(refusal);
            }
        };
        header.set(1, live::VERSION);
        header.set(live::PROCESS, u64::from(std::process::id()));
        header.set(live::START, start_unix_millis);
        header.set(0, live::MAGIC);
        Ok(Arc::new(Self {
            file: Mutex::new(Some(file)),
            areas: Mutex::new(vec![(header.0, live::PAGE)]),
            most,
            header,
            free: Default::default(),
            sequence: AtomicU64::new(0),
            buffers: AtomicU64::new(0),
        }))
    }

    /// Sets the number of starts and ends of collections so far. Later words belong to the epoch after them.
    pub(crate) fn set_epoch(&self, epoch: u32) {
        self.header.set(live::EPOCH, epoch.into());
    }

    /// Maps pages of the file over a block's first page and its event buffer, before the block has an owner.
    ///
    /// # Safety
    /// Both must be whole pages of a block that is not in use yet.
    ///
    /// # Errors
    /// The block is unchanged.
    pub(crate) unsafe fn hold_buffer(
        &self,
        block: usize,
        buffer: usize,
        bytes: usize,
    ) -> Result<(), Refusal> {
        let mut file = self.file.lock();
        let Some(file) = file.as_mut() else {
            return Ok(());
        };
        if self.buffers.load(Ordering::Relaxed) >= MOST_BUFFERS {
            return Err(file.too_many_blocks(MOST_BUFFERS as usize));
        }
        let range = file.reserve(live::PAGE + bytes)?;
        let (first, rest) = split(range, live::PAGE);
        let place = |address| NonNull::new(std::ptr::with_exposed_provenance_mut(address));
        let (Some(first_page), Some(rest_pages)) = (place(block), place(buffer)) else {
            return Ok(());
        };
        // SAFETY: the caller guarantees whole pages of a block that is not in use.
        unsafe { file.map_over(rest, rest_pages) }?;
        // SAFETY: the caller guarantees whole pages of a block that is not in use.
        unsafe { file.map_over(first, first_page) }?;
        let words = LiveWords(block);
        words.set(live::AREA_BYTES, range.length as u64);
        words.set(live::BUFFER_START, buffer as u64);
        words.set(live::KIND, live::THREAD);
        self.buffers.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Keeps a piece that a thread hands over.
    pub(crate) fn keep(self: &Arc<Self>, piece: &LivePiece, words: &[u8]) -> BufferWords {
        match self.slot(words.len()) {
            Some((class, slot)) => {
                let kept = KeptPiece {
                    live: Arc::clone(self),
                    class,
                    slot,
                    bytes: words.len(),
                };
                kept.write(piece, words);
                BufferWords::Durable(Box::new(kept))
            }
            None => {
                self.header.add(live::PRIVATE_PIECES);
                BufferWords::Own(words.to_vec())
            }
        }
    }

    /// Counts a thread whose buffer is lost with the process.
    pub(crate) fn note_private_thread(&self) {
        self.header.add(live::PRIVATE_THREADS);
    }

    /// Deletes the file after the run, because the event files have everything.
    pub(crate) fn remove(&self) {
        if let Some(file) = self.file.lock().as_ref() {
            file.remove();
        }
    }

    /// Closes the file and gives its memory back, after the run has been stopped. Addresses stay: a late store goes into private memory.
    pub(crate) fn release(&self) {
        *self.file.lock() = None;
        for (start, bytes) in std::mem::take(&mut *self.areas.lock()) {
            // SAFETY: the area was mapped by this value, and its contents are in the event files. If the call fails, the memory stays.
            let _ = unsafe { replace_with_private(start, bytes) };
        }
    }

    /// Sees to it that the next pieces find slots whose pages are there. To
    /// provide them may take milliseconds: call it without holding a lock.
    pub(crate) fn provide(&self) {
        for (free, bytes) in self.free.iter().zip(SLOT_BYTES) {
            let is_short = free.lock().len() < SPARE_SLOTS;
            let Some(more) = is_short.then(|| self.more_slots(bytes)).flatten() else {
                continue;
            };
            populate_slots(&more, bytes);
            let mut free = free.lock();
            // The lowest address is used first; those that were used before come before them.
            free.splice(..0, more);
        }
    }

    /// Takes a free slot for this many bytes.
    fn slot(&self, bytes: usize) -> Option<(usize, LiveWords)> {
        let need = live::SLOT_HEADER_BYTES + bytes;
        let class = SLOT_BYTES.iter().position(|length| need <= *length)?;
        let mut free = self.free.get(class)?.lock();
        if free.is_empty() {
            *free = self.more_slots(*SLOT_BYTES.get(class)?)?;
        }
        free.pop().map(|address| (class, LiveWords(address)))
    }

    /// Adds an area of this many bytes, in whole pages.
    pub(crate) fn area(
        &self,
        bytes: usize,
        kind: u64,
        begin: impl FnOnce(LiveWords),
    ) -> Option<LiveWords> {
        let mut file = self.file.lock();
        let file = file.as_mut()?;
        let range = file.reserve(bytes).ok()?;
        let area = LiveWords(file.map(range).ok()?.expose_provenance().get());
        self.areas.lock().push((area.0, range.length));
        area.set(live::AREA_BYTES, bytes as u64);
        begin(area);
        // The file is locked until then: readers stop at an area without a kind.
        area.set(live::KIND, kind);
        Some(area)
    }

    /// Bytes by which the file may still grow.
    pub(crate) fn most(&self) -> u64 {
        self.most
    }

    /// Adds an area of slots.
    fn more_slots(&self, slot_bytes: usize) -> Option<Vec<usize>> {
        let slots = (AREA_BYTES / slot_bytes).max(1);
        let bytes = (live::PAGE + slots * slot_bytes).next_multiple_of(live::PAGE);
        let area = self.area(bytes, live::PIECES, |area| {
            area.set(live::SLOT_BYTES, slot_bytes as u64);
        })?;
        let first = area.0 + live::PAGE;
        // The lowest address is used first.
        Some(
            (0..slots)
                .rev()
                .map(|slot| first + slot * slot_bytes)
                .collect(),
        )
    }
}

/// Provides the pages of neighbouring slots. The last of the list has the lowest address.
fn populate_slots(slots: &[usize], bytes: usize) {
    if let Some(first) = slots.last() {
        populate(*first, slots.len() * bytes);
    }
}

fn split(range: FileRange, at: usize) -> (FileRange, FileRange) {
    let first = FileRange {
        offset: range.offset,
        length: at,
    };
    let rest = FileRange {
        offset: range.offset + at as u64,
        length: range.length - at,
    };
    (first, rest)
}

/// A piece in its slot, which is freed on drop.
struct KeptPiece {
    live: Arc<LiveEvents>,
    class: usize,
    slot: LiveWords,
    bytes: usize,
}

impl std::fmt::Debug for KeptPiece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeptPiece({} bytes)", self.bytes)
    }
}

impl KeptPiece {
    fn write(&self, piece: &LivePiece, words: &[u8]) {
        let after_header = self.slot.0 + live::SLOT_HEADER_BYTES;
        // SAFETY: only this piece uses the slot, and the slot is long enough for its header and the words.
        let room = unsafe {
            std::slice::from_raw_parts_mut(
                std::ptr::with_exposed_provenance_mut::<u8>(after_header),
                words.len(),
            )
        };
        room.copy_from_slice(words);
        self.slot.set(live::PLACE, 0);
        for (index, word) in (2..).zip(piece.encode()) {
            self.slot.set(index, word);
        }
        // Written last: from here on readers see the piece.
        let sequence = self.live.sequence.fetch_add(1, Ordering::Relaxed) + 1;
        self.slot.set(live::SEQUENCE, sequence);
    }
}

impl Durable for KeptPiece {
    fn will_be(&self, file: u32, block: u32) {
        self.slot.set(live::PLACE, live_place(file, block));
    }
}

impl DurableWords for KeptPiece {
    fn bytes(&self) -> &[u8] {
        let after_header = self.slot.0 + live::SLOT_HEADER_BYTES;
        // SAFETY: the slot is never unmapped, its bytes were written before, and no thread writes them until this is dropped.
        unsafe {
            std::slice::from_raw_parts(std::ptr::with_exposed_provenance(after_header), self.bytes)
        }
    }
}

impl Drop for KeptPiece {
    fn drop(&mut self) {
        self.slot.set(live::SEQUENCE, 0);
        if let Some(free) = self.live.free.get(self.class) {
            free.lock().push(self.slot.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use ducktrack_trace_format::{EventBlockHeader, EventFlags, ThreadId};

    use super::*;

    const MOST: u64 = 64 << 20;

    fn piece(thread: u32, words: &[u8]) -> LivePiece {
        LivePiece {
            header: EventBlockHeader {
                thread: ThreadId(thread),
                epoch: 3,
                begun: 1,
                handed_over: 2,
                flags: EventFlags::NONE,
                last_top: 0x1000,
            },
            after_cut: false,
            cut: (0, 0),
            position: 9,
            bytes: u32::try_from(words.len()).expect("short"),
        }
    }

    #[test]
    fn a_piece_is_in_the_file_until_it_is_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        let live = LiveEvents::begin(folder.path(), 77, MOST).expect("a file");
        live.set_epoch(5);
        let words: Vec<u8> = (0..100).collect();
        let kept = live.keep(&piece(7, &words), &words);
        assert_eq!(*kept, *words);
        let path = folder.path().join(LIVE_EVENTS_FILE_NAME);
        let word = |at: usize| {
            let bytes = std::fs::read(&path).expect("the file");
            u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
        };
        assert_eq!((word(0), word(live::EPOCH * 8)), (live::MAGIC, 5));
        let slot = 2 * live::PAGE;
        assert_eq!(word(live::PAGE + live::KIND * 8), live::PIECES);
        assert_eq!(word(live::PAGE + live::SLOT_BYTES * 8), 512);
        assert_eq!((word(slot), word(slot + 8)), (1, 0));
        assert_eq!(word(slot + live::SLOT_HEADER_BYTES), 0x0706_0504_0302_0100);
        let BufferWords::Durable(kept) = kept else {
            panic!("there is room");
        };
        kept.will_be(2, 30);
        assert_eq!(word(slot + 8), live_place(2, 30));
        drop(kept);
        assert_eq!(word(slot), 0);
        // The next piece takes the same slot.
        let other = live.keep(&piece(8, &words), &words);
        assert_eq!(word(slot), 2);
        drop(other);
        live.remove();
        assert!(!path.exists());
    }

    #[test]
    fn slots_of_each_class_hold_what_they_are_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let live = LiveEvents::begin(folder.path(), 0, MOST).expect("a file");
        let mut kept = Vec::new();
        for length in [0, 432, 433, 4016, 4017, 20_000, 40 << 10] {
            for round in 0..20_u8 {
                let words = vec![round; length];
                kept.push((round, length, live.keep(&piece(1, &words), &words)));
            }
        }
        assert!(
            kept.iter()
                .all(|(round, length, words)| **words == *vec![*round; *length])
        );
        let too_long = vec![1; 50 << 10];
        assert!(matches!(
            live.keep(&piece(1, &too_long), &too_long),
            BufferWords::Own(_)
        ));
        let private = live.header.word(live::PRIVATE_PIECES);
        assert_eq!(private.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn above_the_bound_pieces_are_in_the_process_alone_and_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let live = LiveEvents::begin(folder.path(), 0, 1 << 20).expect("a file");
        let words = vec![7; 20_000];
        let kept: Vec<_> = (0..100)
            .map(|_| live.keep(&piece(1, &words), &words))
            .collect();
        let durable = |words: &&BufferWords| matches!(words, BufferWords::Durable(_));
        let durable = kept.iter().filter(durable).count();
        assert!((10..50).contains(&durable), "{durable}");
        let private = live.header.word(live::PRIVATE_PIECES);
        assert_eq!(private.load(Ordering::Relaxed), 100 - durable as u64);
        let path = folder.path().join(LIVE_EVENTS_FILE_NAME);
        assert!(std::fs::metadata(path).expect("the file").len() <= 1 << 20);
        assert!(LiveEvents::begin(folder.path(), 0, 0).is_err());
    }
}
