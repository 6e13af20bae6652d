//! Trials to document.

use std::collections::BTreeMap;

use ducktrack_analyses::Estimate;
use ducktrack_count_model::{NullUse, Removal, Trial};

use super::document::{
    EstimateDoc, ImpactCandidateDoc, ImpactReport, PlaceCountDoc, RemovalMoment, TrialSetDoc,
    TrialVerdict,
};
use super::estimate::Estimate as Measured;
use crate::class_name::printable;
use crate::event_trace::VERSION;

/// As a share of the time of collections: what may be saved this much is not called insignificant.
const MATTERS: f64 = 0.1;

const METHOD: &str = "Base trials and removal trials run the same program with the same agent, in turns. In a removal trial, references of the source's objects to targets \
    that the program has not used for some collections are set to null in the running program. Times are of the program's own run, from when the agent is ready: pauses as the JVM \
    announces them, and what is left without the time in which the agent stops the program. GC share: pauses as a share of both (equation 1 of the paper); impact score: its difference. \
    Intervals: 95 %, Welch's t. A candidate has an impact if the interval of the CPU time in pauses does not hold 0: other programs on the machine hardly change it; it has none if that interval ends below a tenth of the time of collections, and else there were too few trials. It is not a leak \
    if the program used what was removed: by another path, or a NullPointerException is thrown where no base trial throws one. Where a first run was traced, the share of the time of \
    collections that ducktrack cost predicts stands beside the measured share of the CPU time that the collecting threads take in pauses. Its interval (95 %) has three parts, whose squares \
    add up: what the pauses of the one run leave open, the error of the model (standard deviation: 0.4 of the saving, times the share that is left), and the difference between runs (3 % of the time of \
    collections a run) for this number of trials; none of them is from these trials.";

/// What was asked.
#[derive(Clone, Debug, Default)]
pub struct ImpactRequest {
    /// The program.
    pub command: String,
    /// When references are removed.
    pub at: RemovalMoment,
    /// Collections without a use.
    pub after: u32,
    /// The run that named the candidates: its trace and dump.
    pub found_in: Option<(String, String)>,
    /// Candidates that no trial can be made for, and why.
    pub left_out: Vec<String>,
}

/// One run of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrialRun {
    /// What its trace says; `None`: the trace has no result.
    pub trial: Option<Trial>,
    /// How it ended.
    pub exit: Option<i32>,
    /// The VM crashed.
    pub crashed: bool,
    /// A hash of what it printed.
    pub output: u64,
}

/// What is different in some trials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrialChange {
    /// References are removed.
    Removal {
        /// Whose references.
        source: String,
        /// To what.
        target: String,
    },
    /// The JVM has one more option.
    Option {
        /// The option.
        option: String,
        /// The class, method or package whose allocation it switches off.
        sites: String,
    },
}

/// A candidate with its trials.
#[derive(Clone, Debug)]
pub struct ImpactCandidate {
    /// What is different in them.
    pub change: TrialChange,
    /// From `ducktrack leaks`.
    pub score: Option<f64>,
    /// The share of the time of collections that a traced run says would be saved.
    pub predicted: Option<Estimate>,
    /// Its trials.
    pub runs: Vec<TrialRun>,
}

/// Makes the report.
#[must_use]
pub fn impact_report(
    request: &ImpactRequest,
    base: &[TrialRun],
    candidates: &[ImpactCandidate],
) -> ImpactReport {
    let base = BaseTrials::new(base);
    let found_in = request.found_in.clone().unzip();
    ImpactReport {
        format: "ducktrack-impact".to_owned(),
        version: VERSION,
        command: printable(&request.command),
        at: request.at,
        after: request.after,
        method: METHOD.to_owned(),
        base: base.set(base.runs),
        candidates: candidates.iter().map(|one| base.candidate(one)).collect(),
        left_out: request.left_out.clone(),
        trace: found_in.0,
        dump: found_in.1,
    }
}

/// What removal trials are compared with.
struct BaseTrials<'a> {
    runs: &'a [TrialRun],
    exit: Option<i32>,
    /// What all of them print.
    output: Option<u64>,
    null_uses: Vec<&'a NullUse>,
}

