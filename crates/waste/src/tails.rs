//! Arrays of primitives of which the second half, or all, is zero.

use ducktrack_heap_dump::{HeapGraph, ValueType};

use crate::claims::Claim;
use crate::contents::{Contents, Tail};
use crate::findings::{Findings, Found};
use crate::kind::{Advice, Kind};
use crate::reach::Reach;

pub(crate) fn judge(
    graph: &HeapGraph,
    reach: &Reach,
    (contents, is_owned): (&Contents, &dyn Fn(u32) -> bool),
    findings: &mut Findings<'_>,
) {
    for tail in &contents.tails {
        if is_owned(tail.object) || !reach.is_live(tail.object) {
            continue;
        }
        let bytes = graph.bytes(tail.object);
        let saved = match tail.used {
            0 => bytes,
            used => {
                bytes.saturating_sub(graph.model().array_bytes(tail.ty.bytes(), u64::from(used)))
            }
        };
        let claims = [Claim {
            object: tail.object,
            bytes: saved,
        }];
        if saved > 0 {
            let found = Found {
                object: tail.object,
                claims: &claims,
                replacement: 0,
                table: None,
            };
            findings.add(kind(tail), found);
        }
    }
}

fn kind(tail: &Tail) -> Kind {
    let (tailed, zero) = match tail.ty {
        ValueType::Boolean => ("zero-tailed-booleans", "all-zero-booleans"),
        ValueType::Char => ("zero-tailed-chars", "all-zero-chars"),
        ValueType::Float => ("zero-tailed-floats", "all-zero-floats"),
        ValueType::Double => ("zero-tailed-doubles", "all-zero-doubles"),
        ValueType::Short => ("zero-tailed-shorts", "all-zero-shorts"),
        ValueType::Int => ("zero-tailed-ints", "all-zero-ints"),
        ValueType::Long => ("zero-tailed-longs", "all-zero-longs"),
        ValueType::Byte | ValueType::Reference => ("zero-tailed-bytes", "all-zero-bytes"),
    };
    match tail.used {
        0 => Kind::new(zero, Advice::ArrayLate),
        _ => Kind::new(tailed, Advice::ShorterArray),
    }
}
