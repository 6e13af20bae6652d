//! The live objects of a heap, by address, in chunks of 2^`BITS` bytes of heap.
//!
//! A collection takes whole chunks out and puts survivors in, mostly in ascending runs (one per PLAB). So a chunk is
//! a plain list, which is sorted only when its order is asked for. An object belongs to the chunk in which it begins.
//!
//! ```text
//! chunk 0x805 of 1 MB   [+0x0010 object7] [+0x0028 object9] [+0x1000 object8]
//! ```

use std::collections::BTreeMap;

use ducktrack_trace_format::AddressRange;

use crate::offset_sort::OffsetSort;

/// Recently used chunks are found without a search; GC threads fill about this many at a time.
const CACHED: usize = 64;
/// No chunk has this number.
const NO_CHUNK: (u64, u32) = (u64::MAX, 0);

/// Something with an address.
pub trait HasAddress {
    /// The low 32 bits of its address: the rest is its chunk's.
    fn low(&self) -> u32;

    /// Bytes that it takes on the heap.
    fn bytes(&self) -> u64;
}

/// Objects by address.
#[derive(Clone, Debug)]
pub struct AddressMap<T, const BITS: u32> {
    /// From chunk number to place in `chunks`.
    index: BTreeMap<u64, u32>,
    chunks: Vec<Chunk<T>>,
    free: Vec<u32>,
    cache: [(u64, u32); CACHED],
    /// The chunk that the last object was added to.
    last: u32,
    objects: u64,
    bytes: u64,
    sort: OffsetSort,
}

#[derive(Clone, Debug)]
struct Chunk<T> {
    objects: Vec<T>,
    /// The objects are not in order.
    is_mixed: bool,
}

impl<T> Default for Chunk<T> {
    fn default() -> Self {
        Self {
            objects: Vec::new(),
            is_mixed: false,
        }
    }
}

impl<T> Chunk<T> {
    /// Doubling would leave a third of the memory unused; growing by less would copy the objects too often.
    #[inline]
    fn make_room(&mut self) {
        if self.objects.len() == self.objects.capacity() {
            self.objects.reserve_exact(self.objects.len() / 2 + 16);
        }
    }

    /// Room for as many objects as its neighbour has, which are mostly as large.
    fn expect(&mut self, objects: usize) {
        self.objects.reserve_exact(objects + objects / 16);
    }

    fn shrink(&mut self) {
        if self.objects.capacity() > self.objects.len() / 4 * 5 {
            self.objects.shrink_to_fit();
        }
    }
}

impl<T, const BITS: u32> Default for AddressMap<T, BITS> {
    fn default() -> Self {
        Self {
            index: BTreeMap::new(),
            chunks: Vec::new(),
            free: Vec::new(),
            cache: [NO_CHUNK; CACHED],
            last: 0,
            objects: 0,
            bytes: 0,
            sort: OffsetSort::default(),
        }
    }
}

impl<T: HasAddress, const BITS: u32> AddressMap<T, BITS> {
    const MASK: u32 = (1 << BITS) - 1;

    fn offset(object: &T) -> u32 {
        object.low() & Self::MASK
    }

    /// Number of objects.
    pub fn len(&self) -> u64 {
        self.objects
    }

    /// True when there is nothing.
    pub fn is_empty(&self) -> bool {
        self.objects == 0
    }

    /// Bytes that the objects take on the heap.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Memory of the lists, in bytes.
    pub fn memory(&self) -> u64 {
        let objects: usize = self.chunks.iter().map(|c| c.objects.capacity()).sum();
        let chunks = self.chunks.capacity() * size_of::<Chunk<T>>();
        (objects * size_of::<T>() + chunks) as u64
    }

    /// Adds an object. There may be one at its address: see [`AddressMap::settle`].
    #[inline]
    pub fn push(&mut self, address: u64, object: T) {
        let place = self.place_for(address >> BITS);
        self.last = place;
        self.objects += 1;
        self.bytes += object.bytes();
        if let Some(chunk) = self.chunks.get_mut(place as usize) {
            let last = chunk.objects.last();
            chunk.is_mixed |= last.is_some_and(|last| Self::offset(last) >= Self::offset(&object));
            chunk.make_room();
            chunk.objects.push(object);
        }
    }

