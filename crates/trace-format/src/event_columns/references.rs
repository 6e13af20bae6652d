//! The column of references: each as the difference from the last one with the same key, in 1 to 4 bytes.

use crate::event_sink::{RecordRun, Word};
use crate::varint::FieldReader;
use crate::{FormatError, ShortWords};

const KEY_BITS: u32 = 12;
const KEYS: usize = 1 << KEY_BITS;
/// Most bytes of a reference.
const MOST_BYTES: usize = 4;
/// Lengths in a byte.
const LENGTHS: usize = 4;

/// The last reference of each key.
#[derive(Debug)]
struct LastReferences(Box<[u32; KEYS]>);

impl Default for LastReferences {
    fn default() -> Self {
        Self(Box::new([0; KEYS]))
    }
}

impl LastReferences {
    #[inline]
    fn of(&mut self, operation: u32, index: u32) -> &mut u32 {
        let product = (operation ^ index << 28).wrapping_mul(0x9E37_79B1);
        &mut self.0[(product >> (32 - KEY_BITS)) as usize]
    }
}

/// The zigzag difference of two references.
#[inline]
fn code_of(reference: u32, last: u32) -> u32 {
    let difference = reference.wrapping_sub(last) as i32;
    ((difference << 1) ^ (difference >> 31)) as u32
}

/// The bytes that a code needs, less one.
#[inline]
fn length_of(code: u32) -> u32 {
    3 - (code | 1).leading_zeros() / 8
}

/// Where the next reference goes.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    references: usize,
    bytes: usize,
    /// The lengths of the last four references, the last one in the upper bits.
    lengths: u32,
}

/// Takes records of a piece apart: their operations become words, their references go here.
#[derive(Debug, Default)]
pub struct ReferenceColumn {
    /// Both are longer than what is written.
    lengths: Vec<u8>,
    bytes: Vec<u8>,
    last: LastReferences,
    next: Place,
    /// `next` when the last piece ended.
    ended: Place,
}

impl ReferenceColumn {
    /// How many ended pieces have.
    pub(super) fn len(&self) -> usize {
        self.ended.references
    }

    /// Ends a piece; returns how many references it has.
    pub(super) fn end_piece(&mut self) -> usize {
        let before = std::mem::replace(&mut self.ended, self.next);
        self.ended.references - before.references
    }

    /// Begins anew.
    pub(super) fn clear(&mut self) {
        self.next = Place::default();
        self.ended = Place::default();
        self.last.0.fill(0);
    }

    /// Makes room for the references of a piece with this number of words.
    pub(super) fn make_room(&mut self, words: usize) {
        let bytes = self.next.bytes + (words + 1) * MOST_BYTES;
        if self.bytes.len() < bytes {
            self.bytes.resize(bytes, 0);
        }
        let lengths = (self.next.references + words) / LENGTHS + 1;
        if self.lengths.len() < lengths {
            self.lengths.resize(lengths, 0);
        }
    }

    /// Takes updates, calls and clocks from the start of `words`; their operations go to `short`.
    ///
    /// Nearly every branch here is one that a processor foresees: which record follows which it cannot know, and this is the agent's most
    /// frequent loop. So the first reference of a record is read even if the record has none.
    pub fn take(&mut self, words: &[Word], short: &mut ShortWords<'_>) -> RecordRun {
        let mut run = RecordRun::default();
        let mut next = self.next;
        let mut places = short.rest().iter_mut();
        let mut rest = words;
        while let [first, after @ ..] = rest {
            let word = u32::from_le_bytes(*first);
            let Some(length) = RecordRun::payload(word).filter(|length| *length <= after.len())
            else {
                break;
            };
            let Some(place) = places.next() else {
                break;
            };
            *place = *first;
            let (payload, after) = after.split_at(length);
            let reference = rest.get(1).map_or(0, |word| u32::from_le_bytes(*word));
            next = self.add(word, 0, reference, length > 0, next);
            if length > 1 {
                for (index, reference) in (1..).zip(payload.iter().skip(1)) {
                    next = self.add(word, index, u32::from_le_bytes(*reference), true, next);
                }
            }
            run.words += 1 + length;
            run.records += 1;
            rest = after;
        }
        self.next = next;
        short.filled(run.records as usize);
        run
    }

