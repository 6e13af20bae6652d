//! Paths from roots for a terminal.

use super::holder_docs::{HolderPathDoc, StepDoc, StructureDoc};
use crate::quantity::{bytes, counted, short_bytes};

/// Steps shown from each end of a longer path.
const HEAD_STEPS: usize = 6;
const TAIL_STEPS: usize = 8;

/// One path: what is held, then the root, then a line for each step.
pub(super) fn write_path(out: &mut String, path: &HolderPathDoc) {
    let held = &path.held;
    out.push_str(&format!(
        "  {} in {}, retaining {}\n    {}\n",
        bytes(held.bytes),
        counted(held.count, "object"),
        retained(held.retained),
        path.root.name
    ));
    write_steps(out, &path.steps);
    if let Some(structure) = &path.structure {
        write_structure(out, structure);
    }
}

/// The step that a person would change.
pub(super) fn write_structure(out: &mut String, structure: &StructureDoc) {
    if let Some(field) = &structure.field {
        out.push_str(&format!(
            "    the field that holds the structure: {field}\n"
        ));
    }
    if let Some(added) = &structure.added {
        let by = match &added.caller {
            Some(caller) => caller.clone(),
            None => added.place.location.to_string(),
        };
        out.push_str(&format!("    added to by: {by}\n"));
    }
}

pub(super) fn retained(value: i64) -> String {
    short_bytes(u64::try_from(value).unwrap_or(0))
}

pub(super) fn write_steps(out: &mut String, steps: &[StepDoc]) {
    let left_out = steps.len().saturating_sub(HEAD_STEPS + TAIL_STEPS);
    for (at, step) in steps.iter().enumerate() {
        if left_out > 0 && at == HEAD_STEPS {
            out.push_str(&format!(
                "      ... {} ...\n",
                counted(left_out as u64, "step")
            ));
        }
        if left_out > 0 && (HEAD_STEPS..HEAD_STEPS + left_out).contains(&at) {
            continue;
        }
        out.push_str(&format!("      {}\n", step_line(step, at)));
    }
}

fn step_line(step: &StepDoc, at: usize) -> String {
    let by = step.by.as_deref().filter(|_| at > 0);
    let by = by.map_or_else(String::new, |by| format!(".{by} "));
    let by = by.replace(".[", "[").replace(".<", "<");
    let repeats = if step.repeats {
        " (again and again)"
    } else {
        ""
    };
    let count = match step.count {
        ..2 => String::new(),
        many => format!(", {}", counted(many, "such object")),
    };
    let made = step.made.as_ref().map_or_else(String::new, |made| {
        let caller = made.caller.as_ref();
        let caller = caller.map_or_else(String::new, |caller| format!(" <- {caller}"));
        format!(", made at {}{caller}", made.place.location)
    });
    let unused = match step.staleness {
        None => String::new(),
        Some(0) => ", in use".to_owned(),
        Some(unused) => format!(", unused for {unused}"),
    };
    format!(
        "{by}-> {}{repeats}{count}, age {}{unused}{made}",
        step.ty, step.age
    )
}
