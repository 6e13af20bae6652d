//! The calls that an analysis gets while a heap is replayed.
//!
//! In this order, for each collection that ends an epoch:
//!
//! ```text
//! settled         the heap as the last collection left it, with all later explanations of its objects
//! died_young      for each origin: objects of the epoch that are dead, or whose place is not known (the fast path: no object is made of them)
//! begin           the collection is applied to the heap, object by object:
//!   died kept promoted          ... objects that lived before
//!   born kept promoted          ... objects of the epoch that live on
//!   found kept promoted         ... objects that only the collection shows: no event made them
//! collected       it is applied, or could not be
//! ```
//!
//! `gained` and `lost` come when the live heap begins and ceases to be known; `born`, `kept`, `died` and `found` come only
//! while it is. At the end of a trace come `settled`, `ending`, `died_young` for what no collection has seen, and `ended`.
//!
//! The clock is allocated bytes: [`Step::clock`] and [`Heap::clock`] give [the bytes before
//! an epoch](EpochSums::before), so [`LiveObject::birth`] places an object in an interval
//! of allocated bytes. Births in an interval are `born`, and the `gone` of `died_young`.

use ducktrack_count_model::Origin;
use ducktrack_trace_format::{Collection, ThreadId, UsesHead};

use crate::epoch_part::{EventSums, NewType, SiteTally};
use crate::epoch_sums::EpochSums;
use crate::heap::Heap;
use crate::live_object::LiveObject;
use crate::outcome::Outcome;
use crate::space_map::SpaceMap;
use ducktrack_live_heap::Amount;

/// Works something out from a heap while it is replayed. Each method is one kind of news, and does nothing unless it is written.
pub trait Analysis: Send {
    /// Work of the engine for it that costs time.
    fn wants(&self) -> Wants {
        Wants::default()
    }

    /// The live heap is known from here on, or was replaced by that of a synchronization point.
    fn gained(&mut self, _heap: &Heap, _gain: Gain) {}

    /// The live heap is not known any more: these objects are the last that are.
    fn lost(&mut self, _heap: &Heap, _loss: Loss) {}

    /// Objects of an origin that were allocated in an epoch and do not live on, as far as that is known.
    fn died_young(&mut self, _origin: Origin, _tally: &SiteTally, _heap: &Heap, _epoch: Epoch) {}

    /// A collection is about to be applied to the heap that the one before left.
    fn begin(&mut self, _heap: &Heap, _collection: &Collection) {}

    /// An object of the epoch lives on.
    fn born(&mut self, _object: &LiveObject, _step: &Step<'_>) {}

    /// An object without an event lives on.
    fn found(&mut self, object: &LiveObject, step: &Step<'_>) {
        self.born(object, step);
    }

    /// The collection looked at an object, which was at `from`, and keeps it where it is now.
    fn kept(&mut self, _object: &LiveObject, _from: u64, _step: &Step<'_>) {}

    /// It has moved from a young to an old space.
    fn promoted(&mut self, _object: &LiveObject, _step: &Step<'_>) {}

    /// The collection finds an object dead.
    fn died(&mut self, _object: &LiveObject, _step: &Step<'_>) {}

    /// Another object has come to lie at the place of this one: a contradiction in the trace.
    fn overlaid(&mut self, _object: &LiveObject) {}

    /// A collection is over. Its heap may still get explanations; [`Analysis::settled`] is when that has ended.
    fn collected(&mut self, _heap: &Heap, _end: &Collected<'_>) {}

    /// The trace states which objects were used up to the end of an epoch.
    fn uses(&mut self, _head: UsesHead) {}

    /// An object was used later than in epoch `before`.
    fn used(&mut self, _object: &LiveObject, _before: u32) {}

    /// The origin of an object was not known, as it was `before`, and is now.
    fn explained(&mut self, _before: &LiveObject, _object: &LiveObject) {}

    /// The heap after a collection has no more news, and is known.
    fn settled(&mut self, _heap: &Heap, _at: Pause) {}

    /// The trace has no more collections.
    fn ending(&mut self, _heap: &Heap) {}

    /// The trace has ended.
    fn ended(&mut self, _heap: &Heap, _rest: &Rest) {}
}

/// The work that an analysis asks of the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// [`Analysis::died_young`] gets objects with a caller by themselves; else all objects of a site together.
    pub callers: bool,
    /// Uses of objects are read: [`Analysis::used`] comes, and [`LiveObject::used`] is kept.
    pub uses: bool,
    /// A long epoch is cut into [slices](crate::Slice), and its events are decoded twice for that.
    pub slices: bool,
}

/// From when on the heap is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gain {
    /// Objects born in this epoch or later have their whole life in the trace (0: all
    /// have). `None`: the heap was known, in doubt, and these objects replace it.
    pub since: Option<u32>,
    /// No epoch of the trace has ended: these objects are its first ones.
    pub is_first: bool,
}

/// Why objects are not known any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// A collection cannot be applied.
    Collection,
    /// A synchronization point is about to replace them.
    Replaced,
}

/// An epoch that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// Its number: collections before it.
    pub number: u32,
    /// Bytes allocated in it.
    pub bytes: u64,
    /// The slice of it in which the objects of [`Analysis::died_young`] were allocated: a place in [`Heap::slices`].
    pub slice: usize,
    /// The cause of its end.
    pub end: EpochEnd,
}

/// The cause of an epoch's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpochEnd {
    /// A collection that is known: what is `gone` is dead.
    Collection,
    /// A collection that cannot be applied: nobody knows what has died.
    Unknown,
    /// The trace: what is `gone` is there.
    Trace,
}

/// The collection that is being applied.
#[derive(Debug)]
pub struct Step<'a> {
    /// Its record.
    pub collection: &'a Collection,
    /// The epoch that it ends.
    pub epoch: u32,
    /// Allocated bytes up to the end of that epoch.
    pub clock: &'a EpochSums,
    /// Spaces before the collection.
    pub before: SpaceMap,
    /// Spaces after it.
    pub after: SpaceMap,
}

/// A collection that is over.
#[derive(Clone, Copy, Debug)]
pub struct Collected<'a> {
    /// Its record.
    pub collection: &'a Collection,
    /// The epoch that it ended.
    pub epoch: u32,
    /// Events of the epoch.
    pub sums: &'a EventSums,
    /// It did not look at new objects: the same events come again, with those of the next epoch.
    pub defers: bool,
    /// Fates of the objects. `None`: it could not be applied.
    pub outcome: Option<Outcome>,
}

/// The end of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pause {
    /// Its number.
    pub collection: u32,
    /// When it ended, microseconds since 1970.
    pub unix_micros: u64,
}

/// Objects that no collection has seen.
#[derive(Debug, Default)]
pub struct Rest {
    /// When the last collection ended, microseconds since 1970; 0: not known.
    pub last_pause: u64,
    /// Everything allocated.
    pub allocated: Amount,
    /// By thread.
    pub threads: Vec<(ThreadId, Amount)>,
    /// Of the objects of [`Analysis::died_young`]: those with a caller, or of another type than their site states.
    pub apart: Vec<(NewType, Amount)>,
}
