//! Unmodifiable, synchronized and checked views of a view that nothing else
//! has: the inner one could go, and the outer be made of what it wraps.

use ducktrack_heap_dump::{Graph, HeapGraph};

use crate::claims::Claim;
use crate::findings::{Findings, Found};
use crate::kind::{Advice, Kind};
use crate::reach::Reach;

const KIND: Kind = Kind::new("wrappers-of-wrappers", Advice::Unwrap);
const WRAPPERS: [&str; 3] = [
    "java/util/Collections$Unmodifiable",
    "java/util/Collections$Synchronized",
    "java/util/Collections$Checked",
];

pub(crate) fn judge(graph: &HeapGraph, reach: &Reach, findings: &mut Findings<'_>) {
    for outer in (0..graph.objects()).filter(|object| reach.is_live(*object)) {
        if !is_wrapper(graph, outer) {
            continue;
        }
        let mut inner = graph.successors(outer).iter().copied();
        let wrapped = inner.find(|inner| {
            *inner != outer && is_wrapper(graph, *inner) && is_alone(graph, reach, (outer, *inner))
        });
        // The views that a wrapper keeps of itself refer back to it.
        let Some(wrapped) = wrapped.filter(|wrapped| !graph.successors(*wrapped).contains(&outer))
        else {
            continue;
        };
        let claims = [Claim {
            object: wrapped,
            bytes: graph.bytes(wrapped),
        }];
        let found = Found {
            object: wrapped,
            claims: &claims,
            replacement: 0,
            table: None,
        };
        findings.add(KIND, found);
    }
}

fn is_wrapper(graph: &HeapGraph, object: u32) -> bool {
    let name = graph.class_name(object);
    WRAPPERS.iter().any(|start| name.starts_with(start))
}

/// All references that lead to the inner object come from the outer one.
fn is_alone(graph: &HeapGraph, reach: &Reach, (outer, inner): (u32, u32)) -> bool {
    let own = graph.successors(outer).iter();
    own.filter(|target| **target == inner).count() == usize::from(reach.in_degree(inner))
}
