//! The judgement of a gate on contexts: `count[context:GET /orders]>+0 per execution`.

use super::ComparedRun;
use super::contexts::{ContextAmounts, amounts_of};
use super::gate::{Gate, Metric};
use super::verdict::{Outcome, Verdict, unfit, verdict};

/// Judges a gate on the contexts that a pattern names.
pub(super) fn judge(
    gate: &Gate,
    pattern: &str,
    before: &ComparedRun<'_>,
    after: &ComparedRun<'_>,
) -> Verdict {
    let Some((first, second)) = before.contexts.zip(after.contexts) else {
        let reason = "a JSON report does not have its contexts; compare two recordings";
        return verdict(gate, (0, 0), Outcome::CannotTell(reason.to_owned()));
    };
    let sides = [first, second].map(|report| amounts_of(report, pattern));
    let is_there = sides.iter().any(Option::is_some);
    let [first, second] = sides.map(Option::unwrap_or_default);
    let divisors = [first, second].map(|side| match gate.is_per_execution {
        true => side.executions.max(1),
        false => 1,
    });
    let numbers = [first, second].map(|side| number(gate, side));
    let is_over = gate.is_over_each(numbers, divisors);
    let outcome = match unfit(before, after, is_over) {
        _ if !is_there && !gate.may_be_absent => Outcome::CannotTell(format!(
            "no context {pattern} was executed in either run; check the name, or drop the gate"
        )),
        Some(reason) => Outcome::CannotTell(reason),
        None if is_over => Outcome::Broken,
        None => Outcome::Holds,
    };
    let shown = |side: usize| {
        let pair = numbers.get(side).zip(divisors.get(side));
        pair.map_or(0, |(number, divisor)| {
            (*number as f64 / *divisor as f64).round() as i64
        })
    };
    verdict(gate, (shown(0), shown(1)), outcome)
}

fn number(gate: &Gate, side: ContextAmounts) -> i64 {
    match gate.metric {
        Metric::Count => side.count,
        Metric::Bytes | Metric::Native => side.bytes,
    }
}
