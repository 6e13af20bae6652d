//! `--metrics ADDRESS`: the figures of a recording for Prometheus, in its text format, at `/metrics`.
//!
//! Each look reads the recording as `ducktrack report` does, so its figures are the report's. The number
//! of series is bounded: a package is named for as long as this program runs once it is among the first
//! [`MOST_PACKAGES`], and a context as [`ContextNames`] has it; all others are one, `(other)`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ducktrack_count_model::{
    ContextName, ContextNames, CountModel, OffHeapKind, OffHeapRow, RunState, Tally,
};
use ducktrack_reports::{Completeness, Ending};

use super::connection::Answer;
use super::connections::answer_each;
use super::live_metrics::{LiveFigures, live_figures};
use crate::loading::load_windows;
use crate::window_args::WindowArgs;

/// Packages with series of their own.
const MOST_PACKAGES: usize = 50;
const OTHER: &str = "(other)";
/// Between two looks at the counts, and at the heap.
const LEAST_INTERVAL: Duration = Duration::from_secs(2);
const LEAST_HEAP_INTERVAL: Duration = Duration::from_secs(60);

/// Answers in a thread of its own; gives the address it listens at.
pub(crate) fn serve(address: SocketAddr, directory: &Path) -> Result<SocketAddr> {
    let listener =
        TcpListener::bind(address).with_context(|| format!("cannot listen at {address}"))?;
    let bound = listener.local_addr().context("no address")?;
    let figures = Arc::new(Mutex::new(Figures::new(directory.to_owned())));
    thread::spawn(move || {
        answer_each(&listener, move |asked| {
            match asked.target.split('?').next() {
                Some("/metrics") => figures
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .answer(),
                _ => Answer::refusal("404 Not Found", "the figures are at /metrics"),
            }
        });
    });
    Ok(bound)
}

struct Figures {
    directory: PathBuf,
    named: BTreeMap<String, ()>,
    context_names: ContextNames,
    last: Option<(Instant, String)>,
    live: Option<(Instant, Option<LiveFigures>)>,
}

impl Figures {
    fn new(directory: PathBuf) -> Self {
        Self {
            directory,
            named: BTreeMap::new(),
            context_names: ContextNames::default(),
            last: None,
            live: None,
        }
    }

    fn answer(&mut self) -> Answer {
        if let Some((at, text)) = &self.last
            && at.elapsed() < LEAST_INTERVAL
        {
            return plain(text.clone());
        }
        match self.look() {
            Ok(text) => {
                self.last = Some((Instant::now(), text.clone()));
                plain(text)
            }
            Err(error) => Answer::refusal("500 Internal Server Error", &format!("{error:#}")),
        }
    }

    fn look(&mut self) -> Result<String> {
        let model = load_windows(&self.directory, &WindowArgs::default())?;
        let is_old = |at: &Instant| at.elapsed() >= LEAST_HEAP_INTERVAL;
        if self.live.as_ref().is_none_or(|(at, _)| is_old(at)) {
            // A heap that is not known has no figures; counts have theirs.
            let live = live_figures(&self.directory).unwrap_or_default();
            self.live = Some((Instant::now(), live));
        }
        let packages = self.packages(&model);
        let live = self.live.as_ref().and_then(|(_, live)| *live);
        let contexts = self.contexts(&model);
        Ok(exposition(&model, &packages, &contexts, live))
    }

    /// Sums of contexts; which have a name is settled once.
    fn contexts(&mut self, model: &CountModel) -> BTreeMap<ContextName, ContextSums> {
        self.context_names.learn(&model.contexts);
        let mut shown: BTreeMap<ContextName, ContextSums> = BTreeMap::new();
        for row in &model.contexts {
            let name = self.context_names.shown(row.named());
            let sums = shown.entry(name).or_default();
            sums.total += row.total;
            let executions = row.executions.as_ref();
            sums.executions += executions.map_or(0, |executions| executions.count);
        }
        shown
    }

