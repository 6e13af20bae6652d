//! Full collections of a pause: what is read at each look, their reports, and the unseen young collections next to them.

use super::Pause;
use crate::collection::first_inventory::FirstInventory;
use crate::collection::full_collection::inventory::take_anew;
use crate::collection::full_collection::report::full_report;
use crate::collection::full_collection::{FullCollection, FullStep};
use crate::collection::report::{CollectionKind, CollectionReport, MovesFault};
use crate::collection::survivor_list::SurvivorList;
use crate::vm::collector::Collector;

impl Pause {
    /// Reads what a full collection shows by now, and reports one that was followed by another. Returns whether one is moving objects now.
    pub(super) fn look_at_full(&mut self) -> bool {
        let full = &mut self.full;
        // SAFETY: looks happen on the VM thread, inside the pause.
        let step = unsafe { full.look_with(&self.classes, &self.sizes, self.dead.as_mut()) };
        let is_under_way = full.is_under_way();
        let completed = full.take_completed();
        if step == FullStep::Began {
            self.catch_up_with_classes();
        }
        self.report_full(completed);
        if is_under_way && self.failure.has_failed() {
            // The full collection found what the young one left in place, but the recorder did not know yet what had moved.
            self.full.forget_dead();
            self.report_young();
        }
        is_under_way
    }

    /// Refreshes the classes, which are not tracked while moves are off. No class is unloaded before marking.
    fn catch_up_with_classes(&mut self) {
        if self.off
            && let Err(error) = self.classes.refresh()
        {
            self.fault = Some(error.into());
        }
    }

    /// Reports finished full collections. The rest of this pause starts where the last of them ended.
    pub(super) fn report_full(&mut self, completed: Vec<FullCollection>) {
        for collection in completed {
            let noted = self.spaces.list(&mut self.latest);
            let mut report = full_report(collection, self.cause.text(), &self.latest);
            let missed = report.number.saturating_sub(self.counts_before.all + 1);
            if let Err(error) = noted {
                report.set_fault(error.into());
            } else if self.air.is_gone() {
                report.set_fault(MovesFault::NoAir);
            } else if self.off && report.fault.is_none() {
                if missed != 0 {
                    self.report_unseen(&report, Some(MovesFault::Off));
                }
                self.begin_anew(&mut report);
            } else if missed == 1 && !self.off && self.young_is_empty() {
                self.report_unseen(&report, None);
            } else if missed != 0 && !self.off {
                report.set_fault(MovesFault::Missed { missed });
            }
            self.tell_survivors(&report);
            self.off |= report.fault.is_some();
            self.before.clone_from(&report.after);
            self.counts_before = self.counts().unwrap_or(self.counts_before);
            self.reports.push(report);
        }
    }

    /// Whether the young collection before a full one had nothing to move. The VM counts it, but no hook sees it.
    fn young_is_empty(&self) -> bool {
        self.collector != Collector::G1
            && !self
                .before
                .iter()
                .any(|space| space.kind.is_young() && space.bottom < space.top)
    }

    /// Reports a young collection of this pause that was not read, because moves are off or there was nothing to see.
    fn report_unseen(&mut self, next: &CollectionReport, fault: Option<MovesFault>) {
        self.reports.push(CollectionReport {
            number: next.number - 1,
            kind: CollectionKind::Young,
            cause: next.cause.clone(),
            before: std::mem::take(&mut self.before),
            after: next.before.clone(),
            collected: Vec::new(),
            survivors: SurvivorList::default(),
            dead: 0,
            walked: 0,
            unread: 0,
            doubted: 0,
            dead_records: None,
            walk_nanos: 0,
            fault,
            anew: false,
        });
    }

    /// Moves were off, and a full collection could be read: the heap is known again.
    fn begin_anew(&mut self, report: &mut CollectionReport) {
        // SAFETY: reports are made on the VM thread, inside the pause.
        match unsafe { take_anew(report, &self.classes, &self.sizes) } {
            Ok(()) => {
                self.off = false;
                // The first inventory is older than the fault.
                self.first = FirstInventory::Given;
            }
            Err(fault) => report.set_fault(fault),
        }
    }
}