impl<'a> BaseTrials<'a> {
    fn new(runs: &'a [TrialRun]) -> Self {
        let first = runs.first();
        let output = first.map(|run| run.output);
        Self {
            runs,
            exit: first.and_then(|run| run.exit),
            output: output.filter(|output| runs.iter().all(|run| run.output == *output)),
            null_uses: trials(runs).flat_map(|trial| &trial.null_uses).collect(),
        }
    }

    fn set(&self, runs: &[TrialRun]) -> TrialSetDoc {
        let mean = |figure: fn(&Trial) -> f64| Measured::mean(&figures(runs, figure)).value;
        let estimate = |figure: fn(&Trial) -> f64| doc(Measured::mean(&figures(runs, figure)));
        let fails = |run: &&TrialRun| run.trial.is_none() || run.exit != self.exit;
        let differs = |output: u64| runs.iter().filter(|run| run.output != output).count() as u64;
        TrialSetDoc {
            trials: runs.len() as u64,
            failed: runs.iter().filter(fails).count() as u64,
            crashed: runs.iter().filter(|run| run.crashed).count() as u64,
            other_output: self.output.map(differs),
            collections: rounded(mean(|trial| trial.pauses as f64)),
            gc_seconds: estimate(gc),
            gc_cpu_seconds: estimate(gc_cpu),
            mutator_seconds: estimate(mutator),
            gc_percent: estimate(gc_percent),
            looks: rounded(mean(|trial| trial.looks as f64)),
            stopped_seconds: rounded(mean(|trial| seconds(trial.stopped_nanos))),
            most_used_bytes: mean(|trial| trial.most_used_bytes as f64).round(),
        }
    }

    fn candidate(&self, candidate: &ImpactCandidate) -> ImpactCandidateDoc {
        let runs = &candidate.runs;
        let saved = |figure: fn(&Trial) -> f64| {
            Measured::difference(&figures(self.runs, figure), &figures(runs, figure))
        };
        let removals: Vec<&Removal> = trials(runs).flat_map(|trial| &trial.removals).collect();
        let mean = |figure: fn(&Removal) -> u64| {
            let sum: u64 = removals.iter().map(|removal| figure(removal)).sum();
            rounded(sum as f64 / removals.len().max(1) as f64)
        };
        let removal = self.set(runs);
        let used_again = removals.iter().map(|removal| removal.used_again).sum();
        let is_removal = matches!(candidate.change, TrialChange::Removal { .. });
        let mut null_uses = self.new_null_uses(runs);
        if !is_removal {
            null_uses.clear();
        }
        let cpu = saved(gc_cpu);
        let share = cpu.part_of(Measured::mean(&figures(self.runs, gc_cpu)).value);
        let predicted = candidate.predicted;
        let is_inside =
            |predicted: Estimate| (predicted.low..=predicted.high).contains(&share.value);
        let is_used = used_again > 0 || !null_uses.is_empty();
        let ended_otherwise = removal.failed > 0 || removal.other_output > Some(0);
        let verdict = match cpu {
            _ if removal.crashed > 0 => TrialVerdict::Crashed,
            _ if is_used => TrialVerdict::NotALeak,
            _ if ended_otherwise => TrialVerdict::Failed,
            _ if is_removal && removals.iter().all(|removal| removal.references == 0) => {
                TrialVerdict::NothingRemoved
            }
            cpu if !cpu.is_significant() && share.reaches(MATTERS) => TrialVerdict::TooFewTrials,
            cpu if !cpu.is_significant() => TrialVerdict::NoSignificantImpact,
            cpu if cpu.value > 0.0 => TrialVerdict::Saves,
            _ => TrialVerdict::Costs,
        };
        let (source, target, option, sites) = match &candidate.change {
            TrialChange::Removal { source, target } => (Some(source), Some(target), None, None),
            TrialChange::Option { option, sites } => (None, None, Some(option), Some(sites)),
        };
        let name = |name: Option<&String>| name.map(|name| printable(name));
        // Trials that did other work cannot be compared.
        let compared = |figure: Measured| (!ended_otherwise).then(|| doc(figure));
        ImpactCandidateDoc {
            source: name(source),
            target: name(target),
            option: name(option),
            sites: name(sites),
            predicted_share: predicted.map(|share| EstimateDoc {
                value: rounded(share.value),
                low: Some(rounded(share.low)),
                high: Some(rounded(share.high)),
            }),
            saved_share: compared(share),
            as_predicted: predicted.map(is_inside).filter(|_| !ended_otherwise),
            as_predicted_within_error: predicted
                .map(|predicted| share.may_be_in(predicted))
                .filter(|_| !ended_otherwise),
            score: candidate.score,
            verdict,
            removal,
            gc_saved_seconds: compared(saved(gc)),
            gc_cpu_saved_seconds: compared(cpu),
            mutator_saved_seconds: compared(saved(mutator)),
            used_bytes_saved: compared(saved(|trial| trial.most_used_bytes as f64)),
            impact_score: compared(saved(gc_percent)),
            seen: mean(|removal| removal.seen),
            references: mean(|removal| removal.references),
            finals: mean(|removal| removal.finals),
            objects: mean(|removal| removal.objects),
            bytes: mean(|removal| removal.bytes),
            still_held: mean(|removal| removal.still_held),
            used_again,
            null_uses,
            faults: trials(runs)
                .filter_map(|trial| trial.fault.as_deref().map(printable))
                .collect(),
        }
    }

