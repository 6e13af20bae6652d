//! The forwarding tables of a cycle: where each object of a relocated page went.
//!
//! ```text
//! relocation set   { start, end, top, forwardings*, count }       forwardings* == start, top == end
//! forwarding       page, shift, references ... entries            entries follow the structure
//! entry            bit 0: filled   bits 1-45: new offset   bits 46-63: place in the old page
//! ```
//!
//! (`src/hotspot/share/gc/z/zForwarding.hpp`, `zForwardingEntry.hpp`, `zRelocationSet.hpp`.) A table is complete
//! when nothing refers to its forwarding any more. The map of the generation must lead to the same forwardings.

use std::collections::HashMap;

use crate::address::Address;
use crate::process::careful_read::{read_bytes, read_each};
use crate::zgc::generations::GenerationPlace;
use crate::zgc::layout::Layout;
use crate::zgc::page_table::word_at;

/// No relocation set has more pages.
const MOST_FORWARDINGS: u64 = 1 << 24;
/// A page of 2^18 places has no longer table.
const MOST_ENTRIES: u64 = 1 << 22;

/// A forwarding.
#[derive(Debug)]
pub(crate) struct Forwarding {
    /// Offset of the page that was relocated.
    pub(crate) start: u64,
    /// Where each object went, by its old place: ascending.
    pub(crate) moves: Vec<(u64, u64)>,
    /// The age of the objects afterwards; 0 without generations.
    pub(crate) to_age: u8,
}

/// Why tables cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TableFault {
    #[error("a forwarding table cannot be read")]
    Unreadable,
    #[error("the relocation set could not be identified")]
    NoSet,
    #[error("the relocation set and the forwarding table do not agree")]
    Disagree,
    #[error("a forwarding table has two entries for one object")]
    Twice,
    #[error("an object moved out of the heap")]
    OutOfHeap,
    #[error("objects of age {from} became {to}")]
    Ages { from: u8, to: u8 },
}

/// The forwardings of a relocation set.
#[derive(Debug)]
pub(crate) struct RelocationSet {
    forwardings: Vec<Address>,
}

/// The words of a relocation set, if they are one.
fn set_words(words: [u64; 5]) -> Option<(Address, u64)> {
    let [start, end, top, forwardings, count] = words;
    let is_empty = count == 0 && start == end;
    let is_set = start != 0 && start < end && top == end && forwardings == start;
    (count <= MOST_FORWARDINGS && (is_empty || is_set))
        .then_some((Address(forwardings as usize), count))
}

fn words_at(place: Address) -> Option<[u64; 5]> {
    let mut bytes = [0_u8; 40];
    read_bytes(place, &mut bytes).ok()?;
    let (words, _) = bytes.as_chunks::<8>();
    words
        .try_into()
        .ok()
        .map(|words: [[u8; 8]; 5]| words.map(u64::from_le_bytes))
}

impl RelocationSet {
    /// The set of the current cycle of a generation. Call on its driver, after Relocate Start.
    pub(crate) fn read(place: &mut GenerationPlace, layout: &Layout) -> Result<Self, TableFault> {
        let set = match place.relocation_set {
            Some(set) => set,
            None => {
                let Some(set) = search(place)? else {
                    // Too few to tell: what the map has is the set.
                    return Ok(Self {
                        forwardings: in_map(place)?,
                    });
                };
                place.relocation_set = Some(set);
                set
            }
        };
        let words = words_at(set).ok_or(TableFault::Unreadable)?;
        let (array, count) = set_words(words).ok_or(TableFault::NoSet)?;
        let mut bytes = vec![0; count as usize * 8];
        read_bytes(array, &mut bytes).map_err(|_| TableFault::Unreadable)?;
        let (words, _) = bytes.as_chunks::<8>();
        let places = words
            .iter()
            .map(|word| Address(u64::from_le_bytes(*word) as usize));
        let set = Self {
            forwardings: places.collect(),
        };
        let starts = set.words(layout.forwarding.start)?;
        let slots = starts.map(|start| (start >> layout.pages.granule_shift) as usize);
        let slots = slots.map(|slot| (slot < place.slots).then(|| place.map.plus(slot * 8)));
        let slots: Option<Vec<Address>> = slots.collect();
        let slots = slots.ok_or(TableFault::Disagree)?;
        let in_map = read_each(&slots, 8).ok_or(TableFault::Unreadable)?;
        match words_of(&in_map).eq(set.forwardings.iter().map(|at| at.0 as u64)) {
            true => Ok(set),
            false => Err(TableFault::Disagree),
        }
    }

    /// The word at this offset of each forwarding.
    fn words(&self, offset: usize) -> Result<impl Iterator<Item = u64>, TableFault> {
        let places = self.forwardings.iter().map(|at| at.plus(offset));
        let places: Vec<Address> = places.collect();
        let bytes = read_each(&places, 8).ok_or(TableFault::Unreadable)?;
        let words: Vec<u64> = words_of(&bytes).collect();
        Ok(words.into_iter())
    }

    /// Whether each table is complete.
    pub(crate) fn is_released(&self, layout: &Layout) -> bool {
        let counts = self.words(layout.forwarding.ref_count);
        counts.is_ok_and(|mut counts| counts.all(|count| count as u32 == 0))
    }

    /// The offsets of the pages.
    pub(crate) fn pages(&self, layout: &Layout) -> Result<Vec<u64>, TableFault> {
        Ok(self.words(layout.forwarding.start)?.collect())
    }

