//! The figures that tracing must reach, with the measured values and those of the paper.
//!
//! Every workload runs bare and traced: uncompressed, compressed, and with a size limit that makes
//! the trace rotate. The cost of compression and rotation is the ratio to the plain trace of the same round.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

use crate::command_json::command_json;
use crate::pauses::{SAFEPOINT_LOG, collection_pauses_ms};
use crate::plan::fork_path;
use crate::tool::TRACE;
use crate::{
    Comparison, Installation, Metric, Plan, Progress, Spread, Tool, geometric_mean, median,
    run_plan, select_tools,
};

const PLAIN: &str = "trace";
const FULL: &str = "trace-full";
const ROTATED: &str = "trace-rotated";

/// The results of one traced fork.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TracedFork {
    /// Name of the workload.
    pub workload: String,
    /// Name of the tool.
    pub tool: String,
    /// The round of the plan.
    pub round: usize,
    /// Milliseconds for which collections stopped the world, including the agent's part.
    pub pauses_ms: Option<f64>,
    /// `ducktrack info --format json` of its trace; null if it has none.
    pub info: Value,
    /// Events (allocations and moves) that `ducktrack lifetimes` reads per second of CPU time; first round only.
    pub decoded_per_second: Option<f64>,
}

/// The result: the comparison of times, and the results of the forks.
#[derive(Clone, Debug, Serialize)]
pub struct TraceCost {
    /// Times and memory against the bare JVM.
    pub comparison: Comparison,
    /// One entry per fork.
    pub forks: Vec<TracedFork>,
}

/// Runs the plan's workloads bare and with every kind of trace.
pub fn measure_trace_cost(
    installation: &Installation,
    plan: &Plan,
    progress: &mut dyn FnMut(&str),
) -> Result<TraceCost> {
    let plan = Plan {
        tools: tools()?,
        jvm_options: vec![SAFEPOINT_LOG.to_owned()],
        ..plan.clone()
    };
    let mut report = |step: Progress<'_>| {
        progress(&format!(
            "tracing, fork {} of {}: {} with {}",
            step.done + 1,
            step.all,
            step.workload,
            step.tool
        ));
    };
    let comparison = Comparison::new(run_plan(installation, &plan, &mut report)?);
    let forks = comparison
        .measurements
        .iter()
        .map(|fork| traced_fork(installation, &fork.workload, &fork.tool, fork.round))
        .collect::<Result<Vec<TracedFork>>>()?;
    Ok(TraceCost { comparison, forks })
}

fn tools() -> Result<Vec<Tool>> {
    let mut tools = select_tools(&["bare-again".to_owned()], &[], Vec::new())?;
    tools.extend([
        Tool::ducktrack(PLAIN, "mode=trace,compress=off"),
        Tool::ducktrack(FULL, "mode=trace,compress=full"),
        Tool::ducktrack(ROTATED, "mode=trace,compress=off,max-trace-size=64m"),
    ]);
    Ok(tools)
}

fn traced_fork(
    installation: &Installation,
    workload: &str,
    tool: &str,
    round: usize,
) -> Result<TracedFork> {
    let directory = fork_path(installation, workload, tool, round);
    let trace = directory.join(TRACE);
    let mut fork = TracedFork {
        workload: workload.to_owned(),
        tool: tool.to_owned(),
        round,
        pauses_ms: collection_pauses_ms(&directory),
        ..TracedFork::default()
    };
    if trace.exists() {
        fork.info = command_json(installation, "info", &trace)?;
        if round == 0 && tool == PLAIN {
            fork.decoded_per_second = decode_speed(installation, &trace, &fork.info)?;
        }
        // All queries are answered; keeping the traces of a whole suite would fill the disk.
        std::fs::remove_dir_all(&trace).ok();
    }
    Ok(fork)
}

/// Events per second of CPU time of a whole analysis; `None` for a short trace, whose value would mean nothing.
fn decode_speed(installation: &Installation, trace: &Path, info: &Value) -> Result<Option<f64>> {
    let before = crate::process_watch::ended_children_cpu_ms().unwrap_or(0.0);
    command_json(installation, "lifetimes", trace)?;
    let cpu_ms = crate::process_watch::ended_children_cpu_ms().unwrap_or(0.0) - before;
    let events = info["events"].as_f64().unwrap_or(0.0);
    Ok((events > 1e6 && cpu_ms > 0.0).then(|| events / cpu_ms * 1e3))
}

