//! The head of every report on an event trace: the run, how much of the heap is known, the gaps.

use ducktrack_analyses::TraceModel;
use ducktrack_count_model::FileDamage;
use ducktrack_heap_replay::{HeapKnowledge, KnowledgeGap, TraceInfo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::class_name::printable;
use crate::filter::Filter;
use crate::json::{FilterDoc, FindingDoc, RunDoc, filter_doc, finding_doc, run_doc};
use crate::quantity::counted;
use crate::view::View;

/// The head of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TraceHead {
    /// The run and its VM, as in the counting report.
    pub run: RunDoc,
    /// The filter of the report.
    pub filter: FilterDoc,
    /// The same for the renderers.
    #[serde(skip)]
    pub(crate) asked: Filter,
    /// Level at which moves were recorded: `exact`, `finish`, `off`; null when there was no collection.
    pub moves: Option<String>,
    /// Whether the live heap is known.
    pub knowledge: KnowledgeDoc,
    /// The questions that this trace cannot answer, as sentences.
    pub missing: Vec<String>,
    /// The damage and the contradictions of the files.
    pub damage: Vec<FindingDoc>,
    /// The agent's own list of its losses while recording.
    pub losses: Vec<String>,
}

/// How many rows a filter keeps, before `top` cuts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RowsDoc {
    /// Rows of `sites`.
    pub sites: u64,
    /// Rows of `types`.
    pub types: u64,
}

/// Whether the live heap is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnowledgeDoc {
    /// `known`, `no-collection`, `never`, `lost`.
    pub state: String,
    /// With `lost`: the first collection whose moves are not known.
    pub since: Option<u32>,
    /// With `never` and `lost`: why.
    pub reason: Option<String>,
    /// Stretches of collections after which the heap is not known, between others where it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<KnowledgeGapDoc>,
    /// Where it was lost on the way: stretches in which it is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<KnownStretchDoc>,
}

/// Collections after which the heap is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnownStretchDoc {
    /// The first; 0: the start of the run.
    pub since: u32,
    /// The last.
    pub until: u32,
}

impl KnowledgeDoc {
    /// Where it was lost on the way: `collections 0 to 4 and 9 to 20`.
    pub(super) fn stretches(&self) -> Option<String> {
        let names = self.known.iter();
        let names: Vec<String> = names
            .map(|one| format!("{} to {}", one.since, one.until))
            .collect();
        let (last, others) = names.split_last()?;
        Some(match others {
            [] => format!("collections {last}"),
            others => format!("collections {} and {last}", others.join(", ")),
        })
    }
}

/// A stretch in which the heap is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnowledgeGapDoc {
    /// The first collection after which the heap is not known.
    pub since: u32,
    /// The collection after which it is known again.
    pub until: u32,
    /// Why.
    pub reason: String,
}

impl TraceHead {
    pub(super) fn of(model: &TraceModel, view: &View, filter: &Filter) -> Self {
        let info = &model.info;
        let of_events = info.damage.iter().map(event_damage);
        Self {
            run: run_doc(view),
            filter: filter_doc(filter),
            asked: filter.clone(),
            moves: (!info.level.is_empty()).then(|| printable(&info.level)),
            knowledge: knowledge(info),
            missing: missing(model),
            damage: view
                .damage
                .iter()
                .map(finding_doc)
                .chain(of_events)
                .filter(|found| !info.recovered.is_running || !is_of_running(found))
                .collect(),
            losses: view.losses.clone(),
        }
    }

    /// The damage and the losses, one line each.
    pub(super) fn trouble(&self) -> Vec<String> {
        let damage = self.damage.iter().map(|found| match &found.file {
            Some(file) => format!("{file}: {}", found.text),
            None => found.text.clone(),
        });
        let losses = self
            .losses
            .iter()
            .map(|loss| format!("lost while recording: {loss}"));
        damage.chain(losses).collect()
    }
}

/// The files of a JVM that runs are not finished, and their last block may be half written.
fn is_of_running(found: &FindingDoc) -> bool {
    matches!(found.name.as_str(), "no-end" | "cut")
}

fn event_damage(found: &FileDamage) -> FindingDoc {
    FindingDoc {
        file: Some(printable(&found.file)),
        name: found.damage.name().to_owned(),
        text: printable(&found.damage.to_string()),
    }
}

fn knowledge(info: &TraceInfo) -> KnowledgeDoc {
    let (state, since, reason) = match &info.knowledge {
        HeapKnowledge::NoCollection => ("no-collection", None, None),
        HeapKnowledge::Known => ("known", None, None),
        HeapKnowledge::Never { reason } => ("never", None, Some(printable(reason))),
        HeapKnowledge::Lost { since, reason } => ("lost", Some(since.0), Some(printable(reason))),
    };
    KnowledgeDoc {
        state: state.to_owned(),
        since,
        reason,
        gaps: info.knowledge_gaps.iter().map(gap).collect(),
        known: known(info),
    }
}

fn known(info: &TraceInfo) -> Vec<KnownStretchDoc> {
    let is_lost = matches!(info.knowledge, HeapKnowledge::Lost { .. });
    if !is_lost && info.knowledge_gaps.is_empty() {
        return Vec::new();
    }
    let stretches = info.known_stretches.iter();
    stretches
        .map(|stretch| KnownStretchDoc {
            since: stretch.since.0,
            until: stretch.until.0,
        })
        .collect()
}

fn gap(gap: &KnowledgeGap) -> KnowledgeGapDoc {
    KnowledgeGapDoc {
        since: gap.since.0,
        until: gap.until.0,
        reason: printable(&gap.reason),
    }
}

fn missing(model: &TraceModel) -> Vec<String> {
    let info = &model.info;
    let mut missing = Vec::new();
    missing.extend(info.knowledge_gaps.iter().map(|gap| {
        format!(
            "the heap is not known from collection {} up to collection {}, after which it is known again: {}",
            gap.since.0,
            gap.until.0,
            printable(&gap.reason)
        )
    }));
    match &info.knowledge {
        HeapKnowledge::Known => {}
        HeapKnowledge::NoCollection => missing.push(
            "no collection was recorded: everything that was allocated may still be there"
                .to_owned(),
        ),
        HeapKnowledge::Never { reason } => missing.push(format!(
            "moves and deaths are not in this trace: {}",
            printable(reason)
        )),
        HeapKnowledge::Lost { since, reason } => missing.push(format!(
            "the heap is not known from collection {} on: {}",
            since.0,
            printable(reason)
        )),
    }
    if info.recovered.is_running {
        missing.push(
            "the JVM runs: what its threads have in their buffers is not in the files yet, and not in this report"
                .to_owned(),
        );
    }
    for (number, what, then) in [
        (
            info.sums.dropped,
            "event",
            "dropped while recording: these objects have no site",
        ),
        (info.lost_blocks, "block", "that the agent could not write"),
        (
            info.recovered.private_threads,
            "thread",
            match info.recovered.is_running {
                true => {
                    "whose last events a kill would lose: there is no room for their buffers in memory that outlives the JVM"
                }
                false => {
                    "whose last events are lost: the JVM was killed, and there was no room for their buffers in memory that outlives it"
                }
            },
        ),
        (info.sums.malformed, "event", "not readable"),
        (
            info.sums.size_unknown,
            "event",
            "without a known size: counted with 0 bytes",
        ),
        (
            info.unexplained_survivors,
            "survivor",
            "contradicting the events",
        ),
        (info.conflicts, "survivor", "lying where another does"),
    ] {
        if number > 0 {
            missing.push(format!("{} {then}", counted(number, what)));
        }
    }
    missing
}
