//! The keys of `ducktrack heap --stale`.

use serde::{Deserialize, Serialize};

use crate::event_trace::head::{RowsDoc, TraceHead};
use crate::event_trace::place::PlaceDoc;
use crate::json::{AmountDoc, CallerDoc};

/// Live objects by how long they have not been used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaleReport {
    /// Always `ducktrack-stale`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// The head that all reports on event traces share.
    #[serde(flatten)]
    pub head: TraceHead,
    /// The collection after which the heap is looked at.
    pub collection: u32,
    /// Microseconds from the start of the run to its end; null when not known.
    pub micros: Option<u64>,
    /// The last collection before which every object was looked at. Of later uses only those of objects that were collected are known.
    pub all_until: u32,
    /// From this collection on uses are known.
    pub since: u32,
    /// All live objects.
    pub total: AmountDoc,
    /// The sums after the filter, before `top` cuts.
    pub selected: AmountDoc,
    /// Objects of `selected` that were not used for `staleFrom` collections or more.
    pub stale: AmountDoc,
    /// From how many collections on an object counts as stale in `stale` columns and in the order of rows.
    pub stale_from: u32,
    /// How many rows the filter keeps.
    pub rows: RowsDoc,
    /// Kept objects by level.
    pub staleness: Vec<LevelDoc>,
    /// By type, most stale bytes first.
    pub types: Vec<StaleTypeDoc>,
    /// By site, most stale bytes first.
    pub sites: Vec<StaleSiteDoc>,
    /// Kept objects that no event explains; null when the filter keeps none of them.
    pub unattributed: Option<StalePartDoc>,
    /// The whole heap after earlier collections and this one.
    pub points: Vec<StalePointDoc>,
}

/// Objects of one staleness level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LevelDoc {
    /// Collections without a use: `0`, `1`, `2-3`, `4-7`, ...
    pub level: String,
    /// Objects.
    pub count: i64,
    /// Bytes.
    pub bytes: i64,
}

/// Some live objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StalePartDoc {
    /// Objects.
    pub count: i64,
    /// Bytes.
    pub bytes: i64,
    /// The same by level, `0` first; no zeros at the end.
    pub staleness: Vec<LevelDoc>,
}

/// Objects of one type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StaleTypeDoc {
    /// The type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its objects.
    #[serde(flatten)]
    pub part: StalePartDoc,
}

/// Objects of one site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StaleSiteDoc {
    /// Where, what and how.
    #[serde(flatten)]
    pub place: PlaceDoc,
    /// Its objects.
    #[serde(flatten)]
    pub part: StalePartDoc,
    /// By type, most bytes first; empty where the filter keeps some callers only.
    pub types: Vec<StaleTypeDoc>,
    /// By blamed caller, most bytes first; empty when no caller is known, or where the filter keeps some types only.
    pub context: Vec<StaleContextDoc>,
}

/// One caller's part of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StaleContextDoc {
    /// Who.
    #[serde(flatten)]
    pub caller: CallerDoc,
    /// Its objects.
    #[serde(flatten)]
    pub part: StalePartDoc,
}

/// The whole heap after one collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StalePointDoc {
    /// Its number.
    pub collection: u32,
    /// Microseconds from the start of the run to its end; null when not known.
    pub micros: Option<u64>,
    /// All live objects by level.
    pub staleness: Vec<LevelDoc>,
}
