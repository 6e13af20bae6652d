//! The JSON Schema of each document, made from its type.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::{
    AdviceReport, ContextsReport, DeathsReport, DiffDoc, Document, FleetAnswer, GcReport,
    HeapReport, HoldersReport, ImpactReport, InfoReport, LeaksReport, LifetimesReport, LiveDoc,
    MemoryReport, OffHeapReport, StaleReport, TimelineReport, WasteReport,
};

/// A document, by the command that prints it.
struct Documented {
    name: &'static str,
    schema: fn() -> Schema,
}

const DOCUMENTS: [Documented; 19] = [
    of::<Document>("report"),
    of::<ContextsReport>("contexts"),
    of::<OffHeapReport>("off-heap"),
    of::<AdviceReport>("advise"),
    of::<DiffDoc>("diff"),
    of::<FleetAnswer>("fleet"),
    of::<LiveDoc>("top"),
    of::<InfoReport>("info"),
    of::<HeapReport>("heap"),
    of::<LifetimesReport>("lifetimes"),
    of::<TimelineReport>("timeline"),
    of::<GcReport>("cost"),
    of::<StaleReport>("stale"),
    of::<DeathsReport>("deaths"),
    of::<LeaksReport>("leaks"),
    of::<HoldersReport>("holders"),
    of::<WasteReport>("waste"),
    of::<MemoryReport>("memory"),
    of::<ImpactReport>("impact"),
];

const fn of<T: JsonSchema>(name: &'static str) -> Documented {
    Documented {
        name,
        schema: schema_of::<T>,
    }
}

fn schema_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}

/// The names of all documents.
pub fn document_names() -> impl Iterator<Item = &'static str> {
    DOCUMENTS.iter().map(|document| document.name)
}

/// The JSON Schema (draft 2020-12) of a document, as text; `None` if no document has this name.
#[must_use]
pub fn document_schema(name: &str) -> Option<String> {
    let document = DOCUMENTS.iter().find(|document| document.name == name)?;
    let schema = (document.schema)();
    serde_json::to_string_pretty(&schema)
        .ok()
        .map(|text| text + "\n")
}
