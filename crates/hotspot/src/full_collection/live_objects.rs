//! Every live object of the heap, right after marking and where it is.
//!
//! Serial marks in the objects themselves, so all of them are walked. Parallel and G1 mark in a bitmap: the walk goes from mark to mark, which needs no dead
//! object to be readable (its class may be gone), and the dead in between are only counted.

use std::ops::Range;

use crate::address::Address;
use crate::class_cache::ClassCache;
use crate::class_table::{ClassId, ClassTable};
use crate::collection_report::MovesFault;
use crate::dead_objects::DeadObjects;
use crate::error::Error;
use crate::mark_bitmap::Marks;
use crate::object_walk::{ObjectSizes, WalkFault};
use crate::space::{Space, SpaceKind};
use crate::survivor::Survivor;

/// Low two bits of the mark word of an object that Serial found alive.
const MARKED: u64 = 0b11;

/// What was found. Spaces are walked in the order of their addresses, so survivors ascend.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// With `to` equal to `from`: moves are not known yet.
    pub(super) survivors: Vec<Survivor>,
    pub(super) dead: u64,
    pub(super) walked: u64,
}

/// The walk.
#[derive(Debug)]
pub(super) struct LiveWalk<'a> {
    reader: ObjectReader<'a>,
    dead: Option<&'a mut DeadObjects>,
    pub(super) found: Found,
}

/// Class and size of objects.
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

    /// Class and size of the object at `place`, which ends at `end` or before.
    ///
    /// # Safety
    /// The world is stopped and `[place, end)` is committed memory of at least 16 bytes.
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
        // SAFETY: the caller vouches for the memory, and the class is one the VM confirmed.
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
    /// The world is stopped, the space is committed, marking has ended and nothing has been forwarded.
    pub(super) unsafe fn by_mark_words(&mut self, space: &Space) -> Result<(), MovesFault> {
        let mut at = space.bottom;
        while at < space.top {
            // SAFETY: an object starts here.
            let (class, bytes) = unsafe { self.reader.object(at, space.top) }
                .map_err(|fault| unparsed(space, fault))?;
            // SAFETY: an object starts here, so its mark word can be read.
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
    /// The world is stopped, the space is committed and marking has ended.
    pub(super) unsafe fn by_bitmap(
        &mut self,
        space: &Space,
        marks: &mut Marks,
    ) -> Result<(), MovesFault> {
        if !is_collected(space) || space.bottom >= space.top {
            return Ok(());
        }
        if space.kind == SpaceKind::HumongousStart {
            // SAFETY: as for this function.
            return unsafe { self.humongous(space, marks) };
        }
        let mut at = space.bottom;
        let mut next = marks.next(at, space.top)?;
        while let Some(live) = next {
            // SAFETY: between the end of an object and the begin of another.
            unsafe { self.count_dead(at, live) };
            // SAFETY: an object starts at a mark.
            let (class, bytes) = unsafe { self.reader.object(live, space.top) }
                .map_err(|fault| unparsed(space, fault))?;
            self.lives(space, live, class, bytes)?;
            at = live.plus(bytes);
            next = marks.next(live.plus(8), space.top)?;
            if next.is_some_and(|next| next < at) {
                // A mark inside of an object: its size is wrong.
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

    /// The one object of a humongous region, which goes on in the next regions.
    unsafe fn humongous(&mut self, space: &Space, marks: &mut Marks) -> Result<(), MovesFault> {
        if marks.next(space.bottom, space.bottom.plus(8))?.is_none() {
            // SAFETY: as for this function.
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

    /// Room for one more survivor. Where there is no memory the moves stay unknown; the program must not die of it.
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
    /// At `at` is an object of this class.
    unsafe fn dies(&mut self, at: Address, class: ClassId) {
        self.count_one_dead();
        if let Some(dead) = &mut self.dead {
            let (table, sizes) = (self.reader.cache.table(), self.reader.sizes);
            // SAFETY: passed on; marking overwrites mark words only.
            unsafe { dead.object(at, class, table, sizes) };
        }
    }

    /// The dead object at `at`; where it ends, if its class is not gone.
    ///
    /// # Safety
    /// As for [`ObjectReader::object`].
    unsafe fn passes_dead(&mut self, at: Address, end: Address) -> Option<Address> {
        // SAFETY: passed on.
        let Ok((class, bytes)) = (unsafe { self.reader.object(at, end) }) else {
            self.count_one_dead();
            return None;
        };
        // SAFETY: it was read as an object of this class.
        unsafe { self.dies(at, class) };
        Some(at.plus(bytes))
    }

    /// Counts the dead objects of a stretch. From one on whose class is gone the rest counts as one.
    unsafe fn count_dead(&mut self, mut at: Address, end: Address) {
        while at < end {
            // SAFETY: an object starts here, or did when the sizes before were right; the memory is committed in any case.
            match unsafe { self.passes_dead(at, end) } {
                Some(next) => at = next,
                None => return,
            }
        }
    }
}

/// The survivors of each space, in the order of the spaces. Survivors ascend by `from`.
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

/// Does a full collection decide about the objects of this space? Not about archives, which it leaves as they are: what has died in one counts as alive.
pub(crate) fn is_collected(space: &Space) -> bool {
    space.kind.holds_objects() && space.kind != SpaceKind::Archive
}

pub(super) fn unparsed(space: &Space, fault: WalkFault) -> MovesFault {
    MovesFault::Unparsed {
        space: space.index,
        fault,
    }
}
