//! Which run, which part of it, how much, by which ways of allocating.

use std::cmp::Reverse;

use ducktrack_count_model::Tally;

use crate::chosen_windows::description;
use crate::ending::ValuesOf;
use crate::filter::Sort;
use crate::grouping::by_kind;
use crate::quantity::{bytes, counted, share};
use crate::text::fact;
use crate::view::{Totals, View, eliminated};

/// Reasons for which methods have no probes because numbers ran out.
const NUMBERS_RAN_OUT: [&str; 2] = ["site-numbers-exhausted", "counter-block-full"];

pub(super) fn write(out: &mut String, view: &View) {
    let command = match view.run.command.as_str() {
        "" => "(command not known)",
        command => command,
    };
    out.push_str(&format!("ducktrack: {command}\n"));
    fact(out, "run", &run(view));
    fact(out, "numbers", &moment(view));
    for sentence in &view.ending.sentences {
        fact(out, "", sentence);
    }
    if let Some(chosen) = &view.chosen_windows {
        fact(out, "window", &description(chosen, view.totals.executed));
    }
    if view.filter.is_partial() {
        fact(out, "only", &view.filter.description());
        fact(out, "of the run", &amount(&view.totals));
    }
    if let Some(lacking) = without_numbers(view) {
        fact(out, "not counted", &lacking);
    }
    fact(out, "allocated", &amount(&view.selected));
    if let Some(heap) = heap(&view.selected) {
        fact(out, "heap", &heap);
    }
    let kinds = kinds(view);
    if !kinds.is_empty() {
        fact(out, &format!("by {}", view.filter.sort.name()), &kinds);
    }
    if view.selected.bytes_unknown != 0 {
        let unknown = counted(view.selected.bytes_unknown, "object");
        fact(
            out,
            "size not known",
            &format!("{unknown}: counted, but in no sum of bytes"),
        );
    }
}

/// Code that has no numbers, because all were given out.
fn without_numbers(view: &View) -> Option<String> {
    let groups = view.refusals.iter();
    let groups = groups.filter(|group| NUMBERS_RAN_OUT.contains(&group.reason.as_str()));
    let (sites, methods) = groups.fold((0, 0), |(sites, methods), group| {
        (sites + group.sites, methods + group.methods)
    });
    (methods > 0).then(|| {
        format!(
            "{} in {}: all numbers were given out when their classes were loaded; this recording is not whole",
            counted(sites, "site"),
            counted(methods, "method")
        )
    })
}

fn run(view: &View) -> String {
    let run = &view.run;
    let mut parts = vec![format!("pid {}", run.pid)];
    let vm = format!("{} {}", run.vm_name, run.vm_version);
    for part in [vm.trim(), &run.collector] {
        if !part.is_empty() {
            parts.push(part.to_owned());
        }
    }
    if run.mode.has_events() {
        parts.push(format!("mode {}", run.mode));
    } else if !run.counters.is_empty() {
        parts.push(format!("{} counters", run.counters));
    }
    if run.attached {
        parts.push("loaded into the running VM: what was before is missing".to_owned());
    }
    parts.join(", ")
}

fn moment(view: &View) -> String {
    let Some(snapshot) = &view.snapshot else {
        return "none: the trace has no whole snapshot".to_owned();
    };
    let since = view.duration_millis().map_or_else(String::new, |millis| {
        format!(", {:.1} s after the start", millis as f64 / 1000.0)
    });
    let ready = match view.run.ready_after_millis {
        0 => String::new(),
        millis => format!(" (counting since {millis} ms)"),
    };
    if view.ending.values == ValuesOf::Counters {
        return format!("counters as they stand in memory{since}{ready}");
    }
    format!(
        "snapshot {} ({}){since}{ready}",
        snapshot.sequence, snapshot.cause
    )
}

fn amount(totals: &Totals) -> String {
    format!(
        "{} in {} at {}",
        bytes(totals.executed.bytes),
        counted(totals.executed.count, "object"),
        counted(totals.sites as u64, "site")
    )
}

fn heap(totals: &Totals) -> Option<String> {
    let heap = totals.materialized?;
    let executed = totals.executed_where_materialized;
    let gone = eliminated(executed, heap);
    let where_recorded = if executed == totals.executed {
        String::new()
    } else {
        format!(" (recorded for {} of the allocated)", bytes(executed.bytes))
    };
    Some(format!(
        "{} in {} reached it; removed by the JIT: {} ({}){where_recorded}",
        bytes(heap.bytes),
        counted(heap.count, "object"),
        bytes(gone.bytes),
        share(gone.bytes, executed.bytes)
    ))
}

fn kinds(view: &View) -> String {
    let number = |tally: Tally| match view.filter.sort {
        Sort::Bytes => tally.bytes,
        Sort::Count => tally.count,
    };
    let mut kinds = by_kind(&view.sites);
    kinds.sort_by_key(|(_, tally)| Reverse(number(*tally)));
    let whole = number(view.selected.executed);
    kinds
        .into_iter()
        .map(|(kind, tally)| format!("{kind} {}", share(number(tally), whole)))
        .collect::<Vec<_>>()
        .join(", ")
}
