//! The keys of `ducktrack holders`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event_trace::head::{RowsDoc, TraceHead};
use crate::event_trace::holder_docs::{HolderPathDoc, HoldingDoc, MadeDoc};
use crate::event_trace::place::PlaceDoc;

/// Rows that a page takes.
const PAGE_ROWS: usize = 1000;

/// Who holds what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HoldersReport {
    /// Always `ducktrack-holders`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// The head that all reports on event traces share.
    #[serde(flatten)]
    pub head: TraceHead,
    /// The heap dump.
    pub dump: String,
    /// The collection with which the dump began; 0 where the trace does not know it.
    pub collection: u32,
    /// Why no object has a site; null where they have.
    pub without_sites: Option<String>,
    /// Where a dump ends that the JVM did not finish: every figure is at least that; null for a whole one.
    pub cut_at: Option<u64>,
    /// How dump and trace agree.
    pub join: JoinDoc,
    /// All objects of the dump.
    pub total: HoldingDoc,
    /// Buffers with memory of their own outside of the heap (`java.nio.DirectByteBuffer`).
    pub direct_buffers: DirectBuffersDoc,
    /// The objects that `--type` and `--site` choose; null when neither is given.
    pub selected: Option<SelectedDoc>,
    /// How many rows there are.
    pub rows: RowsDoc,
    /// Objects of the dump without a site.
    pub unattributed: HoldingDoc,
    /// By type, most retained bytes first.
    pub types: Vec<HoldingTypeDoc>,
    /// By site, most retained bytes first.
    pub sites: Vec<HoldingSiteDoc>,
    /// Paths from roots to the chosen objects; without a choice to where retained bytes accumulate. Most retained bytes first.
    pub paths: Vec<HolderPathDoc>,
    /// The dominator tree, objects of one type below one parent together; parents before their children.
    pub dominators: Vec<DominatorDoc>,
}

/// Memory outside of the heap, which no retained bytes have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirectBuffersDoc {
    /// Buffers that own memory; views of others are left out.
    pub count: u64,
    /// Their capacity, in bytes.
    pub bytes: u64,
}

/// How dump and trace agree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JoinDoc {
    /// Objects of the dump.
    pub objects: u64,
    /// Of these: in the trace at the same address.
    pub found: u64,
    /// Of these: put by a collector where objects have been.
    pub fillers: u64,
    /// Of these: made after the collection that the dump is joined by, and not known to the trace where they are.
    pub made_since: u64,
    /// Of these: not in the trace, by class.
    pub missing: Vec<TypeCountDoc>,
    /// Objects of the trace in an archive of the JDK that the dump leaves out.
    pub archived_only_in_trace: u64,
    /// Other objects of the trace that the dump leaves out, by type.
    pub only_in_trace: Vec<TypeCountDoc>,
}

/// Objects of a type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TypeCountDoc {
    /// The type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Objects.
    pub count: u64,
}

/// The objects that are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SelectedDoc {
    /// The objects; `retained` is a lower bound.
    #[serde(flatten)]
    pub held: HoldingDoc,
    /// Exactly what would be free without all of them, as the dump has it.
    pub exactly_retained: i64,
    /// Classes would be unloaded with them: at least `exactlyRetained` would be free, since a dump does not have what instance fields of
    /// class objects hold.
    pub frees_classes: bool,
}

/// The objects held by those of a type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HoldingTypeDoc {
    /// The type.
    #[serde(rename = "type")]
    pub ty: String,
    /// The objects that they hold.
    #[serde(flatten)]
    pub held: HoldingDoc,
}

/// The objects held by those of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HoldingSiteDoc {
    /// Where, what and how.
    #[serde(flatten)]
    pub place: PlaceDoc,
    /// The objects that they hold.
    #[serde(flatten)]
    pub held: HoldingDoc,
    /// The same by caller to blame, most retained bytes first; empty when no caller is known.
    pub context: Vec<HoldingContextDoc>,
}

/// The objects held by those of a site that one caller is to blame for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HoldingContextDoc {
    /// `com.acme.Shop.open(Shop.java:12) calls java.util.HashMap.put`; null: not known.
    pub caller: Option<String>,
    /// The objects that they hold.
    #[serde(flatten)]
    pub held: HoldingDoc,
}

/// Objects of one type, immediately dominated by objects of one group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DominatorDoc {
    /// The group that dominates them, by its place in the list; null: only roots do.
    pub parent: Option<u32>,
    /// Their type; of class objects `class com.acme.Shop`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Objects.
    pub count: i64,
    /// Their own bytes.
    pub bytes: i64,
    /// The bytes and objects that they retain.
    pub retained: i64,
    /// Who made one of them; null when not known.
    pub made: Option<MadeDoc>,
}

impl HoldersReport {
    /// The document with so few rows that a browser opens it at once.
    pub(super) fn for_a_page(&self) -> Self {
        let mut page = self.clone();
        page.types.truncate(PAGE_ROWS);
        page.sites.truncate(PAGE_ROWS);
        page
    }
}
