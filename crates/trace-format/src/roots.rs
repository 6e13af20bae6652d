//! Body of an [`ExtensionBlock`](crate::ExtensionBlock) of kind 35: what held objects directly at a moment after a
//! collection, or at the end. The block has no thread; addresses are of the epoch that it states, and `begun` is the moment.
//!
//! ```text
//! root = kind: varint
//!        [ field: varint, the number of a StaticField, if kind is 8 ]
//!        zigzag(units from the object before, at first from 0): varint
//! ```
//!
//! | kind | what holds the object |
//! |---|---|
//! | 1 | a global reference of JNI |
//! | 2 | the VM: a class of its own loader |
//! | 3 | a monitor |
//! | 4 | a variable of a frame |
//! | 5 | a local reference of JNI |
//! | 6 | the VM: a thread that runs |
//! | 7 | the VM, otherwise |
//! | 8 | a static field |
//!
//! A unit is 8 bytes. An object has one entry for each kind and each field that holds it.
//!
//! Worked example: at epoch 5 and moment 7, a frame holds the object at 0x80001000, and static field 3 the one 24 bytes after it.
//!
//! ```text
//! 04 00 05 07 00                          header of 4 bytes: no thread, epoch 5, begun at 7
//! 04 80 88 80 80 02                       kind 4, zigzag(0x80001000 / 8)
//! 08 03 06                                kind 8, field 3, zigzag(3 units)
//! ```

use crate::varint::{FieldReader, from_zigzag, put_varint, zigzag};
use crate::{ExtensionBlock, ExtensionHeader, FormatError};

const STATIC_FIELD: u64 = 8;

/// The holder of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HeldBy {
    /// A global reference of JNI.
    JniGlobal,
    /// The VM: a class of its own loader.
    SystemClass,
    /// A monitor.
    Monitor,
    /// A variable of a frame.
    StackLocal,
    /// A local reference of JNI.
    JniLocal,
    /// The VM: a thread that runs.
    Thread,
    /// The VM, otherwise.
    Other,
    /// A static field, by its number ([`StaticField`](crate::StaticField)).
    StaticField(u32),
}

impl HeldBy {
    fn number(self) -> u64 {
        match self {
            Self::JniGlobal => 1,
            Self::SystemClass => 2,
            Self::Monitor => 3,
            Self::StackLocal => 4,
            Self::JniLocal => 5,
            Self::Thread => 6,
            Self::Other => 7,
            Self::StaticField(_) => STATIC_FIELD,
        }
    }
}

/// An object that is held directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldObject {
    /// By what.
    pub by: HeldBy,
    /// Its address.
    pub address: u64,
}

/// The contents of a block.
pub fn encode_roots(epoch: u32, unix_micros: u64, roots: &[HeldObject]) -> Vec<u8> {
    let header = ExtensionHeader {
        epoch,
        begun: unix_micros,
        handed_over: unix_micros,
        ..ExtensionHeader::default()
    };
    let mut content = Vec::with_capacity(16 + roots.len() * 5);
    header.encode(&mut content);
    let mut before = 0;
    for root in roots {
        put_varint(root.by.number(), &mut content);
        if let HeldBy::StaticField(field) = root.by {
            put_varint(field.into(), &mut content);
        }
        let unit = root.address / 8;
        put_varint(zigzag(before, unit), &mut content);
        before = unit;
    }
    content
}

/// Decodes a block: its head and its roots.
///
/// # Errors
/// When it does not decode to its end.
pub fn decode_roots(content: &[u8]) -> Result<(ExtensionHeader, Vec<HeldObject>), FormatError> {
    let block = ExtensionBlock::decode(content)?;
    let mut fields = FieldReader::new(block.body);
    let (mut roots, mut unit) = (Vec::new(), 0);
    while !fields.is_at_end() {
        let by = match fields.varint()? {
            1 => HeldBy::JniGlobal,
            2 => HeldBy::SystemClass,
            3 => HeldBy::Monitor,
            4 => HeldBy::StackLocal,
            5 => HeldBy::JniLocal,
            6 => HeldBy::Thread,
            STATIC_FIELD => HeldBy::StaticField(fields.varint_u32()?),
            // Kinds that only a later writer distinguishes are held by the VM.
            _ => HeldBy::Other,
        };
        unit = from_zigzag(unit, fields.varint()?);
        let address = unit.wrapping_mul(8);
        roots.push(HeldObject { by, address });
    }
    Ok((block.header, roots))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example() {
        let roots = [
            HeldObject {
                by: HeldBy::StackLocal,
                address: 0x8000_1000,
            },
            HeldObject {
                by: HeldBy::StaticField(3),
                address: 0x8000_1018,
            },
        ];
        let content = encode_roots(5, 7, &roots);
        let expected = [4, 0, 5, 7, 0, 4, 0x80, 0x88, 0x80, 0x80, 0x02, 8, 3, 6];
        assert_eq!(content, expected);
        let (header, decoded) = decode_roots(&content).expect("a block");
        assert_eq!((header.epoch, header.begun), (5, 7));
        assert_eq!(decoded, roots);
        for end in 6..content.len() {
            let cut = decode_roots(&content[..end]);
            assert!(cut.is_err() || end == 11, "{end}");
        }
    }
}
