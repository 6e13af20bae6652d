//! Content of a block of kind 24: survivors of the previous collection, as the agent read them in the pause. Which events made them is for
//! the reader to find; the event file's first block says that it is so ([`EventFile::unmatched`](crate::EventFile::unmatched)).
//!
//! ```text
//! content = classes:varint  moves
//! ```
//!
//! `classes`: heap classes with smaller ids were known at the collection. The rest is as in blocks of kind
//! 18, where each item is one object with its class. A collection without survivors has such a block, too.

use crate::varint::{FieldReader, put_varint};
use crate::{FormatError, MoveDecoder, MoveEncoder, Survivor};

/// Encodes survivors, ascending by their old addresses, as the contents of blocks of about `most` bytes; at least one.
pub fn encode_survivors(survivors: &[Survivor], classes: u32, most: usize) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    let mut encoder = begin(classes);
    for survivor in survivors {
        let class = Some(survivor.class);
        encoder.push(survivor.from, survivor.to, survivor.bytes(), class);
        if encoder.len() >= most {
            parts.push(std::mem::replace(&mut encoder, begin(classes)).finish());
        }
    }
    if !encoder.is_empty() || parts.is_empty() {
        parts.push(encoder.finish());
    }
    parts
}

fn begin(classes: u32) -> MoveEncoder {
    let mut head = Vec::new();
    put_varint(classes.into(), &mut head);
    MoveEncoder::after(head)
}

/// Decodes a part and appends its survivors; gives how many classes were known.
///
/// # Errors
/// The content does not decode to its end.
pub fn decode_survivors(content: &[u8], survivors: &mut Vec<Survivor>) -> Result<u32, FormatError> {
    let mut fields = FieldReader::new(content);
    let classes = fields.varint_u32()?;
    for run in MoveDecoder::new(fields.rest())? {
        let run = run?;
        let class = run.found.filter(|_| run.objects == 1);
        let class = class.ok_or_else(|| fields.malformed("a survivor without its class"))?;
        survivors.push(Survivor::new(run.from, run.to, run.bytes, class));
    }
    Ok(classes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::HeapClassId;

    proptest! {
        #[test]
        fn parts_are_read_as_they_were_written(
            objects in prop::collection::vec((0_u64..9, 1_u64..70, 0_u64..5000, any::<u32>(), any::<bool>()), 0..300),
            classes in any::<u32>(),
            most in 1_usize..500,
        ) {
            let mut at = 1 << 32;
            let survivors = objects.into_iter().map(|(gap, units, to, class, stayed)| {
                let from = at + gap * 8;
                at = from + units * 8;
                let to = if stayed { from } else { to * 8 };
                Survivor::new(from, to, units * 8, HeapClassId(class))
            });
            let survivors: Vec<_> = survivors.collect();
            let parts = encode_survivors(&survivors, classes, most);
            prop_assert!(!parts.is_empty());
            let mut read = Vec::new();
            for part in &parts {
                prop_assert_eq!(decode_survivors(part, &mut read).unwrap(), classes);
            }
            prop_assert_eq!(read, survivors);
        }
    }

    #[test]
    fn what_states_no_class_is_malformed() {
        let mut moves = MoveEncoder::after(vec![7]);
        moves.push(64, 640, 16, None);
        let mut read = Vec::new();
        assert!(decode_survivors(&moves.finish(), &mut read).is_err());
        assert!(decode_survivors(&[], &mut read).is_err());
        assert!(read.is_empty());
    }
}
