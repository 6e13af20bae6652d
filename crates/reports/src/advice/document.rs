//! The document of `ducktrack advise`.

use std::collections::BTreeMap;

use ducktrack_advise::{Advice, Rule, Sure, Together};
use ducktrack_count_model::{CountModel, Tally};
use serde::Serialize;

use super::sentence::sentence;
use crate::class_name::{printable, readable_class};
use crate::json::AmountDoc;

/// The changes that save allocations, in order.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct AdviceReport {
    /// Always `ducktrack-advise`.
    pub format: &'static str,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// How often it happened by which each change is divided (`--per`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per: Option<AdvicePerDoc>,
    /// The changes.
    pub advice: Vec<AdviceDoc>,
    /// Where the run was read from.
    #[serde(skip)]
    pub(super) trace: String,
    /// All that the run executed.
    #[serde(skip)]
    pub(super) total: Tally,
    /// Changes that are not listed, because there are more than wanted.
    #[serde(skip)]
    pub(super) more: usize,
}

/// Marks of a name, or executions of contexts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct AdvicePerDoc {
    /// The name.
    pub name: String,
    /// How often.
    pub times: u64,
}

/// What a change saves each time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct AdviceEachDoc {
    /// Objects.
    pub objects: f64,
    /// Bytes.
    pub bytes: f64,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct AdviceDoc {
    /// The kind of change: `box`, `growth`, ...
    pub rule: &'static str,
    /// The class.
    pub class: String,
    /// The method.
    pub method: String,
    /// The line.
    pub line: Option<u16>,
    /// Objects that the change saves, executed.
    pub objects: i64,
    /// Bytes that the change saves, executed.
    pub bytes: i64,
    /// `bytes` as a share of all bytes of the run, from 0 to 1.
    pub share: f64,
    /// `exact`, `at most` or `estimate`.
    pub sure: &'static str,
    /// The number of these objects that reach the heap today; the JIT removes the others. `null`: not known.
    #[serde(rename = "reachesHeap")]
    pub reaches_heap: Option<i64>,
    /// What to do, one sentence.
    pub what: String,
    /// Of an estimate: where the true values are in 95 of 100 runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<AdviceIntervalDoc>,
    /// What it saves with the other changes of its method, and of methods of its package that it calls or that call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub together: Option<AdviceTogetherDoc>,
    /// What the change saves each time (`--per`).
    #[serde(rename = "eachTime", skip_serializing_if = "Option::is_none")]
    pub each_time: Option<AdviceEachDoc>,
    /// What a later run has less by this rule in the method (`--after`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<AmountDoc>,
    /// What the newest heap dump of the run says about its objects: how many are equal, how much was never written (`mode=trace`).
    #[serde(rename = "inDump", skip_serializing_if = "Vec::is_empty")]
    pub in_dump: Vec<AdviceDumpDoc>,
    /// `rule`.
    #[serde(skip)]
    pub(super) kind: Rule,
    /// `sure` is `exact`.
    #[serde(skip)]
    pub(super) is_exact: bool,
    /// The file of the class in its folder of sources.
    #[serde(skip)]
    pub(super) file: Option<String>,
}

/// Changes of one method, and of those that it calls or that call it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct AdviceTogetherDoc {
    /// Positions of the other changes in `advice`, from 1. Those beyond `--top` are not listed there.
    pub with: Vec<usize>,
    /// Objects that all save.
    pub objects: i64,
    /// Bytes that all save.
    pub bytes: i64,
    /// `exact`, `at most` or `estimate`.
    pub sure: &'static str,
    /// Of an estimate: where the true values are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<AdviceIntervalDoc>,
    /// `sure` is `exact`.
    #[serde(skip)]
    pub(super) is_exact: bool,
}

/// Waste in a heap dump.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct AdviceDumpDoc {
    /// The kind, as `ducktrack waste` names it: `equal-strings-latin1`, `zero-tailed-bytes`.
    pub kind: String,
    /// Live objects that could go, or be smaller.
    pub objects: u64,
    /// Bytes that this would save in the dump.
    pub bytes: u64,
}

