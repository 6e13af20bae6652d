//! Ratios to the bare JVM, per workload and over the suite.
//!
//! A ratio compares one fork of a tool with the bare fork of the same workload in the same round. The figure for the
//! suite is the geometric mean of a round's ratios, one value per round; so its spread is that of repeating the whole
//! experiment, not that of different workloads. A workload on which a tool has no ratio at all is left out of its mean
//! and listed as unfinished. A round in which only some of the other workloads have a ratio is left out, because its mean
//! would cover other workloads.

use serde::Serialize;

use crate::{Measurement, Metric, Outcome, Spread, geometric_mean};

/// The ratio of one tool on one workload, or over the suite.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratio {
    /// The tool.
    pub tool: String,
    /// The workload; `None` for the geometric mean over all.
    pub workload: Option<String>,
    /// What is compared.
    pub metric: Metric,
    /// Distribution over the rounds.
    pub spread: Spread,
}

/// All measurements of the suite, in order of appearance.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Names of the tools, the bare JVM first.
    pub tools: Vec<String>,
    /// Names of the workloads.
    pub workloads: Vec<String>,
    /// Forks per tool and workload.
    pub rounds: usize,
    /// The metrics of time that were measured, the least noisy first.
    pub steadiest: Vec<Metric>,
    /// Every ratio that could be formed.
    pub ratios: Vec<Ratio>,
    /// Forks that did not finish: workload, tool, round, and outcome.
    pub unfinished: Vec<(String, String, usize, Outcome)>,
    /// The forks themselves.
    pub measurements: Vec<Measurement>,
}

impl Comparison {
    /// Compares these measurements.
    pub fn new(measurements: Vec<Measurement>) -> Comparison {
        let mut comparison = Comparison {
            tools: names(&measurements, |measurement| &measurement.tool),
            workloads: names(&measurements, |measurement| &measurement.workload),
            rounds: measurements
                .iter()
                .map(|measurement| measurement.round + 1)
                .max()
                .unwrap_or(0),
            steadiest: Vec::new(),
            ratios: Vec::new(),
            unfinished: unfinished(&measurements),
            measurements,
        };
        comparison.tools.sort_by_key(|tool| tool != BARE);
        for metric in Metric::ALL {
            for tool in comparison.tools.clone().iter().filter(|tool| *tool != BARE) {
                comparison.compare(tool, metric);
            }
        }
        comparison.steadiest = comparison.order_by_steadiness();
        comparison
    }

    /// The ratio of a tool; `workload` is `None` for the suite.
    pub fn ratio(&self, tool: &str, workload: Option<&str>, metric: Metric) -> Option<Spread> {
        let fits = |ratio: &&Ratio| {
            ratio.tool == tool && ratio.workload.as_deref() == workload && ratio.metric == metric
        };
        self.ratios.iter().find(fits).map(|ratio| ratio.spread)
    }

    /// The absolute values of a tool's forks.
    pub fn absolute(&self, tool: &str, workload: &str, metric: Metric) -> Option<Spread> {
        let own = self
            .measurements
            .iter()
            .filter(|fork| fork.tool == tool && fork.workload == workload);
        Spread::of(own.filter_map(|fork| fork.value(metric)))
    }

    /// The workload on which a tool costs most, and its ratio there.
    pub fn worst(&self, tool: &str, metric: Metric) -> Option<(&str, f64)> {
        let own = self
            .ratios
            .iter()
            .filter(|ratio| ratio.tool == tool && ratio.metric == metric);
        let by_workload =
            own.filter_map(|ratio| Some((ratio.workload.as_deref()?, ratio.spread.median)));
        by_workload.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn compare(&mut self, tool: &str, metric: Metric) {
        let mut rounds: Vec<Vec<f64>> = vec![Vec::new(); self.rounds];
        let mut compared = 0;
        for workload in self.workloads.clone() {
            let ratios = self.ratios_by_round(tool, &workload, metric);
            for (round, ratio) in &ratios {
                rounds[*round].push(*ratio);
            }
            if let Some(spread) = Spread::of(ratios.iter().map(|(_, ratio)| *ratio)) {
                compared += 1;
                self.ratios.push(Ratio {
                    tool: tool.to_owned(),
                    workload: Some(workload),
                    metric,
                    spread,
                });
            }
        }
        let whole_rounds = rounds.into_iter().filter(|ratios| ratios.len() == compared);
        if let Some(spread) = Spread::of(whole_rounds.filter_map(geometric_mean)) {
            self.ratios.push(Ratio {
                tool: tool.to_owned(),
                workload: None,
                metric,
                spread,
            });
        }
    }

    fn ratios_by_round(&self, tool: &str, workload: &str, metric: Metric) -> Vec<(usize, f64)> {
        let of_round = |round: usize| {
            let ratio = self.value(tool, workload, round, metric)?
                / self.value(BARE, workload, round, metric)?;
            ratio.is_finite().then_some((round, ratio))
        };
        (0..self.rounds).filter_map(of_round).collect()
    }

    fn value(&self, tool: &str, workload: &str, round: usize, metric: Metric) -> Option<f64> {
        let fits = |fork: &&Measurement| {
            fork.tool == tool && fork.workload == workload && fork.round == round
        };
        self.measurements.iter().find(fits)?.value(metric)
    }

    /// Orders metrics by the mean relative distance of the quartiles, over tools and workloads.
    fn order_by_steadiness(&self) -> Vec<Metric> {
        let unsteadiness = |metric: Metric| {
            let own = self
                .ratios
                .iter()
                .filter(|ratio| ratio.metric == metric && ratio.workload.is_some());
            let spreads: Vec<f64> = own.map(|ratio| ratio.spread.relative()).collect();
            (!spreads.is_empty()).then(|| spreads.iter().sum::<f64>() / spreads.len() as f64)
        };
        let mut known: Vec<(Metric, f64)> = Metric::TIMES
            .into_iter()
            .filter_map(|metric| Some((metric, unsteadiness(metric)?)))
            .collect();
        known.sort_by(|a, b| a.1.total_cmp(&b.1));
        known.into_iter().map(|(metric, _)| metric).collect()
    }
}

const BARE: &str = "bare";

fn names(measurements: &[Measurement], name: impl Fn(&Measurement) -> &String) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for measurement in measurements {
        if !names.contains(name(measurement)) {
            names.push(name(measurement).clone());
        }
    }
    names
}

