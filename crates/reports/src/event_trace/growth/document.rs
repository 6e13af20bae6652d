//! The keys of `ducktrack growth`.

use serde::{Deserialize, Serialize};

use crate::event_trace::head::{KnownStretchDoc, RowsDoc, TraceHead};
use crate::event_trace::place::PlaceDoc;
use crate::json::ContextDoc;

/// Rows and points that a page takes; the most telling rows come first.
const PAGE_ROWS: usize = 1000;
const PAGE_POINTS: usize = 128;

/// Verdicts on live counts over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrowthReport {
    /// Always `ducktrack-growth`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// What all reports on event traces begin with.
    #[serde(flatten)]
    pub head: TraceHead,
    /// False: the live heap is not known, and so no verdict.
    pub known: bool,
    /// Collections the verdicts are from, those of all stretches together.
    pub collections: u64,
    /// A verdict needs so many.
    pub fewest_collections: u64,
    /// How a verdict is reached.
    pub method: String,
    /// How many rows the filter keeps.
    pub rows: RowsDoc,
    /// Kept sites by verdict, before `top` cuts them.
    pub verdicts: VerdictsDoc,
    /// Objects without an event, if the filter keeps them.
    pub unattributed: Option<GrowthRowDoc>,
    /// By type: growing ones first, steepest first.
    pub types: Vec<GrowthTypeDoc>,
    /// By site, in the same order.
    pub sites: Vec<GrowthSiteDoc>,
}

/// Sites by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictsDoc {
    /// Without bound, as far as the run shows.
    pub growing: u64,
    /// Up and down.
    pub periodic: u64,
    /// Around one level.
    pub bounded: u64,
    /// Too little is known.
    pub unknown: u64,
    /// Bytes more per collection of all growing ones together.
    pub bytes_per_collection: f64,
}

/// One verdict, and what it is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrowthRowDoc {
    /// The verdict; where there are several stretches, that of the last one that has a verdict.
    #[serde(flatten)]
    pub judged: VerdictDoc,
    /// Where the heap was lost on the way: the verdicts of all stretches in which it is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stretches: Vec<StretchVerdictDoc>,
    /// Objects live at the last collection.
    pub count: i64,
    /// Their bytes.
    pub bytes: i64,
    /// Collections of the points.
    pub at: Vec<u32>,
    /// Microseconds from the start of the run to those collections.
    pub micros: Vec<u64>,
    /// Live objects after them.
    pub counts: Vec<u64>,
    /// Live bytes after them.
    pub sizes: Vec<u64>,
}

/// How live objects develop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictDoc {
    /// `growing`, `periodic`, `bounded`, `unknown`.
    pub verdict: String,
    /// From 0 to 1.
    pub confidence: f64,
    /// Objects more per collection.
    pub objects_per_collection: f64,
    /// Bytes more per collection.
    pub bytes_per_collection: f64,
}

/// The verdict on one stretch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StretchVerdictDoc {
    /// Behind which collections the heap is known.
    #[serde(flatten)]
    pub stretch: KnownStretchDoc,
    /// The verdict.
    #[serde(flatten)]
    pub judged: VerdictDoc,
}

/// The verdict on a type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrowthTypeDoc {
    /// The type.
    #[serde(rename = "type")]
    pub ty: String,
    /// The verdict.
    #[serde(flatten)]
    pub row: GrowthRowDoc,
}

/// The verdict on a site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrowthSiteDoc {
    /// Where, what and how.
    #[serde(flatten)]
    pub place: PlaceDoc,
    /// The verdict.
    #[serde(flatten)]
    pub row: GrowthRowDoc,
    /// What is alive at the end by blamed caller, most bytes first; empty when no caller is known.
    #[serde(default)]
    pub context: Vec<ContextDoc>,
}

impl GrowthReport {
    /// The document with so few rows and points that a browser opens it at once.
    pub(super) fn for_a_page(&self) -> Self {
        let mut page = self.clone();
        page.types.truncate(PAGE_ROWS);
        page.sites.truncate(PAGE_ROWS);
        page.types
            .iter_mut()
            .for_each(|row| row.row.thin_out(PAGE_POINTS));
        page.sites
            .iter_mut()
            .for_each(|row| row.row.thin_out(PAGE_POINTS));
        page
    }
}

impl GrowthRowDoc {
    /// Keeps at most `most` points, evenly spread, first and last among them.
    fn thin_out(&mut self, most: usize) {
        let all = self.at.len();
        if all <= most || most < 2 {
            return;
        }
        let kept: Vec<usize> = (0..most).map(|at| at * (all - 1) / (most - 1)).collect();
        self.at = picked(&self.at, &kept);
        self.micros = picked(&self.micros, &kept);
        self.counts = picked(&self.counts, &kept);
        self.sizes = picked(&self.sizes, &kept);
    }
}

fn picked<T: Copy>(all: &[T], kept: &[usize]) -> Vec<T> {
    kept.iter().filter_map(|at| all.get(*at)).copied().collect()
}
