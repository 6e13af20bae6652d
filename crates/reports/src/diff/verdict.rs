//! The judgement of a gate on two runs.
//!
//! A gate for the whole run, or for a package of which both runs have the totals of its calls (`app=`), compares exact numbers.
//! Without these totals a package's numbers are estimates from sampled stacks, each with an interval (at least its own sites,
//! at most the run), and the gate is judged at both ends of the intervals: where the ends disagree, nobody can tell.
//!
//! ```text
//! before 100 [90; 110], after 130 [120; 140]      +5%: 120 against 110 is over, broken     +60%: 140 against 90 is not, holds
//!                                                 +20%: cannot tell
//! ```

use std::collections::BTreeMap;
use std::fmt;

use ducktrack_count_model::RunState;
use ducktrack_profile::{Interval, Unit};

use super::gate::{Gate, Limit, Metric, Scope};
use super::grown_place::{Place, grown_most};
use super::matching::Placed;
use super::off_heap_scope::off_heap_parts;
use super::site_scope::{at_site, has_site};
use super::{ComparedRun, in_scopes, own_in_scopes};
use crate::filter::in_scope;
use crate::json::{AmountDoc, Document};
use crate::quantity::{grouped, grouped_signed};
use crate::view_stacks::{is_on_stacks, scope_estimate};

/// Whether a gate holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The second run is within the limit.
    Holds,
    /// It is not.
    Broken,
    /// The runs do not tell: what is missing, and what to do.
    CannotTell(String),
}

/// A gate and its judgement.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The gate as given.
    pub gate: String,
    /// The first run's number in scope.
    pub before: i64,
    /// The second run's.
    pub after: i64,
    /// Where both numbers are estimates: their intervals.
    pub intervals: Option<[Interval; 2]>,
    /// `objects` or `bytes`, perhaps of one execution.
    pub unit: &'static str,
    /// The judgement.
    pub outcome: Outcome,
    /// The limit is for the second run alone.
    pub is_budget: bool,
    /// Of a broken gate, the place that grew most, and by how much.
    pub most: Option<(String, i64)>,
}

impl Verdict {
    /// True when the gate holds.
    pub fn holds(&self) -> bool {
        self.outcome == Outcome::Holds
    }
}

/// Judges a gate on the run, a package, a site or memory outside of the heap.
pub(super) fn judge(gate: &Gate, before: &ComparedRun<'_>, after: &ComparedRun<'_>) -> Verdict {
    match &gate.scope {
        Some(Scope::Package(scope))
            if gate.metric != Metric::Native && is_estimate(scope, before, after) =>
        {
            estimated(gate, scope, before, after)
        }
        _ => exact(gate, before, after),
    }
}

/// Something of the scope occurs, and a run lacks the totals of its calls.
fn is_estimate(scope: &str, before: &ComparedRun<'_>, after: &ComparedRun<'_>) -> bool {
    let is_there = occurs(scope, before) || occurs(scope, after);
    is_there && !have_call_totals(scope, before, after)
}

/// Both runs have the totals of all calls in the scope.
fn have_call_totals(scope: &str, before: &ComparedRun<'_>, after: &ComparedRun<'_>) -> bool {
    [before, after]
        .iter()
        .all(|run| has_call_totals(run.document, scope))
}

/// The application whose calls were counted contains the scope.
fn has_call_totals(document: &Document, scope: &str) -> bool {
    const UNNAMED: &str = "(classes without a package)";
    document.caused.as_ref().is_some_and(|caused| {
        caused
            .application
            .iter()
            .any(|pattern| match pattern.as_str() {
                UNNAMED => !scope.contains('.'),
                pattern => in_scope(pattern, scope),
            })
    })
}

fn exact(gate: &Gate, before: &ComparedRun<'_>, after: &ComparedRun<'_>) -> Verdict {
    let (parts_before, parts_after) = (parts(gate, before.document), parts(gate, after.document));
    let sum = |parts: &BTreeMap<Place, i64>| {
        parts
            .values()
            .fold(0, |sum: i64, part| sum.saturating_add(*part))
    };
    let numbers = (sum(&parts_before), sum(&parts_after));
    let is_over = gate.is_over(numbers.0.into(), numbers.1.into());
    let outcome = match absent(gate, before, after).or_else(|| unfit(before, after, is_over)) {
        Some(reason) => Outcome::CannotTell(reason),
        None if is_over => Outcome::Broken,
        None => Outcome::Holds,
    };
    Verdict {
        most: match outcome {
            Outcome::Broken => grown_most(&parts_before, &parts_after),
            _ => None,
        },
        ..verdict(gate, numbers, outcome)
    }
}

