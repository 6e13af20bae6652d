//! The gaps and the cost of the numbers: completeness, increments, refusals, the agent, damage.

use crate::completeness::{Basis, Completeness};
use crate::quantity::{
    bytes, counted, grouped, grouped_signed, micros, precise_share, short_bytes,
};
use crate::text::{fact, section};
use crate::view::View;

/// Threads and refusals shown.
const THREADS: usize = 5;
const REASONS: usize = 10;

pub(super) fn write(out: &mut String, view: &View, verbose: bool) {
    write_completeness(out, view);
    // Events have no increments.
    if verbose && !view.run.mode.has_events() {
        write_increments(out, view);
    }
    write_refusals(out, view);
    if verbose {
        write_cost(out, view);
    }
    write_trouble(out, view);
}

fn write_completeness(out: &mut String, view: &View) {
    section(out, "COMPLETENESS of the whole run");
    let completeness = &view.completeness;
    write_balance(out, completeness);
    if let Some(before) = completeness.before_ready_bytes {
        fact(
            out,
            "before",
            &format!(
                "{} were allocated before counting was ready; no site knows of them",
                bytes(before)
            ),
        );
    }
    if completeness.shared_objects != 0 {
        let shared = counted(completeness.shared_objects, "object");
        fact(
            out,
            "may be short",
            &format!(
                "{shared} counted in the block that new threads share: updates may be lost there"
            ),
        );
    }
    write_threads(out, completeness);
}

fn write_balance(out: &mut String, completeness: &Completeness) {
    let (Some(vm), Some(explained), Some(rest)) = (
        completeness.vm_bytes,
        completeness.explained_bytes(),
        completeness.rest_bytes(),
    ) else {
        fact(
            out,
            "explained",
            "not known: the VM's own count of allocated bytes is not in the trace",
        );
        return;
    };
    let at_most = match completeness.basis() {
        Basis::Executed => "at most ",
        Basis::Materialized => "",
    };
    fact(
        out,
        "explained",
        &format!(
            "{at_most}{} of the {} that the VM allocated by its own count",
            precise_share(explained, vm),
            bytes(vm)
        ),
    );
    let at_least = match completeness.basis() {
        Basis::Executed => "at least ",
        Basis::Materialized => "",
    };
    fact(
        out,
        "the rest",
        &format!("{at_least}{}: {}", bytes(rest), completeness.rest_is()),
    );
    if let Some(gone) = completeness.eliminated_bytes().filter(|gone| *gone > 0) {
        let how_to = match completeness.basis() {
            Basis::Executed => "; record=materialized shows where",
            Basis::Materialized => "",
        };
        fact(
            out,
            "removed",
            &format!(
                "{at_least}{} were removed by the JIT and never reached the heap{how_to}",
                bytes(gone)
            ),
        );
    }
}

fn write_threads(out: &mut String, completeness: &Completeness) {
    let gaps = completeness
        .threads
        .iter()
        .filter_map(|thread| Some((thread, thread.vm_bytes?)))
        .take(THREADS);
    for (thread, vm) in gaps {
        let difference = thread.executed_bytes.saturating_sub(vm);
        fact(
            out,
            "thread",
            &format!(
                "{}: executed {}, the VM's count {} (difference {} B)",
                thread.name,
                bytes(thread.executed_bytes),
                bytes(vm),
                grouped_signed(difference)
            ),
        );
    }
    let counted_threads = completeness
        .threads
        .iter()
        .filter(|thread| thread.vm_bytes.is_some())
        .count();
    if counted_threads > THREADS {
        fact(
            out,
            "",
            &format!("... {} more threads", counted_threads - THREADS),
        );
    }
}

