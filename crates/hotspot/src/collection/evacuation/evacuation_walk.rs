//! Reads an evacuated space: which objects survived, where they are now, and how many died.
//!
//! After a collection, the space that it emptied still holds the old copies. If the low two bits of a mark word are 11, the object survived
//! and the rest is its new address; every other object died. With compact headers the mark word also held the class, so the class of a
//! moved object is read at its new place.
//!
//! A dead object in an old region may be of an unloaded class whose address now belongs to another class. The table keeps every class an
//! address ever had. If a space cannot be parsed with the current classes, it is walked again with the former ones.
//!
//! During the pause, an object whose evacuation failed can be recognized: it is forwarded to itself or, from JDK 24 on, has bit 2 of the
//! mark word set. The collector undoes that before the pause ends ([`super::evacuation_failure`]).
//!
//! Checks: the [`ClassTable`] knows every class, the last object ends exactly at the top, and at each new address there is an object of the
//! same class and size.

use crate::address::Address;
use crate::classes::class_table::{ClassId, ClassTable, SizeRule};
use crate::collection::evacuation::stretch::WalkedStretch;
use crate::collection::report::MovesFault;
use crate::collection::survivor::Survivor;
use crate::collection::survivor_list::SurvivorList;
use crate::heap::address_range::{AddressRange, MemoryRange};
use crate::heap::class_cache::{ClassCache, QuickClass, QuickRule};
use crate::heap::object_header::forwarded_to;
use crate::heap::object_walk::{ObjectSizes, WalkFault};
use crate::heap::space::Space;

/// Limit on the steps of the backtracking walk, per object that the space can hold.
const STEPS_FOR_EACH: usize = 4;
/// Limit on the steps of the backtracking walk, in all.
const MOST_STEPS: usize = 4 << 20;

/// Bytes of space whose dead are collected before they are passed on.
const LISTED_AT_ONCE: usize = 1 << 20;

/// The result of walks.
#[derive(Debug, Default)]
pub(crate) struct Evacuated {
    /// Ascending by `from` within each space.
    pub(crate) survivors: Vec<Survivor>,
    /// The survivors if they were found by a scan; `survivors` is empty then.
    pub(crate) scanned: SurvivorList,
    pub(crate) dead: u64,
    pub(crate) walked: u64,
    /// Regions that were skipped.
    pub(crate) unread: u64,
    /// Words that looked like old copies of survivors but were not.
    pub(crate) doubted: u64,
    /// Pages in which survivors start, if they were counted.
    pub(crate) pages: usize,
    /// The dead with their classes, if requested and walked by a single thread.
    pub(crate) listed: Option<Vec<(Address, ClassId)>>,
    /// Size in bytes of the largest object, if walked by a single thread.
    pub(crate) largest: usize,
}

/// A position in the results, to go back to.
#[derive(Debug, Clone, Copy)]
struct Mark {
    survivors: usize,
    listed: usize,
    dead: u64,
    walked: u64,
}

impl Evacuated {
    /// The current position.
    fn mark(&self) -> Mark {
        Mark {
            survivors: self.survivors.len(),
            listed: self.listed.as_ref().map_or(0, Vec::len),
            dead: self.dead,
            walked: self.walked,
        }
    }

    /// Adds the next stretch, if it was walked to its end.
    pub(crate) fn accept(&mut self, mut passed: WalkedStretch) -> Result<(), MovesFault> {
        if let Some(fault) = passed.fault {
            return Err(fault);
        }
        self.walked += passed.walked;
        self.dead += passed.walked - passed.survivors.len() as u64;
        self.survivors.append(&mut passed.survivors);
        Ok(())
    }

    /// The survivors, however they were found.
    pub(crate) fn into_survivors(self) -> SurvivorList {
        match self.survivors.is_empty() {
            true => self.scanned,
            false => self.survivors.into(),
        }
    }

    /// Adds dead objects that were not walked.
    pub(crate) fn add_dead(&mut self, count: usize) {
        self.dead += count as u64;
    }

