//! Finds every live object of the heap right after marking, before objects move.
//!
//! Serial marks in the objects themselves, so all of them are walked. Parallel and G1 mark in a bitmap: the walk goes from mark to mark, so
//! dead objects need not be readable (their classes may be unloaded), and the dead in between are only counted.

use std::ops::Range;

use crate::address::Address;
use crate::classes::class_table::{ClassId, ClassTable};
use crate::collection::dead_objects::DeadObjects;
use crate::collection::full_collection::mark_bitmap::Marks;
use crate::collection::report::MovesFault;
use crate::collection::survivor::Survivor;
use crate::error::Error;
use crate::heap::class_cache::ClassCache;
use crate::heap::object_walk::{ObjectSizes, WalkFault};
use crate::heap::space::{Space, SpaceKind};

/// Low two bits of the mark word of an object that Serial has marked.
const MARKED: u64 = 0b11;

/// The result of the walk. Spaces are walked by address, so survivors ascend.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// `to` equals `from`, since moves are not known yet.
    pub(super) survivors: Vec<Survivor>,
    pub(super) dead: u64,
    pub(super) walked: u64,
}

/// The walk over live objects.
#[derive(Debug)]
pub(super) struct LiveWalk<'a> {
    reader: ObjectReader<'a>,
    dead: Option<&'a mut DeadObjects>,
    pub(super) found: Found,
}

/// Reads the class and size of objects.
#[derive(Debug)]
pub(super) struct ObjectReader<'a> {
    cache: ClassCache<'a>,
    sizes: &'a ObjectSizes,
}

impl<'a> ObjectReader<'a> {
    pub(super) fn new(classes: &'a ClassTable, sizes: &'a ObjectSizes) -> Self {
        Self {
            cache: ClassCache::new(classes),
            sizes,
        }
    }

    /// Class and size of the object at `place`, which must end at or before `end`.
    ///
    /// # Safety
    /// The world must be stopped, and `[place, end)` must be committed memory of at least 16 bytes.
    #[inline]
    pub(super) unsafe fn object(
        &mut self,
        place: Address,
        end: Address,
    ) -> Result<(ClassId, usize), WalkFault> {
        // SAFETY: the caller vouches for the memory.
        let klass = unsafe { self.sizes.header().klass_of(place) };
        let Some(class) = self.cache.find(klass) else {
            return Err(WalkFault::UnknownClass {
                object: place,
                klass,
            });
        };
        // SAFETY: the caller vouches for the memory, and the class table has confirmed the class.
        let bytes = unsafe { self.cache.bytes_of(place, class, self.sizes) };
        if bytes < 8 || !bytes.is_multiple_of(8) || bytes > end.above(place) {
            return Err(WalkFault::BadSize {
                object: place,
                bytes,
            });
        }
        Ok((class.id, bytes))
    }
}

impl<'a> LiveWalk<'a> {
    pub(super) fn new(
        classes: &'a ClassTable,
        sizes: &'a ObjectSizes,
        dead: Option<&'a mut DeadObjects>,
    ) -> Self {
        Self {
            reader: ObjectReader::new(classes, sizes),
            dead,
            found: Found::default(),
        }
    }

    /// Walks a space of Serial.
    ///
    /// # Safety
    /// The world must be stopped, the space committed, marking ended, and nothing forwarded.
    pub(super) unsafe fn by_mark_words(&mut self, space: &Space) -> Result<(), MovesFault> {
        let mut at = space.bottom;
        while at < space.top {
            // SAFETY: an object starts here, below the top, so its header is readable.
            let (class, bytes) = unsafe { self.reader.object(at, space.top) }
                .map_err(|fault| unparsed(space, fault))?;
            // SAFETY: an object starts here, so its mark word is readable.
            let mark: u64 = unsafe { at.read() };
            if mark & MARKED == MARKED {
                self.lives(space, at, class, bytes)?;
            } else {
                // SAFETY: the reader found the object here, with this class.
                unsafe { self.dies(at, class) };
            }
            at = at.plus(bytes);
        }
        Ok(())
    }

    /// Walks a space or region of Parallel or G1.
    ///
    /// # Safety
    /// The world must be stopped, the space committed, and marking ended.
    pub(super) unsafe fn by_bitmap(
        &mut self,
        space: &Space,
        marks: &mut Marks,
    ) -> Result<(), MovesFault> {
        if !is_collected(space) || space.bottom >= space.top {
            return Ok(());
        }
        if space.kind == SpaceKind::HumongousStart {
            // SAFETY: the caller upholds the same contract.
            return unsafe { self.humongous(space, marks) };
        }
        let mut at = space.bottom;
        let mut next = marks.next(at, space.top)?;
        while let Some(live) = next {
            // SAFETY: from the end of one object to the start of another.
            unsafe { self.count_dead(at, live) };
            // SAFETY: an object starts at a mark, below the top, so its header is readable.
            let (class, bytes) = unsafe { self.reader.object(live, space.top) }
                .map_err(|fault| unparsed(space, fault))?;
            self.lives(space, live, class, bytes)?;
            at = live.plus(bytes);
            next = marks.next(live.plus(8), space.top)?;
            if next.is_some_and(|next| next < at) {
                // A mark inside an object: the size is wrong.
                return Err(unparsed(
                    space,
                    WalkFault::BadSize {
                        object: live,
                        bytes,
                    },
                ));
            }
        }
        // SAFETY: from the end of the last live object to the top.
        unsafe { self.count_dead(at, space.top) };
        Ok(())
    }

