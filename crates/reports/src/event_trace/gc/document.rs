//! The keys of `ducktrack cost`.

use ducktrack_analyses::PauseKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event_trace::head::{RowsDoc, TraceHead};
use crate::event_trace::place::PlaceDoc;
use crate::json::{AmountDoc, CallerDoc};

/// Rows that a page takes; the most expensive come first.
const PAGE_ROWS: usize = 1000;

/// What each site costs the collector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GcReport {
    /// Always `ducktrack-cost`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// What all reports on event traces begin with.
    #[serde(flatten)]
    pub head: TraceHead,
    /// How costs are worked out, as one paragraph.
    pub method: String,
    /// What times are: `pauses`, or `CPU` of the collector's workers where it works while the program runs (ZGC).
    #[serde(default)]
    pub times: String,
    /// Pauses by what they do.
    pub pauses: Vec<PauseKindDoc>,
    /// Collections whose moves are not known: in no cost.
    pub unknown: UnknownPausesDoc,
    /// All objects together. Pauses that were asked for are in it only by the work done in them.
    pub total: GcCostDoc,
    /// What the filter keeps, before `top` cuts.
    pub selected: GcCostDoc,
    /// How many rows it keeps.
    pub rows: RowsDoc,
    /// Objects without an event, if the filter keeps them.
    pub unattributed: Option<GcCostDoc>,
    /// Runs under other conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub what_if: Vec<WhatIfDoc>,
    /// Objects that have not been used for this many collections are dead in the runs of `unused`.
    #[serde(default)]
    pub unused_for: u32,
    /// `ducktrack cost --dump`: what leak candidates cost, in the order of `ducktrack leaks`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<GcCandidateDoc>,
    /// Where the dump of the candidates ends, if the JVM did not finish it: they hold at least what is said; else null.
    pub dump_cut_at: Option<u64>,
    /// By type, where a run without it saves most first; empty with a filter on packages.
    pub types: Vec<GcTypeDoc>,
    /// By site, in the same order.
    pub sites: Vec<GcSiteDoc>,
}

/// Pauses that do the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PauseKindDoc {
    /// `young and mixed`, `full`, `concurrent cycle`; with ZGC `cycles` (of the young generation, or of all), `old cycles`.
    pub kind: String,
    /// How many.
    pub count: u64,
    /// Of these, asked for by the program, a tool or the room for classes.
    pub asked: u64,
    /// Their length together, without the time that the agent took.
    pub pause_micros: u64,
    /// Bytes copied (young and mixed) or alive (full, and with ZGC) in them.
    pub work_bytes: u64,
    /// Part of each pause that no work explains.
    pub constant_micros: f64,
    /// Time for a megabyte (1,000,000 bytes) of work.
    pub micros_per_megabyte: f64,
    /// Where that is in 95 of 100 runs.
    pub micros_per_megabyte_interval: [f64; 2],
}

/// A run under other conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhatIfDoc {
    /// What is different, as it was asked for.
    pub what: String,
    /// All pauses then; null: nothing is known.
    pub pause_micros: Option<u64>,
    /// Where that is in 95 of 100 runs.
    pub pause_interval: Option<[u64; 2]>,
    /// Why nothing is known, or null.
    pub unknown: Option<String>,
}

/// Collections that nothing is known of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnknownPausesDoc {
    /// How many.
    pub collections: u64,
    /// Their pauses.
    pub pause_micros: u64,
}

/// What some objects cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GcCostDoc {
    /// Objects that reached the heap before the last collection.
    pub count: i64,
    /// Their bytes.
    pub bytes: i64,
    /// Copies that collections made of them.
    pub copied: AmountDoc,
    /// Bytes of `copied`, by collections that the object had survived before.
    pub copied_by_age: Vec<u64>,
    /// Bytes of `copied` whose object died before it was promoted.
    pub copied_in_vain: u64,
    /// Bytes that concurrent cycles marked.
    pub marked: u64,
    /// Moved from a young to an old space.
    pub promoted: AmountDoc,
    /// Of these: found dead the first time that a collection looked there.
    pub promoted_soon_dead: AmountDoc,
    /// Their share of pause time.
    pub pause_micros: u64,
    /// Where that is in 95 of 100 runs.
    pub pause_interval: [u64; 2],
    /// Collections that they brought on.
    pub collections: f64,
    /// What a run without them saves.
    pub without: WithoutDoc,
    /// What a run saves in which they are made, and die when they have not been used for `unusedFor` collections.
    #[serde(default)]
    pub unused: WithoutDoc,
}

/// A run without some objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WithoutDoc {
    /// Collections that do not happen.
    pub collections: f64,
    /// Pause time saved.
    pub pause_micros: u64,
    /// Where that is in 95 of 100 runs.
    pub pause_interval: [u64; 2],
}

/// The cost of what a leak candidate holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GcCandidateDoc {
    /// Whose references; null: a root's.
    pub source: Option<String>,
    /// To what.
    pub target: String,
    /// From `ducktrack leaks`; null: the pair was given.
    pub score: Option<f64>,
    /// Bytes that only these references hold.
    pub held: u64,
    /// What they cost: of each site the share that is among them.
    #[serde(flatten)]
    pub cost: GcCostDoc,
}

/// The cost of a type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GcTypeDoc {
    /// The type.
    #[serde(rename = "type")]
    pub ty: String,
    /// What it costs.
    #[serde(flatten)]
    pub cost: GcCostDoc,
}

/// The cost of a site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GcSiteDoc {
    /// Where, what and how.
    #[serde(flatten)]
    pub place: PlaceDoc,
    /// What it costs.
    #[serde(flatten)]
    pub cost: GcCostDoc,
    /// By blamed caller; empty when no caller is known, else sums to the site.
    #[serde(default)]
    pub context: Vec<GcContextDoc>,
}

/// The cost of what one caller is to blame for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GcContextDoc {
    /// Who.
    #[serde(flatten)]
    pub caller: CallerDoc,
    /// What it costs.
    #[serde(flatten)]
    pub cost: GcCostDoc,
}

impl GcReport {
    /// The document with so few rows that a browser opens it at once.
    pub(super) fn for_a_page(&self) -> Self {
        let mut page = self.clone();
        page.types.truncate(PAGE_ROWS);
        page.sites.truncate(PAGE_ROWS);
        page
    }

    /// Whether times are CPU of a collector that works while the program runs.
    pub(super) fn is_of_cycles(&self) -> bool {
        self.times == "CPU"
    }

    /// Collections that stop the program to collect.
    pub(super) fn collections(&self) -> u64 {
        let cycle = PauseKind::Cycle.name();
        let stops = self.pauses.iter().filter(|kind| kind.kind != cycle);
        stops.map(|kind| kind.count).sum()
    }

    /// All work.
    pub(super) fn work_bytes(&self) -> i64 {
        let work = self.pauses.iter().map(|kind| kind.work_bytes);
        i64::try_from(work.fold(0, u64::saturating_add)).unwrap_or(i64::MAX)
    }

    /// All explained pauses.
    pub(super) fn pause_micros(&self) -> u64 {
        let micros = self.pauses.iter().map(|kind| kind.pause_micros);
        micros.fold(0, u64::saturating_add)
    }
}