    /// Places that threw in these trials only.
    fn new_null_uses(&self, runs: &[TrialRun]) -> Vec<PlaceCountDoc> {
        let mut counts: BTreeMap<(&str, &str, Option<u16>), u64> = BTreeMap::new();
        for found in trials(runs).flat_map(|trial| &trial.null_uses) {
            let place = (found.class.as_str(), found.method.as_str(), found.line);
            let in_base = self
                .null_uses
                .iter()
                .any(|known| (known.class.as_str(), known.method.as_str(), known.line) == place);
            if !in_base {
                *counts.entry(place).or_default() += found.count;
            }
        }
        let row =
            |((class, method, line), count): ((&str, &str, Option<u16>), u64)| PlaceCountDoc {
                class: printable(class),
                method: printable(method),
                line,
                count,
            };
        counts.into_iter().map(row).collect()
    }
}

fn trials(runs: &[TrialRun]) -> impl Iterator<Item = &Trial> {
    runs.iter().filter_map(|run| run.trial.as_ref())
}

fn figures(runs: &[TrialRun], figure: fn(&Trial) -> f64) -> Vec<f64> {
    trials(runs).map(figure).collect()
}

fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

fn gc(trial: &Trial) -> f64 {
    seconds(trial.pause_nanos)
}

fn gc_cpu(trial: &Trial) -> f64 {
    seconds(trial.pause_cpu_nanos)
}

fn mutator(trial: &Trial) -> f64 {
    let others = trial.pause_nanos.saturating_add(trial.stopped_nanos);
    seconds(trial.run_nanos.saturating_sub(others))
}

fn gc_percent(trial: &Trial) -> f64 {
    let whole = gc(trial) + mutator(trial);
    match whole {
        0.0 => 0.0,
        whole => 100.0 * gc(trial) / whole,
    }
}

/// To a microsecond; JSON has no infinities: they are 0.
fn rounded(value: f64) -> f64 {
    match value.is_finite() {
        true => (value * 1e6).round() / 1e6,
        false => 0.0,
    }
}

