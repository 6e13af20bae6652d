//! Full collections: every live object, where it was and where it is, read inside the pause.
//!
//! All three collectors mark in place, compute new addresses, adjust references and then slide objects together. What is read, and when
//! ([`crate::phase_list`] tells):
//!
//! ```text
//! Began       _total_full_collections has risen
//! Marked      walk all spaces where they are          -> from, class, size of every live object; number of the dead
//! Prepared    mark words of the live objects          -> to            (not Parallel up to JDK 22)
//! Moved       tops of the spaces, at every look       (the VM allocates again before GarbageCollectionFinish)
//! finish      Parallel up to JDK 22: order            -> to
//!             class, size and coverage at the new places
//! ```
//!
//! | | live | new address |
//! |---|---|---|
//! | Serial | low two bits of the mark word are 11 | mark word |
//! | G1 | bitmap | mark word |
//! | Parallel up to JDK 22 | bitmap | none is kept: objects never overtake each other ([`order`]) |
//! | Parallel from JDK 23 | bitmap | mark word |
//!
//! Several collections may happen between one `GarbageCollectionStart` and its `Finish`; each full one is kept under its own number.

mod coverage;
mod forwarding;
mod live_objects;
mod order;

use std::time::Instant;

use crate::address::Address;
use crate::class_table::ClassTable;
use crate::collection_report::MovesFault;
use crate::collector::Collector;
use crate::dead_objects::DeadObjects;
use crate::error::Error;
use crate::heap_spaces::HeapSpaces;
use crate::mark_bitmap::MarkBitmap;
use crate::object_walk::ObjectSizes;
use crate::phase_list::{PhaseList, Stage};
use crate::space::Space;
use crate::survivor::Survivor;
use crate::vm_structs::VmStructs;

use forwarding::Forwarding;
use live_objects::LiveWalk;
pub(crate) use live_objects::is_collected;

/// Reads full collections, look by look.
#[derive(Debug)]
pub struct FullCollectionReading {
    collector: Collector,
    spaces: HeapSpaces,
    phases: PhaseList,
    /// `None`: live objects are known by their mark words.
    bitmap: Option<MarkBitmap>,
    /// `None`: new addresses are known by order only.
    forwarding: Option<Forwarding>,
    /// `_total_full_collections` up to which everything is settled.
    settled: u32,
    progress: Progress,
    completed: Vec<FullCollection>,
}

/// What was found out about one full collection.
#[derive(Debug)]
pub struct FullCollection {
    /// `_total_collections` with this collection.
    pub number: u32,
    /// The spaces when marking had ended.
    pub before: Vec<Space>,
    /// The spaces after moving; for G1 empty: it allocates into other regions.
    pub after: Vec<Space>,
    /// Every live object, ascending by `from`, or why they are not known.
    pub survivors: Result<Vec<Survivor>, MovesFault>,
    /// Number of the dead. A stretch of dead objects whose classes are gone counts as one.
    pub dead: u64,
    /// What the recorder made of the dead.
    pub dead_records: Option<Vec<Vec<u8>>>,
    /// Number of objects looked at.
    pub walked: u64,
    /// How long the world stood still for it.
    pub nanos: u64,
}

/// What a look brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FullStep {
    /// Nothing new.
    Nothing,
    /// A full collection has begun. Nothing is marked yet; the spaces are as the collection before left them.
    Began,
    /// All live objects are known.
    Marked,
    /// All new addresses are known, or will be by order.
    Prepared,
}

/// How far the reading of the collection that is going on is.
#[derive(Debug)]
enum Progress {
    /// No full collection is going on.
    Idle,
    /// It has begun.
    Began { number: u32 },
    /// Live objects are known.
    Marked(FullCollection),
    /// New addresses are known or will be by order.
    Prepared(FullCollection),
    /// It cannot be known.
    Failed { number: u32, fault: MovesFault },
}

impl FullCollectionReading {
    /// Finds what it reads. In or after `VMInit`.
    pub fn load(
        vm: &VmStructs,
        collector: Collector,
        spaces: &HeapSpaces,
        sizes: &ObjectSizes,
    ) -> Result<Self, Error> {
        let bitmap = match collector {
            Collector::Serial => None,
            _ => Some(MarkBitmap::find(
                vm,
                collector,
                spaces.reserved(),
                sizes.alignment(),
            )?),
        };
        Ok(Self {
            collector,
            spaces: spaces.clone(),
            phases: PhaseList::load(vm.libjvm())?,
            bitmap,
            forwarding: Forwarding::of(vm, collector, spaces.reserved(), sizes.header())?,
            settled: spaces.full_collections()?,
            progress: Progress::Idle,
            completed: Vec::new(),
        })
    }