fn unfinished(measurements: &[Measurement]) -> Vec<(String, String, usize, Outcome)> {
    let rest = measurements
        .iter()
        .filter(|fork| fork.outcome != Outcome::Done);
    rest.map(|fork| {
        (
            fork.workload.clone(),
            fork.tool.clone(),
            fork.round,
            fork.outcome.clone(),
        )
    })
    .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Iteration;

    pub(crate) fn fork(
        workload: &str,
        tool: &str,
        round: usize,
        cpu_ms: f64,
        wall_ms: f64,
    ) -> Measurement {
        let iteration = |factor: f64| Iteration {
            wall_ms: wall_ms * factor,
            cpu_ms: Some(cpu_ms * factor),
            allocated_bytes: Some(1e6),
            ..Iteration::default()
        };
        Measurement {
            workload: workload.to_owned(),
            tool: tool.to_owned(),
            round,
            outcome: Outcome::Done,
            // The first iteration is warm-up and far off: it must have no influence.
            iterations: vec![iteration(9.0), iteration(1.5), iteration(1.0)],
            warm_up: 1,
            process_wall_ms: 5.0,
            process_cpu_ms: 5.0,
            peak_memory_bytes: Some(2e8),
        }
    }

    #[test]
    fn forks_are_compared_within_their_round() {
        // The machine is twice as slow in round 1, which must not affect the ratios.
        let comparison = Comparison::new(vec![
            fork("json", "bare", 0, 100.0, 100.0),
            fork("json", "jfr", 0, 110.0, 150.0),
            fork("json", "bare", 1, 200.0, 200.0),
            fork("json", "jfr", 1, 220.0, 220.0),
        ]);
        let cpu = comparison.ratio("jfr", Some("json"), Metric::Cpu).unwrap();
        assert!((cpu.median - 1.1).abs() < 1e-9 && (cpu.max - cpu.min).abs() < 1e-9);
        let wall = comparison.ratio("jfr", Some("json"), Metric::Wall).unwrap();
        assert!((wall.min - 1.1).abs() < 1e-9 && (wall.max - 1.5).abs() < 1e-9);
        assert_eq!(comparison.steadiest, [Metric::Cpu, Metric::Wall]);
        assert_eq!(
            comparison.absolute("jfr", "json", Metric::Cpu).unwrap().max,
            220.0
        );
    }

    #[test]
    fn the_mean_over_workloads_is_geometric() {
        let comparison = Comparison::new(vec![
            fork("json", "jfr", 0, 200.0, 1.0),
            fork("json", "bare", 0, 100.0, 1.0),
            fork("h2", "jfr", 0, 50.0, 1.0),
            fork("h2", "bare", 0, 100.0, 1.0),
        ]);
        assert_eq!(comparison.tools, ["bare", "jfr"]);
        assert!((comparison.ratio("jfr", None, Metric::Cpu).unwrap().median - 1.0).abs() < 1e-9);
        assert_eq!(comparison.worst("jfr", Metric::Cpu), Some(("json", 2.0)));
    }

    #[test]
    fn a_round_with_a_gap_has_no_mean() {
        let mut failed = fork("h2", "jfr", 1, 100.0, 1.0);
        failed.outcome = Outcome::Failed("exit status: 1".to_owned());
        let mut forks = vec![
            fork("json", "jfr", 1, 800.0, 1.0),
            fork("h2", "jfr", 0, 200.0, 1.0),
            failed,
        ];
        forks.push(fork("json", "jfr", 0, 200.0, 1.0));
        for round in [0, 1] {
            forks.extend(["json", "h2"].map(|workload| fork(workload, "bare", round, 100.0, 1.0)));
        }
        let comparison = Comparison::new(forks);
        let mean = comparison.ratio("jfr", None, Metric::Cpu).unwrap();
        assert!((mean.median - 2.0).abs() < 1e-9 && mean.count == 1);
        assert_eq!(
            comparison
                .ratio("jfr", Some("json"), Metric::Cpu)
                .unwrap()
                .count,
            2
        );
    }

    #[test]
    fn a_failed_fork_has_no_ratio_and_is_listed() {
        let mut failed = fork("json", "jfr", 0, 1.0, 1.0);
        failed.outcome = Outcome::Failed("exit status: 1".to_owned());
        let comparison = Comparison::new(vec![fork("json", "bare", 0, 1.0, 1.0), failed]);
        assert_eq!(comparison.ratio("jfr", Some("json"), Metric::Cpu), None);
        assert_eq!(comparison.unfinished.len(), 1);
    }
}
