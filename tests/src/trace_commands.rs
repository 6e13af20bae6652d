//! Runs commands on a trace.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use ducktrack_reports::{Document, read_json};
use serde_json::Value;

use crate::class_histogram::{ClassAmount, RebuiltHeap, stable_class_name};
use crate::product::ducktrack_command;
use ducktrack_test_support::{Finished, json_by, printed_by};

/// `ducktrack WHAT TRACE WORDS --format json`
#[track_caller]
pub fn trace_command(what: &str, trace: &Path, words: &[&str]) -> Value {
    json_by(&mut command(what, trace, words))
}

/// The same where the command may refuse: then its messages.
pub fn tried_command(what: &str, trace: &Path, words: &[&str]) -> Result<Value, String> {
    let finished = Finished::of(&mut command(what, trace, words));
    match finished.status.success() {
        true => Ok(serde_json::from_str(&finished.out).expect("JSON")),
        false => Err(finished.errors),
    }
}

/// `ducktrack WHAT TRACE WORDS`, as text.
#[track_caller]
pub fn trace_text(what: &str, trace: &Path, words: &[&str]) -> String {
    let mut command = ducktrack_command();
    printed_by(command.arg(what).arg(trace).args(words))
}

/// `ducktrack report TRACE WORDS --format json`
#[track_caller]
pub fn count_report(trace: &Path, words: &[&str]) -> Document {
    read_json(&printed_by(&mut command("report", trace, words))).expect("a report")
}

fn command(what: &str, trace: &Path, words: &[&str]) -> Command {
    let mut command = ducktrack_command();
    command.arg(what).arg(trace).args(words);
    command.args(["--format", "json"]);
    command
}

/// The cause of the full collection before a class histogram.
const HISTOGRAM: &str = "Heap Inspection Initiated GC";

/// The heap right after the last full collection for a histogram; if there is none, after the last full collection.
pub(crate) fn heap_after_histogram(trace: &Path) -> RebuiltHeap {
    let timeline = trace_command("timeline", trace, &[]);
    let mut full = rows(&timeline["collections"]).filter(|collection| collection["kind"] == "full");
    let last_full = full
        .clone()
        .rfind(|collection| collection["cause"] == HISTOGRAM)
        .or_else(|| full.next_back())
        .and_then(|collection| collection["number"].as_u64());
    heap_at(trace, last_full.expect("a full collection in the trace"))
}

/// The heap after the collection with this number.
pub fn heap_at(trace: &Path, collection: u64) -> RebuiltHeap {
    let heap = trace_command("heap", trace, &["--at", &collection.to_string()]);
    RebuiltHeap {
        classes: by_class(&heap["types"]),
        archived: by_class(&heap["archived"]),
    }
}

fn by_class(types: &Value) -> BTreeMap<String, ClassAmount> {
    let mut classes: BTreeMap<String, ClassAmount> = BTreeMap::new();
    for class in rows(types) {
        let name = class["type"].as_str().unwrap_or("(not known)");
        let sum = classes.entry(stable_class_name(name)).or_default();
        sum.count += class["count"].as_u64().expect("count");
        sum.bytes += class["bytes"].as_u64().expect("bytes");
    }
    classes
}

/// The rows of a list, which the output omits if it is empty.
fn rows(list: &Value) -> impl DoubleEndedIterator<Item = &Value> + Clone {
    list.as_array().into_iter().flatten()
}
/// The number of the last collection that had begun by then (Unix milliseconds), from the JSON of `timeline`.
///
/// # Panics
/// There is none.
#[must_use]
pub fn last_collection_by(timeline: &Value, millis: u64) -> u64 {
    let started = timeline["run"]["start_unix_millis"].as_u64();
    let started = started.expect("the start of the run");
    let before = rows(&timeline["collections"]).filter(|one| {
        let micros = one["startMicros"].as_u64().unwrap_or(u64::MAX);
        one["kind"] != "cleanup" && started + micros / 1000 <= millis
    });
    let numbers = before.filter_map(|one| one["number"].as_u64());
    numbers.max().expect("a collection")
}
