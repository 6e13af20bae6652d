//! Every tool's own totals beside the truth, on the program whose counts are known by construction.
//!
//! `KnownCounts` prints, per way to allocate, the objects and bytes that it has allocated. A tool's entry belongs to a way if
//! its type is one of the way's and either that type is the program's own, or one of its frames is the way's method. A tool that knows types
//! only, or that blames a library method instead, is asked for the place that allocates most of each of the way's types.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use crate::fork::run_fork_with_truth;
use crate::way::Way;
use crate::{
    ForkSettings, Installation, Measurement, Metric, Outcome, Program, Spread, Tool, median,
};

/// The truth of one fork.
pub type Truth = Vec<Way>;

/// How far a tool is off, and what it costs, on the program with known counts.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// The tool.
    pub tool: String,
    /// What it is.
    pub about: String,
    /// Why there is nothing else: the JVM failed, say.
    pub failure: Option<String>,
    /// Application CPU time against the bare JVM.
    pub cost: Option<Spread>,
    /// Objects it says, of all ways, against the truth; none if it counts no objects.
    pub objects: Option<Account>,
    /// Bytes it says, of all ways, against the truth; none if it counts no bytes.
    pub bytes: Option<Account>,
}

/// A total beside the truth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Account {
    /// The truth.
    pub truth: f64,
    /// What the tool says (median over forks).
    pub said: f64,
    /// Share of the truth that it gets wrong, the ways' errors added up: too much here does not make up for too little there.
    pub error: f64,
    /// The way with the largest error of its own, and that error: -1 is "says nothing", 1 is "says twice as many".
    pub worst: Option<(String, f64)>,
}

/// Objects and bytes that a tool says, each none if it does not say.
type Told = (Option<f64>, Option<f64>);

/// One fork of one tool, and what the tool says of each way.
struct Heard {
    tool: usize,
    measurement: Measurement,
    told: Vec<(Way, Told)>,
}

/// Runs the program with every tool, in rounds, and judges each. The first tool is the bare JVM.
pub fn measure_known_truth(
    installation: &Installation,
    tools: &[Tool],
    settings: &ForkSettings,
    rounds: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Judgement>> {
    let mut runs: Vec<Heard> = Vec::new();
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
                None,
                &directory,
            )?;
            if tool.is_bare() {
                truth = finished.truth;
            }
            let measurement = Measurement {
                round,
                ..finished.measurement
            };
            let mut heard = Heard {
                tool: index,
                measurement,
                told: Vec::new(),
            };
            heard.hear(installation, tool, &directory, &truth);
            runs.push(heard);
        }
    }
    Ok(tools
        .iter()
        .enumerate()
        .map(|(index, tool)| judge(tool, index, &runs, &truth))
        .collect())
}

impl Heard {
    /// A tool whose output cannot be read has failed, not the benchmark.
    fn hear(&mut self, installation: &Installation, tool: &Tool, directory: &Path, truth: &Truth) {
        if self.measurement.outcome != Outcome::Done {
            return;
        }
        match tool.said(installation, directory) {
            Ok(Some(said)) => {
                self.told = truth
                    .iter()
                    .map(|way| (way.clone(), way.find(&said)))
                    .collect()
            }
            Ok(None) => {}
            Err(error) => self.measurement.outcome = Outcome::Failed(format!("{error:#}")),
        }
    }
}

fn judge(tool: &Tool, index: usize, runs: &[Heard], truth: &Truth) -> Judgement {
    let own = || runs.iter().filter(|heard| heard.tool == index);
    let failure = own().find_map(|heard| match &heard.measurement.outcome {
        Outcome::Failed(why) | Outcome::Skipped(why) => Some(why.clone()),
        Outcome::Done => None,
    });
    let told: Vec<&Vec<(Way, Told)>> = own()
        .map(|heard| &heard.told)
        .filter(|told| !told.is_empty())
        .collect();
    Judgement {
        tool: tool.name.clone(),
        about: tool.about.clone(),
        failure,
        cost: cost(index, runs),
        objects: account(truth, &told, |way| way.objects, |told| told.0),
        bytes: account(truth, &told, |way| way.bytes, |told| told.1),
    }
}

