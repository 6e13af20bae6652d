//! Body of an [`ExtensionBlock`] of kind 33: the objects that the next collection found dead, each with its last use, the last time that it
//! lost a reference, and the references in it. The block has no thread; its epoch is the one that the collection ends.
//!
//! A moment is a *position*: a thread's number and the number of words ([`EventWords`](crate::EventWords), as the agent writes them) that
//! the thread had written by then. The next event of the thread that ends after the position came later. Each pause advances the positions
//! of all threads by one, so a moment after a collection is never mistaken for one before it.
//!
//! | field | what |
//! |---|---|
//! | threads | varint, how many entries follow; 0 in all but the first block of a pause |
//! | entry | number, position after the pause: varints |
//! | dead | to the end of the body |
//!
//! ```text
//! dead  = (units from the previous dead object, at first from 0) * 8 + flags: varint, with flags 1 used, 2 lost, 4 refers
//!         [ used: moment, if used ]
//!         [ lost: moment, if lost ]
//!         [ references: varint, then for each: slot varint, target varint, if refers ]
//! moment = zigzag(thread * 2^42 + position - the same of the previous moment, at first 0): varint
//! slot   = 4-byte units from the previous reference, at first from the start of the object
//! target = zigzag(units from the object): the target's address before the collection
//! ```
//!
//! A unit is 8 bytes; addresses ascend within a block. Thread 0 stands for a thread without a buffer: its position is one more than the
//! number of collections before. *A moment counts only if it is not older than the epoch in which the object was born*; an older one
//! belongs to another object at its first address. Unknown moments have no flag. Objects without an event may be named too.
//!
//! Worked example: epoch 5; thread 2 continues at 100; the object at 0x80001000 was last used at position 90 of thread 2, and its reference
//! at 16 led to 0x80001018.
//!
//! ```text
//! 04 00 05 00 00                          header of 4 bytes: no thread, epoch 5, no times
//! 01 02 64                                one thread: 2, at 100
//! 85 a0 80 80 08                          0x80001000 / 8 * 8 + used + refers
//! b4 81 80 80 80 80 04                    zigzag(2 * 2^42 + 90)
//! 01 04 06                                one reference: 4 * 4 bytes, zigzag(3 * 8 bytes)
//! ```

use crate::varint::{FieldReader, from_zigzag, put_varint, zigzag};
use crate::{ExtensionBlock, ExtensionHeader, FormatError, ThreadId};

/// A content ends once it is longer than this, far below [`MAX_CONTENT`](crate::MAX_CONTENT).
const LONG: usize = 1 << 20;
/// Bits of a position.
const POSITION_BITS: u32 = 42;
/// The most references of an object: the most elements of an array.
const MOST_REFERENCES: u64 = 1 << 31;

const USED: u64 = 1;
const LOST: u64 = 2;
const REFERS: u64 = 4;

/// A moment on the clock of one thread's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The thread; `None` for a thread without a buffer, whose words are one more than the number of collections
    /// before.
    pub thread: Option<ThreadId>,
    /// Number of words that the thread had written.
    pub words: u64,
}

impl Position {
    /// The position as one number; `None` if it does not fit.
    pub fn number(self) -> Option<u64> {
        let thread = self.thread.map_or(0, |thread| u64::from(thread.0));
        let fits = self.words >> POSITION_BITS == 0 && thread >> (64 - POSITION_BITS) == 0;
        fits.then_some(thread << POSITION_BITS | self.words)
    }

    /// The position with this number.
    pub fn of_number(number: u64) -> Self {
        // The shifted number has fewer than 32 bits.
        let thread = (number >> POSITION_BITS) as u32;
        Self {
            thread: (thread != 0).then_some(ThreadId(thread)),
            words: number & ((1 << POSITION_BITS) - 1),
        }
    }
}

/// A dead object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeadObject {
    /// Address before the collection.
    pub address: u64,
    /// Its last use.
    pub used: Option<Position>,
    /// When a reference to it was last overwritten.
    pub lost: Option<Position>,
    /// Its references: the slot, in units of 4 bytes from its start, and the target's address before the collection.
    pub references: Vec<(u32, u64)>,
}

