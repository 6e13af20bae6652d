//! The JSON document of a comparison.

use serde::Serialize;

use super::{CallChange, Comparison, Outcome, Side, SiteChange, Verdict};
use crate::json::{AmountDoc, CauseDoc, SiteDoc};

/// The changes between two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffDoc {
    /// Always `ducktrack-diff`.
    pub format: &'static str,
    /// Version of this document.
    pub version: u32,
    /// The first run.
    pub before: DiffSideDoc,
    /// The second run.
    pub after: DiffSideDoc,
    /// All gates hold.
    pub passed: bool,
    /// The gates, as given.
    pub gates: Vec<DiffGateDoc>,
    /// Reasons to doubt the comparison: other JDKs, incomplete runs.
    pub cautions: Vec<String>,
    /// Sites with another number of objects or bytes.
    pub changed_sites: usize,
    /// Sites with equal numbers.
    pub unchanged_sites: usize,
    /// Calls of the application with other numbers; null: not both runs recorded them.
    pub calls: Option<Vec<DiffCallDoc>>,
    /// The changed sites, the largest change first.
    pub sites: Vec<DiffSiteDoc>,
}

/// One of the two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffSideDoc {
    /// As it was named on the command line.
    pub name: String,
    /// The program and its arguments.
    pub command: String,
    /// The version of Java.
    pub java_version: String,
    /// Sites that ran.
    pub sites: usize,
    /// Executed objects.
    pub count: i64,
    /// Executed bytes.
    pub bytes: i64,
}

/// A gate and its judgement.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffGateDoc {
    /// The gate as given.
    pub gate: String,
    /// The first run's number in the gate's scope.
    pub before: i64,
    /// The second run's.
    pub after: i64,
    /// Where both numbers are estimates: the interval of each.
    pub intervals: Option<[[f64; 2]; 2]>,
    /// `objects` or `bytes`.
    pub unit: &'static str,
    /// The gate holds.
    pub passed: bool,
    /// `holds`, `broken` or `cannot tell`.
    pub outcome: &'static str,
    /// Why it cannot be judged.
    pub reason: Option<String>,
    /// Of a broken gate, the place that grew most.
    pub most: Option<DiffGrowthDoc>,
}

/// A place that grew.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffGrowthDoc {
    /// The call or site.
    pub place: String,
    /// By how many objects or bytes.
    pub growth: i64,
}

/// A call of the application.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffCallDoc {
    /// The class that calls.
    pub class: Option<String>,
    /// Its method.
    pub method: Option<String>,
    /// The method's descriptor.
    pub descriptor: Option<String>,
    /// The method that is called.
    pub target: Option<String>,
    /// Charged to the call in the first run; null: nothing.
    pub before: Option<DiffAmountDoc>,
    /// In the second run.
    pub after: Option<DiffAmountDoc>,
    /// The second run's numbers less the first run's.
    pub change: AmountDoc,
}

/// A site of both runs, or of one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffSiteDoc {
    /// The class.
    pub class: Option<String>,
    /// The method.
    pub method: Option<String>,
    /// The method's descriptor.
    pub descriptor: Option<String>,
    /// The type of the objects; null: several.
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// The way to allocate.
    pub kind: Option<String>,
    /// In the first run; null: it did not run.
    pub before: Option<DiffAmountDoc>,
    /// In the second run.
    pub after: Option<DiffAmountDoc>,
    /// The second run's numbers less the first run's.
    pub change: AmountDoc,
}

/// The numbers of a call or site in one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffAmountDoc {
    /// The bytecode index.
    pub bci: u16,
    /// The line; null: not known.
    pub line: Option<u16>,
    /// Objects.
    pub count: i64,
    /// Bytes.
    pub bytes: i64,
}

impl DiffDoc {
    /// The document of a comparison, cut as it asks.
    #[must_use]
    pub fn of(comparison: &Comparison) -> Self {
        let most = comparison.top.unwrap_or(usize::MAX);
        let calls = comparison.calls.as_ref();
        Self {
            format: "ducktrack-diff",
            version: 1,
            before: side(&comparison.before),
            after: side(&comparison.after),
            passed: comparison.passed(),
            gates: comparison.verdicts.iter().map(gate).collect(),
            cautions: comparison.cautions.clone(),
            changed_sites: comparison.changes.len(),
            unchanged_sites: comparison.unchanged,
            calls: calls.map(|calls| calls.iter().take(most).map(call).collect()),
            sites: comparison.changes.iter().take(most).map(site).collect(),
        }
    }
}

fn side(side: &Side) -> DiffSideDoc {
    DiffSideDoc {
        name: side.name.clone(),
        command: side.command.clone(),
        java_version: side.java_version.clone(),
        sites: side.sites,
        count: side.total.count,
        bytes: side.total.bytes,
    }
}

fn gate(verdict: &Verdict) -> DiffGateDoc {
    let (outcome, reason) = match &verdict.outcome {
        Outcome::Holds => ("holds", None),
        Outcome::Broken => ("broken", None),
        Outcome::CannotTell(reason) => ("cannot tell", Some(reason.clone())),
    };
    let intervals = verdict.intervals;
    let most = verdict.most.as_ref();
    DiffGateDoc {
        gate: verdict.gate.clone(),
        before: verdict.before,
        after: verdict.after,
        intervals: intervals.map(|ends| ends.map(|end| [end.low.floor(), end.high.ceil()])),
        unit: verdict.unit,
        passed: verdict.holds(),
        outcome,
        reason,
        most: most.map(|(place, growth)| DiffGrowthDoc {
            place: place.clone(),
            growth: *growth,
        }),
    }
}

fn call(change: &CallChange) -> DiffCallDoc {
    let charged = |call: &Option<CauseDoc>| {
        call.as_ref().map(|call| DiffAmountDoc {
            bci: call.bci,
            line: call.line,
            count: call.charged_objects,
            bytes: call.charged_bytes,
        })
    };
    let call = change.call();
    DiffCallDoc {
        class: call.map(|call| call.class.clone()),
        method: call.map(|call| call.method.clone()),
        descriptor: call.map(|call| call.descriptor.clone()),
        target: call.map(|call| call.target.clone()),
        before: charged(&change.before),
        after: charged(&change.after),
        change: change.change(),
    }
}

fn site(change: &SiteChange) -> DiffSiteDoc {
    let one = |site: &Option<SiteDoc>| {
        site.as_ref().map(|site| DiffAmountDoc {
            bci: site.bci,
            line: site.line,
            count: site.count,
            bytes: site.bytes,
        })
    };
    let site = change.site();
    DiffSiteDoc {
        class: site.map(|site| site.class.clone()),
        method: site.map(|site| site.method.clone()),
        descriptor: site.map(|site| site.descriptor.clone()),
        ty: site.and_then(|site| site.ty.clone()),
        kind: site.map(|site| site.kind.clone()),
        before: one(&change.before),
        after: one(&change.after),
        change: change.change(),
    }
}
