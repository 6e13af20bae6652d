//! Keeps collections in `events.live`, from inside the pause until their blocks are in an event file. The layout is in
//! [`ducktrack_trace_format::KeptCollection`].
//!
//! A collection waits in the queue after the events before it, and has many moves. If the process were killed meanwhile, the heap would be
//! unknown from then on. So its survivors are copied during the pause, 24 bytes each. Areas are reused, so most of their pages are already
//! present. All areas together take a bounded part of the file; a collection without room there is only in the process.

use std::sync::Arc;

use ducktrack_trace_format::{Collection, KEPT_SURVIVOR_WORDS, KeptCollection, Survivor, live};
use ducktrack_trace_writer::Durable;
use parking_lot::Mutex;

use crate::process::memory::populate;
use crate::trace::buffers::live_events::LiveEvents;
use crate::trace::buffers::live_words::LiveWords;

/// Areas are multiples of this many bytes.
const STEP: usize = 64 << 10;

/// The collections kept in the file.
#[derive(Debug)]
pub(crate) struct KeptCollections {
    live: Arc<LiveEvents>,
    areas: Arc<Mutex<Areas>>,
}

#[derive(Debug)]
struct Areas {
    free: Vec<Area>,
    /// Bytes available for further areas.
    left: usize,
    /// Bytes that the latest collection needed.
    latest: usize,
}

#[derive(Clone, Copy, Debug)]
struct Area {
    words: LiveWords,
    bytes: usize,
}

/// A collection in its area, which is freed on drop.
#[derive(Debug)]
struct InArea {
    area: Area,
    areas: Arc<Mutex<Areas>>,
}

impl KeptCollections {
    /// Areas of `most` bytes in total.
    pub(crate) fn new(live: Arc<LiveEvents>, most: usize) -> Self {
        let areas = Areas {
            free: Vec::new(),
            left: most,
            latest: 0,
        };
        Self {
            live,
            areas: Arc::new(Mutex::new(areas)),
        }
    }

    /// Keeps a collection, with the uses before it. Returns `None` if there is no room.
    pub(crate) fn keep(
        &self,
        collection: &Collection,
        uses: &[Vec<u8>],
        survivors: &[Vec<Survivor>],
    ) -> Option<Box<dyn Durable>> {
        let head = KeptCollection::encode_head(collection, uses).ok()?;
        let count = survivors.iter().map(Vec::len).sum::<usize>();
        let content = head.len() + count * KEPT_SURVIVOR_WORDS * 8;
        let kept = InArea {
            area: self.area(live::PAGE + content)?,
            areas: Arc::clone(&self.areas),
        };
        let words = kept.area.words;
        words.set(live::SURVIVORS, count as u64);
        fill(kept.area, &head, survivors.iter().flatten());
        // Written last: from here on readers see the collection.
        words.set(live::NUMBER, collection.number.into());
        Some(Box::new(kept))
    }

    /// Called outside of pauses: a collection as large as the latest then finds an area
    /// whose pages are provided. In the pause, page faults would take longer than the copy.
    pub(crate) fn prepare(&self) {
        let missing = self.areas.lock().take_missing();
        let Some(area) = missing.and_then(|length| self.new_area(length)) else {
            return;
        };
        populate(area.words.0, area.bytes);
        self.areas.lock().free.push(area);
    }

    /// The smallest free area of at least `bytes` bytes, or a new one, with spare room for the next collection.
    fn area(&self, bytes: usize) -> Option<Area> {
        let mut areas = self.areas.lock();
        areas.latest = bytes;
        let fits = areas.free.iter().enumerate();
        let fits = fits.filter(|(_, area)| area.bytes >= bytes);
        if let Some((index, _)) = fits.min_by_key(|(_, area)| area.bytes) {
            return Some(areas.free.swap_remove(index));
        }
        let length = roomy(bytes);
        areas.left = areas.left.checked_sub(length)?;
        drop(areas);
        self.new_area(length)
    }

    fn new_area(&self, bytes: usize) -> Option<Area> {
        let words = self.live.area(bytes, live::COLLECTION, |_| {})?;
        Some(Area { words, bytes })
    }
}

impl Areas {
    /// The length of a free area that is missing, taken from `left`. At most a quarter of `left`: larger collections need the rest.
    fn take_missing(&mut self) -> Option<usize> {
        let length = roomy(self.latest);
        let is_there = self.free.iter().any(|area| area.bytes >= self.latest);
        if self.latest == 0 || is_there || length > self.left / 4 {
            return None;
        }
        self.left -= length;
        Some(length)
    }
}

fn roomy(bytes: usize) -> usize {
    (bytes + bytes / 4).next_multiple_of(STEP)
}

