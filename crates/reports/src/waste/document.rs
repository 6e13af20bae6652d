//! The keys of `ducktrack waste`.

use ducktrack_waste::Advice;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What live bytes are wasted on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WasteReport {
    /// Always `ducktrack-waste`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// The heap dump.
    pub dump: String,
    /// The recording of the same JVM; null for a dump alone.
    pub trace: Option<String>,
    /// Why no line is known; null where lines are.
    pub without_lines: Option<String>,
    /// Where a dump ends that the JVM did not finish: every figure is at least that; null for a whole one.
    pub cut_at: Option<u64>,
    /// Objects that roots reach.
    pub live_objects: u64,
    /// Their bytes.
    pub live_bytes: u64,
    /// Bytes that all of the waste together would save, none twice.
    pub total: u64,
    /// Bytes that compact headers (JDK 25, `-XX:+UseCompactObjectHeaders`) would save of the whole live heap, apart from `total`; null
    /// where the JVM had them.
    pub compact_headers_save: Option<u64>,
    /// What G1 loses behind objects that are larger than half a region, which is no part of `total`; null: there is none for any size of
    /// regions.
    pub humongous: Option<HumongousDoc>,
    /// How many rows there are.
    pub rows: u64,
    /// By kind and holder, most bytes first.
    pub waste: Vec<WasteRowDoc>,
}

/// Waste of one kind that one field holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WasteRowDoc {
    /// What is wasted: `equal-strings-latin1`, `empty-lists`.
    pub kind: String,
    /// Objects that could go, or be smaller.
    pub objects: u64,
    /// Bytes that this would save, exact for this dump.
    pub bytes: u64,
    /// Of these: in another row, too, and in `total` once.
    pub overlap: u64,
    /// The field that holds them: `com.acme.Customer.city`; of fields without a value, and of objects with a finalizer, the class. Empty:
    /// not known.
    pub holder: String,
    /// The class with the line that made most of the objects: the program's own line where a library made them for it; null where it is not
    /// known.
    pub class: Option<String>,
    /// The method.
    pub method: Option<String>,
    /// The line.
    pub line: Option<u16>,
    /// The method of a library that this line calls, which made the objects; null where the line itself did.
    pub calls: Option<String>,
    /// The line that made most of the tables inside of them; null where they have none, or the line is not known.
    pub table: Option<WasteLineDoc>,
    /// What to do.
    pub what: String,
    /// What else is known: how many values there are, which fields.
    pub detail: String,
    /// What to do, where the report was not read from a file.
    #[serde(skip)]
    pub(crate) advice: Option<Advice>,
    /// All lines that made the objects, most bytes first; empty where none is known.
    pub makers: Vec<WasteMakerDoc>,
}

/// Large objects under G1. Whether the JVM had G1, a dump does not say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HumongousDoc {
    /// For each size of regions (`-XX:G1HeapRegionSize`).
    pub regions: Vec<RegionDoc>,
    /// By field that holds them and line that made them, most bytes first.
    pub rows: Vec<LargeObjectsDoc>,
}

/// What is lost with one size of regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegionDoc {
    /// Bytes of a region.
    pub region: u64,
    /// Objects that are larger than half of it.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes at the ends of their last regions, which nothing else can use.
    pub lost: u64,
}

/// Objects that are humongous with the smallest regions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LargeObjectsDoc {
    /// The field that holds them; empty: not known.
    pub holder: String,
    /// The line that made them; null: not known.
    pub made: Option<WasteLineDoc>,
    /// How many.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes lost with each size of regions, in the order of `regions`.
    pub lost: Vec<u64>,
}

/// A line of code.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct WasteLineDoc {
    /// The class.
    pub class: String,
    /// The method.
    pub method: String,
    /// The line; null for a class without line numbers.
    pub line: Option<u16>,
    /// The method of a library that it calls, which made the object; null where the line itself did.
    pub calls: Option<String>,
}

/// The objects that one line made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WasteMakerDoc {
    /// The line.
    #[serde(flatten)]
    pub line: WasteLineDoc,
    /// Objects.
    pub objects: u64,
    /// Bytes that they would save.
    pub bytes: u64,
}

impl WasteRowDoc {
    /// The line that made most of the objects.
    pub(super) fn made(&self) -> Option<WasteLineDoc> {
        Some(WasteLineDoc {
            class: self.class.clone()?,
            method: self.method.clone()?,
            line: self.line,
            calls: self.calls.clone(),
        })
    }
}
