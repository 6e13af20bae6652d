//! Compares every tool's totals with the truth, on the program whose counts are known by construction.
//!
//! `KnownCounts` prints, for each way to allocate, the objects and bytes that it has allocated. A tool's entry belongs to a way if its type
//! is one of the way's, and if the type is the program's own or one of the frames is the way's method. For a tool that knows types only, or
//! that attributes objects to a library method, the entry with the largest amount of each of the way's types is used.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use crate::fork::run_fork_with_truth;
use crate::way::Way;
use crate::{
    ForkSettings, Installation, Measurement, Metric, Outcome, Program, Spread, Tool, median,
};

/// The truth about one fork.
pub type Truth = Vec<Way>;

/// The error and the cost of a tool on the program with known counts.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// The tool.
    pub tool: String,
    /// What the tool is.
    pub about: String,
    /// The reason why there are no other values: for example, the JVM failed.
    pub failure: Option<String>,
    /// Application CPU time relative to the bare JVM.
    pub cost: Option<Spread>,
    /// Objects of all ways compared with the truth; `None` if the tool counts no objects.
    pub objects: Option<Account>,
    /// Bytes of all ways compared with the truth; `None` if the tool counts no bytes.
    pub bytes: Option<Account>,
}

/// A total compared with the truth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Account {
    /// The truth.
    pub truth: f64,
    /// The tool's value (median over forks).
    pub reported: f64,
    /// The sum of the ways' errors as a share of the truth: too much in one way does not make up for too little in another.
    pub error: f64,
    /// The way with the largest error, and that error: -1 means that the tool reports nothing, 1 that it reports
    /// twice as many.
    pub worst: Option<(String, f64)>,
}

/// A tool's objects and bytes, each `None` if the tool does not count them.
type ToolTotals = (Option<f64>, Option<f64>);

/// One fork of one tool, and the tool's totals of each way.
struct ToolRun {
    tool: usize,
    measurement: Measurement,
    totals: Vec<(Way, ToolTotals)>,
}

