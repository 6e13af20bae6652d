//! Builds the report of a full collection.

use crate::collection::full_collection::{FullCollection, is_collected};
use crate::collection::report::{CollectionKind, CollectionReport};
use crate::heap::address_range::AddressRange;
use crate::heap::space::Space;

/// Builds the report. `after` holds the current spaces, for a collection that did not record them.
pub(crate) fn full_report(
    collection: FullCollection,
    cause: String,
    after: &[Space],
) -> CollectionReport {
    let (survivors, fault) = match collection.survivors {
        Ok(survivors) => (survivors, None),
        Err(fault) => (Vec::new(), Some(fault)),
    };
    let collected = match fault {
        None => collected(&collection.before),
        Some(_) => Vec::new(),
    };
    CollectionReport {
        number: collection.number,
        kind: CollectionKind::Full,
        cause,
        before: collection.before,
        after: if collection.after.is_empty() {
            after.to_vec()
        } else {
            collection.after
        },
        collected,
        survivors: survivors.into(),
        dead: collection.dead,
        dead_records: collection.dead_records.filter(|_| fault.is_none()),
        walked: collection.walked,
        unread: 0,
        doubted: 0,
        walk_nanos: collection.nanos,
        fault,
        anew: false,
    }
}

/// The memory that a full collection decides about: all spaces but archives.
fn collected(before: &[Space]) -> Vec<AddressRange> {
    let mut ranges: Vec<AddressRange> = before
        .iter()
        .filter(|space| is_collected(space) && space.bottom < space.top)
        .map(AddressRange::from)
        .collect();
    ranges.sort_unstable();
    ranges
}