/// The table as Markdown. The paper's values are of its own machines, with a modified VM.
pub fn trace_table(cost: &TraceCost) -> String {
    let bytes = cost.mean_info(PLAIN, "bytesPerEvent");
    let figures = [
        (
            "run-time overhead of tracing (wall time), geometric mean over the suite",
            ["4.86%", "<= 25%"],
            cost.against_bare(PLAIN, Metric::Wall),
        ),
        (
            "the same in CPU time of the application's threads",
            ["", ""],
            cost.against_bare(PLAIN, Metric::Cpu),
        ),
        (
            "time in which collections stop the world",
            ["", "<= 2x"],
            cost.pauses(),
        ),
        (
            "bytes per event before compression",
            ["about 5", "<= 5"],
            bytes.map(|bytes| format!("{bytes:.2}")),
        ),
        (
            "full compression: size, added time",
            ["21.6%, +21.9%", "<= 30%, <= +10%"],
            cost.compression(FULL),
        ),
        (
            "rotation (64 MB): added run time",
            ["6.5% / 45%", "<= 10% / <= 45%"],
            cost.against_plain(ROTATED).map(added),
        ),
        (
            "information quality right after a synchronization point",
            ["74%", ">= 99%"],
            cost.quality(),
        ),
        (
            "events per second of CPU time in a whole analysis (lifetimes)",
            ["", ">= 20 M"],
            cost.decode_speed(),
        ),
    ];
    let mut text = String::from("| figure | the paper | must | measured |\n|---|---:|---:|---:|\n");
    for (name, [paper, must], measured) in figures {
        let measured = measured.unwrap_or_else(|| "not measured".to_owned());
        text += &format!("| {name} | {paper} | {must} | {measured} |\n");
    }
    text
}

impl TraceCost {
    fn against_bare(&self, tool: &str, metric: Metric) -> Option<String> {
        let spread = self.comparison.ratio(tool, None, metric)?;
        let again = self.comparison.ratio("bare-again", None, metric);
        let noise = again.map_or(String::new(), |again| {
            format!("; bare against bare {}", added(again))
        });
        Some(format!("{}{noise}", added(spread)))
    }

    /// Wall time relative to the plain trace of the same workload and round.
    fn against_plain(&self, tool: &str) -> Option<Spread> {
        self.ratio(tool, PLAIN, |tool, workload, round| {
            let mut forks = self.comparison.measurements.iter();
            forks
                .find(|fork| fork.tool == tool && fork.workload == workload && fork.round == round)?
                .value(Metric::Wall)
        })
    }

    fn pauses(&self) -> Option<String> {
        self.ratio(PLAIN, "bare", |tool, workload, round| {
            self.pauses_of(tool, workload, round)
        })
        .map(times)
    }

    fn fork(&self, tool: &str, workload: &str, round: usize) -> Option<&TracedFork> {
        let mut forks = self.forks.iter();
        forks.find(|fork| fork.tool == tool && fork.workload == workload && fork.round == round)
    }

    fn pauses_of(&self, tool: &str, workload: &str, round: usize) -> Option<f64> {
        let pauses = self.fork(tool, workload, round)?.pauses_ms;
        pauses.filter(|pauses| *pauses > 0.0)
    }

    /// One tool's values relative to another's: per round the geometric mean over the workloads that have both.
    fn ratio(
        &self,
        tool: &str,
        to: &str,
        value: impl Fn(&str, &str, usize) -> Option<f64>,
    ) -> Option<Spread> {
        let of_round = |round: usize| {
            let ratio = |workload: &String| {
                Some(value(tool, workload, round)? / value(to, workload, round)?)
            };
            geometric_mean(self.comparison.workloads.iter().filter_map(ratio))
        };
        Spread::of((0..self.comparison.rounds).filter_map(of_round))
    }

    fn infos(&self, tool: &str) -> impl Iterator<Item = &Value> {
        self.forks
            .iter()
            .filter(move |fork| fork.tool == tool && !fork.info.is_null())
            .map(|fork| &fork.info)
    }

