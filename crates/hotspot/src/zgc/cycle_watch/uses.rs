//! Uses of objects by cycle: the recording's shadow and clock, and the stamps that are copied before objects move.

use std::sync::atomic::AtomicU64;

use super::{Reader, Shared, ZgcWatch};
use crate::shadow::Shadow;
use crate::shadow_views::HeapViews;
use crate::zgc::capture::CycleFault;
use crate::zgc::cycle_report::CycleStart;
use crate::zgc::forwarding_table::{RelocationSet, TableFault};
use crate::zgc::use_reader::Stamps;

impl ZgcWatch {
    /// The addresses at which the program sees the heap's memory, for [`ZgcWatch::tell_uses`].
    ///
    /// # Errors
    /// Why uses cannot be told.
    pub fn views(&self) -> Result<HeapViews, &'static str> {
        match self.is_generational() {
            true => Err(
                "both generations of ZGC move objects at the same time, so a stamp may be another object's",
            ),
            false => self
                .shared
                .layout
                .views()
                .ok_or("the memory of ZGC's heap is not where it should be"),
        }
    }

    /// Tells uses with the cycles that begin from now on: the program stamps objects in this shadow with the value of this clock.
    pub fn tell_uses(&self, shadow: Shadow, clock: &'static AtomicU64) {
        // A recording begins once.
        let _ = self.shared.stamps.set(Stamps { shadow, clock });
    }

    /// In the pause from which on a cycle counts: the clock has this value from here on.
    pub fn clock_stepped(&self, start: CycleStart, value: u64) {
        let shared = &self.shared;
        let mut all = shared.generations.iter();
        let form = shared.layout.form;
        if let Some(watch) = all.find(|watch| watch.kind(form) == start.kind) {
            watch.clock.counts_from(value);
        }
    }
}

impl Shared {
    /// The first time in each cycle: copies stamps before objects move.
    pub(super) fn copy_stamps(
        &self,
        reader: &mut Reader,
        set: &Result<RelocationSet, TableFault>,
    ) -> Result<(), CycleFault> {
        let set = set.as_ref().ok();
        match (self.stamps.get(), &mut reader.capture, set) {
            (Some(stamps), Some(capture), Some(set)) => {
                let is_known = capture.copy_stamps(stamps, &self.layout, set);
                is_known.then_some(()).ok_or(CycleFault::Uses)
            }
            _ => Ok(()),
        }
    }
}
