//! Uses of objects by cycle: the recording's shadow and clock, and the stamps that are copied before objects move.

use std::sync::atomic::{AtomicU64, Ordering};

use super::generation_watch::{GenerationWatch, Reader};
use super::{Shared, ZgcWatch};
use crate::heap::shadow::Shadow;
use crate::heap::shadow_views::HeapViews;
use crate::zgc::capture::{Capture, CycleFault, Outcome};
use crate::zgc::cycle_report::CycleStart;
use crate::zgc::forwarding_table::{RelocationSet, TableFault};
use crate::zgc::use_reader::Stamps;

impl ZgcWatch {
    /// The addresses at which the program sees the heap's memory, for [`ZgcWatch::tell_uses`].
    ///
    /// # Errors
    /// Why uses cannot be told.
    pub fn views(&self) -> Result<HeapViews, &'static str> {
        let views = self.shared.layout.views();
        views.ok_or("the memory of ZGC's heap is not where it should be")
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
    /// At the end of marking, before anything is freed.
    pub(super) fn begin_uses(
        &self,
        watch: &GenerationWatch,
        capture: &mut Capture,
    ) -> Result<(), CycleFault> {
        let Some(stamps) = self.stamps.get() else {
            return Ok(());
        };
        let is_known = capture.begin_uses(stamps, &self.layout, watch.clock.begin());
        is_known.then_some(()).ok_or(CycleFault::Uses)
    }

    /// A young cycle is over: adds uses of objects of the old generation.
    pub(super) fn add_old_uses(&self, beside: Option<(u32, u64)>, outcome: &mut Outcome) {
        let old = self.generations.get(1);
        let (Some(old), Some(stamps), Some(beside)) = (old, self.stamps.get(), beside) else {
            return;
        };
        if let Some(uses) = &mut outcome.uses {
            let state = || (old.now(), old.told.load(Ordering::Acquire));
            let all = self
                .old_uses
                .add(beside, stamps, &self.layout, state, &mut uses.uses);
            uses.all = all;
        }
    }

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
