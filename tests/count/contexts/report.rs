//! The report by context against what a program says of itself.

use std::collections::BTreeMap;
use std::path::Path;

use ducktrack_tests::trace_command;
use serde_json::Value;

/// Kind, context, site.
type Pair = (String, String, String);

/// Lines `EXPECT kind context site objects`, with tabs between.
pub(crate) struct Expected(BTreeMap<Pair, i64>);

/// The same of a recording.
pub(crate) struct Found(BTreeMap<Pair, i64>);

impl Expected {
    pub(crate) fn parse(output: &str) -> Self {
        let lines = output
            .lines()
            .filter_map(|line| line.strip_prefix("EXPECT\t"));
        let pair = |line: &str| {
            let words: Vec<&str> = line.split('\t').collect();
            let [kind, context, site, objects] = words[..] else {
                panic!("{line}");
            };
            let pair = (kind.to_owned(), context.to_owned(), site.to_owned());
            (pair, objects.parse().expect("a number"))
        };
        Self(lines.map(pair).collect())
    }

    pub(crate) fn pairs(&self) -> usize {
        self.0.len()
    }

    /// The pairs that differ, one line each.
    pub(crate) fn compare(&self, found: &Found) -> Vec<String> {
        let differs = |(pair, expected): (&Pair, &i64)| {
            let found = found.0.get(pair).copied().unwrap_or(0);
            (found != *expected).then(|| format!("{pair:?}: {expected} made, {found} recorded"))
        };
        self.0.iter().filter_map(differs).collect()
    }
}

impl Found {
    /// The objects of a class's methods, or made for calls of these.
    pub(crate) fn of(report: &Value, class: &str) -> Self {
        let mut found = BTreeMap::new();
        let mut inside: BTreeMap<(String, String), i64> = BTreeMap::new();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        for context in report["contexts"].as_array().expect("contexts") {
            let kind = text(&context["kind"]);
            for site in context["sites"].as_array().expect("sites") {
                let Some(method) = method_of(site, class) else {
                    continue;
                };
                let count = site["count"].as_i64().expect("a count");
                *found
                    .entry((kind.clone(), text(&context["name"]), method.clone()))
                    .or_default() += count;
                *inside.entry((kind.clone(), method)).or_default() += count;
            }
        }
        for kind in report["kinds"].as_array().expect("kinds") {
            let kind = text(&kind["kind"]);
            for site in report["whole"]["sites"].as_array().expect("sites") {
                for cell in cells(site) {
                    let Some(method) = method_of(&cell, class) else {
                        continue;
                    };
                    let count = cell["count"].as_i64().expect("a count");
                    *found
                        .entry((kind.clone(), "-".to_owned(), method))
                        .or_default() += count;
                }
            }
        }
        for ((kind, method), count) in inside {
            *found.entry((kind, "-".to_owned(), method)).or_default() -= count;
        }
        Self(found)
    }
}

/// The parts of a site of the usual report, each with the caller in words.
fn cells(site: &Value) -> Vec<Value> {
    let callers = site["context"].as_array().cloned().unwrap_or_default();
    if callers.is_empty() {
        return vec![site.clone()];
    }
    let cell = |caller: &Value| {
        let mut cell = site.clone();
        cell["count"] = caller["count"].clone();
        if let (Some(class), Some(method)) = (caller["class"].as_str(), caller["method"].as_str()) {
            cell["caller"] = format!("{class}.{method}(").into();
        }
        cell
    };
    callers.iter().map(cell).collect()
}

/// The method of the class that made the objects, or for whose call they were made.
fn method_of(site: &Value, class: &str) -> Option<String> {
    let of_caller = site["caller"].as_str().and_then(|caller| {
        let rest = caller.strip_prefix(class)?.strip_prefix('.')?;
        Some(rest.split('(').next()?.to_owned())
    });
    let own = || {
        (site["class"] == class)
            .then(|| site["method"].as_str().map(str::to_owned))
            .flatten()
    };
    of_caller.or_else(own)
}