    /// Puts an object at its address, and gives what was there. The map must be in order, and stays so.
    #[inline]
    pub fn insert(&mut self, address: u64, object: T) -> Option<T> {
        let place = self.place_for(address >> BITS);
        let offset = Self::offset(&object);
        self.objects += 1;
        self.bytes += object.bytes();
        let objects = &mut self.chunks.get_mut(place as usize)?.objects;
        if objects
            .last()
            .is_none_or(|last| Self::offset(last) < offset)
        {
            objects.push(object);
            return None;
        }
        match objects.binary_search_by_key(&offset, Self::offset) {
            Ok(at) => {
                let before = core::mem::replace(objects.get_mut(at)?, object);
                self.objects -= 1;
                self.bytes -= before.bytes();
                Some(before)
            }
            Err(at) => {
                objects.insert(at, object);
                None
            }
        }
    }

    /// The object at an address.
    #[inline]
    pub fn get(&mut self, address: u64) -> Option<&mut T> {
        let place = self.place(address >> BITS)?;
        let chunk = self.chunks.get_mut(place as usize)?;
        Self::sort(&mut self.sort, chunk);
        let offset = address as u32 & Self::MASK;
        let at = chunk
            .objects
            .binary_search_by_key(&offset, Self::offset)
            .ok()?;
        chunk.objects.get_mut(at)
    }

    /// Takes all objects of another map. [`AddressMap::settle`] must follow.
    pub fn absorb(&mut self, mut other: Self) {
        for (number, place) in &other.index {
            let Some(more) = other.chunks.get_mut(*place as usize) else {
                continue;
            };
            let place = self.place_for(*number);
            if let Some(chunk) = self.chunks.get_mut(place as usize) {
                if chunk.objects.is_empty() {
                    *chunk = core::mem::take(more);
                } else {
                    chunk.is_mixed = true;
                    chunk.objects.append(&mut more.objects);
                }
            }
        }
        self.objects += other.objects;
        self.bytes += other.bytes;
    }

    /// Brings everything into order. Of several objects at one address the last that came stays; `left` takes the others.
    pub fn settle(&mut self, mut left: impl FnMut(&T))
    where
        T: Copy,
    {
        let (objects, bytes) = (&mut self.objects, &mut self.bytes);
        for chunk in &mut self.chunks {
            if chunk.is_mixed {
                Self::sort(&mut self.sort, chunk);
                chunk.objects.dedup_by(|next, kept| {
                    let same = Self::offset(next) == Self::offset(kept);
                    if same {
                        left(kept);
                        *objects -= 1;
                        *bytes -= kept.bytes();
                        *kept = *next;
                    }
                    same
                });
            }
            chunk.shrink();
        }
    }

    fn sort(sort: &mut OffsetSort, chunk: &mut Chunk<T>) {
        if core::mem::take(&mut chunk.is_mixed) {
            sort.sort(&mut chunk.objects, BITS, Self::offset);
        }
    }

    /// Takes all objects out that begin in the ranges, which ascend and do not overlap, in ascending order.
    pub fn drain(&mut self, ranges: &[AddressRange], mut take: impl FnMut(u64, T)) {
        for range in ranges.iter().filter(|range| range.bytes() > 0) {
            let numbers = range.start >> BITS..=(range.end - 1) >> BITS;
            let touched = self.index.range(numbers);
            let touched: Vec<(u64, u32)> = touched.map(|(at, place)| (*at, *place)).collect();
            for (number, place) in touched {
                if let Some(chunk) = self.chunks.get_mut(place as usize) {
                    Self::sort(&mut self.sort, chunk);
                    let base = number << BITS;
                    let address = |object: &T| base | u64::from(Self::offset(object));
                    let objects = &mut chunk.objects;
                    let from = objects.partition_point(|object| address(object) < range.start);
                    let to = objects.partition_point(|object| address(object) < range.end);
                    for object in objects.drain(from..to.max(from)) {
                        self.objects -= 1;
                        self.bytes -= object.bytes();
                        take(address(&object), object);
                    }
                    if objects.is_empty() {
                        *chunk = Chunk::default();
                        self.index.remove(&number);
                        self.cache[number as usize % CACHED] = NO_CHUNK;
                        self.free.push(place);
                    }
                }
            }
        }
    }

