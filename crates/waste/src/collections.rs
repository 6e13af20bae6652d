//! Collections that are empty, have one element, or more room than they need.
//!
//! | state | what would be saved |
//! |---|---|
//! | empty | all of it: the field holds null or a constant |
//! | one element | all of it but the element, which the field holds |
//! | a list, deque, queue, builder or buffer with free places | the places after the last element |
//! | a map or set whose table is filled below a quarter | the table against the smallest power of two that its load factor allows |

use rustc_hash::FxHashSet;

use ducktrack_heap_dump::HeapGraph;

use crate::claims::Claim;
use crate::collection_parts::{Collection, inside};
use crate::collection_shapes::{Count, Family};
use crate::contents::{Contents, NONE};
use crate::findings::{Findings, Found};
use crate::kind::{Advice, Kind};
use crate::reach::Reach;

/// Judges all collections; returns the tables, builders' arrays and inner collections that belong to them.
pub(crate) fn judge(
    graph: &HeapGraph,
    reach: &Reach,
    contents: &Contents,
    findings: &mut Findings<'_>,
) -> FxHashSet<u32> {
    let mut owned: FxHashSet<u32> = FxHashSet::default();
    for facts in &contents.collections {
        match facts.shape.shape().count {
            Count::Inner => owned.extend(inside(contents, reach, facts).map(|inner| inner.object)),
            _ if facts.table != NONE => drop(owned.insert(facts.table)),
            _ => {}
        }
    }
    for facts in &contents.collections {
        if owned.contains(&facts.object) || !reach.is_firm(facts.object) {
            continue;
        }
        if let Some(collection) = Collection::of(contents, reach, facts) {
            judge_one(graph, reach, &collection, findings);
        }
    }
    owned
}

fn judge_one(
    graph: &HeapGraph,
    reach: &Reach,
    collection: &Collection<'_>,
    findings: &mut Findings<'_>,
) {
    let family = collection.outer.shape.shape().family;
    let size = collection.size(graph, reach);
    let is_plain = matches!(family, Family::Builder | Family::Buffer);
    match size {
        0 if !is_plain => {
            let has_table = collection.table(reach).is_some();
            let kind = empty(family, has_table, collection.shape().has_table_at_once);
            add_whole(graph, reach, (collection, kind), findings);
        }
        1 if !is_plain => add_whole(graph, reach, (collection, one_element(family)), findings),
        size => add_room(graph, reach, (collection, size), findings),
    }
}

fn add_whole(
    graph: &HeapGraph,
    reach: &Reach,
    (collection, kind): (&Collection<'_>, Kind),
    findings: &mut Findings<'_>,
) {
    let parts = collection.parts(graph, reach).into_iter();
    let claims: Vec<Claim> = parts
        .map(|object| Claim {
            object,
            bytes: graph.bytes(object),
        })
        .collect();
    let found = Found {
        object: collection.outer.object,
        claims: &claims,
        replacement: 0,
        table: collection.table(reach),
    };
    findings.add(kind, found);
}

fn add_room(
    graph: &HeapGraph,
    reach: &Reach,
    (collection, size): (&Collection<'_>, u64),
    findings: &mut Findings<'_>,
) {
    let Some(table) = collection.table(reach) else {
        return;
    };
    let family = collection.outer.shape.shape().family;
    let Some(places) = places(graph, collection, (family, table, size)) else {
        return;
    };
    let model = graph.model();
    let element = graph
        .classes()
        .element_bytes(graph.class_of(table), model.reference);
    let enough = model.array_bytes(element.unwrap_or(1), places);
    let claims = [Claim {
        object: table,
        bytes: graph.bytes(table).saturating_sub(enough),
    }];
    if graph.bytes(table) > enough {
        let found = Found {
            object: collection.outer.object,
            claims: &claims,
            replacement: 0,
            table: Some(table),
        };
        findings.add(with_room(family), found);
    }
}

/// How many places of the table are enough; `None`: it is filled well enough.
fn places(
    graph: &HeapGraph,
    collection: &Collection<'_>,
    (family, table, size): (Family, u32, u64),
) -> Option<u64> {
    match family {
        Family::Builder => Some(size << u32::from(collection.inner.scale == 1.0)),
        Family::List | Family::Deque | Family::Queue | Family::Buffer => Some(size),
        Family::Map | Family::ConcurrentMap | Family::Set => {
            let model = graph.model();
            let load = match collection.inner.scale {
                load if load > 0.0 => f64::from(load),
                _ => 0.75,
            };
            let base = model.array_bytes(1, 0);
            let slots = graph.bytes(table).saturating_sub(base) / model.reference;
            let enough = (size as f64 / load).ceil() as u64;
            (size * 4 < slots).then(|| enough.next_power_of_two())
        }
    }
}

fn empty(family: Family, has_table: bool, at_once: bool) -> Kind {
    use Advice::{DropEmpty, MakeLate};
    let was_filled = has_table && !at_once;
    match (family, has_table) {
        (Family::List, false) => Kind::new("empty-lists", MakeLate),
        (Family::List, true) => Kind::new("empty-lists-with-capacity", MakeLate),
        (Family::Map, _) if was_filled => Kind::new("emptied-maps", DropEmpty),
        (Family::Map, _) => Kind::new("empty-maps", MakeLate),
        (Family::ConcurrentMap, _) if was_filled => Kind::new("emptied-concurrent-maps", DropEmpty),
        (Family::ConcurrentMap, _) => Kind::new("empty-concurrent-maps", MakeLate),
        (Family::Set, _) if was_filled => Kind::new("emptied-sets", DropEmpty),
        (Family::Set, _) => Kind::new("empty-sets", MakeLate),
        (Family::Deque, _) => Kind::new("empty-deques", MakeLate),
        (Family::Queue, _) => Kind::new("empty-queues", MakeLate),
        (Family::Builder, _) => Kind::new("empty-builders", MakeLate),
        (Family::Buffer, _) => Kind::new("empty-buffers", MakeLate),
    }
}

fn one_element(family: Family) -> Kind {
    let name = match family {
        Family::Map => "one-element-maps",
        Family::ConcurrentMap => "one-entry-concurrent-maps",
        Family::Set => "one-element-sets",
        Family::Deque => "one-element-deques",
        Family::Queue => "one-element-queues",
        Family::List | Family::Builder | Family::Buffer => "one-element-lists",
    };
    Kind::new(name, Advice::HoldElement)
}

fn with_room(family: Family) -> Kind {
    match family {
        Family::List => Kind::new("lists-with-capacity", Advice::Trim),
        Family::Deque => Kind::new("deques-with-capacity", Advice::Trim),
        Family::Queue => Kind::new("queues-with-capacity", Advice::Trim),
        Family::Builder => Kind::new("builders-with-capacity", Advice::Trim),
        Family::Buffer => Kind::new("buffers-with-capacity", Advice::Trim),
        Family::Map => Kind::new("sparse-maps", Advice::SmallerTable),
        Family::ConcurrentMap => Kind::new("sparse-concurrent-maps", Advice::SmallerTable),
        Family::Set => Kind::new("sparse-sets", Advice::SmallerTable),
    }
}