    /// Sums of packages; which have a name is settled once.
    fn packages(&mut self, model: &CountModel) -> BTreeMap<String, Tally> {
        let mut sums: BTreeMap<String, Tally> = BTreeMap::new();
        for site in model.sites.iter().filter(|site| !site.total.is_zero()) {
            let class = model.method(site.method).class.replace('/', ".");
            let package = class.rsplit_once('.').map_or("", |(package, _)| package);
            *sums.entry(package.to_owned()).or_default() += site.total;
        }
        let mut new: Vec<(&String, &Tally)> = sums
            .iter()
            .filter(|(package, _)| !self.named.contains_key(*package))
            .collect();
        new.sort_by(|a, b| (b.1.bytes, a.0).cmp(&(a.1.bytes, b.0)));
        let room = MOST_PACKAGES.saturating_sub(self.named.len());
        let new: Vec<String> = new
            .into_iter()
            .take(room)
            .map(|(name, _)| name.clone())
            .collect();
        self.named.extend(new.into_iter().map(|name| (name, ())));
        let mut shown: BTreeMap<String, Tally> = BTreeMap::new();
        for (package, tally) in sums {
            let name = match self.named.contains_key(&package) {
                true => package,
                false => OTHER.to_owned(),
            };
            *shown.entry(name).or_default() += tally;
        }
        shown
    }
}

fn plain(body: String) -> Answer {
    Answer {
        status: "200 OK",
        kind: "text/plain; version=0.0.4; charset=utf-8",
        body,
    }
}

/// What a context has made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ContextSums {
    total: Tally,
    executions: u64,
}

/// The text format: of each metric its help, its type and its samples.
struct Exposition(String);

impl Exposition {
    fn metric(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let _ = match labels.is_empty() {
            true => writeln!(self.0, "{name} {value}"),
            false => writeln!(self.0, "{name}{{{labels}}} {value}"),
        };
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
        self.metric(name, kind, help);
        self.sample(name, "", value);
    }
}

fn exposition(
    model: &CountModel,
    packages: &BTreeMap<String, Tally>,
    contexts: &BTreeMap<ContextName, ContextSums>,
    live: Option<LiveFigures>,
) -> String {
    let mut out = Exposition(String::new());
    let run = &model.run;
    let facts = [
        ("pid", run.pid.to_string()),
        ("java", run.java_version.clone()),
        ("collector", run.collector.clone()),
        ("mode", run.mode.to_string()),
    ];
    let labels: Vec<String> = facts
        .iter()
        .map(|(name, value)| label(name, value))
        .collect();
    out.metric("ducktrack_run_info", "gauge", "The recorded program.");
    out.sample("ducktrack_run_info", &labels.join(","), 1);
    let is_running = Ending::of(model).state == RunState::Running;
    let help = "1 while the program runs.";
    out.single("ducktrack_running", "gauge", help, u8::from(is_running));
    for (name, help, of) in [
        (
            "ducktrack_allocated_objects_total",
            "Objects that the program has executed, exact, by package of the allocating class.",
            (|tally: &Tally| tally.count) as fn(&Tally) -> i64,
        ),
        (
            "ducktrack_allocated_bytes_total",
            "Bytes of these objects.",
            |tally| tally.bytes,
        ),
    ] {
        out.metric(name, "counter", help);
        for (package, tally) in packages {
            out.sample(name, &label("package", package), of(tally));
        }
    }
    if !contexts.is_empty() {
        of_contexts(&mut out, contexts);
    }
    if !model.off_heap.is_empty() {
        off_heap(&mut out, &model.off_heap);
    }
    balance(&mut out, model);
    cost(&mut out, model);
    if let Some(live) = live {
        live_heap(&mut out, &live);
    }
    out.0
}

/// Series by kind and name of contexts: an object counts in one of each kind.
fn of_contexts(out: &mut Exposition, contexts: &BTreeMap<ContextName, ContextSums>) {
    type Figure = fn(&ContextSums) -> i128;
    let metrics: [(&str, &str, Figure); 3] = [
        (
            "ducktrack_context_objects_total",
            "Objects that threads have executed in a context, exact.",
            |sums| sums.total.count.into(),
        ),
        (
            "ducktrack_context_bytes_total",
            "Bytes of these objects.",
            |sums| sums.total.bytes.into(),
        ),
        (
            "ducktrack_context_executions_total",
            "Executions of a context that have ended.",
            |sums| sums.executions.into(),
        ),
    ];
    for (name, help, of) in metrics {
        out.metric(name, "counter", help);
        for (context, sums) in contexts {
            let labels = [
                label("kind", &context.kind),
                label("context", &context.name),
            ];
            out.sample(name, &labels.join(","), of(sums));
        }
    }
}