    /// All objects with their addresses, in ascending order if the map is.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.index.iter().flat_map(|(number, place)| {
            let chunk = self.chunks.get(*place as usize);
            let objects = chunk.map_or(&[][..], |chunk| chunk.objects.as_slice());
            let address = move |object| (number << BITS | u64::from(Self::offset(object)), object);
            objects.iter().map(address)
        })
    }

    /// Sorts what is not in order.
    pub fn put_in_order(&mut self) {
        for chunk in &mut self.chunks {
            Self::sort(&mut self.sort, chunk);
        }
    }

    fn place(&mut self, number: u64) -> Option<u32> {
        let cached = &mut self.cache[number as usize % CACHED];
        if cached.0 != number {
            *cached = (number, *self.index.get(&number)?);
        }
        Some(cached.1)
    }

    fn place_for(&mut self, number: u64) -> u32 {
        self.place(number).unwrap_or_else(|| {
            let place = self.free.pop().unwrap_or_else(|| {
                self.chunks.push(Chunk::default());
                // 2^32 chunks are 64 TB.
                (self.chunks.len() - 1) as u32
            });
            // Objects mostly come in the order of addresses: the chunk before is full.
            let mut expected = 0;
            if let Some(full) = self.chunks.get_mut(self.last as usize) {
                full.shrink();
                expected = full.objects.len();
            }
            if let Some(chunk) = self.chunks.get_mut(place as usize) {
                chunk.expect(expected);
            }
            self.index.insert(number, place);
            self.cache[number as usize % CACHED] = (number, place);
            place
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Item(u64, u16);

    impl HasAddress for Item {
        fn low(&self) -> u32 {
            self.0 as u32
        }

        fn bytes(&self) -> u64 {
            u64::from(self.1)
        }
    }

    fn ranges(start: u64, length: u64) -> [AddressRange; 2] {
        let end = start.saturating_add(length);
        let next = end.saturating_add(64);
        [
            AddressRange { start, end },
            AddressRange {
                start: next,
                end: next.saturating_add(20_000),
            },
        ]
    }

    proptest! {
        /// Objects are put in, replaced and taken out as from a map.
        #[test]
        fn it_is_a_map(steps in prop::collection::vec((0_u64..6000, 0..8_u8, any::<u16>()), 1..300)) {
            let mut map: AddressMap<Item, 14> = AddressMap::default();
            let mut known: BTreeMap<u64, Item> = BTreeMap::new();
            for (unit, step, value) in steps {
                // Some chunks, also the last one.
                let address = (unit * 8).wrapping_sub(8 * 100);
                let item = Item(address, value);
                match step {
                    0 => {
                        let ranges = ranges(address, u64::from(value));
                        let in_range = |at: &u64| ranges.iter().any(|range| (range.start..range.end).contains(at));
                        let expected: Vec<_> = known.iter().filter(|(at, _)| in_range(at)).map(|(at, item)| (*at, *item)).collect();
                        let mut taken = Vec::new();
                        map.drain(&ranges, |address, item| taken.push((address, item)));
                        known.retain(|at, _| !in_range(at));
                        prop_assert_eq!(taken, expected);
                    }
                    1 | 2 => {
                        map.push(address, item);
                        let before = known.insert(address, item);
                        let mut left = None;
                        map.settle(|item| left = Some(*item));
                        prop_assert_eq!(left, before);
                    }
                    _ => prop_assert_eq!(map.insert(address, item), known.insert(address, item)),
                }
                prop_assert_eq!(map.get(address).copied(), known.get(&address).copied());
                prop_assert_eq!(map.len(), known.len() as u64);
                prop_assert_eq!(map.bytes(), known.values().map(Item::bytes).sum::<u64>());
            }
            let all: Vec<_> = map.iter().map(|(at, item)| (at, *item)).collect();
            prop_assert_eq!(all, known.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_last_of_several_at_one_place_stays() {
        let mut map: AddressMap<Item, 20> = AddressMap::default();
        for value in [8, 16, 24] {
            map.push(64, Item(64, value));
        }
        let mut left = Vec::new();
        map.settle(|item| left.push(item.1));
        assert_eq!(left, [8, 16]);
        assert_eq!(map.iter().collect::<Vec<_>>(), [(64, &Item(64, 24))]);
    }
}