    /// Whether no page was freed or is compacted in place: a count of 0, or one below.
    pub(crate) fn is_untouched(&self, layout: &Layout) -> bool {
        let counts = self.words(layout.forwarding.ref_count);
        counts.is_ok_and(|mut counts| counts.all(|count| (count as u32).cast_signed() > 0))
    }

    /// Copies every table.
    pub(crate) fn copies(&self, layout: &Layout) -> Result<Vec<TableCopy>, TableFault> {
        let bytes = layout.forwarding.bytes;
        let heads = read_each(&self.forwardings, bytes).ok_or(TableFault::Unreadable)?;
        let parts = self.forwardings.iter().zip(heads.chunks(bytes.max(1)));
        let copies = parts.map(|(place, head)| TableCopy::read(*place, head, layout));
        copies.collect()
    }
}

fn words_of(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().map(|word| u64::from_le_bytes(*word))
}

/// The tables by the offsets of their pages; `is_old`: of the old generation.
pub(crate) fn by_page(
    copies: &[TableCopy],
    layout: &Layout,
    is_old: bool,
) -> Result<HashMap<u64, Forwarding>, TableFault> {
    let of = |copy: &TableCopy| {
        let forwarding = Forwarding::of(copy, layout, is_old)?;
        Ok((forwarding.start, forwarding))
    };
    copies.iter().map(of).collect()
}

/// A copy of a forwarding and its entries.
#[derive(Debug)]
pub(crate) struct TableCopy {
    head: Vec<u8>,
    entries: Vec<u8>,
}

impl TableCopy {
    fn read(place: Address, head: &[u8], layout: &Layout) -> Result<Self, TableFault> {
        let length = word_at(head, layout.forwarding.length).ok_or(TableFault::Unreadable)?;
        if length > MOST_ENTRIES {
            return Err(TableFault::Unreadable);
        }
        let mut entries = vec![0_u8; length as usize * 8];
        let after = place.plus(layout.forwarding.bytes);
        read_bytes(after, &mut entries).map_err(|_| TableFault::Unreadable)?;
        Ok(Self {
            head: head.to_vec(),
            entries,
        })
    }
}

/// The forwardings that the map has.
fn in_map(place: &GenerationPlace) -> Result<Vec<Address>, TableFault> {
    let mut found = Vec::new();
    let mut last = Address::NULL;
    let mut buffer = vec![0_u8; 64 << 10];
    for first in (0..place.slots).step_by(buffer.len() / 8) {
        let count = (buffer.len() / 8).min(place.slots - first);
        let bytes = buffer.get_mut(..count * 8).unwrap_or_default();
        read_bytes(place.map.plus(first * 8), bytes).map_err(|_| TableFault::Unreadable)?;
        let (words, _) = bytes.as_chunks::<8>();
        for word in words {
            let forwarding = Address(u64::from_le_bytes(*word) as usize);
            if !forwarding.is_null() && forwarding != last {
                last = forwarding;
                found.push(forwarding);
            }
        }
    }
    Ok(found)
}

/// The only words of the heap that are a relocation set with as many
/// forwardings as the map has; `None` if there are too few of these to tell.
fn search(place: &GenerationPlace) -> Result<Option<Address>, TableFault> {
    let count = in_map(place)?.len() as u64;
    if count < 2 {
        return Ok(None);
    }
    let (start, bytes) = place.search;
    let places = (0..bytes.saturating_sub(40))
        .step_by(8)
        .map(|at| start.plus(at));
    let is_set = |place: &Address| {
        words_at(*place)
            .and_then(set_words)
            .is_some_and(|(_, found)| found == count)
    };
    let mut found = places.filter(is_set);
    match (found.next(), found.next()) {
        (Some(set), None) => Ok(Some(set)),
        _ => Err(TableFault::NoSet),
    }
}

impl Forwarding {
    fn of(copy: &TableCopy, layout: &Layout, is_old: bool) -> Result<Self, TableFault> {
        let fields = &layout.forwarding;
        let word = |at: usize| word_at(&copy.head, at).ok_or(TableFault::Unreadable);
        let (start, shift) = (word(fields.start)?, word(fields.shift)?);
        if shift > 40 {
            return Err(TableFault::Unreadable);
        }
        let to_age = ages(&copy.head, fields.ages, is_old)?;
        let entries = words_of(&copy.entries);
        let most = (layout.pages.slots as u64) << layout.pages.granule_shift;
        let mut moves = Vec::new();
        for entry in entries.filter(|entry| entry & 1 == 1) {
            let to = entry >> 1 & ((1 << 45) - 1);
            if to >= most {
                return Err(TableFault::OutOfHeap);
            }
            moves.push((start + ((entry >> 46) << shift), to));
        }
        moves.sort_unstable();
        match moves.is_sorted_by(|a, b| a.0 < b.0) {
            true => Ok(Self {
                start,
                moves,
                to_age,
            }),
            false => Err(TableFault::Twice),
        }
    }
}

/// The age afterwards: objects of the old generation stay in it, young ones grow older.
fn ages(head: &[u8], fields: Option<(usize, usize)>, is_old: bool) -> Result<u8, TableFault> {
    use super::page_table::OLD_AGE;
    let Some((from, to)) = fields else {
        return Ok(0);
    };
    let age = |at: usize| head.get(at).copied().ok_or(TableFault::Unreadable);
    let (from, to) = (age(from)?, age(to)?);
    let is_sound = match is_old {
        true => from == OLD_AGE && to == OLD_AGE,
        false => from < OLD_AGE && to <= OLD_AGE && to > from,
    };
    match is_sound {
        true => Ok(to),
        false => Err(TableFault::Ages { from, to }),
    }
}