/// Lines `EXECUTIONS context count bytes median p99 largest` against the report.
pub(crate) fn compare_executions(output: &str, report: &Value) -> Result<(), String> {
    let lines = output
        .lines()
        .filter_map(|line| line.strip_prefix("EXECUTIONS\t"));
    let mut compared = 0;
    for line in lines {
        let words: Vec<&str> = line.split('\t').collect();
        let [name, figures @ ..] = &words[..] else {
            return Err(line.to_owned());
        };
        let figures: Vec<u64> = figures
            .iter()
            .map(|word| word.parse().expect("a number"))
            .collect();
        let contexts = report["contexts"].as_array().expect("contexts");
        let row = contexts
            .iter()
            .find(|row| row["name"] == **name)
            .ok_or("no such context")?;
        let all = &row["executions"];
        let found = |key: &str| all[key].as_u64().unwrap_or(0);
        for (key, expected) in [
            ("count", figures[0]),
            ("bytes", figures[1]),
            ("largest", figures[4]),
        ] {
            // Around the executions, the thread's first measurement allocates a little itself on JDK 11.
            let more = expected.checked_sub(found(key));
            if more.is_none_or(|more| more > if key == "bytes" { 2048 } else { 0 }) {
                return Err(format!("{name}: {key} is {}, not {expected}", found(key)));
            }
        }
        for (key, expected) in [("median", figures[2]), ("p99", figures[3])] {
            if found(key).abs_diff(expected) * 100 > expected {
                return Err(format!(
                    "{name}: {key} is {}, not within 1 % of {expected}",
                    found(key)
                ));
            }
        }
        compared += 1;
    }
    (compared == 2)
        .then_some(())
        .ok_or_else(|| format!("{compared} contexts"))
}

/// The objects of executions that a program knows, against the report.
pub(crate) fn compare_objects(output: &str, report: &Value) -> Result<(), String> {
    let mut compared = 0;
    for line in output
        .lines()
        .filter_map(|line| line.strip_prefix("OBJECTS\t"))
    {
        let (name, figures) = line.split_once('\t').ok_or(line)?;
        let figures = figures.split('\t').map(|word| word.parse::<u64>());
        let figures: Vec<u64> = figures.collect::<Result<_, _>>().map_err(|_| line)?;
        let contexts = report["contexts"].as_array().expect("contexts");
        let row = contexts.iter().find(|row| row["name"] == name);
        let all = &row.ok_or("no such context")?["executions"];
        let found = |key: &str| all["objects"][key].as_u64().unwrap_or(0);
        let in_buckets: u64 = all["objects"]["distribution"]
            .as_array()
            .ok_or("no objects")?
            .iter()
            .filter_map(|bucket| bucket[1].as_u64())
            .sum();
        let exact = [
            all["count"].as_u64().unwrap_or(0),
            in_buckets,
            found("sum"),
            found("most"),
        ];
        if exact != [figures[0], figures[0], figures[1], figures[4]] {
            return Err(format!("{name}: {exact:?} are not {figures:?}"));
        }
        let near = [(found("median"), figures[2]), (found("p99"), figures[3])];
        if near
            .iter()
            .any(|(found, expected)| found.abs_diff(*expected) * 100 > *expected)
        {
            return Err(format!("{name}: {near:?} differ by more than 1 %"));
        }
        compared += 1;
    }
    (compared == 2)
        .then_some(())
        .ok_or_else(|| format!("{compared} contexts"))
}

/// The executions that a program counts itself, against the report.
pub(crate) fn wrong_executions(output: &str, report: &Value) -> Vec<String> {
    let contexts = report["contexts"].as_array().expect("contexts");
    let mut wrong = Vec::new();
    for line in output
        .lines()
        .filter_map(|line| line.strip_prefix("EXECUTED\t"))
    {
        let (name, expected) = line.split_once('\t').expect("two fields");
        let row = contexts.iter().find(|context| context["name"] == name);
        let found = row.map(|row| row["executions"]["count"].to_string());
        if found.as_deref() != Some(expected) {
            wrong.push(format!("{name}: {expected} executed, {found:?} recorded"));
        }
    }
    wrong
}

/// The report by context, with the whole report under the key `whole`.
pub(crate) fn by_context(recording: &Path) -> Value {
    let mut report = json(recording, &["--by", "context"]);
    report["whole"] = json(recording, &[]);
    report
}

/// A report in JSON.
pub(crate) fn json(recording: &Path, more: &[&str]) -> Value {
    trace_command("report", recording, more)
}