/// Against the first tool, which is the bare JVM, round by round.
fn cost(index: usize, runs: &[Heard]) -> Option<Spread> {
    let value = |tool: usize, round: usize| {
        let heard = runs
            .iter()
            .find(|heard| heard.tool == tool && heard.measurement.round == round)?;
        heard.measurement.value(Metric::Cpu)
    };
    let rounds = runs.iter().map(|heard| heard.measurement.round).max()?;
    Spread::of((0..=rounds).filter_map(|round| Some(value(index, round)? / value(0, round)?)))
}

fn account(
    truth: &Truth,
    forks: &[&Vec<(Way, Told)>],
    right: impl Fn(&Way) -> f64,
    said: impl Fn(&Told) -> Option<f64>,
) -> Option<Account> {
    if !forks
        .iter()
        .any(|fork| fork.iter().any(|(_, told)| said(told).is_some()))
    {
        return None;
    }
    let of_way = |way: &Way| {
        let values = forks
            .iter()
            .flat_map(|fork| fork.iter())
            .filter(|(other, _)| other.name == way.name);
        median(values.map(|(_, told)| said(told).unwrap_or(0.0))).unwrap_or(0.0)
    };
    let total_truth: f64 = truth.iter().map(&right).sum();
    let ways: Vec<(&Way, f64)> = truth.iter().map(|way| (way, of_way(way))).collect();
    let wrong: f64 = ways
        .iter()
        .map(|(way, said)| (said - right(way)).abs())
        .sum();
    let errors = ways
        .iter()
        .map(|(way, said)| (way.name.clone(), said / right(way) - 1.0));
    let worst = errors
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
        .filter(|(_, error)| *error != 0.0);
    let said = ways.iter().map(|(_, said)| said).sum();
    Some(Account {
        truth: total_truth,
        said,
        error: wrong / total_truth,
        worst,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Said;

    fn way(name: &str, types: &[&str], objects: f64) -> Way {
        let types = types.iter().map(|name| (*name).to_owned()).collect();
        Way {
            name: name.to_owned(),
            types,
            objects,
            bytes: objects * 16.0,
        }
    }

    fn said(frames: &[&str], type_name: &str, objects: f64) -> Said {
        let frames = frames.iter().map(|frame| (*frame).to_owned()).collect();
        Said {
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
            said(
                &[
                    "KnownCounts.concat",
                    "java.lang.StringConcatHelper.newString",
                ],
                "java.lang.String",
                100.0,
            ),
            said(&["KnownCounts.concat"], "byte[]", 90.0),
            said(
                &["KnownCounts.concat", "java.lang.invoke.CallSite.makeSite"],
                "java.lang.invoke.MethodType",
                7.0,
            ),
            said(&["java.lang.System.initPhase1"], "byte[]", 500.0),
        ];
        assert_eq!(concat.find(&all), (Some(190.0), None));
        let lambda = way("thread", &["KnownCounts$Virtual"], 100.0);
        let all = [said(
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
            boxing.find(&[said(&[], "java.lang.Long", 101.0), said(&[], "byte[]", 5.0)]),
            (Some(101.0), None)
        );
        assert_eq!(boxing.find(&[said(&[], "byte[]", 5.0)]), (None, None));
        let places = [
            said(&["a.B.c"], "java.lang.Long", 100.0),
            said(&["java.lang.System.init"], "java.lang.Long", 3.0),
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
        let objects = account(&truth, &[&fork], |way| way.objects, |told| told.0).unwrap();
        assert_eq!(
            (objects.said, objects.truth, objects.error),
            (200.0, 200.0, 0.5)
        );
        assert_eq!(objects.worst.unwrap().1.abs(), 0.5);
        assert_eq!(
            account(&truth, &[&fork], |way| way.bytes, |told| told.1),
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
        let objects = account(&truth, &[&fork], |way| way.objects, |told| told.0).unwrap();
        assert_eq!(
            (objects.error, objects.worst),
            (0.25, Some(("a".to_owned(), -1.0)))
        );
    }
}
