//! Reads full collections during the pause: every live object, with its old and its new address.
//!
//! All three collectors mark in place, compute new addresses, adjust references and then slide objects together. This module reads the
//! following at these moments, which [`phase_list`] detects:
//!
//! ```text
//! Began       _total_full_collections has increased
//! Marked      walk all spaces in place               -> from, class, size of every live object; number of dead objects
//! Prepared    mark words of the live objects          -> to            (not Parallel up to JDK 22)
//! Moved       tops of the spaces, at each look       (the VM allocates again before GarbageCollectionFinish)
//! finish      Parallel up to JDK 22: by order         -> to
//!             check class, size and coverage at the new places
//! ```
//!
//! | | live | new address |
//! |---|---|---|
//! | Serial | low two bits of the mark word are 11 | mark word |
//! | G1 | bitmap | mark word |
//! | Parallel up to JDK 22 | bitmap | not stored; derived from the order of objects ([`order`]) |
//! | Parallel from JDK 23 | bitmap | mark word |
//!
//! Several collections may happen between one `GarbageCollectionStart` and its `Finish`. Each full one is recorded under its own number.

mod coverage;
mod forwarding;
pub(crate) mod inventory;
mod live_objects;
mod mark_bitmap;
mod order;
mod phase_list;
pub(crate) mod report;

use std::time::Instant;

use crate::address::Address;
use crate::classes::class_table::ClassTable;
use crate::collection::dead_objects::DeadObjects;
use crate::collection::report::MovesFault;
use crate::collection::survivor::Survivor;
use crate::error::Error;
use crate::heap::heap_spaces::HeapSpaces;
use crate::heap::object_walk::ObjectSizes;
use crate::heap::space::Space;
use crate::process::elapsed::nanos_since;
use crate::vm::collector::Collector;
use crate::vm::vm_structs::VmStructs;

use forwarding::Forwarding;
use live_objects::LiveWalk;
pub(crate) use live_objects::is_collected;
use mark_bitmap::MarkBitmap;
use phase_list::{PhaseList, Stage};

/// Reads full collections, one step at each look.
#[derive(Debug)]
pub struct FullCollectionReading {
    collector: Collector,
    spaces: HeapSpaces,
    phases: PhaseList,
    /// `None`: live objects are marked in their mark words.
    bitmap: Option<MarkBitmap>,
    /// `None`: new addresses follow from the order of objects only.
    forwarding: Option<Forwarding>,
    /// Value of `_total_full_collections` up to which everything has been read.
    settled: u32,
    progress: Progress,
    completed: Vec<FullCollection>,
}

/// The record of one full collection.
#[derive(Debug)]
pub struct FullCollection {
    /// `_total_collections`, including this collection.
    pub number: u32,
    /// The spaces at the end of marking.
    pub before: Vec<Space>,
    /// The spaces after moving. Empty for G1, which allocates into other regions.
    pub after: Vec<Space>,
    /// Every live object, ascending by `from`, or the reason why they are unknown.
    pub survivors: Result<Vec<Survivor>, MovesFault>,
    /// Number of dead objects. A run of dead objects whose classes were unloaded counts as one.
    pub dead: u64,
    /// What the recorder returned for the dead objects.
    pub dead_records: Option<Vec<Vec<u8>>>,
    /// Number of objects visited.
    pub walked: u64,
    /// Nanoseconds of the pause spent on this collection's reading.
    pub nanos: u64,
}

/// The result of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FullStep {
    /// Nothing new.
    Nothing,
    /// A full collection has begun. Nothing is marked yet; the spaces are as the previous collection left them.
    Began,
    /// All live objects are known.
    Marked,
    /// All new addresses are known, or can be derived from the order.
    Prepared,
}

/// Progress of reading the current collection.
#[derive(Debug)]
enum Progress {
    /// No full collection is going on.
    Idle,
    /// The collection has begun.
    Began { number: u32 },
    /// Live objects are known.
    Marked(FullCollection),
    /// New addresses are known, or can be derived from the order.
    Prepared(FullCollection),
    /// The collection cannot be read.
    Failed { number: u32, fault: MovesFault },
}

impl FullCollectionReading {
    /// Locates what it reads. Call in or after `VMInit`.
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

    /// Call at every look inside a pause. Cheap unless a full collection is
    /// running. `classes` must have been refreshed when the pause began.
    ///
    /// # Safety
    /// The world must be stopped, and this must be the thread that runs the collection.
    pub unsafe fn look(&mut self, classes: &ClassTable, sizes: &ObjectSizes) -> FullStep {
        // SAFETY: the caller upholds the same contract.
        unsafe { self.look_with(classes, sizes, None) }
    }

    /// The same, with a recorder for dead objects.
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
                // The previous full collection of this pause is over.
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

    /// Whether a full collection has begun that is not completed.
    pub(crate) fn has_begun(&self) -> bool {
        !matches!(self.progress, Progress::Idle)
    }

    /// Whether live objects are known and the collection is not over: if so, changes to the spaces are its work.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        matches!(self.progress, Progress::Marked(_) | Progress::Prepared(_))
    }

    /// Ends the reading: call when the pause ends, or when a collection begins that is not a full one. Returns the full collections since
    /// the last call, in order.
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
            // It began without a look.
            self.complete(classes, sizes);
            self.settled = count;
            let number = self.spaces.total_collections().unwrap_or(0);
            self.progress = failed(number, MovesFault::PhaseMissed { phase: "all" });
        }
        self.complete(classes, sizes);
        std::mem::take(&mut self.completed)
    }

    /// Discards the record of dead objects, because it was made with wrong assumptions about the previous collection.
    pub(crate) fn forget_dead(&mut self) {
        if let Progress::Marked(found) | Progress::Prepared(found) = &mut self.progress {
            found.dead_records = None;
        }
    }

    /// Returns the finished full collections of this pause, in order, while another one is running.
    pub fn take_completed(&mut self) -> Vec<FullCollection> {
        std::mem::take(&mut self.completed)
    }

    /// Does what the current stage of the collection requires.
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

    /// At the end of marking: finds every live object.
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
            // SAFETY: callers of `look` have stopped the world; memory below the tops is committed, and marking has ended.
            unsafe {
                match &self.bitmap {
                    None => walk.by_mark_words(space)?,
                    Some(bitmap) => walk.by_bitmap(space, &mut bitmap.marks()?)?,
                }
            }
        }
        Ok((before, walk.found))
    }

    /// Reads the new addresses, which the VM has now computed.
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

    /// At the end of moving: records the tops of the spaces.
    fn note_tops(&mut self, mut found: FullCollection) -> FullStep {
        if self.collector != Collector::G1 && self.spaces.list(&mut found.after).is_err() {
            found.after.clear();
        }
        self.progress = Progress::Prepared(found);
        FullStep::Nothing
    }

    /// Completes the current collection.
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

    /// Derives the new addresses that follow from the order, and checks every new place.
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
        // SAFETY: callers of `look` and `finish` have stopped the world; moving has ended, and memory below the tops is committed.
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

/// Whether an object of `bytes` bytes can start at `place`, below the top of the space.
fn fits(space: &Space, place: Address, bytes: usize) -> bool {
    place >= space.bottom
        && place.is_aligned(8)
        && place <= space.top
        && bytes <= space.top.above(place)
}

#[cfg(test)]
mod tests;