pub(super) fn verdict(gate: &Gate, (before, after): (i64, i64), outcome: Outcome) -> Verdict {
    Verdict {
        gate: gate.to_string(),
        before,
        after,
        intervals: None,
        unit: match (gate.metric, gate.is_per_execution) {
            (Metric::Count, false) => "objects",
            (Metric::Bytes | Metric::Native, false) => "bytes",
            (Metric::Count, true) => "objects per execution",
            (Metric::Bytes | Metric::Native, true) => "bytes per execution",
        },
        outcome,
        is_budget: matches!(gate.limit, Limit::Budget(_)),
        most: None,
    }
}

/// A scope that neither run knows is more likely misspelt than empty, unless the gate is for other programs, too.
fn absent(gate: &Gate, before: &ComparedRun<'_>, after: &ComparedRun<'_>) -> Option<String> {
    let (occurs, reason) = match gate.scope.as_ref()? {
        Scope::Package(scope) => (
            occurs(scope, before) || occurs(scope, after),
            format!("no class of {scope} occurs in either run"),
        ),
        Scope::Site(site) => (
            has_site(before.document, site) || has_site(after.document, site),
            format!("{site} allocates nothing in either run"),
        ),
        Scope::Context(_) => return None,
    };
    let makes_native = |run: &ComparedRun<'_>| {
        gate.metric == Metric::Native && !parts(gate, run.document).is_empty()
    };
    let occurs = occurs || makes_native(before) || makes_native(after);
    let is_fault = !occurs && !gate.may_be_absent;
    is_fault.then(|| format!("{reason}; check the name, or drop the gate"))
}

/// Whether a class of the scope allocates, calls what allocates, or is on a sampled stack.
fn occurs(scope: &str, run: &ComparedRun<'_>) -> bool {
    let document = run.document;
    let sites = document.sites.iter().map(|site| site.class.as_str());
    let callers = (document.sites.iter().flat_map(|site| &site.context))
        .filter_map(|context| context.caller.class.as_deref());
    let causes = document.causes.iter().map(|cause| cause.class.as_str());
    sites
        .chain(callers)
        .chain(causes)
        .any(|class| in_scope(scope, class))
        || run.stacks.is_some_and(|stacks| is_on_stacks(stacks, scope))
}

/// Why the numbers of a run are not those of the whole of it. A second run
/// that is over its limit although a part is missing is over it all the same.
pub(super) fn unfit(
    before: &ComparedRun<'_>,
    after: &ComparedRun<'_>,
    is_over: bool,
) -> Option<String> {
    let first = trouble(before.document).map(|trouble| ("first", trouble));
    let second = trouble(after.document)
        .filter(|trouble| !(is_over && trouble.only_less))
        .map(|trouble| ("second", trouble));
    let (which, trouble) = first.or(second)?;
    Some(format!("the {which} run {}; record it again", trouble.text))
}

struct Trouble {
    text: &'static str,
    /// The numbers can only be too small.
    only_less: bool,
}

fn trouble(document: &Document) -> Option<Trouble> {
    let run = &document.run;
    let is_whole_window =
        (document.chosen_windows.as_ref()).is_some_and(|chosen| chosen.until.is_some());
    let trouble = |text, only_less| Some(Trouble { text, only_less });
    match run.ended {
        None if RunState::named(&run.state) != RunState::Running && !is_whole_window => {
            trouble("was killed or has no end", true)
        }
        _ if !document.damage.is_empty() => trouble("is damaged", false),
        _ if !document.losses.is_empty() => trouble("lost something while it was recorded", true),
        _ if document.sites.len() as u64 != document.selected.sites => {
            trouble("is a report that was cut (--top)", true)
        }
        _ => None,
    }
}

fn estimated(
    gate: &Gate,
    scope: &str,
    before: &ComparedRun<'_>,
    after: &ComparedRun<'_>,
) -> Verdict {
    let unit = match gate.metric {
        Metric::Count => Unit::Objects,
        Metric::Bytes | Metric::Native => Unit::Bytes,
    };
    let sides = [before, after].map(|run| estimate(gate, scope, run, unit));
    let [(first, of_first), (second, of_second)] = sides;
    let over = |before: f64, after: f64| gate.is_over(whole(before), whole(after));
    let is_over = over(of_first.high, of_second.low);
    let outcome = match unfit(before, after, is_over) {
        Some(reason) => Outcome::CannotTell(reason),
        None if is_over => Outcome::Broken,
        None if !over(of_first.low, of_second.high) => Outcome::Holds,
        None => Outcome::CannotTell(without_totals(scope, before, after)),
    };
    Verdict {
        intervals: Some([of_first, of_second]),
        ..verdict(gate, (first, second), outcome)
    }
}

