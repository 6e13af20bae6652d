//! Content of a block of kind 18: where survivors of the previous collection went.
//!
//! ```text
//! content = start:varint  item*           start: address / 8 at which the first item's gap begins; all lengths are in units of 8 bytes
//! item    = head:byte  [gap:varint]  [destination]  [class:varint | objects:varint]  units:varint
//! ```
//!
//! An item is a run of adjacent objects that moved by the same distance, or one *found* object, which no event explains and
//! whose class is therefore stated. Items come in ascending order; everything between them is dead.
//!
//! | bits of head | field | values |
//! |---|---|---|
//! | 0-2 | destination | 0 to 3: the end of the last, second to last, ... used destination (a PLAB being filled); 4: the same, with its index in the next byte; 5: stayed; 6: moved as far as the previous item; 7: zigzag varint of units from the end of the last used destination, to one that is not in the list |
//! | 3-4 | objects | 0: one; 1: two; 2: more, their number as varint; 3: one found object, its class as varint |
//! | 5-7 | gap | 0 to 6: units between the end of the previous item and this one; 7: varint |
//!
//! `units` is the length of the whole item. A list holds the ends of the 64 last used destinations, most recent first. The
//! destination of an item is removed from the list if it is there, and the item's end is put at the front (items that stayed do not
//! change the list). Each block can be decoded alone: its list starts empty, and an empty list counts as one end at 0.

use crate::varint::{FieldReader, from_zigzag, put_varint, zigzag};
use crate::{FormatError, HeapClassId};

/// Length of the list of destinations.
const DESTINATIONS: usize = 64;
/// Room for it: it is moved as a whole once for every 192 new destinations.
const ROOM: usize = 4 * DESTINATIONS;

const LISTED_LATER: u8 = 4;
const STAYED: u8 = 5;
const SAME_SHIFT: u8 = 6;
const STATED: u8 = 7;

const TWO: u8 = 1;
const MANY: u8 = 2;
const FOUND: u8 = 3;

const LONG_GAP: u8 = 7;

/// A run of adjacent objects that moved by the same distance, or one found object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MoveRun {
    /// Old address of the first object.
    pub from: u64,
    /// Its new address; the same if it stayed.
    pub to: u64,
    /// Bytes of all objects together.
    pub bytes: u64,
    /// Number of objects, at least 1.
    pub objects: u64,
    /// The class of a single object that no event explains.
    pub found: Option<HeapClassId>,
}

impl MoveRun {
    /// The move of one survivor.
    #[inline]
    pub fn one(from: u64, to: u64, bytes: u64, found: Option<HeapClassId>) -> Self {
        Self {
            from,
            to,
            bytes,
            objects: 1,
            found,
        }
    }

    /// Goes on with the next run, if that lies directly behind it before and after the collection. False: it does not.
    #[inline]
    pub fn join(&mut self, next: &Self) -> bool {
        let goes_on = next.from == self.from.wrapping_add(self.bytes)
            && next.to == self.to.wrapping_add(self.bytes)
            && next.found.is_none()
            && self.found.is_none();
        if goes_on {
            self.bytes += next.bytes;
            self.objects += next.objects;
        }
        goes_on
    }
}

/// The ends of the last used destinations, most recent first.
#[derive(Clone, Debug)]
struct Destinations {
    ends: [u64; ROOM],
    /// Where the list begins: it grows towards the beginning of the room.
    first: usize,
    used: usize,
}

impl Destinations {
    fn new() -> Self {
        Self {
            ends: [0; ROOM],
            first: ROOM - DESTINATIONS,
            used: 0,
        }
    }

    fn last(&self) -> u64 {
        self.ends[self.first]
    }

    fn ends(&self) -> &[u64] {
        self.ends
            .get(self.first..self.first + self.used)
            .unwrap_or_default()
    }

    fn find(&self, start: u64) -> Option<usize> {
        self.ends().iter().position(|end| *end == start)
    }

    fn get(&self, index: usize) -> Option<u64> {
        self.ends().get(index).copied()
    }

