//! What a person would do next about a candidate.

use ducktrack_count_model::stable_class;
use ducktrack_leaks::NotKnown;

use super::document::CandidateDoc;
use super::place_text::{is_own_place, line_of};
use crate::event_trace::holder_docs::THREAD_LOCAL_ENTRY;
use crate::filter::in_scope;

const SOFT_REFERENCE: &str = "java.lang.ref.SoftReference";

/// Fields of the JDK that hold the loader of the program's classes.
const LOADERS: [&str; 2] = ["scl", "APP_CLASSLOADER"];

/// One sentence. `project`: the package of the program's own classes; empty: not known.
pub(super) fn to_do(row: &CandidateDoc, project: &str) -> String {
    let adds = place(row).map_or_else(String::new, |place| format!(" what {place} adds"));
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
        (.., "not known") if row.is_not_known(NotKnown::Starting) => {
            "run longer: a leak goes on when the program has started, and what classes need does not".to_owned()
        }
        (.., "not known")
            if row.is_not_known(NotKnown::OldestGone) || row.is_not_known(NotKnown::FewLooks) =>
        {
            "run longer or with a smaller heap: collections that look at all of the old space show whether it goes on".to_owned()
        }
        (.., "not known") if row.is_not_known(NotKnown::Late) => {
            "run longer: it began late, and a part of the run or a batch ends".to_owned()
        }
        (.., "not known") => {
            "take a look at the old space: ducktrack leaks PID (or dump=end) makes a full collection".to_owned()
        }
        (Some(field), ..) if is_generated(field) => classes(row),
        (None, Some(_), _) if is_of_loader(row) => classes(row),
        (Some(field), ..) if is_thread_local(row) => {
            format!("call {field}.remove() when a thread has done its task, or give what it holds a bound")
        }
        (Some(field), ..) if is_softly_held(row) => {
            format!("the JVM clears what soft references refer to before the heap is full; what stays are their entries: remove those from {field}, or give it a bound")
        }
        (Some(field), ..) => {
            let of = outer_field(row, field, project);
            let of = of.map_or_else(String::new, |outer| format!(", which {outer} holds,"));
            format!("remove from {field}{of} what is no longer needed, or give it a bound")
        }
        (None, Some(root), _) if root.kind == "class-field" => {
            format!("call ClassValue.remove for a class that is no longer needed, or do not keep{adds} in a ClassValue")
        }
        (None, Some(root), _) if row.held_outside.is_none() => {
            format!("remove from {}{adds}, or give it a bound", root.name)
        }
        _ => format!("find who holds it (a heap dump shows the path), and remove{adds}"),
    }
}

/// A place in the program's own code, or else where it is made.
fn place(row: &CandidateDoc) -> Option<&str> {
    let places = [&row.caller, &row.added_by, &row.holder_made, &row.made];
    let mut own = places.into_iter().flatten().map(|place| line_of(place));
    let own = own.find(|place| is_own_place(place));
    own.or(row.caller.as_deref()).or(row.made.as_deref())
}

/// The nearest field of the project that leads to the field of a library.
fn outer_field(row: &CandidateDoc, field: &str, project: &str) -> Option<String> {
    let is_of_project = |class: &str| !project.is_empty() && in_scope(project, class);
    let class = field.rsplit_once('.').map_or(field, |(class, _)| class);
    if is_of_project(class) {
        return None;
    }
    let steps = row.path.get(..row.structure.as_ref()?.field_step?)?;
    let pairs = steps.iter().zip(steps.iter().skip(1)).rev();
    let mut fields = pairs.filter(|(holder, _)| is_of_project(&holder.ty));
    let of_step =
        fields.find_map(|(holder, held)| Some(format!("{}.{}", holder.ty, held.by.as_ref()?)));
    let of_root = || {
        let root = row.root.as_ref().filter(|root| root.kind == "static")?;
        let field = root.name.strip_prefix("static ")?;
        let (class, _) = field.rsplit_once('.')?;
        is_of_project(class).then(|| field.to_owned())
    };
    of_step.or_else(of_root)
}

