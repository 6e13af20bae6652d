//! How a run ended, if that is known, and the moment of its numbers.

use ducktrack_count_model::{CountModel, OutOfMemory, ProcessState, RunState, UnendedRun};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::class_name::printable;
use crate::quantity::counted;

/// Thread names that a sentence lists.
const NAMES: usize = 5;
/// The system's number for "no space left on device".
const DISK_FULL: u64 = 28;
/// The system's number for "disk quota exceeded".
const QUOTA_EXCEEDED: u64 = 122;

/// The moment of a report's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ValuesOf {
    /// The end of the run.
    End,
    /// The last instruction of each thread.
    Counters,
    /// The events of a trace.
    Events,
    /// The last snapshot.
    Snapshot,
    /// There are no numbers.
    #[default]
    #[serde(rename = "none", alias = "")]
    Nothing,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// The agent's last word: `exit`, `signal`, `detach`; `None` when the trace has none.
    pub cause: Option<String>,
    /// How the run stands.
    pub state: RunState,
    /// Of which moment the numbers are.
    pub values: ValuesOf,
    /// Threads whose counts a kill lost, or would lose.
    pub private_threads: Vec<String>,
    /// The reasons of the VM for each `OutOfMemoryError`, a sentence for each.
    pub out_of_memory: Vec<String>,
    /// One sentence without a full stop each, for people; empty where the run ended as it should.
    pub sentences: Vec<String>,
}

impl Ending {
    /// How the run of a model ended.
    pub fn of(model: &CountModel) -> Self {
        let out_of_memory = out_of_memory(model);
        if let Some(end) = &model.end {
            return Self {
                cause: Some(end.cause.clone()),
                state: RunState::Ended,
                values: ValuesOf::End,
                sentences: out_of_memory.clone(),
                out_of_memory,
                ..Self::default()
            };
        }
        let from_counters = matches!(&model.unended, Some(run) if run.facts.has_counters);
        let values = match (from_counters, model.snapshots.is_empty()) {
            _ if model.counts_events => ValuesOf::Events,
            (true, _) => ValuesOf::Counters,
            (false, false) => ValuesOf::Snapshot,
            (false, true) => ValuesOf::Nothing,
        };
        let unended = model.unended.as_ref();
        let mut all = sentences(unended, values);
        all.extend(out_of_memory.iter().cloned());
        Self {
            cause: None,
            state: unended.map_or(RunState::Unknown, state),
            values,
            private_threads: unended.map_or_else(Vec::new, private_threads),
            sentences: all,
            out_of_memory,
        }
    }
}

fn out_of_memory(model: &CountModel) -> Vec<String> {
    let errors = model.out_of_memory.iter();
    let sentence = |error: &OutOfMemory| {
        let after = error
            .unix_millis
            .saturating_sub(model.run.start_unix_millis);
        format!(
            "OutOfMemoryError: {}, first {:.1} s after the start",
            printable(&error.what),
            after as f64 / 1000.0
        )
    };
    errors.map(sentence).collect()
}

fn state(run: &UnendedRun) -> RunState {
    match (run.facts.process, run.facts.vm_ended) {
        (ProcessState::Gone, true) => RunState::Ended,
        (process, _) => process.into(),
    }
}

fn private_threads(run: &UnendedRun) -> Vec<String> {
    let all = run
        .private_threads
        .iter()
        .chain(&run.partly_private_threads);
    all.map(|name| printable(name)).collect()
}

fn sentences(run: Option<&UnendedRun>, values: ValuesOf) -> Vec<String> {
    let how = match run.map(|run| (run.facts.process, run.facts.vm_ended)) {
        Some((ProcessState::Running, _)) => "the JVM runs",
        Some((ProcessState::Gone, true)) => {
            "the JVM ended, and the trace could not be written to its end"
        }
        Some((ProcessState::Gone, false)) => "the JVM was killed, or left by _exit",
        _ => "the trace has no end: the JVM was killed, or runs elsewhere",
    };
    let of = match (values, run.map(|run| run.facts.process)) {
        (ValuesOf::Counters, Some(ProcessState::Running)) => "values are those of this moment",
        (ValuesOf::Events, _) => "values are those of its events",
        (ValuesOf::Counters, _) => "values are those of each thread's last instruction",
        (ValuesOf::Snapshot, _) => "values are those of its last snapshot",
        _ => "there are no values",
    };
    let mut sentences = vec![format!("{how}; {of}")];
    let Some(run) = run else { return sentences };
    sentences.extend(run.facts.write_error.map(write_error));
    sentences.extend(private(run));
    sentences
}

fn write_error(number: u64) -> String {
    match number {
        DISK_FULL => "the disk was full: a part of the trace could not be written".to_owned(),
        QUOTA_EXCEEDED => {
            "the disk quota was used up: a part of the trace could not be written".to_owned()
        }
        number => format!("a part of the trace could not be written (system error {number})"),
    }
}

/// The loss of a kill: counts, or (with `mode=trace`, which has no counters) events.
fn private(run: &UnendedRun) -> Option<String> {
    let threads = private_threads(run);
    if threads.is_empty() {
        return None;
    }
    let what = match run.facts.has_counters {
        true => "counts",
        false => "the last events",
    };
    let lost = match (run.facts.process, run.facts.has_counters) {
        (ProcessState::Running, _) => "would be lost if the JVM were killed",
        (_, true) => "are lost since the last snapshot",
        (_, false) => "are lost",
    };
    let more = match threads.len().saturating_sub(NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "{what} of {} were in private memory and {lost}: {}{more}; a larger `memory=mapped:BYTES` keeps them",
        counted(threads.len() as u64, "thread"),
        threads[..threads.len().min(NAMES)].join(", "),
    ))
}