    /// Discards everything found after `mark`.
    fn back_to(&mut self, mark: Mark) {
        self.survivors.truncate(mark.survivors);
        if let Some(listed) = &mut self.listed {
            listed.truncate(mark.listed);
        }
        self.dead = mark.dead;
        self.walked = mark.walked;
    }
}

/// An object that may have a different class than assumed.
#[derive(Debug, Clone, Copy)]
struct Choice {
    at: Address,
    next_class: usize,
    mark: Mark,
}

/// An object passed by the backtracking walk.
#[derive(Debug, Clone, Copy)]
struct Step {
    bytes: usize,
    has_another_class: bool,
    /// The results before it.
    mark: Mark,
}

/// A walk over evacuated spaces by one thread.
#[derive(Debug)]
pub(crate) struct EvacuationWalk<'a> {
    cache: ClassCache<'a>,
    sizes: &'a ObjectSizes,
    /// Memory that objects can have moved to, ascending and readable.
    room: &'a [AddressRange],
    /// The part of `room` used last.
    last_room: usize,
    compact: bool,
    /// Bits of a mark word that mark a failed evacuation: the object stays.
    stays: u64,
    smallest: usize,
}

/// An object of an evacuated space.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OldCopy {
    pub(crate) class: QuickClass,
    pub(crate) bytes: usize,
    pub(crate) to: Option<Address>,
}

impl<'a> EvacuationWalk<'a> {
    /// `room`: memory that objects can have moved to, ascending.
    pub(crate) fn new(
        classes: &'a ClassTable,
        sizes: &'a ObjectSizes,
        room: &'a [AddressRange],
    ) -> Self {
        Self {
            cache: ClassCache::new(classes),
            sizes,
            room,
            last_room: 0,
            compact: sizes.header().class_is_in_mark(),
            stays: sizes.header().stays_bits(),
            smallest: sizes.header().smallest_object(),
        }
    }