    fn mean_info(&self, tool: &str, key: &str) -> Option<f64> {
        geometric_mean(self.infos(tool).filter_map(|info| info[key].as_f64()))
    }

    fn compression(&self, tool: &str) -> Option<String> {
        let sizes = self
            .infos(tool)
            .filter_map(|info| info["compression"]["percent"].as_f64());
        let size = geometric_mean(sizes)?;
        let time = self.against_plain(tool).map_or(String::new(), added);
        Some(format!("{size:.1}%, {time}"))
    }

    /// How much of the earlier files' information a synchronization point preserves, and for how many live objects it knows the
    /// site (objects that are older than the agent, or made by the VM, never had one).
    fn quality(&self) -> Option<String> {
        let points: Vec<&Value> = self
            .infos(ROTATED)
            .filter_map(|info| info["quality"]["rotations"].as_array())
            .flatten()
            .collect();
        let kept = points.iter().filter_map(|point| {
            Some(1.0 - point["differences"].as_f64()? / point["objects"].as_f64()?)
        });
        let kept = Spread::of(kept)?;
        let sites = median(
            points
                .iter()
                .filter_map(|point| point["quality"][0]["percent"].as_f64()),
        )?;
        Some(format!(
            "{:.2}% (least {:.2}%, {} points); {sites:.1}% of live objects have a site",
            kept.median * 100.0,
            kept.min * 100.0,
            kept.count
        ))
    }

    fn decode_speed(&self) -> Option<String> {
        let speed = median(self.forks.iter().filter_map(|fork| fork.decoded_per_second))?;
        Some(format!("{:.1} M", speed / 1e6))
    }
}

fn added(spread: Spread) -> String {
    format!(
        "{:+.1}% ({:+.1}% to {:+.1}%)",
        (spread.median - 1.0) * 100.0,
        (spread.min - 1.0) * 100.0,
        (spread.max - 1.0) * 100.0
    )
}

fn times(spread: Spread) -> String {
    format!(
        "{:.2}x ({:.2} to {:.2})",
        spread.median, spread.min, spread.max
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::comparison::tests::fork;

    fn traced(tool: &str, pauses_ms: f64, info: Value) -> TracedFork {
        TracedFork {
            workload: "json".to_owned(),
            tool: tool.to_owned(),
            pauses_ms: Some(pauses_ms),
            info,
            ..TracedFork::default()
        }
    }

    #[test]
    fn every_figure_is_a_ratio_within_its_round() {
        let cost = TraceCost {
            comparison: Comparison::new(vec![
                fork("json", "bare", 0, 100.0, 100.0),
                fork("json", PLAIN, 0, 110.0, 120.0),
                fork("json", FULL, 0, 110.0, 150.0),
            ]),
            forks: vec![
                traced("bare", 10.0, Value::Null),
                traced(PLAIN, 15.0, json!({"bytesPerEvent": 4.25})),
                traced(FULL, 15.0, json!({"compression": {"percent": 20.0}})),
                traced(
                    ROTATED,
                    15.0,
                    json!({"quality": {"rotations": [
                        {"objects": 200, "differences": null, "quality": [{"percent": 98.0}]},
                        {"objects": 200, "differences": 2, "quality": [{"percent": 96.0}]},
                    ]}}),
                ),
            ],
        };
        let table = trace_table(&cost);
        let measured: Vec<&str> = table
            .lines()
            .skip(2)
            .filter_map(|row| row.split(" | ").last()?.strip_suffix(" |"))
            .collect();
        assert_eq!(measured[0], "+20.0% (+20.0% to +20.0%)");
        assert_eq!(measured[1], "+10.0% (+10.0% to +10.0%)");
        assert_eq!(measured[2], "1.50x (1.50 to 1.50)");
        assert_eq!(measured[3], "4.25");
        assert_eq!(measured[4], "20.0%, +25.0% (+25.0% to +25.0%)");
        assert_eq!(measured[5], "not measured");
        assert_eq!(
            measured[6],
            "99.00% (least 99.00%, 1 points); 97.0% of live objects have a site"
        );
    }
}
