//! Where the survivors of a collection ended before it, so that the events of what died need not be kept until it is applied.

use ducktrack_trace_format::{AddressRange, Survivor};

use crate::mirror::{AtEnd, EndIndex, ascending, put_in_order};

/// The ends of all survivors of a collection.
pub struct SurvivorEnds {
    index: EndIndex,
}

/// What the ends tell of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndFate {
    /// It is dead.
    Died,
    /// A survivor ended there: the object's, or that of another at the same place.
    MayLive,
    /// It was not collected.
    Elsewhere,
}

impl SurvivorEnds {
    /// Of survivors, which are put in order. `None`: they contradict each other, or the ranges span too much.
    pub fn new(collected: &[AddressRange], survivors: &mut [Survivor]) -> Option<Self> {
        put_in_order(survivors).ok()?;
        let ends = survivors.iter().map(Survivor::end_before);
        let index = EndIndex::new(&ascending(collected), ends)?;
        Some(Self { index })
    }

    /// What happened to the object that ended at `end`.
    #[inline]
    pub fn fate(&self, end: u64) -> EndFate {
        match self.index.look_up(end) {
            AtEnd::NoSurvivor => EndFate::Died,
            AtEnd::Survivor(_) => EndFate::MayLive,
            AtEnd::NotCollected => EndFate::Elsewhere,
        }
    }

    /// True when everything between two addresses was collected and no survivor ended there. False means nothing.
    #[inline]
    pub fn is_dead(&self, start: u64, end: u64) -> bool {
        self.index.is_dead(start, end)
    }
}
