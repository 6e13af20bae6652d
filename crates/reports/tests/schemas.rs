//! The JSON Schemas that the command prints: held by their hashes, and the outputs in `tests/golden` fit them.

use std::fs;
use std::path::{Path, PathBuf};

use boon::{Compiler, Schemas};
use ducktrack_reports::{document_names, document_schema};
use serde_json::Value;

/// The hash of each schema. A key that goes away or changes its meaning raises the version of its document (JSON.md); then the new hash
/// belongs here.
const HELD: [(&str, u64); 19] = [
    ("report", 0x2960_b16b_73ba_48b8),
    ("contexts", 0xf153_f778_d3d8_8ced),
    ("off-heap", 0x79b4_dfb0_39d0_f940),
    ("advise", 0x2ae1_ec44_38af_a8ea),
    ("diff", 0xf7f8_547e_030d_9bbe),
    ("fleet", 0xb623_1a91_bef9_19ec),
    ("top", 0xe2f5_2046_287c_1ab3),
    ("info", 0xd9d7_813b_c1b2_1cc7),
    ("heap", 0xea0d_107a_3d63_03b7),
    ("lifetimes", 0x44ce_ddc6_2a30_ada6),
    ("timeline", 0xcf71_306f_9286_403a),
    ("cost", 0xbd51_b639_8fa3_988c),
    ("stale", 0x65cf_fea8_834f_1de3),
    ("deaths", 0x9f22_e91d_9455_e80c),
    ("leaks", 0xf718_da92_ba3e_f61b),
    ("holders", 0x7cce_bf3d_e2fd_e99c),
    ("waste", 0x16dc_4a28_85b3_f37f),
    ("memory", 0xcf20_fca6_b2cc_64f4),
    ("impact", 0xac30_ba95_e899_ed5e),
];

fn schemas() -> Vec<(&'static str, Value)> {
    document_names().map(|name| (name, schema(name))).collect()
}

fn schema(name: &str) -> Value {
    let text = document_schema(name).expect("a document");
    serde_json::from_str(&text).expect("JSON")
}

/// FNV-1a, the same on all machines.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn the_schemas_are_those_that_were_reviewed() {
    let now: Vec<(&str, u64)> = document_names()
        .map(|name| (name, hash(&document_schema(name).unwrap_or_default())))
        .collect();
    assert_eq!(now, HELD, "a document has other keys than before");
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
        assert_eq!(faults(closed(schema), &output), None, "{name}");
        fitting += 1;
    }
    assert!(fitting >= 8, "{fitting} outputs");
}

/// The keys and values that do not fit the schema, as text; `None` if all do.
fn faults(schema: Value, output: &Value) -> Option<String> {
    let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
    compiler.add_resource("output.json", schema).expect("JSON");
    let schema = compiler
        .compile("output.json", &mut schemas)
        .expect("a schema");
    let fits = schemas.validate(output, schema);
    fits.err().map(|faults| faults.to_string())
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
    let schema = schema("heap");
    let fits = |output: &Value| faults(schema.clone(), output).is_none();
    let path = folder("tests/golden").join("heap.json");
    let mut output: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON");
    assert!(fits(&output));
    output["format"] = Value::from(7);
    assert!(!fits(&output));
    output["format"] = Value::from("ducktrack-heap");
    assert!(fits(&output));
    output["unheardOf"] = Value::from(1);
    assert!(fits(&output));
    assert!(faults(closed(schema), &output).is_some());
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}
