//! The live map of a page: which of its objects the marking of a cycle has reached.
//!
//! ```text
//! u32 number of the cycle   u32 live objects   u64 live bytes   u64 live segments   u64 claimed segments   words*   bits
//! ```
//!
//! (`src/hotspot/share/gc/z/zLiveMap.hpp`.) Bit 2n stands for the n-th place of the page where an object may begin. The map
//! has 64 segments; one that is not live is not cleared. A map with another number than its generation's has no live object.
//! The count of objects that the VM keeps beside must be what the bits say, and so must the bytes ([`super::object_reader`]).

use crate::address::Address;
use crate::process::careful_read::read_bytes;
use crate::zgc::page_table::{Page, word_at};

const SEGMENTS: u64 = 64;
/// Bits of the beginnings of objects.
const BEGINNINGS: u64 = 0x5555_5555_5555_5555;
/// Largest live map: a page of 32 GB with places 8 bytes apart does not exist.
const MOST_BITS: u64 = 1 << 33;

/// The marked objects of a page.
#[derive(Debug, Default)]
pub(crate) struct LiveMap {
    /// Offsets in the heap, ascending.
    pub(crate) objects: Vec<u64>,
    /// The VM's own sum of their bytes.
    pub(crate) bytes: u64,
    /// Distance of places.
    pub(crate) alignment: u64,
}

/// Why a live map cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LiveMapFault {
    #[error("its live map cannot be read")]
    Unreadable,
    #[error("its live map has {found} objects, the page counts {counted}")]
    Count { found: u64, counted: u64 },
}

impl LiveMap {
    /// How many objects the page counts, as [`LiveMap::copy`] takes it.
    pub(crate) fn counted(page: &Page, at: usize, seqnum: u32) -> u32 {
        match word_at(&page.header, at) {
            Some(word) if word as u32 == seqnum => (word >> 32) as u32,
            _ => 0,
        }
    }

    /// Copies the bits of a page for the cycle with this number; `at` is the
    /// offset of the map in the header. Nothing if the page has no live object.
    pub(crate) fn copy(page: &Page, at: usize, seqnum: u32) -> Result<Vec<u8>, LiveMapFault> {
        if Self::counted(page, at, seqnum) == 0 {
            return Ok(Vec::new());
        }
        let word =
            |index: usize| word_at(&page.header, at + index * 8).ok_or(LiveMapFault::Unreadable);
        let (map, bits) = (Address(word(4)? as usize), word(5)?);
        if bits == 0 || bits > MOST_BITS {
            return Err(LiveMapFault::Unreadable);
        }
        // The map of a large object is longer than it need be.
        let words = if page.is_large { 1 } else { bits.div_ceil(64) };
        let mut bytes = vec![0_u8; words as usize * 8];
        read_bytes(map, &mut bytes).map_err(|_| LiveMapFault::Unreadable)?;
        Ok(bytes)
    }

    /// The marked objects, from a copy of the bits.
    pub(crate) fn of(
        page: &Page,
        at: usize,
        seqnum: u32,
        words: &[u8],
    ) -> Result<Self, LiveMapFault> {
        let word =
            |index: usize| word_at(&page.header, at + index * 8).ok_or(LiveMapFault::Unreadable);
        let first = word(0)?;
        if first as u32 != seqnum {
            return Ok(Self::default());
        }
        let (counted, live_segments) = (first >> 32, word(2)?);
        let bits = word(5)?;
        // The map of a large object is longer than it need be.
        let places = if page.is_large { 1 } else { bits / 2 };
        if places == 0 || bits > MOST_BITS || !page.bytes().is_multiple_of(places) {
            return Err(LiveMapFault::Unreadable);
        }
        let distance = page.bytes() / places;
        if !page.is_large && !distance.is_power_of_two() {
            return Err(LiveMapFault::Unreadable);
        }
        let mut objects = Vec::with_capacity(counted.min(places) as usize);
        let (words, _) = words.as_chunks::<8>();
        let segment = bits.div_ceil(SEGMENTS).max(1);
        for (first, word) in (0_u64..).step_by(64).zip(words) {
            let mut set = u64::from_le_bytes(*word) & BEGINNINGS;
            while set != 0 {
                let bit = first + u64::from(set.trailing_zeros());
                set &= set - 1;
                if bit / 2 < places && live_segments >> (bit / segment).min(63) & 1 == 1 {
                    objects.push(page.start + bit / 2 * distance);
                }
            }
        }
        let found = objects.len() as u64;
        if found != counted {
            return Err(LiveMapFault::Count { found, counted });
        }
        Ok(Self {
            objects,
            bytes: word(1)?,
            alignment: distance,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl LiveMap {
        fn read(page: &Page, at: usize, seqnum: u32) -> Result<Self, LiveMapFault> {
            Self::of(page, at, seqnum, &Self::copy(page, at, seqnum)?)
        }
    }

    const SEQNUM: u32 = 7;
    const PAGE_BYTES: u64 = 8 << 10;

    /// A page of 1,024 places of 8 bytes, whose map is in `words`.
    fn page(words: &[u64], live: u32, segments: u64) -> Page {
        let map = words.as_ptr().expose_provenance() as u64;
        let bits = PAGE_BYTES / 8 * 2;
        let first = u64::from(live) << 32 | u64::from(SEQNUM);
        let header = [first, 48, segments, 0, map, bits];
        Page {
            start: 1 << 21,
            end: (1 << 21) + PAGE_BYTES,
            top: (1 << 21) + PAGE_BYTES,
            seqnum: SEQNUM - 1,
            age: 0,
            is_large: false,
            header: header.iter().flat_map(|word| word.to_le_bytes()).collect(),
        }
    }

    /// Bits of objects at places 0, 33 and 1,000; of the first the bit beside is set as well.
    fn words() -> Vec<u64> {
        let mut words = vec![0; 32];
        words[0] = 0b11;
        words[1] = 1 << 2;
        words[31] = 1 << 16;
        words
    }

    #[test]
    fn marked_objects_are_those_of_live_segments() {
        let (words, all) = (words(), u64::MAX);
        let live = LiveMap::read(&page(&words, 3, all), 0, SEQNUM).expect("sound");
        let places: Vec<u64> = live.objects.iter().map(|at| (at - (1 << 21)) / 8).collect();
        assert_eq!(places, [0, 33, 1000]);
        assert_eq!((live.bytes, live.alignment), (48, 8));
        // The last segment was not cleared since an earlier cycle.
        let live = LiveMap::read(&page(&words, 2, all >> 2), 0, SEQNUM).expect("sound");
        assert_eq!(live.objects.len(), 2);
    }

    #[test]
    fn a_count_that_differs_is_a_fault() {
        let words = words();
        let fault = LiveMap::read(&page(&words, 4, u64::MAX), 0, SEQNUM).expect_err("one less");
        let expected = LiveMapFault::Count {
            found: 3,
            counted: 4,
        };
        assert_eq!(fault, expected);
    }

    #[test]
    fn a_map_of_another_cycle_has_no_object() {
        let words = words();
        let live = LiveMap::read(&page(&words, 3, u64::MAX), 0, SEQNUM + 1).expect("sound");
        assert!(live.objects.is_empty());
    }
}