    /// Call it at every look inside a pause. Cheap when no full collection is going on. `classes` must have been refreshed when the pause began.
    ///
    /// # Safety
    /// The world must be stopped, and this must be the thread that runs the collection.
    pub unsafe fn look(&mut self, classes: &ClassTable, sizes: &ObjectSizes) -> FullStep {
        // SAFETY: passed on.
        unsafe { self.look_with(classes, sizes, None) }
    }

    /// The same, with someone who records the dead.
    ///
    /// # Safety
    /// As for [`FullCollectionReading::look`].
    pub(crate) unsafe fn look_with(
        &mut self,
        classes: &ClassTable,
        sizes: &ObjectSizes,
        dead: Option<&mut DeadObjects>,
    ) -> FullStep {
        match self.spaces.full_collections() {
            Ok(count) if count == self.settled => return self.advance(classes, sizes, dead),
            Ok(count) => {
                // A former one of this pause is over.
                self.complete(classes, sizes);
                self.settled = count;
                self.phases.forget();
                self.progress = match self.spaces.total_collections() {
                    Ok(number) => Progress::Began { number },
                    Err(error) => failed(0, error.into()),
                };
            }
            Err(error) => {
                self.progress = failed(0, error.into());
            }
        }
        FullStep::Began
    }

    /// Has one begun that has not been completed?
    pub(crate) fn has_begun(&self) -> bool {
        !matches!(self.progress, Progress::Idle)
    }

