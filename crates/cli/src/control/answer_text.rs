//! The agent's answers for people.

use serde_json::Value;

use crate::attach::interval;

/// The state, the costs, and the next step. `target`: the program, as the user has named it.
pub(super) fn state(answer: &Value, target: &str) -> String {
    let (pid, directory) = (number(answer, "pid"), text(answer, "directory"));
    let mut lines = format!(
        "process {pid} is {}: mode {}, into {directory}\n",
        text(answer, "phase"),
        text(answer, "mode"),
    );
    lines += &format!(
        "  for {} s; {} classes rewritten, {} counters, {} snapshots written\n",
        seconds(number(answer, "running_millis")),
        number(answer, "classes_rewritten"),
        number(answer, "counters"),
        number(answer, "snapshots"),
    );
    if let Some(left) = answer["arrival_classes_left"].as_u64() {
        lines += &format!(
            "  the agent is still arriving: {left} classes to go, for which the program is stopped for {} in all\n",
            interval(&answer["arrival_stops_left_micros"]).unwrap_or_default()
        );
    }
    lines += &format!(
        "  allocated by the program since: {:.1} MB; memory of the agent: {:.1} MB\n",
        megabytes(number(answer, "vm_allocated_bytes")),
        megabytes(number(answer, "memory_bytes")),
    );
    // Until it has arrived, there is nothing to report.
    let next = match text(answer, "phase") == "starting" {
        true => format!("next: ducktrack info {target} --state\n"),
        false => format!(
            "next: ducktrack snapshot {target}, ducktrack stop {target}, ducktrack report {directory}\n"
        ),
    };
    lines + &next
}

pub(super) fn snapshot(answer: &Value) -> String {
    match answer["directory"].as_str() {
        Some(directory) => format!(
            "snapshot {} written\nnext: ducktrack report {directory}\n",
            number(answer, "snapshot")
        ),
        None => {
            "the JVM has asked its agents for their data: the snapshot is written in a moment\n"
                .to_owned()
        }
    }
}

pub(super) fn mark(name: &str) -> String {
    format!("marked: {name}\n")
}

pub(super) fn stop(answer: &Value) -> String {
    let directory = text(answer, "directory");
    let mut lines = format!(
        "the recording has ended; {} classes are as they were, in {} stops of the program, the longest {:.1} ms\n",
        number(answer, "classes_restored"),
        number(answer, "stops"),
        number(answer, "longest_stop_micros") as f64 / 1e3,
    );
    let kept = number(answer, "classes_kept");
    if kept > 0 {
        let classes = if kept == 1 { "class" } else { "classes" };
        lines +=
            &format!("  {kept} {classes} could not be changed back: their counts go nowhere\n");
    }
    lines + &format!("next: ducktrack report {directory}\n")
}

fn number(answer: &Value, key: &str) -> u64 {
    answer[key].as_u64().unwrap_or(0)
}

fn text<'a>(answer: &'a Value, key: &str) -> &'a str {
    answer[key].as_str().unwrap_or("?")
}

#[allow(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn seconds(millis: u64) -> String {
    format!("{}.{}", millis / 1000, millis % 1000 / 100)
}
