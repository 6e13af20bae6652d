//! One collection as a point of the timeline.

use std::sync::Arc;

use ducktrack_trace_format::{Collection, Space, SpaceKind};

use crate::{SpaceUse, TimelinePoint};
use ducktrack_heap_replay::{EventSums, Outcome};
use ducktrack_live_heap::Amount;

/// `before` is when the program began to run again before this collection (0: not known).
pub(crate) fn timeline_point(
    collection: &Collection,
    before: u64,
    sums: &EventSums,
    outcome: Option<Outcome>,
    live: Option<Amount>,
) -> TimelinePoint {
    let mutator_micros = match before {
        0 => 0,
        before => collection.start_unix_micros.saturating_sub(before),
    };
    TimelinePoint {
        collection: collection.number,
        cause: Arc::from(collection.cause.as_str()),
        kind: collection.kind,
        start_micros: collection.start_unix_micros,
        end_micros: collection.end_unix_micros,
        walk_nanos: collection.walk_nanos,
        allocated: sums.allocated,
        gap_bytes: sums.gap_bytes,
        mutator_micros,
        moved: outcome.map(|outcome| outcome.moved),
        stayed: outcome.map(|outcome| outcome.stayed),
        died: outcome.map(|outcome| outcome.died),
        died_promoted: outcome.map(|outcome| outcome.died_promoted),
        promoted: outcome.map(|outcome| outcome.promoted),
        live,
        before: space_uses(&collection.before),
        after: space_uses(&collection.after),
        fault: collection.fault.as_deref().map(Arc::from),
    }
}

/// Used bytes by kind, in the order of first appearance.
pub(crate) fn space_uses(spaces: &[Space]) -> Vec<SpaceUse> {
    let mut uses: Vec<SpaceUse> = Vec::new();
    for space in spaces {
        let used = space.top.saturating_sub(space.bottom);
        if space.kind == SpaceKind::Free {
            continue;
        }
        match uses.iter_mut().find(|known| known.kind == space.kind) {
            Some(known) => {
                known.number += u32::from(used > 0);
                known.used = known.used.saturating_add(used);
            }
            None => uses.push(SpaceUse {
                kind: space.kind,
                number: u32::from(used > 0),
                used,
            }),
        }
    }
    uses
}
