//! The memory outside of the heap that a scope makes, itself or through libraries.

use std::collections::BTreeMap;

use super::gate::Scope;
use super::grown_place::Place;
use crate::filter::in_scope;
use crate::json::Document;
use crate::off_heap::OffHeapStackDoc;

/// Bytes made by stacks with a frame in the scope, by the line that made them.
pub(super) fn off_heap_parts(scope: Option<&Scope>, document: &Document) -> BTreeMap<Place, i64> {
    let mut parts = BTreeMap::new();
    for row in &document.off_heap {
        let stacks = row.stacks.iter().filter(|stack| is_in(scope, stack));
        let bytes: Vec<i64> = stacks.map(|stack| stack.made.bytes).collect();
        if !bytes.is_empty() {
            let part: &mut i64 = parts.entry(Place::of_off_heap(row)).or_default();
            *part = bytes.into_iter().fold(*part, i64::saturating_add);
        }
    }
    parts
}

fn is_in(scope: Option<&Scope>, stack: &OffHeapStackDoc) -> bool {
    let mut frames = stack.frames.iter();
    match scope {
        None => true,
        // Threads' contexts are not recorded for it: the gate is refused.
        Some(Scope::Context(_)) => false,
        Some(Scope::Package(package)) => frames.any(|frame| in_scope(package, &frame.class)),
        Some(Scope::Site(site)) => frames.any(|frame| site.has(&frame.class, &frame.method)),
    }
}