fn doc(estimate: Measured) -> EstimateDoc {
    EstimateDoc {
        value: rounded(estimate.value),
        low: estimate.interval.map(|(low, _)| rounded(low)),
        high: estimate.interval.map(|(_, high)| rounded(high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn run(pause_tenths: u64, removal: Option<Removal>) -> TrialRun {
        let trial = Trial {
            run_nanos: 2 * SECOND,
            pauses: 10,
            pause_nanos: pause_tenths * SECOND / 10,
            pause_cpu_nanos: pause_tenths * SECOND / 5,
            removals: removal.into_iter().collect(),
            ..Trial::default()
        };
        TrialRun {
            trial: Some(trial),
            exit: Some(0),
            crashed: false,
            output: 7,
        }
    }

    fn removed() -> Removal {
        Removal {
            references: 100,
            objects: 90,
            ..Removal::default()
        }
    }

    fn candidate(runs: Vec<TrialRun>) -> ImpactCandidateDoc {
        let base = [10, 11, 9].map(|tenths| run(tenths, None));
        let change = TrialChange::Removal {
            source: "a.A".to_owned(),
            target: "a.B".to_owned(),
        };
        let predicted = Estimate {
            value: 0.45,
            low: 0.4,
            high: 0.6,
        };
        let candidate = ImpactCandidate {
            change,
            score: None,
            predicted: Some(predicted),
            runs,
        };
        let mut report = impact_report(&ImpactRequest::default(), &base, &[candidate]);
        assert_eq!(report.base.gc_seconds.value, 1.0);
        assert_eq!(report.base.gc_percent.value, 50.0);
        report.candidates.remove(0)
    }

    fn value(estimate: &Option<EstimateDoc>) -> f64 {
        estimate.as_ref().expect("comparable").value
    }

    #[test]
    fn what_is_saved() {
        let found = candidate([5, 6, 4].map(|tenths| run(tenths, Some(removed()))).into());
        assert_eq!(found.verdict, TrialVerdict::Saves);
        assert_eq!(value(&found.gc_saved_seconds), 0.5);
        assert_eq!(value(&found.impact_score), 25.0);
        assert_eq!(
            (value(&found.saved_share), found.as_predicted),
            (0.5, Some(true))
        );
        assert_eq!(found.as_predicted_within_error, Some(true));
        assert_eq!((found.references, found.objects), (100.0, 90.0));
        let same = candidate(
            [10, 11, 9]
                .map(|tenths| run(tenths, Some(removed())))
                .into(),
        );
        assert_eq!(same.verdict, TrialVerdict::TooFewTrials);
        let more = candidate(
            [12, 13, 11]
                .map(|tenths| run(tenths, Some(removed())))
                .into(),
        );
        assert_eq!(more.verdict, TrialVerdict::NoSignificantImpact);
        assert_eq!(
            (value(&same.saved_share), same.as_predicted),
            (0.0, Some(false))
        );
        assert_eq!(same.as_predicted_within_error, Some(false));
        let less = candidate([7, 8, 6].map(|tenths| run(tenths, Some(removed()))).into());
        assert_eq!(
            (less.as_predicted, less.as_predicted_within_error),
            (Some(false), Some(true))
        );
        let none = candidate([5, 6, 4].map(|tenths| run(tenths, None)).into());
        assert_eq!(none.verdict, TrialVerdict::NothingRemoved);
    }

    #[test]
    fn what_the_program_uses_is_no_leak() {
        let used = Removal {
            used_again: 1,
            ..removed()
        };
        let found = candidate(
            [5, 6, 4]
                .map(|tenths| run(tenths, Some(used.clone())))
                .into(),
        );
        assert_eq!(
            (found.verdict, found.used_again),
            (TrialVerdict::NotALeak, 3)
        );
        let mut runs = [5, 6].map(|tenths| run(tenths, Some(removed())));
        let thrown = NullUse {
            class: "a.B".to_owned(),
            method: "c".to_owned(),
            line: Some(4),
            count: 2,
        };
        runs[0].trial.as_mut().expect("a trial").null_uses = vec![thrown];
        let found = candidate(runs.into());
        assert_eq!(found.verdict, TrialVerdict::NotALeak);
        assert_eq!(found.null_uses[0].count, 2);
    }

    #[test]
    fn a_trial_that_ends_otherwise_is_marked() {
        let mut runs = [5, 6].map(|tenths| run(tenths, Some(removed())));
        runs[1].exit = Some(1);
        let failed = candidate(runs.clone().into());
        assert_eq!(failed.verdict, TrialVerdict::Failed);
        assert_eq!(failed.gc_saved_seconds, None, "nothing to compare");
        assert_eq!((failed.saved_share, failed.as_predicted), (None, None));
        runs[0].crashed = true;
        assert_eq!(
            candidate(runs.clone().into()).verdict,
            TrialVerdict::Crashed
        );
        runs[0].crashed = false;
        runs[1].exit = Some(0);
        runs[1].output = 8;
        assert_eq!(candidate(runs.into()).verdict, TrialVerdict::Failed);
    }
}