    /// Are live objects known and the collection not yet over? Then what happens to the spaces is its work.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        matches!(self.progress, Progress::Marked(_) | Progress::Prepared(_))
    }

    /// Ends the reading: call it when the pause ends, or when another collection begins that is not a full one. Returns the full collections
    /// since the last call, in order.
    ///
    /// # Safety
    /// As for [`FullCollectionReading::look`].
    pub unsafe fn finish(
        &mut self,
        classes: &ClassTable,
        sizes: &ObjectSizes,
    ) -> Vec<FullCollection> {
        if let Ok(count) = self.spaces.full_collections()
            && count != self.settled
        {
            // No look saw it begin.
            self.complete(classes, sizes);
            self.settled = count;
            let number = self.spaces.total_collections().unwrap_or(0);
            self.progress = failed(number, MovesFault::PhaseMissed { phase: "all" });
        }
        self.complete(classes, sizes);
        std::mem::take(&mut self.completed)
    }

    /// What a collection before it left was not as the recorder thought: what it made of the dead is worth nothing.
    pub(crate) fn forget_dead(&mut self) {
        if let Progress::Marked(found) | Progress::Prepared(found) = &mut self.progress {
            found.dead_records = None;
        }
    }

    /// The full collections of this pause that are over, in order, while another one is going on.
    pub fn take_completed(&mut self) -> Vec<FullCollection> {
        std::mem::take(&mut self.completed)
    }

    /// Does what the stage of the collection asks for.
    fn advance(
        &mut self,
        classes: &ClassTable,
        sizes: &ObjectSizes,
        dead: Option<&mut DeadObjects>,
    ) -> FullStep {
        let waits_for = match &self.progress {
            Progress::Idle | Progress::Failed { .. } => return FullStep::Nothing,
            Progress::Began { .. } => Stage::Marked,
            Progress::Marked(_) => Stage::Prepared,
            Progress::Prepared(_) => Stage::Moved,
        };
        let Some(stage) = self.phases.stage() else {
            return FullStep::Nothing;
        };
        if stage < waits_for {
            return FullStep::Nothing;
        }
        match std::mem::replace(&mut self.progress, Progress::Idle) {
            Progress::Began { number } if stage == Stage::Marked => {
                self.read_live(number, classes, sizes, dead)
            }
            Progress::Began { number } => self.missed(number, "after marking"),
            Progress::Marked(found) if stage == Stage::Prepared => self.read_destinations(found),
            Progress::Marked(found) => self.missed(found.number, "before moving"),
            Progress::Prepared(found) => self.note_tops(found),
            other => {
                self.progress = other;
                FullStep::Nothing
            }
        }
    }

    fn missed(&mut self, number: u32, phase: &'static str) -> FullStep {
        self.progress = failed(number, MovesFault::PhaseMissed { phase });
        FullStep::Nothing
    }

    /// Marking has ended: finds every live object.
    fn read_live(
        &mut self,
        number: u32,
        classes: &ClassTable,
        sizes: &ObjectSizes,
        mut dead: Option<&mut DeadObjects>,
    ) -> FullStep {
        let started = Instant::now();
        match self.live(classes, sizes, dead.as_deref_mut()) {
            Ok((before, walk)) => {
                self.progress = Progress::Marked(FullCollection {
                    number,
                    before,
                    after: Vec::new(),
                    dead: walk.dead,
                    dead_records: dead.map(|dead| dead.recorder().take()),
                    walked: walk.walked,
                    survivors: Ok(walk.survivors),
                    nanos: nanos_since(started),
                });
                FullStep::Marked
            }
            Err(fault) => {
                if let Some(dead) = dead {
                    let _ = dead.recorder().take();
                }
                self.progress = failed(number, fault);
                FullStep::Nothing
            }
        }
    }

    fn live(
        &self,
        classes: &ClassTable,
        sizes: &ObjectSizes,
        dead: Option<&mut DeadObjects>,
    ) -> Result<(Vec<Space>, live_objects::Found), MovesFault> {
        let mut before = Vec::new();
        self.spaces.list(&mut before)?;
        let mut ascending = before.clone();
        ascending.sort_unstable_by_key(|space| space.bottom);
        let mut walk = LiveWalk::new(classes, sizes, dead);
        for space in &ascending {
            // SAFETY: `look` asks for a stopped world; memory below the tops is committed, and marking has ended.
            unsafe {
                match &self.bitmap {
                    None => walk.by_mark_words(space)?,
                    Some(bitmap) => walk.by_bitmap(space, &mut bitmap.marks()?)?,
                }
            }
        }
        Ok((before, walk.found))
    }

    /// All new addresses are known to the VM: reads them.
    fn read_destinations(&mut self, mut found: FullCollection) -> FullStep {
        let started = Instant::now();
        if let (Some(forwarding), Ok(survivors)) = (&self.forwarding, &mut found.survivors) {
            // SAFETY: the objects are where the walk found them: moving has not begun.
            let outcome = unsafe { forwarding.read_all(survivors, self.spaces.reserved()) };
            if let Err(fault) = outcome {
                self.progress = failed(found.number, fault);
                return FullStep::Nothing;
            }
        }
        found.nanos += nanos_since(started);
        self.progress = Progress::Prepared(found);
        FullStep::Prepared
    }

    /// Moving has ended: notes how far the spaces are filled.
    fn note_tops(&mut self, mut found: FullCollection) -> FullStep {
        if self.collector != Collector::G1 && self.spaces.list(&mut found.after).is_err() {
            found.after.clear();
        }
        self.progress = Progress::Prepared(found);
        FullStep::Nothing
    }

    /// The collection that was going on is over.
    fn complete(&mut self, classes: &ClassTable, sizes: &ObjectSizes) {
        let found = match std::mem::replace(&mut self.progress, Progress::Idle) {
            Progress::Idle => return,
            Progress::Prepared(found) => self.checked(found, classes, sizes),
            Progress::Marked(found) => FullCollection {
                survivors: Err(MovesFault::PhaseMissed {
                    phase: "before moving",
                }),
                ..found
            },
            Progress::Began { number } => FullCollection::unknown(
                number,
                MovesFault::PhaseMissed {
                    phase: "after marking",
                },
            ),
            Progress::Failed { number, fault } => FullCollection::unknown(number, fault),
        };
        self.completed.push(found);
    }

    /// Fills in what is known by order, and checks every new place.
    fn checked(
        &self,
        mut found: FullCollection,
        classes: &ClassTable,
        sizes: &ObjectSizes,
    ) -> FullCollection {
        let started = Instant::now();
        found.survivors = found.survivors.and_then(|survivors| {
            self.verified(survivors, &found.before, &found.after, classes, sizes)
        });
        found.nanos += nanos_since(started);
        found
    }

    fn verified(
        &self,
        mut survivors: Vec<Survivor>,
        before: &[Space],
        noted: &[Space],
        classes: &ClassTable,
        sizes: &ObjectSizes,
    ) -> Result<Vec<Survivor>, MovesFault> {
        let mut after = noted.to_vec();
        if self.collector == Collector::G1 {
            self.spaces.list(&mut after)?;
        } else if after.is_empty() {
            return Err(MovesFault::PhaseMissed {
                phase: "after moving",
            });
        }
        // SAFETY: `look` and `finish` ask for a stopped world; moving has ended, and memory below the tops is committed.
        unsafe {
            if self.forwarding.is_none() {
                order::place(&mut survivors, before, &after, classes, sizes)?;
            } else {
                let collector = self.collector;
                coverage::check(&survivors, before, &after, collector, classes, sizes)?;
            }
        }
        Ok(survivors)
    }
}

impl FullCollection {
    fn unknown(number: u32, fault: MovesFault) -> Self {
        Self {
            number,
            before: Vec::new(),
            after: Vec::new(),
            survivors: Err(fault),
            dead: 0,
            dead_records: None,
            walked: 0,
            nanos: 0,
        }
    }
}

fn failed(number: u32, fault: MovesFault) -> Progress {
    Progress::Failed { number, fault }
}

/// Is there such a place for an object below the top of the space?
fn fits(space: &Space, place: Address, bytes: usize) -> bool {
    place >= space.bottom
        && place.is_aligned(8)
        && place <= space.top
        && bytes <= space.top.above(place)
}

fn nanos_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
