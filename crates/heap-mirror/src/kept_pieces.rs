//! The pieces of the current epoch, kept until the collection that ends it.
//!
//! ```text
//! piece    thread, epoch, stretches, words
//! stretch  index of its first word, start address of its first object; its objects are adjacent
//! word     site and caller << 12 | units of 8 bytes; 0 units: the object ends where the stretch begins, its size is unknown
//! part     total units of 32 objects of a stretch (or of its last ones): dead parts are skipped without looking at their words
//! klass    index of a word and the VM's address of the class that its event stated; the collection resolves it
//! ```
//!
//! They take about four bytes an object, at most an eighth of what was allocated. That is much for a large heap, so only the first
//! [`PLAIN_BYTES`] are kept uncompressed. Compressing and expanding cost about as much as counting, so only heaps with more than a gigabyte
//! of young objects pay for it: 600 MB of objects of 24 bytes are 100 MB here.

use std::borrow::Cow;

use ducktrack_trace_format::{
    Compression, EventBlockHeader, MAX_UNITS, PackedContent, ThreadId, UNIT, Word,
};

use crate::kept_site::KeptSite;

/// How many bytes are kept uncompressed.
const PLAIN_BYTES: u64 = 160 << 20;

/// Objects in a part, which is either skipped as dead or examined.
pub(crate) const PART: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    first: u32,
    start: u64,
}

/// An object in a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeptObject {
    /// Index of its word in the piece.
    pub(crate) index: u32,
    pub(crate) site: KeptSite,
    pub(crate) end: u64,
    pub(crate) bytes: Option<u64>,
}

/// Adjacent objects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neighbours<'a> {
    pub(crate) start: u64,
    /// End of the last of them.
    pub(crate) end: u64,
    /// Index of their first word in the piece.
    first: u32,
    words: &'a [Word],
}

impl<'a> Neighbours<'a> {
    pub(crate) fn len(self) -> u64 {
        self.words.len() as u64
    }

    pub(crate) fn objects(self) -> impl Iterator<Item = KeptObject> {
        let mut end = self.start;
        (self.first..).zip(self.words).map(move |(index, word)| {
            let units = u64::from(units_of(*word));
            end = end.wrapping_add(units * UNIT);
            KeptObject {
                index,
                site: KeptSite::of_word(u32::from_le_bytes(*word)),
                end,
                bytes: (units > 0).then_some(units * UNIT),
            }
        })
    }
}

/// A stretch of a piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptStretch<'a> {
    start: u64,
    /// Index of its first word in the piece.
    pub(crate) first: u32,
    words: &'a [Word],
    /// Units of each of its parts.
    units: &'a [u32],
}

impl<'a> KeptStretch<'a> {
    pub(crate) fn parts(self) -> impl Iterator<Item = Neighbours<'a>> {
        let (mut end, mut next) = (self.start, self.first);
        let parts = self.words.chunks(PART).zip(self.units);
        parts.map(move |(words, units)| {
            let (start, first) = (end, next);
            end = start.wrapping_add(u64::from(*units) * UNIT);
            next += words.len() as u32;
            Neighbours {
                start,
                end,
                first,
                words,
            }
        })
    }
}

/// Units of a part's objects.
fn units_of_part(words: &[Word]) -> u32 {
    let (parts, rest) = words.as_chunks::<8>();
    let sum = |words: &[Word]| words.iter().map(|word| units_of(*word)).sum::<u32>();
    // The compiler turns loops over a fixed number of words into SIMD instructions.
    parts.iter().map(|part| sum(part)).sum::<u32>() + sum(rest)
}

#[inline]
fn units_of(word: Word) -> u32 {
    u32::from_le_bytes(word) & MAX_UNITS
}

/// The objects of the piece being read.
#[derive(Debug, Default)]
pub struct PieceObjects {
    /// The first `length` words are of this piece; the rest is room.
    words: Vec<Word>,
    length: usize,
    stretches: Vec<Stretch>,
    klasses: Vec<(u32, u64)>,
    /// Units of parts, filled when the piece is complete.
    units: Vec<u32>,
    top: Option<u64>,
}

impl PieceObjects {
    /// Room for `objects` adjacent objects from `top` on. The caller writes them and then calls [`PieceObjects::filled`].
    pub fn room(&mut self, top: u64, objects: usize) -> &mut [Word] {
        if self.words.len() < self.length + objects {
            self.words.resize(self.length + objects, [0; 4]);
        }
        if self.top != Some(top) {
            self.begin_stretch(top);
        }
        self.words.get_mut(self.length..).unwrap_or_default()
    }

    /// Tells how many objects were written; the last of them ends at `top`.
    pub fn filled(&mut self, objects: usize, top: u64) {
        self.length += objects;
        self.top = Some(top);
    }

