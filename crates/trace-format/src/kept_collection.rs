//! A collection as the agent read it in the pause, in memory that outlives the process until the collection's blocks are in
//! an event file ([`live`](crate::live) describes the memory area).
//!
//! ```text
//! length:u64  collection       as in a block of kind 17, without counts
//! (length:u64  uses)*  0:u64   as in blocks of kind 34
//! survivor*                    from:u64  to:u64  units:u32  class:u32
//! ```
//!
//! Parts with a length are padded to whole words of 8 bytes. Survivors are all live objects of the collected ranges; which of them no event
//! explains has not been worked out yet.

use crate::{Collection, FormatError, HeapClassId};

/// Words of a survivor.
pub const KEPT_SURVIVOR_WORDS: usize = 3;

/// An object that survived a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Survivor {
    /// Address before the collection.
    pub from: u64,
    /// Address after the collection; the same as `from` if it stayed.
    pub to: u64,
    /// Size in units of 8 bytes.
    pub units: u32,
    /// Its class.
    pub class: HeapClassId,
}

impl Survivor {
    /// A survivor of `bytes` bytes (a multiple of 8, at most 32 GB).
    pub fn new(from: u64, to: u64, bytes: u64, class: HeapClassId) -> Self {
        let units = u32::try_from(bytes / 8).unwrap_or(u32::MAX);
        Self {
            from,
            to,
            units,
            class,
        }
    }

    /// Its words.
    pub fn encode(self) -> [u64; KEPT_SURVIVOR_WORDS] {
        let class = u64::from(self.class.0) << 32;
        [self.from, self.to, class | u64::from(self.units)]
    }

    /// Reads its words.
    pub fn decode([from, to, rest]: [u64; KEPT_SURVIVOR_WORDS]) -> Self {
        Self {
            from,
            to,
            units: rest as u32,
            class: HeapClassId((rest >> 32) as u32),
        }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.units) * 8
    }

    /// End address before the collection.
    pub fn end_before(&self) -> u64 {
        self.from.saturating_add(self.bytes())
    }
}

/// The agent's copy of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptCollection {
    /// The collection; its counts are computed from the survivors.
    pub collection: Collection,
    /// Contents of the USES blocks that precede it.
    pub uses: Vec<Vec<u8>>,
    /// Ascending by old address.
    pub survivors: Vec<Survivor>,
}

impl KeptCollection {
    /// Encodes everything before the survivors.
    ///
    /// # Errors
    /// The collection cannot be encoded.
    pub fn encode_head(collection: &Collection, uses: &[Vec<u8>]) -> Result<Vec<u8>, FormatError> {
        let mut content = Vec::new();
        collection.encode(&mut content)?;
        let mut head = Vec::new();
        put_padded(&content, &mut head);
        uses.iter()
            .for_each(|content| put_padded(content, &mut head));
        head.extend_from_slice(&0_u64.to_le_bytes());
        Ok(head)
    }

    /// Decodes a copy with `count` survivors; `None` if it does not decode.
    pub fn decode(bytes: &[u8], count: usize) -> Option<Self> {
        let mut rest = bytes;
        let mut collection = Collection::decode(take_padded(&mut rest)?).ok()?;
        let mut uses = Vec::new();
        loop {
            match take_padded(&mut rest)? {
                [] => break,
                content => uses.push(content.to_vec()),
            }
        }
        let (words, _) = rest.as_chunks::<8>();
        let words = words.get(..count.checked_mul(KEPT_SURVIVOR_WORDS)?)?;
        let (survivors, _) = words.as_chunks::<KEPT_SURVIVOR_WORDS>();
        let survivor = |words: &[[u8; 8]; 3]| Survivor::decode(words.map(u64::from_le_bytes));
        let mut survivors: Vec<Survivor> = survivors.iter().map(survivor).collect();
        survivors.sort_by_key(|survivor| survivor.from);
        count_survivors(&mut collection, &survivors);
        Some(Self {
            collection,
            uses,
            survivors,
        })
    }
}

fn count_survivors(collection: &mut Collection, survivors: &[Survivor]) {
    let counts = &mut collection.counts;
    for survivor in survivors {
        match survivor.from == survivor.to {
            true => counts.stayed += 1,
            false => counts.moved += 1,
        }
        counts.survived_bytes = counts.survived_bytes.saturating_add(survivor.bytes());
    }
}

fn put_padded(content: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(content.len() as u64).to_le_bytes());
    out.extend_from_slice(content);
    out.resize(out.len().next_multiple_of(8), 0);
}

fn take_padded<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let content = after.get(..length)?;
    *rest = after.get(length.checked_next_multiple_of(8)?..)?;
    Some(content)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn survivor(from: u64, to: u64) -> Survivor {
        Survivor {
            from,
            to,
            units: 3,
            class: HeapClassId(u32::MAX),
        }
    }

    fn bytes() -> Vec<u8> {
        let collection = Collection {
            number: 7,
            cause: "Allocation Failure".to_owned(),
            ..Collection::default()
        };
        let uses = [vec![1, 2, 3], vec![9; 8]];
        let mut bytes = KeptCollection::encode_head(&collection, &uses).unwrap();
        for survivor in [survivor(0x2000, 0x9000), survivor(0x1000, 0x1000)] {
            let words = survivor.encode().map(u64::to_le_bytes);
            bytes.extend_from_slice(words.as_flattened());
        }
        bytes
    }

    #[test]
    fn what_was_kept_is_read_again_in_order() {
        let kept = KeptCollection::decode(&bytes(), 2).unwrap();
        assert_eq!(kept.collection.number, 7);
        assert_eq!(kept.uses, [vec![1, 2, 3], vec![9; 8]]);
        let expected = [survivor(0x1000, 0x1000), survivor(0x2000, 0x9000)];
        assert_eq!(kept.survivors, expected);
        let counts = kept.collection.counts;
        assert_eq!((counts.moved, counts.stayed), (1, 1));
        assert_eq!(counts.survived_bytes, 48);
        assert_eq!(KeptCollection::decode(&bytes(), 3), None);
    }

    proptest! {
        #[test]
        fn changed_bytes_never_panic(at: prop::sample::Index, changed: [u8; 9], count in 0_usize..9) {
            let mut bytes = bytes();
            let at = at.index(bytes.len());
            let end = (at + changed.len()).min(bytes.len());
            bytes[at..end].copy_from_slice(&changed[..end - at]);
            let _ = KeptCollection::decode(&bytes, count);
            let _ = KeptCollection::decode(&bytes, usize::MAX);
        }
    }
}