/// Runs the program with every tool, in rounds, and judges each tool. The first tool is the bare JVM.
pub fn measure_known_truth(
    installation: &Installation,
    tools: &[Tool],
    settings: &ForkSettings,
    rounds: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Judgement>> {
    let mut runs: Vec<ToolRun> = Vec::new();
    let mut truth = Truth::new();
    for round in 0..rounds {
        for (index, tool) in tools.iter().enumerate() {
            progress(&format!(
                "known counts, round {} of {rounds}, {}",
                round + 1,
                tool.name
            ));
            let directory =
                installation.fork_directory(&["known", &tool.name, &round.to_string()])?;
            let finished = run_fork_with_truth(
                installation,
                tool,
                &Program::KnownCounts,
                settings,
                &directory,
            )?;
            if tool.is_bare() {
                truth = finished.truth;
            }
            let measurement = Measurement {
                round,
                ..finished.measurement
            };
            let mut run = ToolRun {
                tool: index,
                measurement,
                totals: Vec::new(),
            };
            run.read_output(installation, tool, &directory, &truth);
            runs.push(run);
        }
    }
    Ok(tools
        .iter()
        .enumerate()
        .map(|(index, tool)| judge(tool, index, &runs, &truth))
        .collect())
}

impl ToolRun {
    /// If a tool's output cannot be read, the tool has failed, not the benchmark.
    fn read_output(
        &mut self,
        installation: &Installation,
        tool: &Tool,
        directory: &Path,
        truth: &Truth,
    ) {
        if self.measurement.outcome != Outcome::Done {
            return;
        }
        match tool.entries(installation, directory) {
            Ok(Some(entries)) => {
                self.totals = truth
                    .iter()
                    .map(|way| (way.clone(), way.find(&entries)))
                    .collect()
            }
            Ok(None) => {}
            Err(error) => self.measurement.outcome = Outcome::Failed(format!("{error:#}")),
        }
    }
}

fn judge(tool: &Tool, index: usize, runs: &[ToolRun], truth: &Truth) -> Judgement {
    let own = || runs.iter().filter(|run| run.tool == index);
    let failure = own().find_map(|run| match &run.measurement.outcome {
        Outcome::Failed(why) | Outcome::Skipped(why) => Some(why.clone()),
        Outcome::Done => None,
    });
    let totals: Vec<&Vec<(Way, ToolTotals)>> = own()
        .map(|run| &run.totals)
        .filter(|totals| !totals.is_empty())
        .collect();
    Judgement {
        tool: tool.name.clone(),
        about: tool.about.clone(),
        failure,
        cost: cost(index, runs),
        objects: account(truth, &totals, |way| way.objects, |totals| totals.0),
        bytes: account(truth, &totals, |way| way.bytes, |totals| totals.1),
    }
}

/// The cost relative to the first tool, the bare JVM, round by round.
fn cost(index: usize, runs: &[ToolRun]) -> Option<Spread> {
    let value = |tool: usize, round: usize| {
        let run = runs
            .iter()
            .find(|run| run.tool == tool && run.measurement.round == round)?;
        run.measurement.value(Metric::Cpu)
    };
    let rounds = runs.iter().map(|run| run.measurement.round).max()?;
    Spread::of((0..=rounds).filter_map(|round| Some(value(index, round)? / value(0, round)?)))
}

fn account(
    truth: &Truth,
    forks: &[&Vec<(Way, ToolTotals)>],
    right: impl Fn(&Way) -> f64,
    reported: impl Fn(&ToolTotals) -> Option<f64>,
) -> Option<Account> {
    if !forks
        .iter()
        .any(|fork| fork.iter().any(|(_, totals)| reported(totals).is_some()))
    {
        return None;
    }
    let of_way = |way: &Way| {
        let values = forks
            .iter()
            .flat_map(|fork| fork.iter())
            .filter(|(other, _)| other.name == way.name);
        median(values.map(|(_, totals)| reported(totals).unwrap_or(0.0))).unwrap_or(0.0)
    };
    let total_truth: f64 = truth.iter().map(&right).sum();
    let ways: Vec<(&Way, f64)> = truth.iter().map(|way| (way, of_way(way))).collect();
    let wrong: f64 = ways
        .iter()
        .map(|(way, reported)| (reported - right(way)).abs())
        .sum();
    let errors = ways
        .iter()
        .map(|(way, reported)| (way.name.clone(), reported / right(way) - 1.0));
    let worst = errors
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
        .filter(|(_, error)| *error != 0.0);
    let reported = ways.iter().map(|(_, reported)| reported).sum();
    Some(Account {
        truth: total_truth,
        reported,
        error: wrong / total_truth,
        worst,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolEntry;

    fn way(name: &str, types: &[&str], objects: f64) -> Way {
        let types = types.iter().map(|name| (*name).to_owned()).collect();
        Way {
            name: name.to_owned(),
            types,
            objects,
            bytes: objects * 16.0,
        }
    }

    fn entry(frames: &[&str], type_name: &str, objects: f64) -> ToolEntry {
        let frames = frames.iter().map(|frame| (*frame).to_owned()).collect();
        ToolEntry {
            frames,
            type_name: type_name.to_owned(),
            objects: Some(objects),
            bytes: None,
        }
    }

    #[test]
    fn the_method_decides_and_only_its_own_types_count() {
        let concat = way("concat", &["java.lang.String", "byte[]"], 200.0);
        let all = [
            entry(
                &[
                    "KnownCounts.concat",
                    "java.lang.StringConcatHelper.newString",
                ],
                "java.lang.String",
                100.0,
            ),
            entry(&["KnownCounts.concat"], "byte[]", 90.0),
            entry(
                &["KnownCounts.concat", "java.lang.invoke.CallSite.makeSite"],
                "java.lang.invoke.MethodType",
                7.0,
            ),
            entry(&["java.lang.System.initPhase1"], "byte[]", 500.0),
        ];
        assert_eq!(concat.find(&all), (Some(190.0), None));
        let lambda = way("thread", &["KnownCounts$Virtual"], 100.0);
        let all = [entry(
            &["KnownCounts.lambda$thread$1"],
            "KnownCounts$Virtual",
            100.0,
        )];
        assert_eq!(lambda.find(&all), (Some(100.0), None));
    }

    #[test]
    fn without_frames_the_type_decides() {
        let boxing = way("boxing", &["java.lang.Long"], 100.0);
        assert_eq!(
            boxing.find(&[
                entry(&[], "java.lang.Long", 101.0),
                entry(&[], "byte[]", 5.0)
            ]),
            (Some(101.0), None)
        );
        assert_eq!(boxing.find(&[entry(&[], "byte[]", 5.0)]), (None, None));
        let places = [
            entry(&["a.B.c"], "java.lang.Long", 100.0),
            entry(&["java.lang.System.init"], "java.lang.Long", 3.0),
        ];
        assert_eq!(boxing.find(&places), (Some(100.0), None));
    }

    #[test]
    fn errors_of_ways_do_not_cancel() {
        let truth = vec![way("a", &["A"], 100.0), way("b", &["B"], 100.0)];
        let fork = vec![
            (truth[0].clone(), (Some(150.0), None)),
            (truth[1].clone(), (Some(50.0), None)),
        ];
        let objects = account(&truth, &[&fork], |way| way.objects, |totals| totals.0).unwrap();
        assert_eq!(
            (objects.reported, objects.truth, objects.error),
            (200.0, 200.0, 0.5)
        );
        assert_eq!(objects.worst.unwrap().1.abs(), 0.5);
        assert_eq!(
            account(&truth, &[&fork], |way| way.bytes, |totals| totals.1),
            None
        );
    }

    #[test]
    fn a_way_that_a_tool_does_not_see_is_an_error_of_one() {
        let truth = vec![way("a", &["A"], 100.0), way("b", &["B"], 300.0)];
        let fork = vec![
            (truth[0].clone(), (None, None)),
            (truth[1].clone(), (Some(300.0), None)),
        ];
        let objects = account(&truth, &[&fork], |way| way.objects, |totals| totals.0).unwrap();
        assert_eq!(
            (objects.error, objects.worst),
            (0.25, Some(("a".to_owned(), -1.0)))
        );
    }
}
