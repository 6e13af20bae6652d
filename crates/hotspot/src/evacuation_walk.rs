//! Reading an evacuated space: who lived on, where, and how many died.
//!
//! When a collection has finished, the space it emptied still holds the old copies. In the mark word of an object that lived on the low two
//! bits are 11 and the rest is its new address; every other object died. With compact headers the mark word held the class as
//! well, so the class of a moved object is read at its new place.
//!
//! A dead object in an old region may be of a class that was unloaded, at whose address there is another class by now. The table keeps
//! all classes an address ever had, and a space that cannot be passed with the current ones is walked again with the former ones.
//!
//! Inside a pause, an object whose evacuation failed is seen to stay: forwarded to itself, or, from JDK 24 on, with bit 2 of the mark word set. The
//! collector takes that back before the pause ends ([`crate::evacuation_failure`]).
//!
//! Guards: every class is one the [`ClassTable`] knows, the last object ends exactly at the top, and at the new address there is an object of the same
//! class and size.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::address::Address;
use crate::careful_read::read_value;
use crate::class_cache::{ClassCache, QuickClass, QuickRule};
use crate::class_table::{ClassId, ClassTable};
use crate::collection_report::{MovesFault, Survivor};
use crate::heap_spaces::Space;
use crate::object_header::forwarded_to;
use crate::object_walk::{ObjectSizes, WalkFault};
use crate::walk_pool::WalkPool;

/// So many objects the walk with choices looks at, for each object the space can have, before it gives up.
const STEPS_FOR_EACH: usize = 4;
/// And never more than this.
const MOST_STEPS: usize = 4 << 20;

/// What walks found.
#[derive(Debug, Default)]
pub(crate) struct Evacuated {
    /// Ascending by `from` within each space.
    pub(crate) survivors: Vec<Survivor>,
    pub(crate) dead: u64,
    pub(crate) walked: u64,
    /// Size in bytes of the largest object.
    pub(crate) largest: usize,
}

/// How much was found at some point.
#[derive(Debug, Clone, Copy)]
struct Mark {
    survivors: usize,
    dead: u64,
    walked: u64,
}

impl Evacuated {
    fn mark(&self) -> Mark {
        Mark {
            survivors: self.survivors.len(),
            dead: self.dead,
            walked: self.walked,
        }
    }

    /// Adds what another walk found behind this one.
    fn add(&mut self, mut other: Self) {
        if self.survivors.is_empty() {
            self.survivors = other.survivors;
        } else {
            self.survivors.append(&mut other.survivors);
        }
        self.dead += other.dead;
        self.walked += other.walked;
        self.largest = self.largest.max(other.largest);
    }

    /// Forgets what was found since.
    fn back_to(&mut self, mark: Mark) {
        self.survivors.truncate(mark.survivors);
        self.dead = mark.dead;
        self.walked = mark.walked;
    }
}

/// An object that may be of another class than it was taken for.
#[derive(Debug, Clone, Copy)]
struct Choice {
    at: Address,
    next_class: usize,
    mark: Mark,
}

/// An object passed by the walk with choices.
#[derive(Debug, Clone, Copy)]
struct Step {
    bytes: usize,
    has_another_class: bool,
    /// What was found before it.
    mark: Mark,
}

/// Walks spaces with as many threads as come to help, each with a walk of its own. Survivors are in the order of the spaces.
///
/// # Safety
/// As for [`EvacuationWalk::space`].
pub(crate) unsafe fn walk_together<'a>(
    pool: &WalkPool,
    spaces: &[Space],
    new_walk: impl Fn() -> EvacuationWalk<'a> + Sync,
) -> Result<Evacuated, MovesFault> {
    for space in spaces {
        confirm_committed(space)?;
    }
    let next = AtomicUsize::new(0);
    let parts = Mutex::new(Vec::new());
    let whole = pool.run(&|| {
        let mut walk = new_walk();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(space) = spaces.get(number) else {
                return;
            };
            let mut found = Evacuated::default();
            // SAFETY: passed on.
            let outcome = unsafe { walk.space(space, &mut found) };
            let part = (number, outcome.map(|()| found));
            parts
                .lock()
                .unwrap_or_else(|lock| lock.into_inner())
                .push(part);
        }
    });
    let mut parts = parts.into_inner().unwrap_or_else(|lock| lock.into_inner());
    if !whole || parts.len() != spaces.len() {
        return Err(MovesFault::Interrupted);
    }
    parts.sort_unstable_by_key(|&(number, _)| number);
    let mut all = Evacuated::default();
    for (_, found) in parts {
        all.add(found?);
    }
    Ok(all)
}

