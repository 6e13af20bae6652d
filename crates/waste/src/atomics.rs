//! Arrays of atomic references and numbers: `AtomicReferenceArray` and its
//! like keep the values themselves, and have one object for all of them.

use ducktrack_heap_dump::{Graph, HeapGraph};

use crate::claims::Claim;
use crate::findings::{Findings, Found, Named};
use crate::kind::{Advice, Kind};
use crate::reach::Reach;

const KIND: Kind = Kind::new("atomics-in-arrays", Advice::AtomicArray);
/// Arrays, and the bytes of an element in what takes their place; `None`: those of a reference.
const ARRAYS: [(&str, Option<u64>); 3] = [
    ("[Ljava/util/concurrent/atomic/AtomicReference;", None),
    ("[Ljava/util/concurrent/atomic/AtomicInteger;", Some(4)),
    ("[Ljava/util/concurrent/atomic/AtomicLong;", Some(8)),
];

pub(crate) fn judge(graph: &HeapGraph, reach: &Reach, findings: &mut Findings<'_>) {
    for array in (0..graph.objects()).filter(|object| reach.is_live(*object)) {
        let name = graph.class_name(array);
        let Some((_, element)) = ARRAYS.iter().find(|(class, _)| *class == name) else {
            continue;
        };
        let atomics: Vec<u32> = graph.successors(array).to_vec();
        let is_alone = |atomic: &u32| reach.in_degree(*atomic) == 1;
        if atomics.is_empty() || !atomics.iter().all(is_alone) {
            continue;
        }
        let claims: Vec<Claim> = atomics
            .iter()
            .map(|object| Claim {
                object: *object,
                bytes: graph.bytes(*object),
            })
            .collect();
        let found = Found {
            object: array,
            claims: &claims,
            replacement: replacement(graph, (array, *element), &atomics),
            table: None,
        };
        let holder = Named::Holder(reach.holders.of(array));
        findings.add_named(KIND, holder, &atomics, found);
    }
}

/// The object around the new array, which is as large as one with a reference, and by how much the elements are larger.
fn replacement(graph: &HeapGraph, (array, element): (u32, Option<u64>), atomics: &[u32]) -> u64 {
    let model = graph.model();
    let around = (model.header + model.reference).next_multiple_of(8);
    let bytes = graph.bytes(array);
    let longer = element.map_or(0, |element| {
        // The last place may be padding: places that may be empty count but for that one.
        let places = bytes.saturating_sub(model.array_base) / model.reference.max(1);
        let length = (atomics.len() as u64).max(places.saturating_sub(1));
        model.array_bytes(element, length)
    });
    around + longer.saturating_sub(bytes)
}
