//! The keys of `ducktrack heap`.

use std::fmt;
use std::num::ParseIntError;

use serde::{Deserialize, Serialize};

use crate::event_trace::head::{RowsDoc, TraceHead};
use crate::event_trace::place::PlaceDoc;
use crate::json::{AmountDoc, ContextDoc, ThreadDoc, TypeDoc};

/// The moment of a heap. In JSON the number of a collection, `last` or `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum HeapMoment {
    /// After this collection.
    After(u32),
    /// After the last collection after which the heap is known.
    Last,
    /// The end of the trace.
    End,
}

impl fmt::Display for HeapMoment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::After(number) => write!(out, "{number}"),
            Self::Last => out.write_str("last"),
            Self::End => out.write_str("end"),
        }
    }
}

impl From<HeapMoment> for String {
    fn from(moment: HeapMoment) -> Self {
        moment.to_string()
    }
}

impl TryFrom<String> for HeapMoment {
    type Error = ParseIntError;

    fn try_from(word: String) -> Result<Self, ParseIntError> {
        match word.as_str() {
            "last" => Ok(Self::Last),
            "end" => Ok(Self::End),
            number => number.parse().map(Self::After),
        }
    }
}

/// The heap at a moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeapReport {
    /// Always `ducktrack-heap`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// The head that all reports on event traces share.
    #[serde(flatten)]
    pub head: TraceHead,
    /// The moment that was asked for: the number of a collection, or `end`.
    #[schemars(with = "String")]
    pub at: HeapMoment,
    /// The last collection before the moment; null: there was none.
    pub collection: Option<u32>,
    /// Microseconds from the start of the run to the moment; null when not known.
    pub micros: Option<u64>,
    /// Share of objects whose site is known.
    pub quality: QualityDoc,
    /// All objects.
    pub total: AmountDoc,
    /// The sums after the filter, before `top` cuts.
    pub selected: AmountDoc,
    /// How many rows it keeps.
    pub rows: RowsDoc,
    /// Objects of `total` that no collection has seen yet: some may be dead.
    pub not_yet_collected: AmountDoc,
    /// Kept objects that no event explains; null when the filter keeps none of them.
    pub unattributed: Option<HeapPartDoc>,
    /// Kept objects by collections survived; empty where a filter cuts through sites.
    pub ages: Vec<u64>,
    /// The spaces of the whole heap, by kind.
    pub spaces: Vec<SpaceDoc>,
    /// By allocating thread, most bytes first; empty when another filter is on: it is known for the whole heap only.
    pub threads: Vec<ThreadDoc>,
    /// By type.
    pub types: Vec<TypeDoc>,
    /// Of the whole heap, by type: objects of the JDK's archive (G1 up to JDK 18), the dead ones too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub archived: Vec<TypeDoc>,
    /// By site.
    pub sites: Vec<HeapSiteDoc>,
    /// Where objects of the listed types have their fields, if types were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<LayoutDoc>,
}

/// How objects of a class are laid out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LayoutDoc {
    /// The class.
    #[serde(rename = "type")]
    pub ty: String,
    /// Bytes of an object; null: each has its own size.
    pub bytes: Option<u32>,
    /// All fields, those of superclasses included, ascending by offset.
    pub fields: Vec<LayoutFieldDoc>,
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LayoutFieldDoc {
    /// Bytes from the start of the object.
    pub offset: u32,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its name.
    pub name: String,
    /// The class that declares it.
    pub declared_by: String,
}

/// How much is known of the live objects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QualityDoc {
    /// The collection after which it was taken.
    pub collection: u32,
    /// Live objects.
    pub objects: u64,
    /// Of these, objects whose site is known.
    pub with_site: u64,
    /// `withSite` of `objects`, in percent.
    pub percent: f64,
}

/// Live objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HeapPartDoc {
    /// Objects.
    pub count: i64,
    /// Bytes.
    pub bytes: i64,
    /// Objects by collections survived, `ages[0]` none yet; empty when the filter cuts through.
    pub ages: Vec<u64>,
    /// By type, most bytes first.
    pub types: Vec<TypeDoc>,
    /// By blamed caller, most bytes first; empty when no caller is known, else sums to `count` and `bytes`.
    #[serde(default)]
    pub context: Vec<ContextDoc>,
}

/// The live objects of one site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HeapSiteDoc {
    /// Where, what and how.
    #[serde(flatten)]
    pub place: PlaceDoc,
    /// Class loaders whose classes have this place.
    pub loaders: u32,
    /// How many.
    #[serde(flatten)]
    pub live: HeapPartDoc,
}

/// All spaces or regions of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SpaceDoc {
    /// `eden`, `survivor`, `old`, `humongous`, ...
    pub kind: String,
    /// How many (G1: regions).
    pub areas: u64,
    /// Bytes from their bottoms to their tops.
    pub used: u64,
    /// Live objects in them.
    pub count: i64,
    /// Their bytes.
    pub bytes: i64,
}
