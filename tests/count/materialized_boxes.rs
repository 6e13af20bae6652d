//! `record=materialized` and boxing: what reached the heap is never more than
//! what was made, also where the cache of the boxes is made meanwhile.

use ducktrack_tests::{Jdk, agent_argument, compiled, matrix_jdks, printed_by, trace_command};
use serde_json::Value;

/// Objects of each of the four types.
const BOXES: i64 = 1_000;

/// Made and materialized objects of each method that boxes.
fn boxes(jdk: &Jdk) -> Vec<(i64, i64)> {
    let folder = compiled(&["FirstBoxes"], 11);
    let trace = folder.path().join("trace");
    let mut java = jdk.java(folder.path());
    // Without an archive, the caches are made when they are asked for; interpreted, each box reaches the heap.
    java.args(["-Xshare:off", "-Xint", "-Xmx32m"]);
    java.arg(agent_argument("record=materialized", &trace));
    printed_by(java.arg("FirstBoxes"));
    let report = trace_command("report", &trace, &[]);
    let number = |value: &Value| value.as_i64().unwrap_or(0);
    let sites = report["sites"].as_array().into_iter().flatten();
    let own = sites.filter(|site| site["class"] == "FirstBoxes" && site["method"] == "boxed");
    let counts = own.map(|site| {
        (
            number(&site["count"]),
            number(&site["materialized"]["count"]),
        )
    });
    counts.collect()
}

#[test]
fn a_cache_that_is_made_meanwhile_is_no_box() {
    for jdk in matrix_jdks() {
        assert_eq!(boxes(&jdk), [(BOXES, BOXES); 4], "{jdk}");
    }
}