/// Series by kind: there are seven.
fn off_heap(out: &mut Exposition, rows: &[OffHeapRow]) {
    let mut kinds: BTreeMap<OffHeapKind, (Tally, Tally)> = BTreeMap::new();
    for row in rows {
        let (live, made) = kinds.entry(row.kind).or_default();
        *live += row.live();
        *made += row.made;
    }
    type Figure = fn(&(Tally, Tally)) -> i64;
    let metrics: [(&str, &str, &str, Figure); 3] = [
        (
            "ducktrack_off_heap_live_bytes",
            "gauge",
            "Bytes outside of the heap that Java code owns and has not released, by kind.",
            |(live, _)| live.bytes,
        ),
        (
            "ducktrack_off_heap_live_blocks",
            "gauge",
            "Blocks of this memory.",
            |(live, _)| live.count,
        ),
        (
            "ducktrack_off_heap_made_bytes_total",
            "counter",
            "Bytes of all blocks that were made since recording began.",
            |(_, made)| made.bytes,
        ),
    ];
    for (name, kind, help, of) in metrics {
        out.metric(name, kind, help);
        for (memory, sums) in &kinds {
            out.sample(name, &label("kind", memory.name()), of(sums));
        }
    }
}

fn balance(out: &mut Exposition, model: &CountModel) {
    let completeness = Completeness::of(model, str::to_owned);
    let Some((vm, explained)) = completeness.vm_bytes.zip(completeness.explained_bytes()) else {
        return;
    };
    let help = "Bytes that the JVM has allocated by its own count since counting was ready.";
    out.single("ducktrack_vm_allocated_bytes_total", "counter", help, vm);
    let help = "Bytes of these that the counts explain, at most.";
    out.single(
        "ducktrack_explained_bytes_total",
        "counter",
        help,
        explained,
    );
}

#[allow(clippy::cast_precision_loss, reason = "seconds")]
fn cost(out: &mut Exposition, model: &CountModel) {
    let cost = &model.cost;
    let help = "Memory of the agent.";
    out.single(
        "ducktrack_agent_memory_bytes",
        "gauge",
        help,
        cost.memory_bytes,
    );
    let help = "Time that the agent has taken to rewrite classes.";
    let seconds = cost.rewrite_micros as f64 / 1e6;
    out.single(
        "ducktrack_agent_rewrite_seconds_total",
        "counter",
        help,
        seconds,
    );
    let help = "Classes that the agent has rewritten.";
    out.single(
        "ducktrack_agent_classes_total",
        "counter",
        help,
        cost.classes_rewritten,
    );
}

fn live_heap(out: &mut Exposition, live: &LiveFigures) {
    let help = "Live objects after the last collection, and those made since (with a trace).";
    out.single("ducktrack_live_objects", "gauge", help, live.objects);
    let help = "Bytes of these objects.";
    out.single("ducktrack_live_bytes", "gauge", help, live.bytes);
    let help = "Leaks, as ducktrack leaks has them.";
    out.single("ducktrack_leaking_sites", "gauge", help, live.sites);
    let help = "Bytes by which they grow for each second in which the program works.";
    let rate = live.bytes_per_second;
    out.single("ducktrack_leak_bytes_per_second", "gauge", help, rate);
    let help = "Lines that leak memory outside of the heap, as ducktrack leaks has them.";
    let lines = live.off_heap_lines;
    out.single("ducktrack_off_heap_leaking_lines", "gauge", help, lines);
    let help = "Bytes by which it grows for each second in which the program works.";
    let rate = live.off_heap_bytes_per_second;
    let name = "ducktrack_off_heap_leak_bytes_per_second";
    out.single(name, "gauge", help, rate);
}

/// A label; its value has no end before its own.
fn label(name: &str, value: &str) -> String {
    let value = value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("{name}=\"{value}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_end_a_label() {
        assert_eq!(
            label("package", "a\"b\\c\nd"),
            "package=\"a\\\"b\\\\c\\nd\""
        );
    }
}