    /// The single object of a humongous region, which may continue in the next regions.
    unsafe fn humongous(&mut self, space: &Space, marks: &mut Marks) -> Result<(), MovesFault> {
        if marks.next(space.bottom, space.bottom.plus(8))?.is_none() {
            // SAFETY: the caller upholds the same contract.
            unsafe { self.passes_dead(space.bottom, Address(usize::MAX)) };
            return Ok(());
        }
        // SAFETY: the object starts at the bottom; only its header is read.
        let (class, bytes) = unsafe { self.reader.object(space.bottom, Address(usize::MAX)) }
            .map_err(|fault| unparsed(space, fault))?;
        self.lives(space, space.bottom, class, bytes)
    }

    fn lives(
        &mut self,
        space: &Space,
        at: Address,
        class: ClassId,
        bytes: usize,
    ) -> Result<(), MovesFault> {
        let survivor = Survivor::new(at, at, bytes, class)
            .ok_or_else(|| unparsed(space, WalkFault::BadSize { object: at, bytes }))?;
        self.make_room()?;
        self.found.survivors.push(survivor);
        self.found.walked += 1;
        Ok(())
    }

    /// Reserves room for one more survivor. If memory runs out the moves stay unknown; the program must not die of it.
    #[inline]
    fn make_room(&mut self) -> Result<(), MovesFault> {
        let survivors = &mut self.found.survivors;
        if survivors.len() < survivors.capacity() {
            return Ok(());
        }
        let more = survivors.len().max(1 << 12);
        survivors.try_reserve(more).map_err(|_| {
            MovesFault::Vm(Error::Reserve {
                length: more.saturating_mul(size_of::<Survivor>()),
                errno: libc::ENOMEM,
            })
        })
    }

    fn count_one_dead(&mut self) {
        self.found.dead += 1;
        self.found.walked += 1;
    }

    /// # Safety
    /// There must be an object of this class at `at`.
    unsafe fn dies(&mut self, at: Address, class: ClassId) {
        self.count_one_dead();
        if let Some(dead) = &mut self.dead {
            let (table, sizes) = (self.reader.cache.table(), self.reader.sizes);
            // SAFETY: the caller upholds the same contract; marking overwrites only mark words.
            unsafe { dead.object(at, class, table, sizes) };
        }
    }

    /// Counts the dead object at `at`. Returns where it ends, or `None` if its class was unloaded.
    ///
    /// # Safety
    /// As for [`ObjectReader::object`].
    unsafe fn passes_dead(&mut self, at: Address, end: Address) -> Option<Address> {
        // SAFETY: the caller upholds the same contract.
        let Ok((class, bytes)) = (unsafe { self.reader.object(at, end) }) else {
            self.count_one_dead();
            return None;
        };
        // SAFETY: it was just read as an object of this class.
        unsafe { self.dies(at, class) };
        Some(at.plus(bytes))
    }

    /// Counts the dead objects in `at..end`. From the first one with an unloaded class on, the rest counts as one.
    unsafe fn count_dead(&mut self, mut at: Address, end: Address) {
        while at < end {
            // SAFETY: an object starts here if the sizes before were right; the memory is committed in any case.
            match unsafe { self.passes_dead(at, end) } {
                Some(next) => at = next,
                None => return,
            }
        }
    }
}

/// The survivors of each space, in the order of the spaces. `survivors` must ascend by `from`.
pub(super) fn by_space<'a>(
    survivors: &'a [Survivor],
    spaces: &'a [Space],
) -> impl DoubleEndedIterator<Item = (&'a Space, Range<usize>)> {
    spaces.iter().map(|space| {
        let start = survivors.partition_point(|survivor| survivor.from < space.bottom);
        let end = survivors.partition_point(|survivor| survivor.from < space.top);
        (space, start..end.max(start))
    })
}

/// Whether a full collection decides about the objects of this space. It
/// leaves archives as they are: dead objects in an archive count as alive.
pub(crate) fn is_collected(space: &Space) -> bool {
    space.kind.holds_objects() && space.kind != SpaceKind::Archive
}

pub(super) fn unparsed(space: &Space, fault: WalkFault) -> MovesFault {
    MovesFault::Unparsed {
        space: space.index,
        fault,
    }
}