/// The allocations of a scope and of its calls: at least those of its own sites and those it is to
/// blame for, at most those of the run, and between these bounds the estimate from sampled stacks.
fn estimate(gate: &Gate, scope: &str, run: &ComparedRun<'_>, unit: Unit) -> (i64, Interval) {
    let least: i64 = parts(gate, run.document).values().sum();
    let totals = &run.document.totals;
    let most = match unit {
        Unit::Objects => totals.count,
        Unit::Bytes => totals.bytes,
    };
    let most = most.max(least);
    let bounds = Interval {
        low: least as f64,
        high: most as f64,
    };
    match run
        .stacks
        .and_then(|stacks| scope_estimate(stacks, scope, unit))
    {
        None => (least, bounds),
        Some((estimate, interval)) => (
            estimate.clamp(least, most),
            Interval {
                low: interval.low.clamp(bounds.low, bounds.high),
                high: interval.high.clamp(bounds.low, bounds.high),
            },
        ),
    }
}

/// Which run lacks the totals of calls, and how to get them.
fn without_totals(scope: &str, before: &ComparedRun<'_>, after: &ComparedRun<'_>) -> String {
    let lacks = |run: &ComparedRun<'_>| !has_call_totals(run.document, scope);
    let which = match (lacks(before), lacks(after)) {
        (true, false) => "the first run has",
        (false, true) => "the second run has",
        _ => "the runs have",
    };
    format!("{which} no totals of calls from {scope}; record both with --app {scope}")
}

/// Numbers of objects and bytes fit; 2^63 is far above.
fn whole(value: f64) -> i128 {
    value.round() as i128
}

/// The number in scope, by place.
fn parts(gate: &Gate, document: &Document) -> BTreeMap<Place, i64> {
    if gate.metric == Metric::Native {
        return off_heap_parts(gate.scope.as_ref(), document);
    }
    let package = match &gate.scope {
        Some(Scope::Package(package)) => Some(package),
        _ => None,
    };
    let scopes = package.map_or(&[][..], std::slice::from_ref);
    let with_causes = package.is_some_and(|package| has_call_totals(document, package));
    let mut parts = BTreeMap::new();
    let mut add = |place: Place, number: i64| {
        let part: &mut i64 = parts.entry(place).or_default();
        *part = part.saturating_add(number);
    };
    for site in &document.sites {
        let part = match &gate.scope {
            None => site.amount(),
            Some(Scope::Site(scope)) => at_site(site, scope),
            Some(Scope::Context(_)) => AmountDoc::default(),
            Some(Scope::Package(_)) if with_causes => own_in_scopes(site, scopes),
            Some(Scope::Package(_)) => in_scopes(site, scopes),
        };
        let number = match gate.metric {
            Metric::Count => part.count,
            Metric::Bytes | Metric::Native => part.bytes,
        };
        add(Place::of_site(site), number);
    }
    let causes = document.causes.iter().filter(|_| with_causes);
    for cause in causes.filter(|cause| scopes.iter().any(|scope| in_scope(scope, &cause.class))) {
        let number = match gate.metric {
            Metric::Count => cause.charged_objects,
            Metric::Bytes | Metric::Native => cause.charged_bytes,
        };
        add(Place::of_cause(cause), number);
    }
    parts
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.outcome {
            Outcome::Holds => "ok    ",
            Outcome::Broken => "FAILED",
            Outcome::CannotTell(_) => "CANNOT TELL",
        };
        let change = i128::from(self.after) - i128::from(self.before);
        write!(
            f,
            "{word}  {}: {} -> {} {} ({}{})",
            self.gate,
            self.number(self.before, 0),
            self.number(self.after, 1),
            self.unit,
            grouped_signed(change),
            match crate::quantity::percent(change, self.before) {
                Some(percent) => format!(", {percent:+.2} %"),
                None => String::new(),
            }
        )?;
        if self.is_budget {
            f.write_str("; a budget for the second run alone: growth is written +N or +N%")?;
        }
        if let Some((place, growth)) = &self.most {
            write!(f, "; most at {place}, {}", grouped_signed(*growth))?;
        }
        match &self.outcome {
            Outcome::CannotTell(reason) => write!(f, ": {reason}"),
            _ => Ok(()),
        }
    }
}

impl Verdict {
    /// `120`, or `120 [110; 130]` for an estimate.
    fn number(&self, number: i64, at: usize) -> String {
        let interval = self
            .intervals
            .and_then(|intervals| intervals.get(at).copied());
        match interval {
            None => grouped(number),
            Some(Interval { low, high }) => format!(
                "{} [{}; {}]",
                grouped(number),
                grouped(low.floor() as i64),
                grouped(high.ceil() as i64)
            ),
        }
    }
}

#[cfg(test)]
mod tests;