    /// Puts `end` at the front, replacing the entry at `index`, or as a new entry.
    fn renew(&mut self, index: Option<usize>, end: u64) {
        match index {
            Some(index) => {
                let before = self.first..self.first + index;
                self.ends.copy_within(before, self.first + 1);
            }
            None => {
                if self.first == 0 {
                    self.first = ROOM - DESTINATIONS;
                    self.ends.copy_within(..DESTINATIONS, self.first);
                }
                self.first -= 1;
                self.used = (self.used + 1).min(DESTINATIONS);
            }
        }
        self.ends[self.first] = end;
    }
}

/// Encodes the items of one block.
#[derive(Clone, Debug)]
pub struct MoveEncoder {
    content: Vec<u8>,
    /// End of the last item, in bytes.
    at: u64,
    shift: u64,
    destinations: Destinations,
    open: Option<MoveRun>,
    objects: u64,
    first: bool,
}

impl Default for MoveEncoder {
    fn default() -> Self {
        Self::new()
    }
}

impl MoveEncoder {
    /// An empty block.
    pub fn new() -> Self {
        Self {
            content: Vec::new(),
            at: 0,
            shift: 0,
            destinations: Destinations::new(),
            open: None,
            objects: 0,
            first: true,
        }
    }

    /// An empty block whose content begins with `head`.
    pub(crate) fn after(head: Vec<u8>) -> Self {
        Self {
            content: head,
            ..Self::new()
        }
    }

    /// Adds a survivor of `bytes` bytes, in ascending order of `from`. A class is given for found objects only. Addresses and
    /// bytes are multiples of 8.
    #[inline]
    pub fn push(&mut self, from: u64, to: u64, bytes: u64, found: Option<HeapClassId>) {
        self.objects += 1;
        let run = MoveRun::one(from, to, bytes, found);
        if self.open.as_mut().is_some_and(|open| open.join(&run)) {
            return;
        }
        if let Some(open) = self.open.replace(run) {
            self.write(open);
        }
    }

    /// Bytes of the content so far, without the open run.
    pub fn len(&self) -> usize {
        self.content.len()
    }

    /// True before the first survivor.
    pub fn is_empty(&self) -> bool {
        self.objects == 0
    }

    /// Number of objects so far.
    pub fn objects(&self) -> u64 {
        self.objects
    }

    /// The content of the block.
    pub fn finish(mut self) -> Vec<u8> {
        if let Some(open) = self.open.take() {
            self.write(open);
        }
        self.content
    }

    fn write(&mut self, run: MoveRun) {
        if self.first {
            self.first = false;
            put_varint(run.from / 8, &mut self.content);
            self.at = run.from;
        }
        let gap = run.from.wrapping_sub(self.at) / 8;
        let gap_code = if gap < u64::from(LONG_GAP) {
            gap as u8
        } else {
            LONG_GAP
        };
        let (sort, sort_number) = match (run.found, run.objects) {
            (Some(class), _) => (FOUND, Some(u64::from(class.0))),
            (None, 0 | 1) => (0, None),
            (None, 2) => (TWO, None),
            (None, objects) => (MANY, Some(objects)),
        };
        let head_at = self.content.len();
        self.content.push(0);
        if gap_code == LONG_GAP {
            put_varint(gap, &mut self.content);
        }
        let destination = self.write_destination(&run);
        if let Some(number) = sort_number {
            put_varint(number, &mut self.content);
        }
        put_varint(run.bytes / 8, &mut self.content);
        self.content[head_at] = destination | sort << 3 | gap_code << 5;
        self.at = run.from.wrapping_add(run.bytes);
        self.shift = run.to.wrapping_sub(run.from);
    }

    fn write_destination(&mut self, run: &MoveRun) -> u8 {
        let (from, to) = (run.from, run.to);
        if from == to {
            return STAYED;
        }
        let end = to.wrapping_add(run.bytes);
        let listed = self.destinations.find(to);
        let last = self.destinations.last();
        self.destinations.renew(listed, end);
        match listed.and_then(|index| u8::try_from(index).ok()) {
            Some(index) if index < LISTED_LATER => index,
            _ if to.wrapping_sub(from) == self.shift => SAME_SHIFT,
            Some(index) => {
                self.content.push(index);
                LISTED_LATER
            }
            None => {
                put_varint(zigzag(last / 8, to / 8), &mut self.content);
                STATED
            }
        }
    }
}