    /// The class table.
    pub(crate) fn classes(&self) -> &'a ClassTable {
        self.cache.table()
    }

    /// How sizes are computed.
    pub(crate) fn sizes(&self) -> &'a ObjectSizes {
        self.sizes
    }

    /// Walks a space with `walk_it`. If that fails, walks it again and also tries dead objects as instances of the classes that were at
    /// their class address before.
    ///
    /// # Safety
    /// The world must be stopped. The space and every place that objects moved to must be committed memory.
    pub(crate) unsafe fn or_former_classes(
        &mut self,
        space: &Space,
        found: &mut Evacuated,
        walk_it: impl FnOnce(&mut Self, &mut Evacuated) -> Result<(), MovesFault>,
    ) -> Result<(), MovesFault> {
        let before = found.mark();
        let Err(fault) = walk_it(self, found) else {
            return Ok(());
        };
        found.back_to(before);
        // SAFETY: the caller upholds the same contract.
        unsafe { self.former_classes(space, found) }
            .then_some(())
            .ok_or(fault)
    }

    /// Whether the object has been evacuated, or is marked to stay.
    ///
    /// # Safety
    /// An object must start there, in committed memory.
    pub(crate) unsafe fn is_forwarded(&self, object: Address) -> bool {
        // SAFETY: the caller vouches for the object.
        let mark: u64 = unsafe { object.read() };
        mark & self.stays != 0 || forwarded_to(mark).is_some()
    }

    /// Takes every class pointer as the class that is there now.
    ///
    /// # Safety
    /// As for [`EvacuationWalk::or_former_classes`].
    pub(crate) unsafe fn current_classes(
        &mut self,
        space: &Space,
        found: &mut Evacuated,
    ) -> Result<(), MovesFault> {
        // SAFETY: the caller upholds the same contract.
        unsafe { self.stretch(space, space.bottom, space.top, found) }.map(|_| ())
    }

    /// Passes the dead objects of a space to `pass`, ascending, each with its class.
    ///
    /// # Safety
    /// As for [`EvacuationWalk::or_former_classes`].
    pub(crate) unsafe fn dead_of(
        &mut self,
        space: &Space,
        mut pass: impl FnMut(Address, ClassId),
    ) -> Result<(), MovesFault> {
        let mut found = Evacuated {
            listed: Some(Vec::new()),
            ..Evacuated::default()
        };
        let mut at = space.bottom;
        while at < space.top {
            let rest = Space {
                bottom: at,
                ..*space
            };
            let before = found.mark();
            let stop = at.plus(LISTED_AT_ONCE).min(space.top);
            // SAFETY: the caller upholds the same contract; an object starts at `at`.
            at = match unsafe { self.stretch(&rest, at, stop, &mut found) } {
                Ok(end) => end,
                Err(fault) => {
                    found.back_to(before);
                    // SAFETY: the caller upholds the same contract.
                    if !unsafe { self.former_classes(&rest, &mut found) } {
                        return Err(fault);
                    }
                    space.top
                }
            };
            let listed = found.listed.iter_mut().flat_map(|listed| listed.drain(..));
            listed.for_each(|(object, class)| pass(object, class));
            found.survivors.clear();
        }
        Ok(())
    }

    /// Walks the objects of a space that start in `at..stop`. Returns where the last of them ends.
    ///
    /// # Safety
    /// As for [`EvacuationWalk::or_former_classes`]; an object must start at `at`.
    pub(crate) unsafe fn stretch(
        &mut self,
        space: &Space,
        mut at: Address,
        stop: Address,
        found: &mut Evacuated,
    ) -> Result<Address, MovesFault> {
        while at < stop {
            // SAFETY: the space is committed, and an object starts here.
            let object =
                unsafe { self.old_copy(at, space.top) }.map_err(|fault| MovesFault::Unparsed {
                    space: space.index,
                    fault,
                })?;
            // SAFETY: an object starts at `at` in committed memory, and `old_copy` found the target inside the room.
            unsafe { self.take(at, object, found) }?;
            at = at.plus(object.bytes);
        }
        Ok(at)
    }

    /// The backtracking walk: if the class address of a dead object was used before, each class that was there may be the right one. The
    /// right choices lead exactly to the end of the space; after a wrong one the walk returns to the latest open choice. Returns whether it
    /// reached the end.
    ///
    /// # Safety
    /// As for [`EvacuationWalk::or_former_classes`].
    unsafe fn former_classes(&mut self, space: &Space, found: &mut Evacuated) -> bool {
        let mut choices: Vec<Choice> = Vec::new();
        let mut at = space.bottom;
        let mut class = 0;
        let smallest_objects = space.top.above(space.bottom) / 16;
        let mut steps_left = (smallest_objects * STEPS_FOR_EACH).min(MOST_STEPS);
        while at < space.top {
            steps_left = steps_left.saturating_sub(1);
            // SAFETY: the caller upholds the same contract.
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

    /// Takes the object at `at` as an instance of the current class (0) or of
    /// a former class (1 is the latest). Returns `None` if that is impossible.
    unsafe fn step(
        &mut self,
        at: Address,
        top: Address,
        class: usize,
        found: &mut Evacuated,
    ) -> Option<Step> {
        let mark = found.mark();
        // SAFETY: the space is committed. Whether an object starts here is being tried; reading the header needs only readable memory.
        let (to, current) = unsafe { self.header(at) }.ok()?;
        let table = self.cache.table();
        let former = |number: usize| table.former(current.id).nth(number);
        // A surviving object has a class that is still loaded.
        let has_another_class = to.is_none() && former(class).is_some();
        let class = match class.checked_sub(1) {
            None => current,
            Some(number) => QuickClass::of(table, former(number)?),
        };
        // SAFETY: `header` has read the object's header at `at`, below the top.
        let object = unsafe { self.sized(at, top, to, class) }.ok()?;
        // SAFETY: `sized` found the object to fit below the top, and its target inside the room.
        unsafe { self.take(at, object, found) }.ok()?;
        Some(Step {
            bytes: object.bytes,
            has_another_class,
            mark,
        })
    }

    /// Adds an object to the results.
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
            None => {
                found.dead += 1;
                if let Some(listed) = &mut found.listed {
                    listed.push((at, object.class.id));
                }
            }
            Some(to) => {
                let survivor = survivor(at, to, object)?;
                // SAFETY: the caller upholds the same contract.
                unsafe { self.confirm(survivor) }?;
                found.survivors.push(survivor);
            }
        }
        Ok(())
    }

    /// Parses the object that starts at `at`, in a space that ends at `top`. Never reads past `top`, whatever the word at `at` is.
    ///
    /// # Safety
    /// The memory from `at` to `top` must be readable.
    #[inline]
    pub(crate) unsafe fn old_copy(
        &mut self,
        at: Address,
        top: Address,
    ) -> Result<OldCopy, WalkFault> {
        if top.above(at) < self.smallest {
            let bytes = 0;
            return Err(WalkFault::BadSize { object: at, bytes });
        }
        // SAFETY: the caller upholds the same contract.
        let (to, class) = unsafe { self.header(at) }?;
        // SAFETY: the caller upholds the same contract.
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
            && !self.has_room(target, self.smallest)
        {
            return Err(WalkFault::BadForwarding { object: at, target });
        }
        let header_at = if self.compact { to.unwrap_or(at) } else { at };
        // SAFETY: `at` is committed, and a target with room for the smallest object lies in readable memory.
        let klass = unsafe { self.sizes.header().klass_of(header_at) };
        let unknown = WalkFault::UnknownClass { object: at, klass };
        self.cache
            .find(klass)
            .map(|class| (to, class))
            .ok_or(unknown)
    }

    /// The object with its size, if that size is possible.
    #[inline]
    unsafe fn sized(
        &self,
        at: Address,
        top: Address,
        to: Option<Address>,
        class: QuickClass,
    ) -> Result<OldCopy, WalkFault> {
        let room = top.above(at);
        let bytes = if self.least_bytes(class) > room {
            0
        } else {
            // SAFETY: the caller vouches for the place. The VM confirmed the class, and the words that give the size lie before `top`.
            unsafe { self.bytes(at, class) }
        };
        if bytes < 8 || !bytes.is_multiple_of(8) || bytes > room {
            return Err(WalkFault::BadSize { object: at, bytes });
        }
        Ok(OldCopy { class, bytes, to })
    }

    /// The smallest size in bytes of an object of this class. It includes the words that give the size.
    #[inline]
    fn least_bytes(&self, class: QuickClass) -> usize {
        match class.rule {
            QuickRule::Fixed(bytes) => bytes as usize,
            QuickRule::Array { header, .. } => usize::from(header),
            QuickRule::Special => match self.cache.table().rule(class.id) {
                SizeRule::Mirror(least) | SizeRule::StackChunk(least) | SizeRule::Fixed(least) => {
                    least
                }
                SizeRule::Array(helper) => helper.array_bytes(0, 8).unwrap_or(0),
                SizeRule::None => 0,
            },
        }
    }

    /// The size of an object in bytes; 0 if its class has no instances.
    #[inline]
    unsafe fn bytes(&self, object: Address, class: QuickClass) -> usize {
        // SAFETY: the caller vouches for the object.
        unsafe { self.cache.bytes_of(object, class, self.sizes) }
    }

    /// Whether memory that objects can have moved to holds `bytes` bytes from `address` on.
    #[inline]
    fn has_room(&mut self, address: Address, bytes: usize) -> bool {
        let holds =
            |range: &AddressRange| range.contains(address) && bytes <= range.end.above(address);
        if self.room.get(self.last_room).is_some_and(holds) {
            return true;
        }
        let Some(room) = AddressRange::position(self.room, address) else {
            return false;
        };
        self.last_room = room;
        self.room.get(room).is_some_and(holds)
    }

    /// Where the mark word at `at` says that the object moved to; for prefetching.
    ///
    /// # Safety
    /// The 8 bytes at `at` must be readable.
    pub(crate) unsafe fn target(&self, at: Address) -> Option<Address> {
        // SAFETY: the caller vouches for the place.
        let mark: u64 = unsafe { at.read() };
        forwarded_to(mark).filter(|_| mark & self.stays == 0)
    }

    /// The survivor that moved from `from`, in a space that ends at `top`, to `to`, in memory that ends at `limit`, from its old copy
    /// alone. `second` is the word after its mark word. Returns `None` if it is no survivor, or if the class is in the mark word.
    ///
    /// # Safety
    /// The memory from `from` to `top` must be readable.
    #[inline(always)]
    pub(crate) unsafe fn survivor_by_old_copy(
        &mut self,
        (from, top): (Address, Address),
        second: u64,
        (to, limit): (Address, Address),
    ) -> Option<Survivor> {
        let class = self.cache.find(self.sizes.header().klass_in(second))?;
        let end = top.min(from.plus(limit.above(to)));
        // SAFETY: the caller upholds the same contract.
        let object = unsafe { self.sized(from, end, Some(to), class) }.ok()?;
        survivor(from, to, object).ok()
    }

    /// The survivor that moved from `from`, in a space that ends at `top`, to `to`, in memory that ends at `limit`, if both places have the
    /// same class and size. If the class is in the mark word, the class at the new place is used for both.
    ///
    /// # Safety
    /// The memory from `from` to `top` and from `to` to `limit` must be readable.
    #[inline]
    pub(crate) unsafe fn moved(
        &mut self,
        (from, top): (Address, Address),
        (to, limit): (Address, Address),
    ) -> Option<Survivor> {
        let room = top.above(from).min(limit.above(to));
        if room < self.smallest {
            return None;
        }
        let header = self.sizes.header();
        // SAFETY: both places have room for a header.
        let klass = unsafe { header.klass_of(to) };
        // SAFETY: the old place has room for a header, too: `room` is at least the smallest object.
        if !self.compact && unsafe { header.klass_of(from) } != klass {
            return None;
        }
        let class = self.cache.find(klass)?;
        if self.least_bytes(class) > room {
            return None;
        }
        // SAFETY: the words that give the size lie within the smallest size, which fits.
        let bytes = unsafe { self.bytes(to, class) };
        // SAFETY: the old place has the same room, so the words that give the size lie within it.
        let bytes_before = || unsafe { self.bytes(from, class) };
        let is_fixed = matches!(class.rule, QuickRule::Fixed(_));
        if bytes < 8 || bytes > room || (!is_fixed && bytes_before() != bytes) {
            return None;
        }
        Survivor::new(from, to, bytes, class.id)
    }

    /// Checks that the survivor has the same class and size at its new place.
    ///
    /// # Safety
    /// The room must be readable.
    #[inline]
    pub(crate) unsafe fn confirm(&mut self, survivor: Survivor) -> Result<(), MovesFault> {
        let Survivor { from, to, .. } = survivor;
        let wrong = |found| MovesFault::Destination { from, to, found };
        let bytes = usize::try_from(survivor.bytes()).unwrap_or(usize::MAX);
        if !to.is_aligned(8) || !self.has_room(to, bytes) {
            return Err(wrong("no place for it"));
        }
        // SAFETY: the whole object lies in the room.
        let klass = unsafe { self.sizes.header().klass_of(to) };
        let Some(class) = self.cache.find(klass) else {
            return Err(wrong("no object"));
        };
        if class.id != survivor.class {
            return Err(wrong("an object of another class"));
        }
        // SAFETY: the whole object, with the words that give its size, lies in the room.
        if unsafe { self.bytes(to, class) } != bytes {
            return Err(wrong("an object of another size"));
        }
        Ok(())
    }
}

/// The survivor for an old copy. Does not read the new place.
#[inline]
pub(crate) fn survivor(
    from: Address,
    to: Address,
    object: OldCopy,
) -> Result<Survivor, MovesFault> {
    Survivor::new(from, to, object.bytes, object.class.id).ok_or(MovesFault::Destination {
        from,
        to,
        found: "its size",
    })
}
