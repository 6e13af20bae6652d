//! The parts of the page that need no script: the cards at the top, completeness and cost below.

use ducktrack_count_model::RunMode;

use crate::card::Card;
use crate::completeness::Basis;
use crate::ending::ValuesOf;
use crate::event_trace::page::title;
use crate::html::caused::{CausedFacts, caused};
use crate::quantity::{
    bytes, bytes_in_objects, counted, grouped, micros, precise_share, share, short_bytes,
};
use crate::view::{Totals, View, eliminated};

/// All texts of the page that are not rows of the table.
pub(super) struct CountFacts {
    pub(super) title: String,
    pub(super) run: Vec<String>,
    pub(super) damage: Vec<String>,
    pub(super) cards: Vec<Card>,
    pub(super) caused: Option<CausedFacts>,
    pub(super) completeness: Vec<(&'static str, String)>,
    pub(super) increments: Vec<(&'static str, String)>,
    pub(super) cost: Vec<(&'static str, String)>,
    pub(super) threads: Vec<ThreadFacts>,
    pub(super) refused: String,
    pub(super) refusals: Vec<RefusalFacts>,
    pub(super) notes: Vec<String>,
    pub(super) stacks: String,
}

pub(super) struct ThreadFacts {
    pub(super) name: String,
    pub(super) state: &'static str,
    pub(super) executed: String,
    pub(super) vm: String,
}

pub(super) struct RefusalFacts {
    pub(super) reason: String,
    pub(super) classes: String,
    pub(super) methods: String,
    pub(super) sites: String,
    pub(super) example: String,
}

pub(super) fn facts(view: &View) -> CountFacts {
    CountFacts {
        title: title(&view.run.command, &view.trace),
        run: run(view),
        damage: damage(view),
        cards: cards(view),
        caused: caused(view),
        completeness: completeness(view),
        increments: match view.run.mode.has_events() {
            true => Vec::new(),
            false => increments(view),
        },
        cost: cost(view),
        threads: threads(view),
        refused: counted(view.refused_sites(), "site") + " not counted",
        refusals: refusals(view),
        notes: view.notes.clone(),
        stacks: stacks(view),
    }
}

fn stacks(view: &View) -> String {
    let stacks = &view.stacks;
    format!(
        "{} of the bytes have stacks ({}). Places and types are exact; what went through a caller is an estimate, whose interval `ducktrack report --tree` prints.",
        share(stacks.with_stacks.bytes, stacks.total.bytes),
        counted(i64::try_from(stacks.samples).unwrap_or(i64::MAX), "sample")
    )
}

fn run(view: &View) -> Vec<String> {
    let run = &view.run;
    let mut facts = vec![format!("pid {}", run.pid)];
    facts.extend([
        format!("{} {}", run.vm_name, run.vm_version),
        run.collector.clone(),
    ]);
    if run.mode.has_events() {
        facts.push(format!("mode {}", run.mode));
    }
    if let Some(snapshot) = &view.snapshot {
        facts.push(match view.ending.values {
            ValuesOf::Counters => "counters as they stand in memory".to_owned(),
            _ => format!("snapshot {} ({})", snapshot.sequence, snapshot.cause),
        });
    }
    if let Some(millis) = view.duration_millis() {
        facts.push(format!("{:.1} s after the start", millis as f64 / 1000.0));
    }
    facts.extend(view.ending.sentences.iter().cloned());
    if run.attached {
        facts.push("loaded into the running VM: what was before is missing".to_owned());
    }
    if view.filter.is_partial() {
        facts.push(format!("only {}", view.filter.description()));
    }
    facts.retain(|fact| !fact.trim().is_empty());
    facts
}

fn damage(view: &View) -> Vec<String> {
    let found = view.damage.iter().map(|found| match &found.file {
        Some(file) => format!("{file}: {}", found.text),
        None => found.text.clone(),
    });
    found
        .chain(
            view.losses
                .iter()
                .map(|loss| format!("lost while recording: {loss}")),
        )
        .collect()
}

fn cards(view: &View) -> Vec<Card> {
    let totals = &view.selected;
    let mut cards = vec![executed(view, totals), made(totals)];
    cards.extend(heap(view.run.mode, totals));
    cards.push(explained(view));
    cards
}

fn executed(view: &View, totals: &Totals) -> Card {
    let of = if view.filter.is_partial() {
        format!(
            "{} of the run's {}",
            share(totals.executed.bytes, view.totals.executed.bytes),
            bytes(view.totals.executed.bytes)
        )
    } else {
        bytes(totals.executed.bytes)
    };
    Card {
        name: "Allocated",
        value: rounded(totals.executed.bytes),
        exact: bytes(totals.executed.bytes),
        note: of,
    }
}

fn made(totals: &Totals) -> Card {
    let note = match totals.bytes_unknown {
        0 => format!("at {}", counted(totals.sites as u64, "site")),
        unknown => format!(
            "at {}; the size of {} is not known",
            counted(totals.sites as u64, "site"),
            grouped(unknown)
        ),
    };
    Card {
        name: "Objects",
        value: grouped(totals.executed.count),
        exact: counted(totals.executed.count, "object"),
        note,
    }
}

fn heap(mode: RunMode, totals: &Totals) -> Option<Card> {
    let heap = totals.materialized?;
    let executed = totals.executed_where_materialized;
    let gone = eliminated(executed, heap);
    let is_whole = executed == totals.executed;
    let at_least = if is_whole { "" } else { "\u{2265} " };
    let recorded = match is_whole {
        true => String::new(),
        false => format!(
            "recorded for {} of the bytes; of these ",
            share(executed.bytes, totals.executed.bytes)
        ),
    };
    // Events are of all objects, counts of the JIT's part only of some sites.
    let exact = match !is_whole && mode.has_events() {
        true => "; ducktrack lifetimes has all of them",
        false => "",
    };
    Some(Card {
        name: "Reached the heap",
        value: format!("{at_least}{}", rounded(heap.bytes)),
        exact: bytes_in_objects(heap.bytes, heap.count),
        note: format!(
            "{recorded}removed by the JIT: {} ({}){exact}",
            bytes(gone.bytes),
            share(gone.bytes, executed.bytes)
        ),
    })
}

fn explained(view: &View) -> Card {
    let completeness = &view.completeness;
    let (value, note) = match (completeness.explained_bytes(), completeness.vm_bytes) {
        (Some(part), Some(whole)) => {
            let at_most = if completeness.basis() == Basis::Executed {
                "\u{2264} "
            } else {
                ""
            };
            (
                format!("{at_most}{}", precise_share(part, whole)),
                format!("of {} by the VM's own count", bytes(whole)),
            )
        }
        _ => (
            "not known".to_owned(),
            "the VM's own count is not in the trace".to_owned(),
        ),
    };
    Card {
        name: "Explained",
        exact: value.clone(),
        value,
        note,
    }
}

fn rounded(value: i64) -> String {
    u64::try_from(value).map_or_else(|_| bytes(value), short_bytes)
}

fn completeness(view: &View) -> Vec<(&'static str, String)> {
    let completeness = &view.completeness;
    let exact = completeness.basis() == Basis::Materialized;
    let (at_most, at_least) = if exact {
        ("", "")
    } else {
        ("at most ", "at least ")
    };
    let mut facts = vec![("executed", bytes(completeness.executed_bytes))];
    facts.extend(
        completeness
            .materialized_bytes
            .map(|heap| ("on the heap", bytes(heap))),
    );
    facts.extend(
        completeness
            .vm_bytes
            .map(|vm| ("the VM's own count", bytes(vm))),
    );
    facts.extend(
        completeness
            .explained_bytes()
            .map(|part| ("explained", format!("{at_most}{}", bytes(part)))),
    );
    facts.extend(completeness.rest_bytes().map(|rest| match rest {
        0 => ("the rest", completeness.rest_is()),
        rest => (
            "the rest",
            format!("{at_least}{}: {}", bytes(rest), completeness.rest_is()),
        ),
    }));
    facts.extend(completeness.eliminated_bytes().map(|gone| {
        (
            "eliminated",
            format!(
                "{at_least}{} were executed and removed by the JIT",
                bytes(gone)
            ),
        )
    }));
    facts.extend(
        completeness
            .before_ready_bytes
            .map(|before| ("before counting", bytes(before))),
    );
    if completeness.shared_objects != 0 {
        let shared = counted(completeness.shared_objects, "object");
        facts.push((
            "may be short",
            format!("{shared} counted where updates may be lost"),
        ));
    }
    if completeness.bytes_unknown != 0 {
        let unknown = counted(completeness.bytes_unknown, "object");
        facts.push(("size not known", format!("{unknown}, in no sum of bytes")));
    }
    facts
}

fn increments(view: &View) -> Vec<(&'static str, String)> {
    let increments = &view.increments;
    let mut facts = vec![
        ("executed", grouped(increments.executed)),
        (
            "one per site",
            format!("would have been {}", grouped(increments.one_per_site)),
        ),
    ];
    for (name, number) in [
        ("only profiling", increments.profile),
        ("lengths, bytes, heap", increments.extra),
        ("counted by key", increments.keyed),
    ] {
        if number > 0 {
            facts.push((name, grouped(number)));
        }
    }
    if view.reinstrumented > 0 {
        facts.push((
            "hot paths",
            format!(
                "{} counted anew",
                counted(view.reinstrumented as u64, "method version")
            ),
        ));
    }
    facts
}

fn cost(view: &View) -> Vec<(&'static str, String)> {
    let cost = &view.cost;
    vec![
        (
            "rewritten",
            format!(
                "{} of {} classes, {} in {}",
                grouped(cost.classes_rewritten),
                grouped(cost.classes_seen),
                counted(cost.methods_rewritten, "method"),
                micros(cost.rewrite_micros)
            ),
        ),
        (
            "bytecode",
            format!(
                "{} became {}",
                bytes(cost.bytecode_bytes_before),
                bytes(cost.bytecode_bytes_after)
            ),
        ),
        (
            "memory",
            format!(
                "{}, {} per thread",
                bytes(cost.memory_bytes),
                counted(cost.counters, "counter")
            ),
        ),
        ("snapshots", micros(cost.snapshot_micros)),
        (
            "agent",
            format!(
                "{} with options {}",
                view.run.agent_version, view.run.options
            ),
        ),
    ]
}

fn threads(view: &View) -> Vec<ThreadFacts> {
    view.completeness
        .threads
        .iter()
        .map(|thread| ThreadFacts {
            name: thread.name.clone(),
            state: thread.kind,
            executed: bytes(thread.executed_bytes),
            vm: thread.vm_bytes.map_or_else(|| "-".to_owned(), bytes),
        })
        .collect()
}

fn refusals(view: &View) -> Vec<RefusalFacts> {
    view.refusals
        .iter()
        .map(|group| RefusalFacts {
            reason: group.reason.clone(),
            classes: grouped(group.classes),
            methods: grouped(group.methods),
            sites: grouped(group.sites),
            example: group.items.first().map_or_else(String::new, |refused| {
                match &refused.method {
                    Some(method) => format!("{}.{method}", refused.class),
                    None => refused.class.clone(),
                }
            }),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ducktrack_count_model::Tally;

    /// Sites with callers do not record what reached the heap: the rest of the page must not read as all of it.
    #[test]
    fn what_reached_the_heap_is_at_least_so_much_where_it_is_recorded_for_a_part() {
        let tally = |count, bytes| Tally { count, bytes };
        let mut totals = Totals {
            executed: tally(100, 3_600),
            materialized: Some(tally(50, 2_000)),
            executed_where_materialized: tally(60, 2_400),
            ..Totals::default()
        };
        let card = heap(RunMode::Count, &totals).expect("a card");
        assert!(card.value.starts_with("\u{2265} "), "{}", card.value);
        assert!(
            card.note.starts_with(
                "recorded for 66.7 % of the bytes; of these removed by the JIT: 400 B"
            ),
            "{}",
            card.note
        );
        totals.executed = totals.executed_where_materialized;
        let card = heap(RunMode::Count, &totals).expect("a card");
        assert!(
            !card.value.starts_with('\u{2265}') && card.note.starts_with("removed by the JIT:")
        );
    }
}
