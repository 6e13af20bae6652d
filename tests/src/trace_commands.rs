//! Runs commands on a trace.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use ducktrack_reports::{Document, read_json};
use serde_json::Value;

use crate::class_histogram::{ClassAmount, RebuiltHeap, stable_class_name};
use crate::product::ducktrack_command;

/// `ducktrack WHAT TRACE WORDS --format json`
pub fn trace_command(what: &str, trace: &Path, words: &[&str]) -> anyhow::Result<Value> {
    serde_json::from_slice(&printed(what, trace, words)?).context("JSON")
}

/// `ducktrack report TRACE WORDS --format json`
pub fn count_report(trace: &Path, words: &[&str]) -> anyhow::Result<Document> {
    let text = String::from_utf8(printed("report", trace, words)?)?;
    read_json(&text).context("a report")
}

fn printed(what: &str, trace: &Path, words: &[&str]) -> anyhow::Result<Vec<u8>> {
    let output = Command::new(ducktrack_command()?)
        .arg(what)
        .arg(trace)
        .args(words)
        .args(["--format", "json"])
        .output()
        .context("ducktrack")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "ducktrack {what}: {errors}");
    Ok(output.stdout)
}

/// The cause of the full collection before a class histogram.
const HISTOGRAM: &str = "Heap Inspection Initiated GC";

/// The heap right after the last full collection for a histogram; if there is none, after the last full collection.
pub(crate) fn heap_after_histogram(trace: &Path) -> anyhow::Result<RebuiltHeap> {
    let timeline = trace_command("timeline", trace, &[])?;
    let all = timeline["collections"].as_array().into_iter().flatten();
    let mut full = all.filter(|collection| collection["kind"] == "full");
    let last_full = full
        .clone()
        .rfind(|collection| collection["cause"] == HISTOGRAM)
        .or_else(|| full.next_back())
        .and_then(|collection| collection["number"].as_u64())
        .context("the trace has no full collection")?;
    heap_at(trace, last_full)
}

/// The heap after the collection with this number.
pub fn heap_at(trace: &Path, collection: u64) -> anyhow::Result<RebuiltHeap> {
    let heap = trace_command("heap", trace, &["--at", &collection.to_string()])?;
    Ok(RebuiltHeap {
        classes: by_class(&heap["types"])?,
        archived: by_class(&heap["archived"])?,
    })
}

/// A list of types, which the output omits if it is empty.
fn by_class(types: &Value) -> anyhow::Result<BTreeMap<String, ClassAmount>> {
    let mut classes: BTreeMap<String, ClassAmount> = BTreeMap::new();
    for class in types.as_array().into_iter().flatten() {
        let name = class["type"].as_str().unwrap_or("(not known)");
        let sum = classes.entry(stable_class_name(name)).or_default();
        sum.count += class["count"].as_u64().context("count")?;
        sum.bytes += class["bytes"].as_u64().context("bytes")?;
    }
    Ok(classes)
}

/// The number of the last collection that had begun by then (Unix milliseconds), from the JSON of `timeline`.
///
/// # Panics
/// There is none.
#[must_use]
pub fn last_collection_by(timeline: &Value, millis: u64) -> u64 {
    let started = timeline["run"]["start_unix_millis"].as_u64();
    let started = started.expect("the start of the run");
    let all = timeline["collections"].as_array().into_iter().flatten();
    let before = all.filter(|one| {
        let micros = one["startMicros"].as_u64().unwrap_or(u64::MAX);
        one["kind"] != "cleanup" && started + micros / 1000 <= millis
    });
    let numbers = before.filter_map(|one| one["number"].as_u64());
    numbers.max().expect("a collection")
}