/// The bounds of an estimate, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct AdviceIntervalDoc {
    /// Least and most objects.
    pub objects: [i64; 2],
    /// Least and most bytes.
    pub bytes: [i64; 2],
}

impl AdviceReport {
    pub(super) fn of(
        model: &CountModel,
        trace: &str,
        advice: &[Advice],
        top: Option<usize>,
    ) -> Self {
        let files = source_files(model);
        let shown = top.unwrap_or(advice.len()).min(advice.len());
        let rows = advice.iter().take(shown);
        Self {
            format: "ducktrack-advise",
            version: 1,
            per: None,
            advice: rows.map(|row| document(row, model.total, &files)).collect(),
            trace: printable(trace),
            total: model.total,
            more: advice.len() - shown,
        }
    }
}

impl AdviceReport {
    /// Adds to each row what it saves each time.
    #[must_use]
    pub fn divided(mut self, name: &str, times: u64) -> Self {
        let of = times.max(1) as f64;
        for row in &mut self.advice {
            row.each_time = Some(AdviceEachDoc {
                objects: row.objects as f64 / of,
                bytes: row.bytes as f64 / of,
            });
        }
        self.per = Some(AdvicePerDoc {
            name: printable(name),
            times,
        });
        self
    }

    /// Adds to each row what a later run has less by the same rule in the same method.
    #[must_use]
    pub fn with_results(mut self, before: &[Advice], after: &[Advice]) -> Self {
        let sum = |rows: &[Advice], row: &AdviceDoc| -> Tally {
            let same = rows.iter().filter(|other| {
                other.rule == row.kind
                    && readable_class(&other.place.class) == row.class
                    && printable(&other.place.method) == row.method
            });
            same.map(|other| other.saving).sum()
        };
        for row in &mut self.advice {
            let (was, is) = (sum(before, row), sum(after, row));
            row.result = Some(AmountDoc {
                count: was.count.saturating_sub(is.count),
                bytes: was.bytes.saturating_sub(is.bytes),
            });
        }
        self
    }
}

/// The file names of classes.
fn source_files(model: &CountModel) -> BTreeMap<&str, &str> {
    let methods = model.methods.iter();
    methods
        .filter_map(|method| Some((&*method.class, method.source_file.as_deref()?)))
        .collect()
}

fn document(row: &Advice, total: Tally, files: &BTreeMap<&str, &str>) -> AdviceDoc {
    let file = files.get(&*row.place.class).map(|name| {
        let folder = row.place.class.rsplit_once('/');
        folder.map_or_else(
            || printable(name),
            |(folder, _)| format!("{}/{}", printable(folder), printable(name)),
        )
    });
    AdviceDoc {
        rule: row.rule.name(),
        class: readable_class(&row.place.class),
        method: printable(&row.place.method),
        line: row.place.line,
        objects: row.saving.count,
        bytes: row.saving.bytes,
        share: row.saving.bytes as f64 / total.bytes.max(1) as f64,
        sure: row.sure.name(),
        reaches_heap: row.reaches_heap,
        what: sentence(row),
        interval: interval(row.sure),
        together: row.together.as_ref().map(together),
        each_time: None,
        result: None,
        in_dump: Vec::new(),
        kind: row.rule,
        is_exact: row.sure == Sure::Exact,
        file,
    }
}

fn together(all: &Together) -> AdviceTogetherDoc {
    AdviceTogetherDoc {
        with: all.others.iter().map(|other| other + 1).collect(),
        objects: all.saving.count,
        bytes: all.saving.bytes,
        sure: all.sure.name(),
        interval: interval(all.sure),
        is_exact: all.sure == Sure::Exact,
    }
}

fn interval(sure: Sure) -> Option<AdviceIntervalDoc> {
    match sure {
        Sure::Estimate { objects, bytes } => Some(AdviceIntervalDoc {
            objects: objects.into(),
            bytes: bytes.into(),
        }),
        Sure::Exact | Sure::AtMost => None,
    }
}