    /// Adds a reference, if it is one; without a branch.
    #[inline(always)]
    fn add(&mut self, word: u32, index: u32, reference: u32, is_one: bool, next: Place) -> Place {
        let last = self.last.of(word, index);
        let code = code_of(reference, *last);
        *last = if is_one { reference } else { *last };
        let length = length_of(code);
        if let Some(room) = self.bytes.get_mut(next.bytes..)
            && let Some(room) = room.first_chunk_mut()
        {
            *room = code.to_le_bytes();
        }
        let lengths = if is_one {
            next.lengths >> 2 | length << 6
        } else {
            next.lengths
        };
        // The byte is right once it has four lengths; until then it is written again.
        if let Some(place) = self.lengths.get_mut(next.references / LENGTHS) {
            *place = lengths as u8;
        }
        let bytes = if is_one { length as usize + 1 } else { 0 };
        Place {
            references: next.references + usize::from(is_one),
            bytes: next.bytes + bytes,
            lengths,
        }
    }

    /// The lengths and the bytes of the references of ended pieces.
    pub(super) fn parts(&mut self) -> [&[u8]; 2] {
        let Place {
            references,
            bytes,
            lengths,
        } = self.ended;
        let missing = (LENGTHS - references % LENGTHS) % LENGTHS;
        if missing > 0
            && let Some(last) = self.lengths.get_mut(references / LENGTHS)
        {
            *last = (lengths >> (2 * missing)) as u8;
        }
        let lengths = self.lengths.get(..references.div_ceil(LENGTHS));
        let bytes = self.bytes.get(..bytes);
        [lengths.unwrap_or_default(), bytes.unwrap_or_default()]
    }
}

/// Reads the references of a block one after the other.
#[derive(Debug)]
pub(super) struct References<'a> {
    lengths: &'a [u8],
    bytes: FieldReader<'a>,
    last: LastReferences,
    /// Read so far.
    read: usize,
    count: usize,
}

impl<'a> References<'a> {
    /// `fields` stands at the lengths; the bytes are what follows them.
    pub(super) fn new(count: usize, mut fields: FieldReader<'a>) -> Result<Self, FormatError> {
        let lengths = fields.step_over(count.div_ceil(LENGTHS))?;
        Ok(Self {
            lengths,
            bytes: fields,
            last: LastReferences::default(),
            read: 0,
            count,
        })
    }

    /// The next one, which belongs to this operation.
    pub(super) fn next(&mut self, operation: u32, index: u32) -> Result<u32, FormatError> {
        let lengths = self.lengths.get(self.read / LENGTHS);
        let Some(lengths) = lengths.filter(|_| self.read < self.count) else {
            return Err(self.bytes.malformed("too few references"));
        };
        let length = usize::from(lengths >> (2 * (self.read % LENGTHS)) & 3) + 1;
        let mut code = [0; MOST_BYTES];
        let bytes = self.bytes.step_over(length)?;
        code.iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to = *from);
        let code = u32::from_le_bytes(code);
        let last = self.last.of(operation, index);
        *last = last.wrapping_add((code >> 1) ^ (code & 1).wrapping_neg());
        self.read += 1;
        Ok(*last)
    }

    /// An error at this place.
    pub(super) fn malformed(&self, reason: &'static str) -> FormatError {
        self.bytes.malformed(reason)
    }

    /// Whether all were read.
    pub(super) fn is_at_end(&self) -> bool {
        self.read == self.count && self.bytes.is_at_end()
    }
}
