//! For a terminal: what each candidate costs, with intervals, and what to do next.

use super::document::{
    EstimateDoc, ImpactCandidateDoc, ImpactReport, RemovalMoment, TrialSetDoc, TrialVerdict,
};
use crate::quantity::{bytes, counted, grouped, short_bytes};
use crate::text::next_command::{NextCommand, shell_word};
use crate::text::{fact, section};
use crate::text_lines::TextLines;

/// Places of NullPointerExceptions shown.
const PLACES: usize = 3;

/// Nobody makes more.
const MOST_TRIALS: f64 = 1000.0;

pub(super) fn write(report: &ImpactReport, out: &mut TextLines) {
    out.push_str(&format!("ducktrack impact: {}\n", report.command));
    let when = match report.at {
        RemovalMoment::Oom => "when the memory is full, if unused",
        RemovalMoment::Stale => "when unused",
    };
    let trials = format!(
        "{} and {}, in turns; references removed {when} for {} collections",
        counted(report.base.trials, "base trial"),
        counted(
            report
                .candidates
                .iter()
                .map(|row| row.removal.trials)
                .sum::<u64>(),
            "removal trial"
        ),
        report.after
    );
    fact(out, "trials", &trials);
    fact(out, "base", &set(&report.base));
    for (at, row) in report.candidates.iter().enumerate() {
        write_candidate(out, at + 1, row, report);
    }
    for line in &report.left_out {
        fact(out, "left out", line);
    }
    fact(
        out,
        "intervals",
        "95 % confidence, Welch's t; CPU time decides",
    );
}

fn set(set: &TrialSetDoc) -> String {
    let failed = match set.failed {
        0 => String::new(),
        failed => format!("; {} ended otherwise", counted(failed, "trial")),
    };
    let failed = match set.crashed {
        0 => failed,
        crashed => format!("{failed}, {} by a crash of the VM", grouped(crashed)),
    };
    format!(
        "{:.0} collections, pauses {}, program {}, GC share {}{failed}",
        set.collections,
        seconds(&set.gc_seconds),
        seconds(&set.mutator_seconds),
        interval(&set.gc_percent, 1.0, " %"),
    )
}

fn write_candidate(out: &mut String, rank: usize, row: &ImpactCandidateDoc, report: &ImpactReport) {
    let score = row.score;
    let score = score.map_or_else(String::new, |score| format!(" (leak score {score:.0})"));
    section(out, &format!("{rank}. {}{score}", name(row)));
    fact(out, "verdict", &verdict(row, report));
    if row.option.is_some() {
        fact(out, "with it", &set(&row.removal));
    } else {
        fact(out, "removed", &removed(row));
        fact(out, "removal", &set(&row.removal));
    }
    if let (Some(predicted), Some(saved), Some(is_inside)) =
        (&row.predicted_share, &row.saved_share, row.as_predicted)
    {
        fact(
            out,
            "predicted",
            &prediction(row, (predicted, saved), is_inside),
        );
    }
    write_saved(out, row);
    for place in row.null_uses.iter().take(PLACES) {
        let line = place
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        let thrown = format!(
            "NullPointerException {} at {}.{}{line}",
            times(place.count),
            place.class,
            place.method
        );
        fact(out, "used", &thrown);
    }
    for fault in &row.faults {
        fact(out, "fault", fault);
    }
}

/// What was saved, where trials can be compared.
fn write_saved(out: &mut String, row: &ImpactCandidateDoc) {
    let (Some(used), Some(gc), Some(cpu), Some(program), Some(score)) = (
        &row.used_bytes_saved,
        &row.gc_saved_seconds,
        &row.gc_cpu_saved_seconds,
        &row.mutator_saved_seconds,
        &row.impact_score,
    ) else {
        let why = "not known: trials that end otherwise than the base, or print something else, did other work";
        return fact(out, "saved", why);
    };
    fact(
        out,
        "saved",
        &format!("{} of what is in use after a collection", size(used)),
    );
    let saved = format!(
        "{} of pauses; CPU time in them {}; program {}",
        seconds(gc),
        seconds(cpu),
        seconds(program)
    );
    fact(out, "", &saved);
    let score = format!(
        "impact score {} (GC share, base minus removal)",
        interval(score, 1.0, " points")
    );
    fact(out, "", &score);
}

/// Bytes; an interval where there are trials enough for one.
fn size(bytes: &EstimateDoc) -> String {
    let short = |value: f64| match value < 0.0 {
        true => format!("-{}", short_bytes(-value as u64)),
        false => short_bytes(value as u64),
    };
    match (bytes.low, bytes.high) {
        (Some(low), Some(high)) => {
            format!("{} ({} to {})", short(bytes.value), short(low), short(high))
        }
        _ => short(bytes.value),
    }
}

/// What the trials are about.
fn name(row: &ImpactCandidateDoc) -> String {
    let or_none = |name: &Option<String>| name.clone().unwrap_or_default();
    match &row.option {
        Some(option) => format!("{} without allocation: {option}", or_none(&row.sites)),
        None => pair(row),
    }
}

/// As `--pair` takes it.
fn pair(row: &ImpactCandidateDoc) -> String {
    let or_none = |name: &Option<String>| name.clone().unwrap_or_default();
    format!("{}->{}", or_none(&row.source), or_none(&row.target))
}

fn prediction(
    row: &ImpactCandidateDoc,
    (predicted, saved): (&EstimateDoc, &EstimateDoc),
    is_inside: bool,
) -> String {
    format!(
        "{} of the time of collections; measured {}: {}",
        interval(predicted, 100.0, " %"),
        interval(saved, 100.0, " %"),
        match is_inside {
            true => "in the predicted interval",
            false if row.as_predicted_within_error == Some(true) => {
                "not in the predicted interval, but no further off than trials scatter"
            }
            false => "not in the predicted interval",
        }
    )
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{} times", grouped(count)),
    }
}

