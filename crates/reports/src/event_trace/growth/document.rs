//! The keys of `ducktrack growth`.

use serde::{Deserialize, Serialize};

use crate::event_trace::head::{KnownStretchDoc, RowsDoc, TraceHead};
use crate::event_trace::place::PlaceDoc;
use crate::json::{AmountDoc, ContextDoc};

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
    /// A verdict needs this many.
    pub fewest_collections: u64,
    /// How a verdict is reached.
    pub method: String,
    /// How many rows the filter keeps.
    pub rows: RowsDoc,
    /// When a collection last looked at the old space; null: none did.
    pub old_space: Option<OldSpaceDoc>,
    /// Kept sites by verdict, before `top` cuts them, with objects without an event.
    pub verdicts: VerdictsDoc,
    /// Kept types by verdict, before `top` cuts them.
    pub type_verdicts: VerdictsDoc,
    /// Windows between marks; empty without a mark.
    pub windows: Vec<WindowDoc>,
    /// Growing sites that rise as one curve, steepest first.
    pub groups: Vec<GroupDoc>,
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
    /// Growth without a bound within the run.
    pub growing: u64,
    /// Up and down.
    pub periodic: u64,
    /// Around one level.
    pub bounded: u64,
    /// Too little is known.
    pub unknown: u64,
    /// Bytes more per collection of all growing ones together.
    pub bytes_per_collection: f64,
    /// Bytes more per second of all growing ones together.
    pub bytes_per_second: f64,
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
    /// Objects that no collection has found dead.
    pub count: i64,
    /// Their bytes.
    pub bytes: i64,
    /// Of these: seen alive by a collection, or young.
    pub live: AmountDoc,
    /// Of these: in old spaces, and not looked at by a full collection since they were made.
    pub not_yet_collected: AmountDoc,
    /// In the order of the report's `windows`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowGrowthDoc>,
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
    /// Objects more per second.
    pub objects_per_second: f64,
    /// Bytes more per second.
    pub bytes_per_second: f64,
    /// Unknown only because no collection has looked at the old space: it grows if all there is alive.
    #[serde(default, skip_serializing_if = "is_false")]
    pub may_grow: bool,
    /// The last collection that counts: after it the program dropped the objects, as it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped_after: Option<u32>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A collection that looked at the old space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OldSpaceDoc {
    /// Which.
    pub collection: u32,
    /// When it ended.
    pub micros: u64,
    /// It looked at all of it, not only at some regions.
    pub full: bool,
}

/// The time from one mark to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowDoc {
    /// The mark it begins with; empty: the start of the run.
    pub name: String,
    /// When it begins.
    pub from_micros: u64,
    /// When it ends.
    pub until_micros: u64,
}

/// How live objects changed in a window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowGrowthDoc {
    /// Objects more at its end.
    pub count: i64,
    /// Bytes more.
    pub bytes: i64,
    /// Objects more per second; null: fewer than two collections.
    pub objects_per_second: Option<f64>,
    /// Bytes more per second; null: fewer than two collections.
    pub bytes_per_second: Option<f64>,
}

/// Growing sites that rise as one curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupDoc {
    /// The likely driver: the site with one object for each unit of growth.
    pub driver: PlaceDoc,
    /// The caller that most of the driver's objects are for; null: not known.
    pub caller: Option<String>,
    /// Units more per second: objects of the driver.
    pub objects_per_second: f64,
    /// Bytes more per second, all sites of the group.
    pub bytes_per_second: f64,
    /// Bytes more per collection, all sites of the group.
    pub bytes_per_collection: f64,
    /// All sites of the group, with the driver.
    pub sites: Vec<GroupSiteDoc>,
}

/// A site of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupSiteDoc {
    /// Where, what and how.
    #[serde(flatten)]
    pub place: PlaceDoc,
    /// Its objects for each of the driver.
    pub objects_each: f64,
}

/// The verdict on one stretch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StretchVerdictDoc {
    /// After which collections the heap is known.
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
