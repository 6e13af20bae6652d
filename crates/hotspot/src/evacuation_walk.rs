//! Reading an evacuated space: who lived on, where, and how many died.
//!
//! When a collection has finished, the space it emptied still holds the old copies. In the mark word of an object that lived on the low two
//! bits are 11 and the rest is its new address; every other object died. With compact headers the mark word held the class as
//! well, so the class of a moved object is read at its new place.
//!
//! Guards: every class is one the [`ClassTable`] knows, the last object ends exactly at the top, and at the new address there is an object of the same
//! class and size.

use crate::address::Address;
use crate::class_cache::{ClassCache, QuickClass, QuickRule};
use crate::class_table::{ClassId, ClassTable};
use crate::collection_report::{MovesFault, Survivor};
use crate::heap_spaces::Space;
use crate::object_header::forwarded_to;
use crate::object_walk::{ObjectSizes, WalkFault};

/// What walks found.
#[derive(Debug, Default)]
pub(crate) struct Evacuated {
    /// Ascending by `from` within each space.
    pub(crate) survivors: Vec<Survivor>,
    pub(crate) dead: u64,
    pub(crate) walked: u64,
}

/// A walk over evacuated spaces by one thread.
#[derive(Debug)]
pub(crate) struct EvacuationWalk<'a> {
    cache: ClassCache<'a>,
    sizes: &'a ObjectSizes,
    heap: (Address, usize),
    compact: bool,
}

/// One object of an evacuated space.
#[derive(Debug, Clone, Copy)]
struct OldCopy {
    class: ClassId,
    bytes: usize,
    to: Option<Address>,
}

impl<'a> EvacuationWalk<'a> {
    /// `heap`: first address and length of the reserved heap.
    pub(crate) fn new(
        classes: &'a ClassTable,
        sizes: &'a ObjectSizes,
        heap: (Address, usize),
    ) -> Self {
        Self {
            cache: ClassCache::new(classes),
            sizes,
            heap,
            compact: sizes.header().class_is_in_mark(),
        }
    }

    /// Walks `[bottom, top)` of a space and adds what it finds.
    ///
    /// # Safety
    /// The world is stopped; the space and every place that objects moved to are committed memory.
    pub(crate) unsafe fn space(
        &mut self,
        space: &Space,
        found: &mut Evacuated,
    ) -> Result<(), MovesFault> {
        let mut at = space.bottom;
        while at < space.top {
            // SAFETY: the space is committed, and an object starts here.
            let object =
                unsafe { self.old_copy(at, space.top) }.map_err(|fault| MovesFault::Unparsed {
                    space: space.index,
                    fault,
                })?;
            found.walked += 1;
            match object.to {
                None => found.dead += 1,
                Some(to) => {
                    // SAFETY: `old_copy` found the target inside the heap.
                    let survivor = unsafe { self.survivor(at, to, object) }?;
                    found.survivors.push(survivor);
                }
            }
            at = at.plus(object.bytes);
        }
        Ok(())
    }

    /// The object that starts at `at`.
    #[inline]
    unsafe fn old_copy(&mut self, at: Address, top: Address) -> Result<OldCopy, WalkFault> {
        // SAFETY: the caller vouches for the place.
        let mark: u64 = unsafe { at.read() };
        let to = forwarded_to(mark);
        if let Some(target) = to
            && !(target >= self.heap.0 && target.above(self.heap.0) < self.heap.1)
        {
            return Err(WalkFault::BadForwarding { object: at, target });
        }
        let header_at = if self.compact { to.unwrap_or(at) } else { at };
        // SAFETY: as above; a target lies in the heap.
        let klass = unsafe { self.sizes.header().klass_of(header_at) };
        let Some(class) = self.cache.find(klass) else {
            return Err(WalkFault::UnknownClass { object: at, klass });
        };
        // SAFETY: as above; the class is one the VM confirmed.
        let bytes = unsafe { self.bytes(at, class) };
        if bytes < 8 || !bytes.is_multiple_of(8) || bytes > top.above(at) {
            return Err(WalkFault::BadSize { object: at, bytes });
        }
        Ok(OldCopy {
            class: class.id,
            bytes,
            to,
        })
    }

    /// The size of an object; 0 when its class has no instances.
    #[inline]
    unsafe fn bytes(&self, object: Address, class: QuickClass) -> usize {
        match class.rule {
            QuickRule::Fixed(bytes) => bytes as usize,
            QuickRule::Array {
                header,
                log2_element,
            } => {
                // SAFETY: the caller vouches for the object.
                let length = unsafe { self.sizes.header().array_length_of(object) };
                // A length of 32 bits by an element of at most 256 bytes fits 64 bits.
                let bytes = usize::from(header) + ((length as usize) << log2_element);
                bytes.next_multiple_of(self.sizes.alignment())
            }
            // SAFETY: the caller vouches for the object.
            QuickRule::Special => unsafe {
                let rule = self.cache.rule(class.id);
                self.sizes.bytes_of(object, rule).unwrap_or(0)
            },
        }
    }

    /// The survivor, after a look at its new place.
    #[inline]
    unsafe fn survivor(
        &mut self,
        from: Address,
        to: Address,
        object: OldCopy,
    ) -> Result<Survivor, MovesFault> {
        let wrong = |found| MovesFault::Destination { from, to, found };
        if !to.is_aligned(8) || to.above(self.heap.0) + object.bytes > self.heap.1 {
            return Err(wrong("no place for it"));
        }
        // SAFETY: the caller vouches for the target.
        let klass = unsafe { self.sizes.header().klass_of(to) };
        let Some(class) = self.cache.find(klass) else {
            return Err(wrong("no object"));
        };
        if class.id != object.class {
            return Err(wrong("an object of another class"));
        }
        // SAFETY: as above.
        if unsafe { self.bytes(to, class) } != object.bytes {
            return Err(wrong("an object of another size"));
        }
        Survivor::new(from, to, object.bytes, object.class).ok_or_else(|| wrong("its size"))
    }
}