fn verdict(row: &ImpactCandidateDoc, report: &ImpactReport) -> String {
    let cpu = row
        .gc_cpu_saved_seconds
        .as_ref()
        .map_or(0.0, |cpu| cpu.value);
    let whole = report.base.gc_cpu_seconds.value;
    let share = |value: f64| match whole {
        0.0 => String::new(),
        whole => format!("{:.0} % ", 100.0 * value / whole),
    };
    match row.verdict {
        TrialVerdict::Saves => format!("fixing it saves {}of the time of collections", share(cpu)),
        TrialVerdict::Costs => format!("removing it costs {}more time of collections", share(-cpu)),
        TrialVerdict::NothingRemoved => {
            "nothing was removed: no object of it was unused for so long".to_owned()
        }
        TrialVerdict::NotALeak => format!(
            "not a leak: the program used what was removed ({} by another path, {} null references)",
            grouped(row.used_again),
            grouped(row.null_uses.iter().map(|place| place.count).sum::<u64>())
        ),
        TrialVerdict::Crashed => format!(
            "no answer: the VM crashed in {}",
            counted(row.removal.crashed, "trial")
        ),
        TrialVerdict::Failed => format!(
            "no answer: {} ended otherwise than the base, {} printed something else",
            row.removal.failed,
            row.removal.other_output.unwrap_or(0)
        ),
        TrialVerdict::TooFewTrials => {
            let saved = row.saved_share.as_ref();
            let saved = saved.map_or_else(String::new, |saved| interval(saved, 100.0, " %"));
            format!(
                "not known after {} of each kind: {saved} of the time of collections saved; {}",
                counted(row.removal.trials, "trial"),
                trials_needed(row.removal.trials, row.saved_share.as_ref())
            )
        }
        TrialVerdict::NoSignificantImpact => "no significant impact".to_owned(),
    }
}

/// An interval becomes narrower by the root of the number of trials, until it does not hold 0.
fn trials_needed(trials: u64, saved: Option<&EstimateDoc>) -> String {
    let reach = saved.and_then(|saved| Some((saved.high? - saved.low?) / 2.0 / saved.value.abs()));
    let needed = reach.map(|reach| (trials as f64 * reach.powi(2)).ceil());
    match needed.filter(|needed| *needed <= MOST_TRIALS) {
        Some(needed) => format!(
            "if it is about as much, --trials {} show it",
            needed.max(trials as f64 + 1.0)
        ),
        None => format!("if it is so little, more than {MOST_TRIALS} trials would be needed"),
    }
}

fn removed(row: &ImpactCandidateDoc) -> String {
    let finals = match row.finals {
        0.0 => String::new(),
        finals => format!(", {finals:.0} of final fields"),
    };
    let held = match row.still_held {
        0.0 => String::new(),
        held => {
            format!("; {held:.0} not freed at the end (held by another path, or not collected yet)")
        }
    };
    format!(
        "{} references to {} objects of {}{finals} a trial{held}",
        grouped(row.references.round() as i64),
        grouped(row.objects.round() as i64),
        bytes(row.bytes.round() as i64)
    )
}

fn seconds(estimate: &EstimateDoc) -> String {
    interval(estimate, 1e3, " ms")
}

/// `12.0 ms (11.5 to 12.5)`.
fn interval(estimate: &EstimateDoc, factor: f64, unit: &str) -> String {
    let value = format!("{:.1}{unit}", estimate.value * factor);
    match (estimate.low, estimate.high) {
        (Some(low), Some(high)) => format!("{value} ({:.1} to {:.1})", low * factor, high * factor),
        _ => value,
    }
}

pub(super) fn next(report: &ImpactReport) -> Vec<NextCommand> {
    let mut next = Vec::new();
    if let (Some(trace), Some(dump)) = (&report.trace, &report.dump) {
        let (trace, dump) = (shell_word(trace), shell_word(dump));
        next.push(NextCommand::new(
            format!("leaks {trace} --dump {dump}"),
            "who makes and who holds the candidates",
        ));
        let first = report.candidates.first();
        if let Some(target) = first.and_then(|row| row.target.as_deref()) {
            let target = shell_word(target);
            next.push(NextCommand::new(
                format!("holders {trace} --dump {dump} --type {target}"),
                "every path to the first",
            ));
        }
    }
    let first = report.candidates.first();
    let pair = first.filter(|row| row.option.is_none()).map_or_else(
        || "'SOURCE->TARGET'".to_owned(),
        |row| shell_word(&pair(row)),
    );
    next.push(NextCommand::new(
        format!("impact --pair {pair} --trials 10 -- java ..."),
        "narrower intervals",
    ));
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_trials_that_would_show_it() {
        let saved = |value: f64, low: f64, high: f64| EstimateDoc {
            value,
            low: Some(low),
            high: Some(high),
        };
        // Just not significant; half as wide needs four times as many.
        let needed = trials_needed(10, Some(&saved(0.075, -0.001, 0.151)));
        assert_eq!(needed, "if it is about as much, --trials 11 show it");
        let needed = trials_needed(10, Some(&saved(0.04, -0.04, 0.12)));
        assert_eq!(needed, "if it is about as much, --trials 40 show it");
        let needed = trials_needed(10, Some(&saved(0.0, -0.1, 0.1)));
        assert!(needed.ends_with("more than 1000 trials would be needed"));
        assert!(trials_needed(1, None).starts_with("if it is so little"));
    }
}