    /// Adds adjacent objects from `top` on, given by their units; eliminated ones (0 units) are left out.
    #[cfg(test)]
    pub(crate) fn push_plain(&mut self, top: u64, objects: &[(KeptSite, u32)]) {
        let on_heap = objects.iter().filter(|(_, units)| *units > 0);
        let words: Vec<Word> = on_heap
            .map(|(site, units)| (site.in_word() | units).to_le_bytes())
            .collect();
        self.room(top, objects.len())[..words.len()].copy_from_slice(&words);
        let units: u32 = objects.iter().map(|(_, units)| units).sum();
        self.filled(words.len(), top + u64::from(units) * UNIT);
    }

    /// Sets the class of the object that was pushed last, by the class's address in the VM.
    pub fn say_klass(&mut self, klass: u64) {
        if let Some(index) = self.length.checked_sub(1) {
            self.klasses.push((index as u32, klass));
        }
    }

    /// Adds an object at any address. False if it is too large for a word.
    pub fn push(&mut self, site: KeptSite, bytes: Option<u64>, end: u64) -> bool {
        let units = bytes.unwrap_or(0) / UNIT;
        if units > u64::from(MAX_UNITS) {
            return false;
        }
        let start = end.wrapping_sub(units * UNIT);
        if units == 0 || self.top != Some(start) {
            self.begin_stretch(start);
        }
        let word = (site.in_word() | units as u32).to_le_bytes();
        match self.words.get_mut(self.length) {
            Some(place) => *place = word,
            None => self.words.push(word),
        }
        self.length += 1;
        self.top = Some(end);
        true
    }

    fn begin_stretch(&mut self, start: u64) {
        let first = self.length as u32;
        if self
            .stretches
            .last()
            .is_some_and(|last| last.first == first)
        {
            self.stretches.pop();
        }
        self.stretches.push(Stretch { first, start });
    }

    /// Returns the piece and starts again; `None` if it has no objects.
    pub(crate) fn take(&mut self, header: &EventBlockHeader) -> Option<KeptPiece> {
        let words = self.words.get(..self.length).unwrap_or_default();
        let parts = stretches(&self.stretches, words).flat_map(|(_, words)| words.chunks(PART));
        self.units.extend(parts.map(units_of_part));
        let piece = (!words.is_empty()).then(|| KeptPiece {
            thread: header.thread,
            epoch: header.epoch,
            stretches: self.stretches.as_slice().into(),
            klasses: self.klasses.as_slice().into(),
            units: self.units.as_slice().into(),
            words: KeptWords::Plain(words.into()),
        });
        self.forget();
        piece
    }

    /// Starts again without the objects so far.
    fn forget(&mut self) {
        self.length = 0;
        self.stretches.clear();
        self.klasses.clear();
        self.units.clear();
        self.top = None;
    }
}

/// Each stretch of a piece with its words.
fn stretches<'a>(
    stretches: &'a [Stretch],
    words: &'a [Word],
) -> impl Iterator<Item = (&'a Stretch, &'a [Word])> {
    let ends = stretches.iter().skip(1).map(|next| next.first as usize);
    let all = stretches.iter().zip(ends.chain([words.len()]));
    all.filter_map(|(stretch, end)| Some((stretch, words.get(stretch.first as usize..end)?)))
}

#[derive(Debug)]
enum KeptWords {
    Plain(Box<[Word]>),
    Packed(PackedContent),
}

/// A piece that waits for its collection.
#[derive(Debug)]
pub(crate) struct KeptPiece {
    pub(crate) thread: ThreadId,
    pub(crate) epoch: u32,
    stretches: Box<[Stretch]>,
    /// Ascending by word index.
    klasses: Box<[(u32, u64)]>,
    /// Units of the parts of all stretches.
    units: Box<[u32]>,
    words: KeptWords,
}

impl KeptPiece {
    /// Hands out all stretches. Words that do not expand would leave the piece empty, but this process compressed
    /// them itself.
    pub(crate) fn for_each_stretch(&self, mut give: impl FnMut(KeptStretch<'_>)) {
        let bytes = match &self.words {
            KeptWords::Plain(words) => Cow::Borrowed(words.as_flattened()),
            KeptWords::Packed(packed) => packed.unpack().unwrap_or_default(),
        };
        let (words, _) = bytes.as_chunks::<4>();
        let mut rest = &*self.units;
        for (stretch, words) in stretches(&self.stretches, words) {
            let (units, after) = rest.split_at(words.len().div_ceil(PART).min(rest.len()));
            rest = after;
            give(KeptStretch {
                start: stretch.start,
                first: stretch.first,
                words,
                units,
            });
        }
    }

    /// The class that an object's event stated, by its address in the VM.
    pub(crate) fn klass_of(&self, object: &KeptObject) -> Option<u64> {
        let place = self
            .klasses
            .binary_search_by_key(&object.index, |(index, _)| *index);
        place
            .ok()
            .and_then(|place| self.klasses.get(place))
            .map(|(_, klass)| *klass)
    }

    fn pack(self) -> Self {
        let KeptWords::Plain(words) = &self.words else {
            return self;
        };
        match PackedContent::pack(words.as_flattened(), Compression::Lz4) {
            Ok(packed) => Self {
                words: KeptWords::Packed(packed),
                ..self
            },
            Err(_) => self,
        }
    }

    fn memory(&self) -> u64 {
        let words = match &self.words {
            KeptWords::Plain(words) => size_of_val(&**words) as u64,
            KeptWords::Packed(packed) => u64::from(packed.stored_length()),
        };
        let others = size_of_val(&*self.stretches) + size_of_val(&*self.klasses);
        words + (others + size_of_val(&*self.units)) as u64
    }
}

/// All kept pieces.
#[derive(Debug)]
pub(crate) struct KeptPieces {
    pieces: Vec<KeptPiece>,
    memory: u64,
    plain_bytes: u64,
}

impl KeptPieces {
    pub(crate) fn new() -> Self {
        Self::with_plain_bytes(PLAIN_BYTES)
    }