fn fill<'a>(area: Area, head: &[u8], survivors: impl Iterator<Item = &'a Survivor>) {
    let start = std::ptr::with_exposed_provenance_mut::<u64>(area.words.0 + live::PAGE);
    // SAFETY: the area is never unmapped, has this length, and only its owner uses it until it is dropped.
    let room = unsafe { std::slice::from_raw_parts_mut(start, (area.bytes - live::PAGE) / 8) };
    let (first, rest) = room.split_at_mut(head.len() / 8);
    let (words, _) = head.as_chunks::<8>();
    for (room, word) in first.iter_mut().zip(words) {
        *room = u64::from_le_bytes(*word);
    }
    let (places, _) = rest.as_chunks_mut::<KEPT_SURVIVOR_WORDS>();
    for (place, survivor) in places.iter_mut().zip(survivors) {
        *place = survivor.encode();
    }
}

impl Durable for InArea {
    /// Not needed: readers recognize the collection itself.
    fn will_be(&self, _file: u32, _block: u32) {}
}

impl Drop for InArea {
    fn drop(&mut self) {
        self.area.words.set(live::NUMBER, 0);
        self.areas.lock().free.push(self.area);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ducktrack_trace_format::{HeapClassId, LIVE_EVENTS_FILE_NAME};

    use super::*;

    fn collection(number: u32) -> Collection {
        Collection {
            number,
            ..Collection::default()
        }
    }

    fn survivors(count: u64) -> Vec<Vec<Survivor>> {
        let one = |at: u64| Survivor::new(at * 16, at * 16 + 8, 16, HeapClassId(3));
        vec![
            (0..count / 2).map(one).collect(),
            (count / 2..count).map(one).collect(),
        ]
    }

    fn kept(folder: &Path, most: usize) -> KeptCollections {
        let live = LiveEvents::begin(folder, 0, 64 << 20).expect("a file");
        KeptCollections::new(live, most)
    }

    fn in_file(folder: &Path, at: usize) -> (u64, Option<KeptCollection>) {
        let bytes = std::fs::read(folder.join(LIVE_EVENTS_FILE_NAME)).expect("the file");
        let word = |index: usize| {
            let at = at + index * 8;
            u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
        };
        assert_eq!(word(live::KIND), live::COLLECTION);
        let count = usize::try_from(word(live::SURVIVORS)).expect("few");
        let end = at + usize::try_from(word(live::AREA_BYTES)).expect("short");
        let kept = KeptCollection::decode(&bytes[at + live::PAGE..end], count);
        (word(live::NUMBER), kept)
    }

    #[test]
    fn a_collection_is_in_the_file_until_it_is_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = kept(folder.path(), 1 << 20);
        let first = all.keep(&collection(7), &[vec![1, 2, 3]], &survivors(1000));
        let first = first.expect("room");
        let (number, kept) = in_file(folder.path(), live::PAGE);
        let kept = kept.expect("whole");
        assert_eq!((number, kept.collection.number), (7, 7));
        assert_eq!(
            (kept.survivors.len(), kept.collection.counts.moved),
            (1000, 1000)
        );
        assert_eq!(kept.uses, [vec![1, 2, 3]]);
        assert_eq!(kept.survivors[999].from, 999 * 16);
        let second = all.keep(&collection(8), &[], &survivors(2)).expect("room");
        drop(first);
        assert_eq!(in_file(folder.path(), live::PAGE).0, 0);
        // The smallest area that fits.
        let third = all.keep(&collection(9), &[], &survivors(10)).expect("room");
        assert_eq!(in_file(folder.path(), live::PAGE).0, 9);
        drop((second, third));
    }

    #[test]
    fn an_area_is_there_before_the_next_collection() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = kept(folder.path(), 4 << 20);
        let bytes = || {
            let file = std::fs::metadata(folder.path().join(LIVE_EVENTS_FILE_NAME));
            file.expect("the file").len()
        };
        let before = bytes();
        all.prepare();
        assert_eq!(bytes(), before, "no collection has come");
        let first = all.keep(&collection(1), &[], &survivors(10_000));
        let after_first = bytes();
        all.prepare();
        assert_eq!(bytes() - after_first, after_first - before);
        // One that is a little larger has room.
        let second = all.keep(&collection(2), &[], &survivors(12_000));
        assert_eq!(bytes() - after_first, after_first - before);
        assert!(first.is_some() && second.is_some());
        drop(first);
        all.prepare();
        all.prepare();
        assert_eq!(bytes() - after_first, after_first - before, "one is free");
    }

    #[test]
    fn above_the_bound_a_collection_is_not_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = kept(folder.path(), 1 << 20);
        assert!(all.keep(&collection(1), &[], &survivors(100_000)).is_none());
        let fits = all.keep(&collection(2), &[], &survivors(30_000));
        assert!(fits.is_some());
        assert!(all.keep(&collection(3), &[], &survivors(30_000)).is_none());
        drop(fits);
        assert!(all.keep(&collection(4), &[], &survivors(30_000)).is_some());
    }
}
