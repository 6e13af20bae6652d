//! Which steps of a path stand out: few, and those of the program's own classes
//! first. The others are folded into the fields that lead to the next one.

use super::holder_docs::{HolderPathDoc, RootDoc, StepDoc};
use crate::project::project_of_command;
use crate::quantity::counted;

/// Lines of a path, that of the root included.
const LINES: usize = 8;
/// Folded fields that are named at each end of a longer row of them.
const FIELDS: usize = 3;

/// How much a step says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// What leaks, what piles up, the collection in the field that a person would change and its owner.
    Always,
    /// Of the same project as what leaks.
    Project,
    /// Of a library: not of the JDK.
    Library,
    /// Of the JDK.
    Jdk,
}

/// The places of the steps that stand out. `near`: classes of the project, such as the one that makes what leaks.
pub(super) fn standing_out(path: &HolderPathDoc, near: &[&str]) -> Vec<usize> {
    let projects: Vec<String> = near.iter().filter_map(|class| project(class)).collect();
    let always = always(path);
    let rank = |at: usize, step: &StepDoc| {
        let class = step.ty.strip_prefix("class ").unwrap_or(&step.ty);
        match step.own {
            _ if always.contains(&at) => Rank::Always,
            true if project(class).is_some_and(|one| projects.contains(&one)) => Rank::Project,
            true => Rank::Library,
            false => Rank::Jdk,
        }
    };
    let steps = path.steps.iter().enumerate();
    let ranked = steps.map(|(at, step)| (rank(at, step), core::cmp::Reverse(at)));
    let mut ranked: Vec<_> = ranked.filter(|(rank, _)| *rank < Rank::Jdk).collect();
    // Of equal rank those nearest to what leaks.
    ranked.sort_unstable();
    let mut places: Vec<usize> = ranked
        .into_iter()
        .take(LINES - 1)
        .map(|(_, at)| at.0)
        .collect();
    places.sort_unstable();
    places
}

fn always(path: &HolderPathDoc) -> Vec<usize> {
    let mut places: Vec<usize> = path.steps.len().checked_sub(1).into_iter().collect();
    if let Some(structure) = &path.structure {
        places.extend(structure.field_step);
        places.extend(structure.field_step.and_then(|at| at.checked_sub(1)));
        // Nodes of the JDK say nothing that the collection does not.
        let piles_up = structure.piles_up;
        places.extend(Some(piles_up).filter(|at| path.steps.get(*at).is_some_and(|step| step.own)));
    }
    places
}

/// `com.acme` of `com.acme.shop.Orders`; empty for a class without a package. `None`: a launcher's class, which is of no project.
fn project(class: &str) -> Option<String> {
    match class.contains('.') {
        true => project_of_command(class),
        false => Some(String::new()),
    }
}

/// The root, and a line for each step that stands out.
pub(super) fn lines(root: &RootDoc, steps: &[StepDoc], places: &[usize]) -> Vec<String> {
    let mut lines = vec![root.name.clone()];
    let mut from = 0;
    for place in places {
        if let (Some(step), Some(folded)) = (steps.get(*place), steps.get(from..*place)) {
            lines.push(line(step, folded, from == 0));
        }
        from = *place + 1;
    }
    lines
}

/// `.table[*].value -> com.acme.Session, 40,000 such objects`
fn line(step: &StepDoc, folded: &[StepDoc], from_root: bool) -> String {
    let all = folded.iter().chain([step]);
    let fields: Vec<String> = all
        .enumerate()
        // The root names the first field.
        .filter(|(at, _)| !(from_root && *at == 0))
        .map(|(at, step)| field(step, at < folded.len()))
        .collect();
    let way = match fields.len() {
        ..=6 => fields.concat(),
        many => format!(
            "{} ({} more) {}",
            fields.get(..FIELDS).unwrap_or_default().concat(),
            many - 2 * FIELDS,
            fields.get(many - FIELDS..).unwrap_or_default().concat()
        ),
    };
    let space = if way.is_empty() { "" } else { " " };
    let repeats = if step.repeats {
        " (again and again)"
    } else {
        ""
    };
    let count = match step.count {
        ..2 => String::new(),
        many => format!(", {}", counted(many, "object")),
    };
    let unused = match step.staleness {
        None => String::new(),
        Some(0) => ", in use".to_owned(),
        Some(unused) => format!(", unused for {}", counted(u64::from(unused), "collection")),
    };
    format!("{way}{space}-> {}{repeats}{count}{unused}", step.ty)
}

fn field(step: &StepDoc, is_folded: bool) -> String {
    let by = match step.by.as_deref() {
        None => String::new(),
        Some(by) if by.starts_with(['[', '<']) => by.to_owned(),
        Some(by) => format!(".{}", by.strip_prefix("static ").unwrap_or(by)),
    };
    match step.repeats && is_folded {
        true => format!("{by}(..)"),
        false => by,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event_trace::holder_docs::StructureDoc;

    fn step(ty: &str, by: Option<&str>, own: bool) -> StepDoc {
        StepDoc {
            ty: ty.to_owned(),
            by: by.map(str::to_owned),
            count: 1,
            age: 1,
            staleness: None,
            repeats: false,
            own,
            made: None,
        }
    }

    fn path(steps: Vec<StepDoc>, structure: Option<StructureDoc>) -> HolderPathDoc {
        HolderPathDoc {
            held: Default::default(),
            root: RootDoc {
                kind: "static".to_owned(),
                name: "static com.acme.Shop.OPEN".to_owned(),
            },
            steps,
            structure,
        }
    }

    #[test]
    fn steps_of_the_jdk_become_fields() {
        let steps = vec![
            step("java.util.HashMap", Some("static OPEN"), false),
            step("java.util.HashMap$Node[]", Some("table"), false),
            StepDoc {
                repeats: true,
                ..step("java.util.HashMap$Node", Some("[*]"), false)
            },
            StepDoc {
                count: 40_000,
                ..step("com.acme.Session", Some("value"), true)
            },
        ];
        let structure = StructureDoc {
            piles_up: 2,
            retained: 0,
            field_step: Some(0),
            field: Some("com.acme.Shop.OPEN".to_owned()),
            added: None,
        };
        let path = path(steps, Some(structure));
        let places = standing_out(&path, &["com.acme.Shop"]);
        assert_eq!(places, [0, 3]);
        assert_eq!(
            lines(&path.root, &path.steps, &places),
            [
                "static com.acme.Shop.OPEN",
                "-> java.util.HashMap",
                ".table[*](..).value -> com.acme.Session, 40,000 objects",
            ]
        );
    }

    #[test]
    fn steps_of_the_project_come_before_those_of_libraries() {
        let library = (0..9).map(|at| step(&format!("org.frame.C{at}"), Some("next"), true));
        let own = (0..4).map(|at| step(&format!("com.acme.x.C{at}"), Some("mine"), true));
        let path = path(library.chain(own).collect(), None);
        let places = standing_out(&path, &["com.acme.y.Maker"]);
        assert_eq!(places, [6, 7, 8, 9, 10, 11, 12]);
        let lines = lines(&path.root, &path.steps, &places);
        assert_eq!(lines.len(), LINES);
        assert_eq!(lines[1], ".next.next.next.next.next.next -> org.frame.C6");
    }

    #[test]
    fn what_leaks_stays_whatever_it_is() {
        let path = path(vec![step("byte[]", Some("static BUFFER"), false)], None);
        assert_eq!(standing_out(&path, &[]), [0]);
    }
}