/// Encodes the dead objects of one collection: contents of blocks without the fields before `dead`.
#[derive(Clone, Debug, Default)]
pub struct DeadEncoder {
    done: Vec<Vec<u8>>,
    content: Vec<u8>,
    unit: u64,
    moment: u64,
}

impl DeadEncoder {
    /// Adds an object; `used` and `lost` as [`Position::number`], 0 if unknown. Slots must ascend. If an address is lower than the one
    /// before, a new content begins.
    pub fn push(
        &mut self,
        address: u64,
        (used, lost): (u64, u64),
        references: impl ExactSizeIterator<Item = (u32, u64)>,
    ) {
        let unit = address / 8;
        if unit < self.unit || self.content.len() > LONG {
            self.done.push(core::mem::take(&mut self.content));
            (self.unit, self.moment) = (0, 0);
        }
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        let flags =
            flag(used != 0, USED) | flag(lost != 0, LOST) | flag(references.len() > 0, REFERS);
        put_varint((unit - self.unit) << 3 | flags, &mut self.content);
        self.unit = unit;
        for moment in [used, lost] {
            if moment != 0 {
                put_varint(zigzag(self.moment, moment), &mut self.content);
                self.moment = moment;
            }
        }
        if references.len() == 0 {
            return;
        }
        put_varint(references.len() as u64, &mut self.content);
        let mut before = 0;
        for (slot, target) in references {
            put_varint(u64::from(slot.wrapping_sub(before)), &mut self.content);
            before = slot;
            put_varint(zigzag(unit, target / 8), &mut self.content);
        }
    }

    /// Returns what was added since the last call. There is always at least one content, to record even that nothing
    /// was found dead.
    pub fn take(&mut self) -> Vec<Vec<u8>> {
        self.done.push(core::mem::take(&mut self.content));
        (self.unit, self.moment) = (0, 0);
        core::mem::take(&mut self.done)
    }
}

/// The content of a block, from a content that [`DeadEncoder::take`] returned. `threads`: the position of each thread
/// after the pause.
pub fn encode_stamps(epoch: u32, threads: &[(ThreadId, u64)], dead: &[u8]) -> Vec<u8> {
    let header = ExtensionHeader {
        epoch,
        ..ExtensionHeader::default()
    };
    let mut content = Vec::with_capacity(dead.len() + 16 + threads.len() * 8);
    header.encode(&mut content);
    put_varint(threads.len() as u64, &mut content);
    for (thread, position) in threads {
        put_varint(thread.0.into(), &mut content);
        put_varint(*position, &mut content);
    }
    content.extend_from_slice(dead);
    content
}

/// The fields of a block before the dead objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StampsHead {
    /// The epoch that ends.
    pub epoch: u32,
    /// Positions of the threads after the pause, in words.
    pub threads: Vec<(ThreadId, u64)>,
}

/// Decodes a block: its head and its dead objects.
pub fn decode_stamps(content: &[u8]) -> Result<(StampsHead, DeadObjects<'_>), FormatError> {
    let block = ExtensionBlock::decode(content)?;
    let mut fields = FieldReader::new(block.body);
    let count = fields.varint()?;
    let mut threads = Vec::new();
    for _ in 0..count {
        threads.push((ThreadId(fields.varint_u32()?), fields.varint()?));
    }
    let head = StampsHead {
        epoch: block.header.epoch,
        threads,
    };
    let dead = DeadObjects {
        fields,
        unit: 0,
        moment: 0,
    };
    Ok((head, dead))
}

/// The dead objects of a block; ends after an error.
#[derive(Debug)]
pub struct DeadObjects<'a> {
    fields: FieldReader<'a>,
    unit: u64,
    moment: u64,
}

