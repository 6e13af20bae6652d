//! Lists, deques, sets and arrays whose elements are boxes of one type: an array of primitives holds the same.

use ducktrack_heap_dump::{ClassIndex, Graph, HeapGraph};

use crate::claims::Claim;
use crate::collection_parts::Collection;
use crate::collection_shapes::Family;
use crate::contents::Contents;
use crate::findings::{Findings, Found, Named};
use crate::kind::{Advice, Kind};
use crate::reach::{MANY, Reach, count};
use crate::value_classes::boxed;

/// Objects that an array of primitives would replace.
struct Boxes {
    /// A list, deque, set or array.
    holder: u32,
    /// The boxes, in the order of the elements.
    values: Vec<u32>,
    /// Besides the boxes.
    parts: Vec<u32>,
    kind: Kind,
    width: u64,
}

pub(crate) fn judge(
    graph: &HeapGraph,
    reach: &Reach,
    contents: &Contents,
    findings: &mut Findings<'_>,
) {
    let found = of_collections(graph, reach, contents);
    let found: Vec<Boxes> = found.into_iter().chain(of_arrays(graph, reach)).collect();
    // A box goes if only arrays that would be replaced refer to it.
    let mut references = vec![0_u8; graph.objects() as usize];
    for boxes in &found {
        for value in &boxes.values {
            count(&mut references, *value);
        }
    }
    let mut is_taken = vec![false; graph.objects() as usize];
    for boxes in &found {
        let mut claims: Vec<Claim> = boxes.parts.iter().map(|part| claim(graph, *part)).collect();
        for value in &boxes.values {
            let known = references.get(*value as usize).copied().unwrap_or(0);
            let is_only_here = known < MANY && known == reach.in_degree(*value);
            let taken = is_taken.get_mut(*value as usize);
            if let Some(taken) = taken.filter(|taken| is_only_here && !**taken) {
                *taken = true;
                claims.push(claim(graph, *value));
            }
        }
        add(graph, reach, (boxes, &claims), findings);
    }
}

fn add(
    graph: &HeapGraph,
    reach: &Reach,
    (boxes, claims): (&Boxes, &[Claim]),
    findings: &mut Findings<'_>,
) {
    let values = &boxes.values;
    let replacement = graph.model().array_bytes(boxes.width, values.len() as u64);
    let all: u64 = claims.iter().map(|claim| claim.bytes).sum();
    if all > replacement {
        let found = Found {
            object: boxes.holder,
            claims,
            replacement,
            table: None,
        };
        let holder = Named::Holder(reach.holders.of(boxes.holder));
        findings.add_named(boxes.kind, holder, values, found);
    }
}

fn claim(graph: &HeapGraph, object: u32) -> Claim {
    Claim {
        object,
        bytes: graph.bytes(object),
    }
}

fn of_collections(graph: &HeapGraph, reach: &Reach, contents: &Contents) -> Vec<Boxes> {
    let mut found = Vec::new();
    for facts in &contents.collections {
        let kind = match facts.shape.shape().family {
            Family::List => Kind::new("boxes-in-lists", Advice::Primitives),
            Family::Deque => Kind::new("boxes-in-deques", Advice::Primitives),
            Family::Set => Kind::new("boxes-in-sets", Advice::Primitives),
            _ => continue,
        };
        let collection = Collection::of(contents, reach, facts);
        let collection = collection.filter(|_| reach.is_firm(facts.object));
        found.extend(
            collection.and_then(|collection| of_collection(graph, reach, &collection, kind)),
        );
    }
    found
}

fn of_collection(
    graph: &HeapGraph,
    reach: &Reach,
    collection: &Collection<'_>,
    kind: Kind,
) -> Option<Boxes> {
    let size = collection.size(graph, reach);
    let table = collection.table(reach);
    if size < 2 || table.is_some_and(|table| !begins_with_box(graph, table)) {
        return None;
    }
    let parts = collection.parts(graph, reach);
    let targets = parts.iter().flat_map(|part| graph.successors(*part));
    let values: Vec<u32> = targets
        .copied()
        .filter(|target| is_box(graph, *target))
        .collect();
    let width = width(graph, &values).filter(|_| values.len() as u64 == size)?;
    Some(Boxes {
        holder: collection.outer.object,
        values,
        parts,
        kind,
        width,
    })
}

fn is_box(graph: &HeapGraph, object: u32) -> bool {
    boxed(graph.class_name(object)).is_some()
}

/// Whether the first element of a table can be a box: most collections have none, and are not walked.
fn begins_with_box(graph: &HeapGraph, table: u32) -> bool {
    let first = graph.successors(table).first();
    first.is_none_or(|first| {
        is_box(graph, *first)
            || graph
                .successors(*first)
                .iter()
                .any(|target| is_box(graph, *target))
    })
}

/// Arrays of a box's own type, as `Integer[]`: lists have arrays of objects.
fn of_arrays(graph: &HeapGraph, reach: &Reach) -> Vec<Boxes> {
    let is_of_boxes = |class: ClassIndex| {
        let name = graph.classes().name(class);
        let element = name
            .strip_prefix("[L")
            .and_then(|name| name.strip_suffix(';'));
        element.is_some_and(|element| boxed(element).is_some())
    };
    let classes: Vec<ClassIndex> = graph
        .classes()
        .indices()
        .filter(|class| is_of_boxes(*class))
        .collect();
    let arrays = (0..graph.objects()).filter(|object| classes.contains(&graph.class_of(*object)));
    let arrays = arrays.filter(|object| reach.is_firm(*object));
    let found = arrays.filter_map(|table| {
        let values = graph.successors(table).to_vec();
        let model = graph.model();
        let full = model.array_bytes(model.reference, values.len() as u64);
        let width = width(graph, &values).filter(|_| full == graph.bytes(table))?;
        Some(Boxes {
            holder: table,
            values,
            parts: vec![table],
            kind: Kind::new("boxes-in-arrays", Advice::Primitives),
            width,
        })
    });
    found.collect()
}

/// Bytes of a value in boxes, if all are of one class.
fn width(graph: &HeapGraph, values: &[u32]) -> Option<u64> {
    let class = graph.class_of(*values.first()?);
    let ty = boxed(graph.classes().name(class))?;
    values
        .iter()
        .all(|value| graph.class_of(*value) == class)
        .then_some(ty.bytes())
}