fn write_increments(out: &mut String, view: &View) {
    section(out, "COUNTER INCREMENTS");
    let increments = &view.increments;
    let saved = increments.saved_share().map_or_else(String::new, |saved| {
        format!(": {:.1} % saved", saved * 100.0)
    });
    fact(
        out,
        "executed",
        &format!(
            "{} to count allocations; one counter per site would have needed {}{saved}",
            grouped(increments.executed),
            grouped(increments.one_per_site)
        ),
    );
    if increments.profile > 0 {
        fact(
            out,
            "profiling",
            &format!(
                "{} more, only to find hot paths",
                grouped(increments.profile)
            ),
        );
    }
    if increments.extra > 0 {
        fact(
            out,
            "extra",
            &format!(
                "{} more, for array lengths, bytes and heap objects",
                grouped(increments.extra)
            ),
        );
    }
    if increments.keyed > 0 {
        fact(
            out,
            "keyed",
            &format!(
                "{} counted by type or caller instead",
                counted(increments.keyed, "object")
            ),
        );
    }
    if view.reinstrumented > 0 {
        fact(
            out,
            "hot paths",
            &format!(
                "{} given new counters for the measured path",
                counted(view.reinstrumented as u64, "method version")
            ),
        );
    }
}

fn write_refusals(out: &mut String, view: &View) {
    section(
        out,
        "REFUSALS: classes and methods that were left as they are",
    );
    if view.refusals.is_empty() {
        out.push_str("  none\n");
        return;
    }
    for group in view.refusals.iter().take(REASONS) {
        let mut parts = Vec::new();
        for (number, what) in [(group.classes, "class"), (group.methods, "method")] {
            match number {
                0 => {}
                _ => parts.push(counted(number, what)),
            }
        }
        let example =
            group
                .items
                .first()
                .map_or_else(String::new, |refused| match &refused.method {
                    Some(method) => format!(", such as {}.{method}", refused.class),
                    None => format!(", such as {}", refused.class),
                });
        out.push_str(&format!(
            "  {}: {} with {} not counted{example}\n",
            group.reason,
            parts.join(" and "),
            counted(group.sites, "site")
        ));
    }
    if view.refusals.len() > REASONS {
        out.push_str(&format!(
            "  ... {} more reasons\n",
            view.refusals.len() - REASONS
        ));
    }
}

fn write_cost(out: &mut String, view: &View) {
    let cost = &view.cost;
    section(out, "THE AGENT ITSELF");
    fact(
        out,
        "rewriting",
        &format!(
            "{} of {} classes, {} in {}",
            grouped(cost.classes_rewritten),
            grouped(cost.classes_seen),
            counted(cost.methods_rewritten, "method"),
            micros(cost.rewrite_micros)
        ),
    );
    fact(
        out,
        "bytecode",
        &format!(
            "{} became {}",
            bytes(cost.bytecode_bytes_before),
            bytes(cost.bytecode_bytes_after)
        ),
    );
    fact(
        out,
        "memory",
        &format!(
            "{} resident, {} per thread",
            short_bytes(cost.memory_bytes),
            counted(cost.counters, "counter")
        ),
    );
    fact(out, "snapshots", &micros(cost.snapshot_micros));
    if view.stacks.samples > 0 {
        let (samples, spent) = (view.stacks.samples, micros(view.stacks.micros));
        let words = format!("{} in {spent} of CPU", counted(samples, "sample"));
        fact(out, "stacks", &words);
    }
}

fn write_trouble(out: &mut String, view: &View) {
    if !view.damage.is_empty() || !view.losses.is_empty() {
        section(out, "DAMAGE AND LOSSES");
        for found in &view.damage {
            let file = found
                .file
                .as_deref()
                .map_or_else(String::new, |file| format!("{file}: "));
            out.push_str(&format!("  {file}{}\n", found.text));
        }
        for loss in &view.losses {
            out.push_str(&format!("  lost while recording: {loss}\n"));
        }
    }
    if !view.notes.is_empty() {
        section(out, "NOTES");
        for note in &view.notes {
            out.push_str(&format!("  {note}\n"));
        }
    }
}