    fn with_plain_bytes(plain_bytes: u64) -> Self {
        Self {
            pieces: Vec::new(),
            memory: 0,
            plain_bytes,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Memory of the pieces, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.memory
    }

    /// Keeps a piece.
    pub(crate) fn keep(&mut self, piece: KeptPiece) {
        let is_much = self.memory >= self.plain_bytes;
        self.put_back(if is_much { piece.pack() } else { piece });
    }

    /// Puts back a piece that was taken.
    pub(crate) fn put_back(&mut self, piece: KeptPiece) {
        self.memory += piece.memory();
        self.pieces.push(piece);
    }

    /// Takes all pieces, in order.
    pub(crate) fn take(&mut self) -> Vec<KeptPiece> {
        self.memory = 0;
        std::mem::take(&mut self.pieces)
    }
}

#[cfg(test)]
mod tests {
    use ducktrack_trace_format::{EventFlags, SiteId};

    use super::*;

    const HEADER: EventBlockHeader = EventBlockHeader {
        thread: ThreadId(3),
        epoch: 2,
        begun: 0,
        handed_over: 0,
        flags: EventFlags::NONE,
        last_top: 0,
    };

    fn alone(site: u32) -> KeptSite {
        KeptSite::alone(SiteId(site)).unwrap()
    }

    fn objects(piece: &KeptPiece) -> Vec<(KeptSite, u64, Option<u64>)> {
        let mut objects = Vec::new();
        piece.for_each_stretch(|stretch| {
            for part in stretch.parts() {
                let ends: Vec<_> = part.objects().map(|o| (o.site, o.end, o.bytes)).collect();
                assert_eq!(ends.last().map(|last| last.1), Some(part.end));
                assert_eq!(ends.len() as u64, part.len());
                objects.extend(ends);
            }
        });
        objects
    }

    #[test]
    fn objects_end_where_they_ended() {
        let mut piece = PieceObjects::default();
        assert!(piece.take(&HEADER).is_none());
        piece.push_plain(0x1000, &[(alone(16), 3), (alone(17), 0), (alone(18), 1)]);
        assert!(piece.push(alone(19), Some(16), 0x1030));
        piece.say_klass(7);
        assert!(piece.push(alone(20), None, 0x1050));
        assert!(!piece.push(alone(21), Some(40_000), 0x9000));
        assert!(piece.push(alone(22), Some(32_760), 0x2000_0000));
        piece.push_plain(0x3000, &[(alone(23), 2)]);
        let kept = piece.take(&HEADER).unwrap();
        let expected = [
            (16, 0x1018, Some(24)),
            (18, 0x1020, Some(8)),
            (19, 0x1030, Some(16)),
            (20, 0x1050, None),
            (22, 0x2000_0000, Some(32_760)),
            (23, 0x3010, Some(16)),
        ];
        let expected = expected.map(|(site, end, bytes)| (alone(site), end, bytes));
        assert_eq!(objects(&kept), expected);
        kept.for_each_stretch(|stretch| {
            for object in stretch.parts().flat_map(Neighbours::objects) {
                let stated = (object.site == alone(19)).then_some(7);
                assert_eq!(kept.klass_of(&object), stated);
            }
        });
        assert_eq!(objects(&kept.pack()), expected);
        assert!(piece.take(&HEADER).is_none());
    }

    #[test]
    fn what_is_more_than_the_limit_is_compressed_and_comes_back() {
        let piece = |site| {
            let mut piece = PieceObjects::default();
            piece.push_plain(0x1000, &[(alone(site), 2); 250]);
            piece.take(&HEADER).unwrap()
        };
        let mut kept = KeptPieces::with_plain_bytes(2_500);
        for site in 16..26 {
            kept.keep(piece(site));
        }
        // Each piece has 8 parts, whose units are stored beside the words.
        let units = 10 * 8 * 4;
        let memory = kept.memory() - units;
        assert!((3_000..3_700).contains(&memory), "{memory}");
        let taken = kept.take();
        assert_eq!(taken.len(), 10);
        for (site, kept) in (16..26).zip(&taken) {
            assert_eq!(objects(kept), objects(&piece(site)));
        }
        assert!(kept.is_empty() && kept.memory() == 0);
    }
}
