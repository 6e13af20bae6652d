//! Collections whose moves level finish does not know: the report lists the heap that they left.
//!
//! After a failed evacuation of Serial or Parallel (when no full collection follows in the pause, which is rare), stale copies in the young spaces cannot be told
//! from objects: that stays a fault. G1 puts fillers over them.
//!
//! ```text
//! young  fault: a space does not parse        moves off
//! young  not looked at                        moves off
//! full   the whole heap is listed             anew: known again
//! full   the whole heap is listed
//! ```

use std::time::Instant;

use super::{Pause, nanos_since};
use crate::collection_report::{CollectionKind, CollectionReport, MovesFault, MovesLevel};
use crate::collector::Collector;
use crate::first_inventory::FirstInventory;
use crate::listed_heap::list_heap;

impl Pause {
    /// Lists the heap where this level does not know the moves. If the heap does not parse, that is the fault.
    pub(super) fn list_if_not_known(&mut self, report: &mut CollectionReport) {
        let started = Instant::now();
        let is_off = report.fault == Some(MovesFault::Off);
        let is_listed = match &report.fault {
            Some(MovesFault::NotAtThisLevel { .. }) => {
                report.kind == CollectionKind::Full || self.collector == Collector::G1
            }
            Some(MovesFault::Off) => {
                self.level == MovesLevel::Finish && report.kind == CollectionKind::Full
            }
            _ => false,
        };
        if !is_listed {
            return;
        }
        let classes = match is_off {
            // They were not followed. Who lives now was not unloaded.
            true => self.classes.refresh().map(drop),
            false => Ok(()),
        };
        // SAFETY: the world is stopped until the pause is finished; memory below the tops is committed.
        let listed = classes.map_err(MovesFault::from).and_then(|()| unsafe {
            list_heap(&report.after, self.old_end, &self.classes, &self.sizes)
        });
        match listed {
            Ok(objects) => {
                report.walked = objects.len() as u64;
                report.survivors = objects.into();
                report.listed = true;
                report.fault = None;
                report.anew = is_off;
                self.off = false;
                // Each live object is listed.
                self.first = FirstInventory::Given;
            }
            Err(_) if is_off => {}
            Err(fault) => {
                report.fault = Some(fault);
                self.off = true;
            }
        }
        report.walk_nanos += nanos_since(started);
    }
}
