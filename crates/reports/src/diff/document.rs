//! The JSON document of a comparison.

use serde::Serialize;

use super::calls::CallChange;
use super::change::Change;
use super::contexts::{ContextAmounts, ContextChange, Each};
use super::matching::Placed;
use super::{Comparison, Outcome, Per, Side, SiteChange, Verdict};
use crate::json::AmountDoc;

/// The changes between two runs.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct DiffDoc {
    /// Always `ducktrack-diff`.
    pub format: &'static str,
    /// Version of this document.
    pub version: u32,
    /// The first run.
    pub before: DiffSideDoc,
    /// The second run.
    pub after: DiffSideDoc,
    /// Divided by how often something happened (`--per`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per: Option<DiffPerDoc>,
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
    /// Contexts whose executions make more or less, the largest change first; null: a run has none, or they are not known.
    pub contexts: Option<Vec<DiffContextDoc>>,
    /// The changed sites, the largest change first.
    pub sites: Vec<DiffSiteDoc>,
}

/// A context of both runs, or of one.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct DiffContextDoc {
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// In the first run; null: it was not executed.
    pub before: Option<DiffContextSideDoc>,
    /// In the second run.
    pub after: Option<DiffContextSideDoc>,
    /// Change for each execution.
    pub change: DiffEachDoc,
    /// The place that changed most; null: none.
    pub most_at: Option<String>,
    /// Its change for each execution.
    pub most: Option<DiffEachDoc>,
}

/// A context in one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct DiffContextSideDoc {
    /// Its executions.
    pub executions: u64,
    /// Objects of all.
    pub count: i64,
    /// Bytes of all.
    pub bytes: i64,
}

/// Objects and bytes of one execution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct DiffEachDoc {
    /// Objects.
    pub count: f64,
    /// Bytes.
    pub bytes: f64,
}

/// Both runs divided by how often something happened.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct DiffPerDoc {
    /// The name of its mark.
    pub name: String,
    /// Times in the first run.
    pub before_times: u64,
    /// Times in the second run.
    pub after_times: u64,
    /// Executed objects each time, in the first run.
    pub before_count: f64,
    /// Executed objects each time, in the second run.
    pub after_count: f64,
    /// Executed bytes each time, in the first run.
    pub before_bytes: f64,
    /// Executed bytes each time, in the second run.
    pub after_bytes: f64,
}

/// One of the two runs.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct DiffGateDoc {
    /// The gate as given.
    pub gate: String,
    /// The first run's number in the gate's scope.
    pub before: i64,
    /// The second run's.
    pub after: i64,
    /// Where both numbers are estimates: the interval of each.
    pub intervals: Option<[[f64; 2]; 2]>,
    /// `objects` or `bytes`, perhaps `per execution`.
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
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct DiffGrowthDoc {
    /// The call or site.
    pub place: String,
    /// By how many objects or bytes.
    pub growth: i64,
}

/// A call of the application.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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
            per: comparison.per.as_ref().map(|each| per(each, comparison)),
            passed: comparison.passed(),
            gates: comparison.verdicts.iter().map(gate).collect(),
            cautions: comparison.cautions.clone(),
            changed_sites: comparison.changes.len(),
            unchanged_sites: comparison.unchanged,
            calls: calls.map(|calls| calls.iter().take(most).map(call).collect()),
            contexts: comparison
                .contexts
                .as_ref()
                .map(|contexts| contexts.iter().take(most).map(context).collect()),
            sites: comparison.changes.iter().take(most).map(site).collect(),
        }
    }
}

fn context(context: &ContextChange) -> DiffContextDoc {
    let side = |amounts: ContextAmounts| DiffContextSideDoc {
        executions: amounts.executions,
        count: amounts.count,
        bytes: amounts.bytes,
    };
    let most = context.most.as_ref();
    DiffContextDoc {
        kind: context.kind.clone(),
        name: context.name.clone(),
        before: context.before.map(side),
        after: context.after.map(side),
        change: each(context.change()),
        most_at: most.map(|(place, _)| place.clone()),
        most: most.map(|(_, change)| each(*change)),
    }
}

fn each(each: Each) -> DiffEachDoc {
    DiffEachDoc {
        count: each.count,
        bytes: each.bytes,
    }
}

fn per(per: &Per, comparison: &Comparison) -> DiffPerDoc {
    let [before, after] = per.amounts(&comparison.before, &comparison.after);
    DiffPerDoc {
        name: per.name.clone(),
        before_times: per.before,
        after_times: per.after,
        before_count: before[0],
        after_count: after[0],
        before_bytes: before[1],
        after_bytes: after[1],
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

fn sides<T: Placed>(change: &Change<T>) -> [Option<DiffAmountDoc>; 2] {
    [&change.before, &change.after].map(|side| {
        let place = side.as_ref()?;
        let AmountDoc { count, bytes } = place.amount();
        Some(DiffAmountDoc {
            bci: place.bci(),
            line: place.line(),
            count,
            bytes,
        })
    })
}

fn call(change: &CallChange) -> DiffCallDoc {
    let [before, after] = sides(change);
    let call = change.place();
    DiffCallDoc {
        class: call.map(|call| call.class.clone()),
        method: call.map(|call| call.method.clone()),
        descriptor: call.map(|call| call.descriptor.clone()),
        target: call.map(|call| call.target.clone()),
        before,
        after,
        change: change.change(),
    }
}

fn site(change: &SiteChange) -> DiffSiteDoc {
    let [before, after] = sides(change);
    let site = change.place();
    DiffSiteDoc {
        class: site.map(|site| site.class.clone()),
        method: site.map(|site| site.method.clone()),
        descriptor: site.map(|site| site.descriptor.clone()),
        ty: site.and_then(|site| site.ty.clone()),
        kind: site.map(|site| site.kind.clone()),
        before,
        after,
        change: change.change(),
    }
}