/// Collectors give memory back from the end of a space, or region by region: when its first and its last byte are there, all of it is.
fn confirm_committed(space: &Space) -> Result<(), MovesFault> {
    let last = Address(space.top.0.saturating_sub(1));
    for address in [space.bottom, last] {
        if read_value::<u8>(address).is_err() {
            return Err(MovesFault::Uncommitted { address });
        }
    }
    Ok(())
}

/// A walk over evacuated spaces by one thread.
#[derive(Debug)]
pub(crate) struct EvacuationWalk<'a> {
    cache: ClassCache<'a>,
    sizes: &'a ObjectSizes,
    heap: (Address, usize),
    compact: bool,
    /// Bits of a mark word that say: its evacuation failed, it stays.
    stays: u64,
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
            stays: sizes.header().stays_bits(),
        }
    }

    /// Walks `[bottom, top)` of a space and adds what it finds. When that fails, dead objects are tried as objects of the classes that were at the
    /// address of their class before.
    ///
    /// # Safety
    /// The world is stopped; the space and every place that objects moved to are committed memory.
    pub(crate) unsafe fn space(
        &mut self,
        space: &Space,
        found: &mut Evacuated,
    ) -> Result<(), MovesFault> {
        let before = found.mark();
        // SAFETY: passed on.
        let Err(fault) = (unsafe { self.current_classes(space, found) }) else {
            return Ok(());
        };
        found.back_to(before);
        // SAFETY: passed on.
        unsafe { self.former_classes(space, found) }
            .then_some(())
            .ok_or(fault)
    }

    /// Has the object at this address been evacuated, or is it to stay?
    ///
    /// # Safety
    /// An object starts there, in committed memory.
    pub(crate) unsafe fn is_forwarded(&self, object: Address) -> bool {
        // SAFETY: the caller vouches for the object.
        let mark: u64 = unsafe { object.read() };
        mark & self.stays != 0 || forwarded_to(mark).is_some()
    }

    /// Counts the objects between two addresses by the rows of their classes. The last one must end at `end`.
    ///
    /// # Safety
    /// The world is stopped; the memory is committed and holds whole objects.
    pub(crate) unsafe fn count(
        &mut self,
        space: u32,
        start: Address,
        end: Address,
        counts: &mut [u64],
    ) -> Result<(), MovesFault> {
        let mut at = start;
        while at < end {
            // SAFETY: passed on.
            let object = unsafe { self.old_copy(at, end) }
                .map_err(|fault| MovesFault::Unparsed { space, fault })?;
            if let Some(count) = counts.get_mut(object.class.0 as usize) {
                *count += 1;
            }
            at = at.plus(object.bytes);
        }
        Ok(())
    }

    /// The quick walk: every class pointer means the class that is there now.
    ///
    /// # Safety
    /// As for [`EvacuationWalk::space`].
    pub(crate) unsafe fn current_classes(
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
            // SAFETY: as above; `old_copy` found the target inside the heap.
            unsafe { self.take(at, object, found) }?;
            at = at.plus(object.bytes);
        }
        Ok(())
    }

    /// The walk with choices: at a dead object whose class address was used before, every class that was there may be the right one. The right choices
    /// lead to the exact end of the space; from wrong ones the walk goes back to the latest choice that is left. Says whether it got there.
    unsafe fn former_classes(&mut self, space: &Space, found: &mut Evacuated) -> bool {
        let mut choices: Vec<Choice> = Vec::new();
        let mut at = space.bottom;
        let mut class = 0;
        let smallest_objects = space.top.above(space.bottom) / 16;
        let mut steps_left = (smallest_objects * STEPS_FOR_EACH).min(MOST_STEPS);
        while at < space.top {
            steps_left = steps_left.saturating_sub(1);
            // SAFETY: passed on.
            let step = unsafe { self.step(at, space.top, class, found) };
            match step {
                Some(step) => {
                    if step.has_another_class {
                        choices.push(Choice {
                            at,
                            next_class: class + 1,
                            mark: step.mark,
                        });
                    }
                    at = at.plus(step.bytes);
                    class = 0;
                }
                None => {
                    let Some(choice) = choices.pop().filter(|_| steps_left != 0) else {
                        return false;
                    };
                    found.back_to(choice.mark);
                    (at, class) = (choice.at, choice.next_class);
                }
            }
        }
        true
    }

    /// Takes the object at `at` as one of the class that is there now (0) or of a former one (1: the latest); `None` when that cannot be.
    unsafe fn step(
        &mut self,
        at: Address,
        top: Address,
        class: usize,
        found: &mut Evacuated,
    ) -> Option<Step> {
        let mark = found.mark();
        // SAFETY: the space is committed; whether an object starts here is what is being tried.
        let (to, current) = unsafe { self.header(at) }.ok()?;
        let table = self.cache.table();
        let former = |number: usize| table.former(current.id).nth(number);
        // An object that lives has a class that lives.
        let has_another_class = to.is_none() && former(class).is_some();
        let class = match class.checked_sub(1) {
            None => current,
            Some(number) => QuickClass::of(table, former(number)?),
        };
        // SAFETY: as above.
        let object = unsafe { self.sized(at, top, to, class) }.ok()?;
        // SAFETY: as above.
        unsafe { self.take(at, object, found) }.ok()?;
        Some(Step {
            bytes: object.bytes,
            has_another_class,
            mark,
        })
    }

    /// Adds an object to what was found.
    #[inline]
    unsafe fn take(
        &mut self,
        at: Address,
        object: OldCopy,
        found: &mut Evacuated,
    ) -> Result<(), MovesFault> {
        found.walked += 1;
        found.largest = found.largest.max(object.bytes);
        match object.to {
            None => found.dead += 1,
            Some(to) => {
                // SAFETY: passed on.
                let survivor = unsafe { self.survivor(at, to, object) }?;
                found.survivors.push(survivor);
            }
        }
        Ok(())
    }

    /// The object that starts at `at`.
    #[inline]
    unsafe fn old_copy(&mut self, at: Address, top: Address) -> Result<OldCopy, WalkFault> {
        // SAFETY: passed on.
        let (to, class) = unsafe { self.header(at) }?;
        // SAFETY: passed on.
        unsafe { self.sized(at, top, to, class) }
    }

    /// Where the object at `at` moved to, and its class.
    #[inline]
    unsafe fn header(&mut self, at: Address) -> Result<(Option<Address>, QuickClass), WalkFault> {
        // SAFETY: the caller vouches for the place.
        let mark: u64 = unsafe { at.read() };
        let to = if mark & self.stays == 0 {
            forwarded_to(mark)
        } else {
            Some(at)
        };
        if let Some(target) = to
            && !(target >= self.heap.0 && target.above(self.heap.0) < self.heap.1)
        {
            return Err(WalkFault::BadForwarding { object: at, target });
        }
        let header_at = if self.compact { to.unwrap_or(at) } else { at };
        // SAFETY: as above; a target lies in the heap.
        let klass = unsafe { self.sizes.header().klass_of(header_at) };
        let unknown = WalkFault::UnknownClass { object: at, klass };
        self.cache
            .find(klass)
            .map(|class| (to, class))
            .ok_or(unknown)
    }

    /// The object with its size, when that is possible.
    #[inline]
    unsafe fn sized(
        &self,
        at: Address,
        top: Address,
        to: Option<Address>,
        class: QuickClass,
    ) -> Result<OldCopy, WalkFault> {
        // SAFETY: the caller vouches for the place; the class is one the VM confirmed.
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
                let rule = self.cache.table().rule(class.id);
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
