//! Body of an [`ExtensionBlock`] of kind 34: the objects that were used before the next collection. The block has no thread; its epoch is
//! the one that the collection ends.
//!
//! | field | what |
//! |---|---|
//! | all: u8 | 1: every object was examined; 0: only the collected ones, so nothing is known of the others since the last time |
//! | uses | to the end of the body |
//!
//! ```text
//! use = (units from the previous address, at first from 0) * 2 + older: varint   [ epochs before `epoch`: varint, if older ]
//! ```
//!
//! A unit is 8 bytes; addresses ascend within a block. An address is the object's address before the collection. *A use counts only if it
//! is not older than the object's arrival at that address*, by birth or by a move; an older one belongs to another object that was there
//! before. Several uses of one object in one epoch are one. The list is not meant to have objects that were allocated in the epoch, but may
//! have some.
//!
//! Worked example: epoch 5, all; the object at 0x80001000 was used in epoch 5, that at 0x80001018 in epoch 3.
//!
//! ```text
//! 04 00 05 00 00     header of 4 bytes: no thread, epoch 5, no times
//! 01                 all
//! 80 88 80 80 02     0x80001000 / 8 * 2
//! 07 02              (0x18 / 8) * 2 + 1, two epochs before
//! ```

use crate::varint::{FieldReader, put_varint};
use crate::{ExtensionBlock, ExtensionHeader, FormatError};

/// A content ends once it is longer than this, far below [`MAX_CONTENT`](crate::MAX_CONTENT).
const LONG: usize = 1 << 20;

/// The fields of a block before its uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsesHead {
    /// The epoch that ends.
    pub epoch: u32,
    /// Every object was examined.
    pub all: bool,
}

/// An object that was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Use {
    /// Address before the collection.
    pub address: u64,
    /// The epoch of its last use.
    pub epoch: u32,
}

/// Encodes the contents of blocks.
#[derive(Clone, Debug)]
pub struct UseEncoder {
    head: UsesHead,
    done: Vec<Vec<u8>>,
    content: Vec<u8>,
    unit: u64,
}

impl UseEncoder {
    /// Encodes the uses before one collection.
    pub fn new(head: UsesHead) -> Self {
        let mut encoder = Self {
            head,
            done: Vec::new(),
            content: Vec::new(),
            unit: 0,
        };
        encoder.begin();
        encoder
    }

    fn begin(&mut self) {
        let header = ExtensionHeader {
            epoch: self.head.epoch,
            ..ExtensionHeader::default()
        };
        header.encode(&mut self.content);
        self.content.push(u8::from(self.head.all));
        self.unit = 0;
    }

    /// Adds a use. If an address is lower than the one before, a new block begins.
    pub fn push(&mut self, address: u64, epoch: u32) {
        let unit = address / 8;
        if unit < self.unit || self.content.len() > LONG {
            self.done.push(core::mem::take(&mut self.content));
            self.begin();
        }
        let age = self.head.epoch.saturating_sub(epoch);
        put_varint(
            (unit - self.unit) << 1 | u64::from(age > 0),
            &mut self.content,
        );
        if age > 0 {
            put_varint(u64::from(age), &mut self.content);
        }
        self.unit = unit;
    }

    /// The contents. There is always at least one, to record even that nothing was used.
    pub fn finish(mut self) -> Vec<Vec<u8>> {
        self.done.push(self.content);
        self.done
    }
}

/// Decodes a block: its head and its uses.
pub fn decode_uses(
    content: &[u8],
) -> Result<(UsesHead, impl Iterator<Item = Result<Use, FormatError>>), FormatError> {
    let block = ExtensionBlock::decode(content)?;
    let mut fields = FieldReader::new(block.body);
    let head = UsesHead {
        epoch: block.header.epoch,
        all: fields.byte()? != 0,
    };
    let mut unit = 0_u64;
    let uses = core::iter::from_fn(move || {
        if fields.is_at_end() {
            return None;
        }
        let found = one_use(&mut fields, &mut unit, head.epoch);
        if found.is_err() {
            fields = FieldReader::new(&[]);
        }
        Some(found)
    });
    Ok((head, uses))
}

fn one_use(fields: &mut FieldReader<'_>, unit: &mut u64, epoch: u32) -> Result<Use, FormatError> {
    let code = fields.varint()?;
    let address = unit
        .checked_add(code >> 1)
        .and_then(|next| Some((next, next.checked_mul(8)?)));
    let (next, address) = address.ok_or_else(|| fields.malformed("an address beyond 64 bits"))?;
    *unit = next;
    let age = match code & 1 {
        0 => 0,
        _ => fields.varint_u32()?,
    };
    let epoch = epoch
        .checked_sub(age)
        .ok_or_else(|| fields.malformed("a use before the first epoch"))?;
    Ok(Use { address, epoch })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(contents: &[Vec<u8>]) -> Vec<Use> {
        let of_one = |content: &Vec<u8>| {
            let (_, uses) = decode_uses(content).expect("a head");
            uses.collect::<Result<Vec<_>, _>>().expect("uses")
        };
        contents.iter().flat_map(of_one).collect()
    }

    #[test]
    fn the_worked_example() {
        let mut encoder = UseEncoder::new(UsesHead {
            epoch: 5,
            all: true,
        });
        encoder.push(0x8000_1000, 5);
        encoder.push(0x8000_1018, 3);
        let contents = encoder.finish();
        assert_eq!(
            contents,
            [[4, 0, 5, 0, 0, 1, 0x80, 0x88, 0x80, 0x80, 0x02, 0x07, 0x02]]
        );
    }

    #[test]
    fn that_nothing_was_used_is_said() {
        let contents = UseEncoder::new(UsesHead {
            epoch: 2,
            all: false,
        })
        .finish();
        let (head, mut uses) = decode_uses(&contents[0]).expect("a head");
        assert_eq!((head.epoch, head.all, uses.next()), (2, false, None));
    }

    proptest! {
        #[test]
        fn uses_round_trip(
            epoch in 0_u32..1000,
            uses in prop::collection::vec((0_u64..1 << 44, 0_u32..1000), 0..60),
        ) {
            let expected: Vec<Use> = uses
                .iter()
                .map(|(unit, age)| Use { address: unit * 8, epoch: epoch.saturating_sub(*age) })
                .collect();
            let mut encoder = UseEncoder::new(UsesHead { epoch, all: true });
            expected.iter().for_each(|used| encoder.push(used.address, used.epoch));
            prop_assert_eq!(read(&encoder.finish()), expected);
        }

        #[test]
        fn any_bytes_end(content in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok((_, uses)) = decode_uses(&content) {
                prop_assert!(uses.count() <= content.len());
            }
        }
    }
}
