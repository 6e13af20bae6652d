//! The pages of the heap, by their headers.
//!
//! While the old generation is read, young pages come and go. So headers are copied by the system (a page that is
//! gone is an error, not a crash), and a page counts only if the table still has it after its header was copied.

use crate::address::Address;
use crate::process::careful_read::{read_bytes, read_each, read_value};
use crate::zgc::layout::{Layout, PageFields};

/// Slots read at once.
const AT_ONCE: usize = 8 << 10;
/// The age of pages of the old generation.
pub(crate) const OLD_AGE: u8 = 15;

/// A page, as its header was.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    /// Offsets in the heap.
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) top: u64,
    pub(crate) seqnum: u32,
    /// 0 without generations.
    pub(crate) age: u8,
    /// It holds one large object.
    pub(crate) is_large: bool,
    pub(crate) header: Vec<u8>,
}

impl Page {
    fn of_header(header: Vec<u8>, fields: &PageFields) -> Option<Self> {
        let word = |at: usize| word_at(&header, at);
        let start = word(fields.start)?;
        let end = match fields.end_is_size {
            true => start.checked_add(word(fields.end)?)?,
            false => word(fields.end)?,
        };
        Some(Self {
            start,
            end,
            top: word(fields.top)?,
            seqnum: word(fields.seqnum)? as u32,
            age: match fields.age {
                Some(at) => *header.get(at)?,
                None => 0,
            },
            is_large: *header.get(fields.kind)? == fields.large,
            header,
        })
    }

    /// Is it of the old generation?
    pub(crate) fn is_old(&self) -> bool {
        self.age == OLD_AGE
    }

    /// Bytes of the page.
    pub(crate) fn bytes(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// A word of copied memory.
pub(crate) fn word_at(bytes: &[u8], at: usize) -> Option<u64> {
    let word = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*word))
}

impl Layout {
    /// The page that the table has for this slot, if its header can be copied and starts there.
    pub(crate) fn page(&self, slot: usize) -> Option<Page> {
        let place: Address = read_value(self.slot(slot)).ok()?;
        let is_page = !place.is_null() && place.is_aligned(8);
        is_page.then(|| self.page_at(place, slot))?
    }

    fn slot(&self, slot: usize) -> Address {
        self.pages.map.plus(slot * 8)
    }

    /// `None` as well if the slot has another page by now, or is not the page's first.
    fn page_at(&self, place: Address, slot: usize) -> Option<Page> {
        let mut header = vec![0; self.page.bytes];
        read_bytes(place, &mut header).ok()?;
        let page = self.page_of(header, slot)?;
        let is_there = read_value::<Address>(self.slot(slot)).ok() == Some(place);
        is_there.then_some(page)
    }

    fn page_of(&self, header: Vec<u8>, slot: usize) -> Option<Page> {
        let page = Page::of_header(header, &self.page)?;
        let granule = 1_u64 << self.pages.granule_shift;
        let is_sound = page.start >> self.pages.granule_shift == slot as u64
            && page.start % granule == 0
            && page.end > page.start
            && page.end % granule == 0
            && (page.start..=page.end).contains(&page.top);
        is_sound.then_some(page)
    }

    /// Every page that `take` asks for, by ascending offset. `None`: the table cannot be read.
    pub(crate) fn pages(&self, take: impl Fn(&Page) -> bool) -> Option<Vec<Page>> {
        let mut pages = Vec::new();
        let mut last = Address::NULL;
        for first in (0..self.pages.slots).step_by(AT_ONCE) {
            let count = AT_ONCE.min(self.pages.slots - first);
            let mut found = Vec::new();
            for (slot, place) in (first..).zip(self.places(first, count)?) {
                if !place.is_null() && place.is_aligned(8) && place != last {
                    last = place;
                    found.push((slot, place));
                }
            }
            let places: Vec<Address> = found.iter().map(|(_, place)| *place).collect();
            let Some(headers) = read_each(&places, self.page.bytes) else {
                // One of them is gone.
                let one_by_one = found.iter();
                let read = one_by_one.filter_map(|(slot, place)| self.page_at(*place, *slot));
                pages.extend(read.filter(&take));
                continue;
            };
            let now = self.places(first, count)?;
            for ((slot, place), header) in found.iter().zip(headers.chunks(self.page.bytes)) {
                if now.get(slot - first) == Some(place) {
                    let page = self.page_of(header.to_vec(), *slot);
                    pages.extend(page.filter(&take));
                }
            }
        }
        Some(pages)
    }

    /// The entries of these slots of the table.
    fn places(&self, first: usize, count: usize) -> Option<Vec<Address>> {
        let mut bytes = vec![0_u8; count * 8];
        read_bytes(self.slot(first), &mut bytes).ok()?;
        let (words, _) = bytes.as_chunks::<8>();
        let places = words.iter().map(|word| u64::from_le_bytes(*word) as usize);
        Some(places.map(Address).collect())
    }
}