impl DeadObjects<'_> {
    fn one(&mut self) -> Result<DeadObject, FormatError> {
        let code = self.fields.varint()?;
        let unit = self.unit.checked_add(code >> 3);
        let unit = unit.filter(|unit| unit >> 61 == 0);
        self.unit = unit.ok_or_else(|| self.fields.malformed("an address beyond 64 bits"))?;
        let mut dead = DeadObject {
            address: self.unit * 8,
            ..DeadObject::default()
        };
        if code & USED != 0 {
            dead.used = Some(self.moment()?);
        }
        if code & LOST != 0 {
            dead.lost = Some(self.moment()?);
        }
        if code & REFERS != 0 {
            dead.references = self.references()?;
        }
        Ok(dead)
    }

    fn moment(&mut self) -> Result<Position, FormatError> {
        self.moment = from_zigzag(self.moment, self.fields.varint()?);
        Ok(Position::of_number(self.moment))
    }

    fn references(&mut self) -> Result<Vec<(u32, u64)>, FormatError> {
        let count = self.fields.varint()?;
        if count > MOST_REFERENCES {
            return Err(self.fields.malformed("more references than an array has"));
        }
        let mut slot = 0_u32;
        let mut references = Vec::new();
        for _ in 0..count {
            let step = self.fields.varint_u32()?;
            slot = slot.wrapping_add(step);
            let unit = from_zigzag(self.unit, self.fields.varint()?);
            references.push((slot, unit.wrapping_mul(8)));
        }
        Ok(references)
    }
}

impl Iterator for DeadObjects<'_> {
    type Item = Result<DeadObject, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.fields.is_at_end() {
            return None;
        }
        let found = self.one();
        if found.is_err() {
            self.fields = FieldReader::new(&[]);
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn position(thread: u32, words: u64) -> Position {
        Position {
            thread: (thread != 0).then_some(ThreadId(thread)),
            words,
        }
    }

    fn encoded(epoch: u32, threads: &[(ThreadId, u64)], all: &[DeadObject]) -> Vec<Vec<u8>> {
        let number = |moment: Option<Position>| moment.and_then(Position::number).unwrap_or(0);
        let mut encoder = DeadEncoder::default();
        for dead in all {
            let moments = (number(dead.used), number(dead.lost));
            encoder.push(dead.address, moments, dead.references.iter().copied());
        }
        let parts = encoder.take();
        parts
            .iter()
            .map(|part| encode_stamps(epoch, threads, part))
            .collect()
    }

    fn decoded(contents: &[Vec<u8>]) -> Vec<DeadObject> {
        let of_one = |content: &Vec<u8>| {
            let (_, dead) = decode_stamps(content).expect("a head");
            dead.collect::<Result<Vec<_>, _>>().expect("objects")
        };
        contents.iter().flat_map(of_one).collect()
    }

    #[test]
    fn the_worked_example() {
        let dead = DeadObject {
            address: 0x8000_1000,
            used: Some(position(2, 90)),
            lost: None,
            references: vec![(4, 0x8000_1018)],
        };
        let contents = encoded(5, &[(ThreadId(2), 100)], std::slice::from_ref(&dead));
        assert_eq!(
            contents,
            [[
                4, 0, 5, 0, 0, 1, 2, 100, 0x85, 0xA0, 0x80, 0x80, 0x08, 0xB4, 0x81, 0x80, 0x80,
                0x80, 0x80, 0x04, 1, 4, 6
            ]]
        );
        assert_eq!(decoded(&contents), [dead]);
    }

    #[test]
    fn positions_are_numbers() {
        for moment in [position(0, 7), position(1 << 20, (1 << 42) - 1)] {
            assert_eq!(moment.number().map(Position::of_number), Some(moment));
        }
        assert_eq!(position(1, 1 << 42).number(), None);
    }

    fn moment() -> impl Strategy<Value = Option<Position>> {
        prop::option::of((0_u32..1 << 20, 1_u64..1 << 42))
            .prop_map(|moment| moment.map(|(thread, words)| position(thread, words)))
    }

    fn dead() -> impl Strategy<Value = DeadObject> {
        let slots = prop::collection::btree_map(2_u32..1 << 29, 1_u64..1 << 45, 0..5);
        (1_u64..1 << 45, moment(), moment(), slots).prop_map(|(unit, used, lost, slots)| {
            DeadObject {
                address: unit * 8,
                used,
                lost,
                references: slots.into_iter().map(|(at, unit)| (at, unit * 8)).collect(),
            }
        })
    }

    proptest! {
        #[test]
        fn the_dead_round_trip(all in prop::collection::vec(dead(), 0..40)) {
            prop_assert_eq!(decoded(&encoded(9, &[], &all)), all);
        }

        #[test]
        fn any_bytes_end(content in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok((_, dead)) = decode_stamps(&content) {
                prop_assert!(dead.count() <= content.len());
            }
        }
    }
}
