//! What a person would do next about a candidate.

use super::document::CandidateDoc;
use crate::event_trace::holder_docs::THREAD_LOCAL_ENTRY;

const SOFT_REFERENCE: &str = "java.lang.ref.SoftReference";

/// One sentence.
pub(super) fn to_do(row: &CandidateDoc) -> String {
    let place = row.caller.as_deref().or(row.made.as_deref());
    let place = place.map_or_else(String::new, |place| format!(" what {place} adds"));
    let structure = row.structure.as_ref();
    let field = structure.and_then(|structure| structure.field.as_ref());
    match (field, &row.root, row.verdict.as_str()) {
        (field, ..) if row.softly => {
            let place = field.map_or_else(|| "where they are held".to_owned(), |field| format!("from {field}"));
            format!("nothing to keep the heap from filling: the JVM clears soft references before that. Their entries stay, unless the program removes them {place}")
        }
        (.., "fills") => "run longer: a straight line is a leak, a bound is a cache".to_owned(),
        (.., "not known") if row.released => {
            "look at it before the shutdown hooks free it: dump=shutdown makes a full collection then".to_owned()
        }
        (.., "not known") => {
            "take a look at the old space: ducktrack leaks PID (or dump=end) makes a full collection".to_owned()
        }
        (Some(field), ..) if is_thread_local(row) => {
            format!("call {field}.remove() when a thread has done its task, or give what it holds a bound")
        }
        (Some(field), ..) if is_softly_held(row) => {
            format!("the JVM clears what soft references refer to before the heap is full; what stays are their entries: remove those from {field}, or give it a bound")
        }
        (Some(field), ..) => {
            format!("remove from {field} what is no longer needed, or give it a bound")
        }
        (None, Some(root), _) if root.kind == "class-field" => {
            format!("call ClassValue.remove for a class that is no longer needed, or do not keep{place} in a ClassValue")
        }
        (None, Some(root), _) if row.held_outside.is_none() => {
            format!("remove from {}{place}, or give it a bound", root.name)
        }
        _ => format!("find who holds it (a heap dump shows the path), and remove{place}"),
    }
}

/// The field is that of a `ThreadLocal`: no step of the path.
fn is_thread_local(row: &CandidateDoc) -> bool {
    let field = row.structure.as_ref().and_then(|one| one.field_step);
    let entry = row
        .path
        .iter()
        .rposition(|step| step.ty == THREAD_LOCAL_ENTRY);
    entry.is_some() && field <= entry
}

/// A soft reference after the field leads to it.
fn is_softly_held(row: &CandidateDoc) -> bool {
    let from = row.structure.as_ref().and_then(|one| one.field_step);
    let steps = row.path.get(from.unwrap_or(0)..).unwrap_or_default();
    let mut pairs = steps.iter().zip(steps.iter().skip(1));
    pairs
        .any(|(holder, held)| holder.ty == SOFT_REFERENCE && held.by.as_deref() == Some("referent"))
}
