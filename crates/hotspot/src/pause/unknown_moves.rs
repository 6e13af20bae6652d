//! Collections whose moves are unknown at level finish: the report lists the heap after the collection.
//!
//! After a failed evacuation of Serial or Parallel (rarely, if no full collection follows in the pause), stale copies in the young spaces
//! cannot be distinguished from objects, so that remains a fault. G1 puts fillers over them.
//!
//! ```text
//! young  fault: a space does not parse        moves are off
//! young  not read                             moves are off
//! full   the whole heap is listed             starts anew: known again
//! full   the whole heap is listed
//! ```

use std::time::Instant;

use super::{Pause, nanos_since};
use crate::collection::first_inventory::FirstInventory;
use crate::collection::listed_heap::list_heap;
use crate::collection::report::{CollectionKind, CollectionReport, MovesFault, MovesLevel};
use crate::vm::collector::Collector;

impl Pause {
    /// Lists the heap if this level does not know the moves. If the heap does not parse, that is the fault.
    pub(super) fn list_if_not_known(&mut self, report: &mut CollectionReport) {
        let started = Instant::now();
        let is_off = report.fault == Some(MovesFault::Off);
        let is_listed = match &report.fault {
            Some(MovesFault::NotAtThisLevel { .. }) => {
                report.kind == CollectionKind::Full || self.collector == Collector::G1
            }
            Some(MovesFault::Off) => {
                self.level == MovesLevel::Finish
                    && report.kind == CollectionKind::Full
                    && !self.air.is_gone()
            }
            _ => false,
        };
        if !is_listed {
            return;
        }
        let classes = match is_off {
            // Classes were not tracked. The classes of live objects were not unloaded.
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
                // Every live object is listed.
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
