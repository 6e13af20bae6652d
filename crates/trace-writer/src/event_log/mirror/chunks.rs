//! The live objects by address: 28 bytes each, in chunks of 1 MB of heap.
//!
//! A collection takes whole chunks out and enters survivors mostly in ascending runs (one per PLAB). So a chunk is a plain list that is
//! sorted only when its order is needed. An object belongs to the chunk in which it begins.

use std::collections::BTreeMap;

use ducktrack_trace_format::{AddressRange, HeapClassId};

use super::Origin;

const CHUNK_SHIFT: u32 = 20;
const UNIT_SHIFT: u32 = 3;
const OFFSET_MASK: u64 = (1 << (CHUNK_SHIFT - UNIT_SHIFT)) - 1;

/// Recently used chunks are found without a search; GC threads fill about this many at a time.
const CACHED: usize = 64;

/// A live object in its chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LiveObject {
    /// Offset in the chunk, in units of 8 bytes.
    offset: u32,
    pub(crate) units: u32,
    pub(crate) class: HeapClassId,
    pub(crate) origin: Origin,
}

#[derive(Debug, Default)]
struct Chunk {
    objects: Vec<LiveObject>,
    /// The objects are not in order.
    mixed: bool,
}

impl Chunk {
    fn push(&mut self, object: LiveObject) {
        let objects = &mut self.objects;
        if let Some(last) = objects.last() {
            self.mixed |= last.offset >= object.offset;
        }
        if objects.len() == objects.capacity() {
            // Doubling would leave a third of the memory unused; growing by less would copy the objects too often.
            objects.reserve_exact(objects.len() / 2 + 64);
        }
        objects.push(object);
    }

    fn sort(&mut self) {
        if self.mixed {
            self.objects.sort_by_key(|object| object.offset);
            self.mixed = false;
        }
    }
}

/// The objects taken out of one chunk, in ascending order.
#[derive(Debug)]
pub(crate) struct TakenChunk {
    base: u64,
    objects: Vec<LiveObject>,
}

impl TakenChunk {
    /// Each object with its address.
    pub(crate) fn objects(&self) -> impl Iterator<Item = (u64, &LiveObject)> {
        self.objects
            .iter()
            .map(|object| (self.base + (u64::from(object.offset) << UNIT_SHIFT), object))
    }
}

/// All live objects.
#[derive(Debug)]
pub(crate) struct Chunks {
    /// From chunk number to index in `slab`.
    index: BTreeMap<u64, u32>,
    slab: Vec<Chunk>,
    free: Vec<u32>,
    cache: [(u64, u32); CACHED],
    objects: u64,
    bytes: u64,
}

impl Chunks {
    pub(crate) fn new() -> Self {
        Self {
            index: BTreeMap::new(),
            slab: Vec::new(),
            free: Vec::new(),
            cache: [(u64::MAX, 0); CACHED],
            objects: 0,
            bytes: 0,
        }
    }

    /// Number of objects.
    pub(crate) fn len(&self) -> u64 {
        self.objects
    }

    /// Bytes that the objects take on the program's heap.
    pub(crate) fn heap_bytes(&self) -> u64 {
        self.bytes
    }

    /// Memory of the mirror's own lists, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        let objects: usize = self.slab.iter().map(|c| c.objects.capacity()).sum();
        let chunks = self.slab.capacity() * size_of::<Chunk>();
        (objects * size_of::<LiveObject>() + chunks) as u64
    }

    /// Adds an object.
    pub(crate) fn insert(&mut self, address: u64, units: u32, class: HeapClassId, origin: Origin) {
        let offset = (address >> UNIT_SHIFT & OFFSET_MASK) as u32;
        let slot = self.slot_of(address >> CHUNK_SHIFT);
        if let Some(chunk) = self.slab.get_mut(slot as usize) {
            chunk.push(LiveObject {
                offset,
                units,
                class,
                origin,
            });
            self.objects += 1;
            self.bytes += u64::from(units) << UNIT_SHIFT;
        }
    }

    fn slot_of(&mut self, number: u64) -> u32 {
        let cached = &mut self.cache[number as usize % CACHED];
        if cached.0 != number {
            let slab = &mut self.slab;
            let free = &mut self.free;
            let slot = *self.index.entry(number).or_insert_with(|| {
                free.pop().unwrap_or_else(|| {
                    slab.push(Chunk::default());
                    (slab.len() - 1) as u32
                })
            });
            *cached = (number, slot);
        }
        cached.1
    }

    /// The object that begins at this address.
    pub(crate) fn find(&mut self, address: u64) -> Option<&mut LiveObject> {
        let slot = *self.index.get(&(address >> CHUNK_SHIFT))?;
        let chunk = self.slab.get_mut(slot as usize)?;
        chunk.sort();
        let offset = (address >> UNIT_SHIFT & OFFSET_MASK) as u32;
        let at = chunk
            .objects
            .binary_search_by_key(&offset, |object| object.offset)
            .ok()?;
        chunk.objects.get_mut(at)
    }

    /// Takes out all objects that begin in a range, in ascending order.
    pub(crate) fn take(&mut self, range: AddressRange, taken: &mut Vec<TakenChunk>) {
        if range.bytes() == 0 {
            return;
        }
        let numbers = range.start >> CHUNK_SHIFT..=(range.end - 1) >> CHUNK_SHIFT;
        let found: Vec<(u64, u32)> = self.index.range(numbers).map(|(n, s)| (*n, *s)).collect();
        for (number, slot) in found {
            let base = number << CHUNK_SHIFT;
            let whole = range.start <= base && base + (1 << CHUNK_SHIFT) <= range.end;
            let objects = if whole {
                self.take_whole(number, slot)
            } else {
                self.take_part(slot, base, range)
            };
            self.objects -= objects.len() as u64;
            let units: u64 = objects.iter().map(|object| u64::from(object.units)).sum();
            self.bytes -= units << UNIT_SHIFT;
            taken.push(TakenChunk { base, objects });
        }
    }

    fn take_whole(&mut self, number: u64, slot: u32) -> Vec<LiveObject> {
        self.index.remove(&number);
        self.cache[number as usize % CACHED] = (u64::MAX, 0);
        self.free.push(slot);
        match self.slab.get_mut(slot as usize) {
            Some(chunk) => {
                chunk.sort();
                std::mem::take(chunk).objects
            }
            None => Vec::new(),
        }
    }

    fn take_part(&mut self, slot: u32, base: u64, range: AddressRange) -> Vec<LiveObject> {
        let Some(chunk) = self.slab.get_mut(slot as usize) else {
            return Vec::new();
        };
        chunk.sort();
        let bound = |address: u64| {
            let objects = &chunk.objects;
            objects
                .partition_point(|object| base + (u64::from(object.offset) << UNIT_SHIFT) < address)
        };
        let (start, end) = (bound(range.start), bound(range.end));
        chunk.objects.drain(start..end).collect()
    }

    /// Hands out all objects in ascending order of address.
    pub(crate) fn for_each(&mut self, mut give: impl FnMut(u64, &LiveObject)) {
        for (number, slot) in &self.index {
            if let Some(chunk) = self.slab.get_mut(*slot as usize) {
                chunk.sort();
                let base = number << CHUNK_SHIFT;
                for object in &chunk.objects {
                    give(base + (u64::from(object.offset) << UNIT_SHIFT), object);
                }
            }
        }
    }
}