/// Decodes the items of one block.
#[derive(Clone, Debug)]
pub struct MoveDecoder<'a> {
    fields: FieldReader<'a>,
    at: u64,
    shift: u64,
    destinations: Destinations,
}

impl<'a> MoveDecoder<'a> {
    /// Starts at the first item.
    pub fn new(content: &'a [u8]) -> Result<Self, FormatError> {
        let mut fields = FieldReader::new(content);
        let at = match content {
            [] => 0,
            _ => units_to_bytes(fields.varint()?, &fields)?,
        };
        Ok(Self {
            fields,
            at,
            shift: 0,
            destinations: Destinations::new(),
        })
    }

    fn item(&mut self) -> Result<MoveRun, FormatError> {
        let head = self.fields.byte()?;
        let gap = match head >> 5 {
            LONG_GAP => self.units()?,
            code => u64::from(code) * 8,
        };
        let from = self.add(self.at, gap)?;
        let (to, listed) = self.destination(head & 7, from)?;
        let (objects, found) = match head >> 3 & 3 {
            TWO => (2, None),
            MANY => (self.fields.varint()?, None),
            FOUND => (1, Some(HeapClassId(self.fields.varint_u32()?))),
            _ => (1, None),
        };
        let bytes = self.units()?;
        if objects == 0 || objects > bytes / 8 {
            return Err(self
                .fields
                .malformed("a run of more objects than units, or of none"));
        }
        self.at = self.add(from, bytes)?;
        let end = self.add(to, bytes)?;
        self.shift = to.wrapping_sub(from);
        if from != to {
            self.destinations.renew(listed, end);
        }
        Ok(MoveRun {
            from,
            to,
            bytes,
            objects,
            found,
        })
    }

    /// The destination and its index in the list.
    fn destination(&mut self, code: u8, from: u64) -> Result<(u64, Option<usize>), FormatError> {
        let to = match code {
            STAYED => return Ok((from, None)),
            SAME_SHIFT => from.wrapping_add(self.shift),
            STATED => {
                let units = from_zigzag(self.destinations.last() / 8, self.fields.varint()?);
                return Ok((units_to_bytes(units, &self.fields)?, None));
            }
            _ => {
                let index = match code {
                    LISTED_LATER => self.fields.byte()?,
                    index => index,
                };
                let index = usize::from(index);
                let end = self.destinations.get(index);
                let end = end.ok_or_else(|| {
                    self.fields
                        .malformed("a destination that was not used before")
                })?;
                return Ok((end, Some(index)));
            }
        };
        Ok((to, self.destinations.find(to)))
    }

    fn units(&mut self) -> Result<u64, FormatError> {
        let units = self.fields.varint()?;
        units_to_bytes(units, &self.fields)
    }

    fn add(&self, address: u64, bytes: u64) -> Result<u64, FormatError> {
        address
            .checked_add(bytes)
            .ok_or_else(|| self.fields.malformed("an address beyond 64 bits"))
    }
}

fn units_to_bytes(units: u64, fields: &FieldReader<'_>) -> Result<u64, FormatError> {
    units
        .checked_mul(8)
        .ok_or_else(|| fields.malformed("an address beyond 64 bits"))
}

