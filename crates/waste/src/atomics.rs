//! Arrays of atomic references and numbers: `AtomicReferenceArray` and its like keep the values themselves, and have one object for all of them.

use ducktrack_heap_dump::{Graph, HeapGraph};

use crate::claims::Claim;
use crate::findings::{Findings, Found, Named};
use crate::kind::{Advice, Kind};
use crate::reach::Reach;

const KIND: Kind = Kind::new("atomics-in-arrays", Advice::AtomicArray);
/// Arrays, and the bytes of an element in what takes their place.
const ARRAYS: [(&str, u64); 3] = [
    ("[Ljava/util/concurrent/atomic/AtomicReference;", REFERENCE),
    ("[Ljava/util/concurrent/atomic/AtomicInteger;", 4),
    ("[Ljava/util/concurrent/atomic/AtomicLong;", 8),
];
/// Stands for the size of a reference, which dumps differ in: the new array is as long as the old one.
const REFERENCE: u64 = 0;

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

/// The object around the new array, which is as large as one with a reference, and by how much the elements are larger. An array with empty places is taken to have none: nothing is
/// saved for them.
fn replacement(graph: &HeapGraph, (array, element): (u32, u64), atomics: &[u32]) -> u64 {
    let model = graph.model();
    let around = model.array_bytes(1, 0);
    let longer = match element {
        REFERENCE => 0,
        element => model.array_bytes(element, atomics.len() as u64),
    };
    around + longer.saturating_sub(graph.bytes(array))
}