/// A class stays as long as its loader, and nobody can take it away from that.
fn classes(row: &CandidateDoc) -> String {
    let place = place(row).filter(|place| is_own_place(place));
    let place = place.map_or_else(String::new, |place| format!(" (see {place})"));
    format!(
        "a class stays as long as its class loader: make or load one class for many uses, not one for each{place}"
    )
}

/// The field is that of a class that a library made while the program ran.
fn is_generated(field: &str) -> bool {
    let class = field.rsplit_once('.').map_or(field, |(class, _)| class);
    let internal = class.replace('.', "/");
    stable_class(&internal) != internal
}

/// A class loader holds it, and no class of the program's own is on the way.
fn is_of_loader(row: &CandidateDoc) -> bool {
    let root = row.root.as_ref().map(|root| root.name.as_str());
    let names = row.path.iter().map(|step| step.ty.as_str()).chain(root);
    let last = names.map(|name| name.rsplit('.').next().unwrap_or(name).to_owned());
    let is_loader =
        |name: String| name.ends_with("ClassLoader") || LOADERS.contains(&name.as_str());
    last.into_iter().any(is_loader)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event_trace::holder_docs::{RootDoc, StepDoc, StructureDoc};

    fn row(root: &str, field: Option<&str>, steps: &[(&str, &str)]) -> CandidateDoc {
        let step = |(by, ty): &(&str, &str)| StepDoc {
            ty: (*ty).to_owned(),
            by: Some((*by).to_owned()),
            count: 1,
            age: 0,
            staleness: None,
            repeats: false,
            own: true,
            made: None,
        };
        CandidateDoc {
            verdict: "leaks".to_owned(),
            caller: Some(
                "org.lib.Mapper.map(Mapper.java:7) calls java.util.HashMap.put".to_owned(),
            ),
            root: Some(RootDoc {
                kind: "static".to_owned(),
                name: root.to_owned(),
            }),
            structure: Some(StructureDoc {
                piles_up: steps.len(),
                retained: 0,
                field_step: field.map(|_| steps.len() - 1),
                field: field.map(str::to_owned),
                within: None,
                added: None,
            }),
            path: steps.iter().map(step).collect(),
            ..CandidateDoc::default()
        }
    }

    #[test]
    fn a_field_of_a_library_is_that_of_its_holder_too() {
        let steps = [
            ("", "com.acme.Evaluator"),
            ("values", "org.lib.Property"),
            ("annotations", "java.util.IdentityHashMap"),
        ];
        let row = row(
            "static com.acme.Main.E",
            Some("org.lib.Property.annotations"),
            &steps,
        );
        assert_eq!(
            to_do(&row, "com.acme"),
            "remove from org.lib.Property.annotations, which com.acme.Evaluator.values holds, what is no longer needed, or give it a bound"
        );
        for program in ["", "org.lib", "org.other"] {
            assert_eq!(
                to_do(&row, program),
                "remove from org.lib.Property.annotations what is no longer needed, or give it a bound"
            );
        }
    }

    #[test]
    fn nobody_removes_a_class_from_its_loader() {
        let loader = row(
            "static java.lang.ClassLoader.scl",
            None,
            &[("", "jdk.internal.loader.ClassLoaders$AppClassLoader")],
        );
        let generated = row(
            "static a.Order$ByteBuddy$hQAIlkTw.handler",
            Some("a.Order$ByteBuddy$hQAIlkTw.handler"),
            &[("", "org.lib.Interceptor")],
        );
        for row in [loader, generated] {
            let to_do = to_do(&row, "");
            assert!(to_do.starts_with("a class stays"), "{to_do}");
            assert!(
                to_do.ends_with(
                    "(see org.lib.Mapper.map(Mapper.java:7) calls java.util.HashMap.put)"
                ),
                "{to_do}"
            );
        }
    }
}
