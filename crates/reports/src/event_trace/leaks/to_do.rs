//! The advice about a candidate as one sentence.

use ducktrack_findings::{Advice, Place};

use super::names::{Names, field_name};
use crate::event_trace::holder_docs::root_doc;

pub(super) fn to_do(names: Names<'_>, advice: &Advice) -> String {
    let adds = |place: &Option<Place>| {
        let place = place.as_ref().and_then(|place| names.place(place));
        place.map_or_else(String::new, |place| format!(" what {place} adds"))
    };
    match advice {
        Advice::LeaveSoft(field) => {
            let place = field.as_ref().map_or_else(
                || "where they are held".to_owned(),
                |field| format!("from {}", field_name(field)),
            );
            format!("nothing to keep the heap from filling: the JVM clears soft references before that. Their entries stay, unless the program removes them {place}")
        }
        Advice::RunLonger => "run longer: a straight line is a leak, a bound is a cache".to_owned(),
        Advice::LookBeforeShutdown => {
            "look at it while it is held: ducktrack leaks PID makes a full collection, and so does dump=on when the shutdown begins".to_owned()
        }
        Advice::RunPastStart => {
            "run longer: a leak goes on when the program has started, and what classes need does not".to_owned()
        }
        Advice::MoreLooks => {
            "run longer or with a smaller heap: collections that look at all of the old space show whether it goes on".to_owned()
        }
        Advice::RunPastBatch => "run longer: it began late, and a part of the run or a batch ends".to_owned(),
        Advice::Look => {
            "take a look at the old space: ducktrack leaks PID (or dump=on) makes a full collection".to_owned()
        }
        Advice::FewerClasses(place) => {
            let place = place.as_ref().and_then(|place| names.place(place));
            let place = place.map_or_else(String::new, |place| format!(" (see {place})"));
            format!("a class stays as long as its class loader: make or load one class for many uses, not one for each{place}")
        }
        Advice::RemoveThreadLocal(field) => format!(
            "call {}.remove() when a thread has done its task, or give what it holds a bound",
            field_name(field)
        ),
        Advice::RemoveSoftEntries(field) => format!(
            "the JVM clears what soft references refer to before the heap is full; what stays are their entries: remove those from {}, or give it a bound",
            field_name(field)
        ),
        Advice::Remove {
            field,
            outer,
            also,
            adds,
            adds_for,
        } => {
            let of = outer.as_ref().map_or_else(String::new, |outer| {
                format!(", which {} holds,", field_name(outer))
            });
            let caller = adds_for.as_ref().filter(|caller| adds.as_ref() != Some(*caller));
            let [place, caller] = [adds.as_ref(), caller].map(|place| names.place(place?));
            let place = match (place, caller) {
                (Some(place), Some(caller)) if place != caller => {
                    format!(" ({place} adds it for {caller})")
                }
                (Some(place), _) | (None, Some(place)) => format!(" ({place} adds it)"),
                (None, None) => String::new(),
            };
            let also = also.as_ref().map_or_else(String::new, |also| {
                format!("; it is also in {}: remove it from both", field_name(also))
            });
            format!(
                "remove from {}{of} what is no longer needed{place}, or give it a bound{also}",
                field_name(field)
            )
        }
        Advice::RemoveClassValue(place) => format!(
            "call ClassValue.remove for a class that is no longer needed, or do not keep{} in a ClassValue",
            adds(place)
        ),
        Advice::RemoveFromRoot(root, place) => {
            format!("remove from {}{}, or give it a bound", root_doc(root).name, adds(place))
        }
        Advice::KeepLess(root, place) => format!(
            "{} holds it, by no field of the program: keep less of{}, or give it a bound",
            root_doc(root).name,
            match adds(place).as_str() {
                "" => " it",
                adds => adds,
            }
        ),
        Advice::FindHolder(place) => {
            format!("find who holds it (a heap dump shows the path), and remove{}", adds(place))
        }
    }
}