/// Ends after an error.
impl Iterator for MoveDecoder<'_> {
    type Item = Result<MoveRun, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.fields.is_at_end() {
            return None;
        }
        let item = self.item();
        if item.is_err() {
            self.fields = FieldReader::new(&[]);
        }
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(content: &[u8]) -> Vec<MoveRun> {
        MoveDecoder::new(content)
            .unwrap()
            .map(Result::unwrap)
            .collect()
    }

    /// Objects moved into one PLAB, with dead ones between: after the first, each takes three bytes or less.
    #[test]
    fn objects_that_fill_a_plab_cost_three_bytes() {
        let mut encoder = MoveEncoder::new();
        let mut to = 0x10_0000_0000;
        for number in 0..1_000_u64 {
            encoder.push(0x8000_0000 + number * 400, to, 24, None);
            to += 24;
        }
        let content = encoder.finish();
        assert!(content.len() <= 3 * 1_000 + 20, "{}", content.len());
        assert_eq!(decode(&content).len(), 1_000);
    }

    #[test]
    fn neighbours_that_move_together_are_one_item() {
        let mut encoder = MoveEncoder::new();
        for number in 0..1_000 {
            encoder.push(0x8000 + number * 24, 0x4000 + number * 24, 24, None);
        }
        let content = encoder.finish();
        assert!(content.len() < 16);
        let run = MoveRun {
            from: 0x8000,
            to: 0x4000,
            bytes: 24_000,
            objects: 1_000,
            found: None,
        };
        assert_eq!(decode(&content), [run]);
    }

    /// Survivors with gaps between them; each stays, goes to one of several PLABs, or goes anywhere.
    fn survivors() -> impl Strategy<Value = Vec<(u64, u64, u64, Option<HeapClassId>)>> {
        let survivor = (
            0_u64..300,
            2_u64..2_000,
            0_usize..90,
            any::<u32>(),
            0_u8..10,
        );
        prop::collection::vec(survivor, 0..300).prop_map(|steps| {
            let mut plabs: Vec<u64> = (1..=80).map(|number| number << 32).collect();
            let mut at = 0x7000_0000;
            let mut survivors = Vec::new();
            for (gap, units, way, wild, found) in steps {
                at += if gap < 100 { 0 } else { gap * 8 };
                let bytes = units * 8;
                let to = match plabs.get_mut(way) {
                    _ if found == 9 => at + 0x1000,
                    Some(plab) => {
                        *plab += bytes;
                        *plab - bytes
                    }
                    None if way % 2 == 0 => at,
                    None => u64::from(wild) * 8,
                };
                survivors.push((at, to, bytes, (found == 0).then_some(HeapClassId(wild))));
                at += bytes;
            }
            survivors
        })
    }

    proptest! {
        #[test]
        fn every_survivor_is_in_the_run_that_says_where_it_went(survivors in survivors()) {
            let mut encoder = MoveEncoder::new();
            for (from, to, bytes, found) in &survivors {
                encoder.push(*from, *to, *bytes, *found);
            }
            prop_assert_eq!(encoder.objects(), survivors.len() as u64);
            let content = encoder.finish();
            let mut left = survivors.as_slice();
            for run in decode(&content) {
                let (objects, rest) = left.split_at(run.objects as usize);
                let mut done = 0;
                for (from, to, bytes, found) in objects {
                    prop_assert_eq!((run.from + done, run.to + done), (*from, *to));
                    prop_assert_eq!(run.found, *found);
                    done += bytes;
                }
                prop_assert_eq!(run.bytes, done);
                left = rest;
            }
            prop_assert!(left.is_empty());
        }

        #[test]
        fn any_bytes_end_in_runs_or_an_error(content in prop::collection::vec(any::<u8>(), 0..300)) {
            if let Ok(decoder) = MoveDecoder::new(&content) {
                let runs: Vec<_> = decoder.collect();
                prop_assert!(runs.len() <= content.len());
            }
        }

        #[test]
        fn changed_bytes_never_panic(survivors in survivors(), at: prop::sample::Index, byte: u8) {
            let mut encoder = MoveEncoder::new();
            for (from, to, bytes, found) in &survivors {
                encoder.push(*from, *to, *bytes, *found);
            }
            let mut content = encoder.finish();
            if !content.is_empty() {
                let at = at.index(content.len());
                content[at] = byte;
            }
            if let Ok(decoder) = MoveDecoder::new(&content) {
                for run in decoder.flatten() {
                    prop_assert!(run.objects <= run.bytes / 8);
                }
            }
        }
    }
}
