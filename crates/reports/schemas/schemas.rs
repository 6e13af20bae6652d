//! A JSON Schema for each document, made from its type, and compared with the files beside this one; the outputs in `tests/golden` fit them.
//!
//! `DUCKTRACK_WRITE_PAGES=1 cargo test --workspace --features ducktrack-reports/schema --test schemas` writes the files anew.

use std::fs;
use std::path::{Path, PathBuf};

use ducktrack_reports::{
    AdviceReport, ContextsReport, DeathsReport, DiffDoc, Document, FleetAnswer, GcReport,
    HeapReport, HoldersReport, ImpactReport, InfoReport, LeaksReport, LifetimesReport, LiveDoc,
    MemoryReport, OffHeapReport, StaleReport, TimelineReport, WasteReport,
};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// Set to write files instead of comparing them.
const WRITE: &str = "DUCKTRACK_WRITE_PAGES";

fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("report", schema::<Document>()),
        ("contexts", schema::<ContextsReport>()),
        ("off-heap", schema::<OffHeapReport>()),
        ("advise", schema::<AdviceReport>()),
        ("diff", schema::<DiffDoc>()),
        ("fleet", schema::<FleetAnswer>()),
        ("top", schema::<LiveDoc>()),
        ("info", schema::<InfoReport>()),
        ("heap", schema::<HeapReport>()),
        ("lifetimes", schema::<LifetimesReport>()),
        ("timeline", schema::<TimelineReport>()),
        ("cost", schema::<GcReport>()),
        ("stale", schema::<StaleReport>()),
        ("deaths", schema::<DeathsReport>()),
        ("leaks", schema::<LeaksReport>()),
        ("holders", schema::<HoldersReport>()),
        ("waste", schema::<WasteReport>()),
        ("memory", schema::<MemoryReport>()),
        ("impact", schema::<ImpactReport>()),
    ]
}

fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().into()
}

#[test]
fn the_files_are_the_types() {
    for (name, schema) in schemas() {
        let path = folder("schemas").join(format!("{name}.json"));
        let text = serde_json::to_string_pretty(&schema).expect("JSON") + "\n";
        if std::env::var_os(WRITE).is_some() {
            fs::write(&path, &text).expect("write");
        }
        let file = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            file == text,
            "schemas/{name}.json is older than its type: {WRITE}=1 cargo test --workspace --features ducktrack-reports/schema --test schemas"
        );
    }
}

#[test]
fn outputs_fit_their_schemas_and_have_no_other_keys() {
    let mut fitting = 0;
    for (name, schema) in schemas() {
        let Ok(text) = fs::read_to_string(folder("tests/golden").join(format!("{name}.json")))
        else {
            continue;
        };
        let output: Value = serde_json::from_str(&text).expect("JSON");
        let validator = jsonschema::validator_for(&closed(schema)).expect("a schema");
        let faults: Vec<String> = validator
            .iter_errors(&output)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{name}: {faults:#?}");
        fitting += 1;
    }
    assert!(fitting >= 8, "{fitting} outputs");
}

/// The schema without room for keys that it does not name.
fn closed(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(object) => {
            for (_, below) in object.iter_mut() {
                *below = closed(below.take());
            }
            if object.contains_key("properties") {
                object.insert("additionalProperties".to_owned(), Value::from(false));
            }
        }
        Value::Array(all) => all
            .iter_mut()
            .for_each(|below| *below = closed(below.take())),
        _ => {}
    }
    schema
}

#[test]
fn every_key_has_a_description() {
    for (name, schema) in schemas() {
        let definitions = schema["$defs"].as_object();
        let definitions = definitions.into_iter().flatten().map(|(_, one)| one);
        for one in definitions.chain([&schema]) {
            for (key, property) in one["properties"].as_object().into_iter().flatten() {
                assert!(property["description"].is_string(), "{name}: {key}");
            }
        }
    }
}

#[test]
fn a_wrong_output_does_not_fit() {
    let schema = schema::<HeapReport>();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let path = folder("tests/golden").join("heap.json");
    let mut output: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON");
    assert!(validator.is_valid(&output));
    output["format"] = Value::from(7);
    assert!(!validator.is_valid(&output));
    output["format"] = Value::from("ducktrack-heap");
    assert!(validator.is_valid(&output));
    output["unheardOf"] = Value::from(1);
    let validator = jsonschema::validator_for(&closed(schema)).expect("a schema");
    assert!(!validator.is_valid(&output));
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}
