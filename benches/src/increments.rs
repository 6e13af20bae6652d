//! The table of the DuckTracks paper for our suite: executed counter increments, compared with one counter per site.
//!
//! Three runs per workload: one counter per site; paths from the static heuristics alone (`counters=path:off`); paths after
//! re-instrumentation for measured frequencies. The agent itself reports how many increments it executed and how many one
//! counter per site would have needed *in the same run*, so different thread schedules do not distort the table.
//!
//! Methods are re-instrumented from half a second on, not from the agent's 20 seconds on, so that runs of some seconds have it after them.
//!
//! Each run with paths is read twice: the whole of it, and what came after the warm-up. The whole also has what was executed before a
//! method was hot enough to be re-instrumented; after the warm-up most of that is over.
//!
//! The last column is an upper bound of what counters inside of methods can save: a method cannot execute fewer increments than
//! its most frequent site has executions, because one increment counts at most one execution of a site. Branches that exclude each
//! other cannot reach it. Allocations shared by callers and callees are beyond the paper's paths.

use std::collections::HashMap;

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

use crate::command_json::command_json_with;
use crate::tool::TRACE;
use crate::{ForkSettings, Installation, Outcome, Program, Tool, Workload, run_fork};

/// The increments of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Increments {
    /// Executed increments that count allocations.
    pub executed: f64,
    /// Executed increments that only measure frequencies.
    pub profiling: f64,
    /// Increments that one counter per site would have needed.
    pub one_per_site: f64,
    /// A lower bound for counters inside of methods: the sum over methods of the count of the most frequent site. Objects
    /// filed by caller or class are not included.
    pub least: f64,
}

/// The three runs of one workload; `None` for a run that failed.
#[derive(Clone, Debug, Serialize)]
pub struct WorkloadIncrements {
    /// The workload.
    pub workload: String,
    /// One counter per site.
    pub sites: Option<Increments>,
    /// Paths from heuristics alone.
    pub heuristics: Option<Run>,
    /// Paths after re-instrumentation.
    pub reinstrumented: Option<Run>,
}

/// The increments of a run with paths.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Run {
    /// From its start to its end.
    pub whole: Increments,
    /// After the warm-up.
    pub warm: Increments,
}

/// The mark that ends the warm-up.
const WARM: &str = "warm";

impl Increments {
    /// Reads the key `increments` of a JSON report.
    pub(crate) fn from_report(report: &Value) -> Option<Increments> {
        let own = &report["increments"];
        Some(Increments {
            executed: own["executed"].as_f64()?,
            profiling: own["profiling"].as_f64().unwrap_or(0.0),
            one_per_site: own["one_per_site"].as_f64()?,
            least: least_in_methods(&report["sites"]),
        })
    }

    /// The share of one-per-site increments that the best placement inside of methods would save.
    pub fn bound(&self) -> Option<f64> {
        (self.one_per_site > 0.0).then(|| 1.0 - self.least / self.one_per_site)
    }

    /// The share of one-per-site increments that was saved, with profiling increments counted as cost.
    pub fn saved(&self) -> Option<f64> {
        (self.one_per_site > 0.0)
            .then(|| 1.0 - (self.executed + self.profiling) / self.one_per_site)
    }
}

/// The sum over methods of the count of the most frequent site.
fn least_in_methods(sites: &Value) -> f64 {
    let mut most: HashMap<[&str; 3], f64> = HashMap::new();
    for site in sites.as_array().into_iter().flatten() {
        let method =
            ["class", "method", "descriptor"].map(|key| site[key].as_str().unwrap_or_default());
        let best = most.entry(method).or_default();
        *best = best.max(counted_by_counters(site));
    }
    most.values().sum()
}

/// Kinds of sites that need no increment in the paper's sense: the amount is read from a value, an array or an object.
const MEASURED: [&str; 3] = ["boxing", "multianewarray", "jni"];

/// A site's objects without those filed by caller or, if the site has no fixed type, by class.
fn counted_by_counters(site: &Value) -> f64 {
    let kind = site["kind"].as_str().unwrap_or_default();
    if site["type"].is_null() || MEASURED.contains(&kind) {
        return 0.0;
    }
    let callers = site["context"].as_array().into_iter().flatten();
    let filed: f64 = callers.filter_map(|caller| caller["count"].as_f64()).sum();
    site["count"].as_f64().unwrap_or(0.0) - filed
}

/// Runs every workload three times.
pub fn measure_increments(
    installation: &Installation,
    workloads: &[Workload],
    settings: impl Fn(&Workload) -> ForkSettings,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<WorkloadIncrements>> {
    let tools = [
        Tool::ducktrack("increments-site", "mode=count,counters=site,context=off"),
        Tool::ducktrack(
            "increments-heuristics",
            "mode=count,counters=path:off,context=off",
        ),
        Tool::ducktrack(
            "increments-reinstrumented",
            "mode=count,context=off,counters=path:10000:0.5",
        ),
    ];
    let mut table = Vec::new();
    for workload in workloads {
        let settings = ForkSettings {
            mark: Some(WARM),
            ..settings(workload)
        };
        let mut run = |tool: &Tool| {
            progress(&format!(
                "increments, {} with {}",
                workload.name, tool.about
            ));
            increments_of(installation, tool, workload, &settings)
        };
        table.push(WorkloadIncrements {
            workload: workload.name.clone(),
            sites: run(&tools[0])?.map(|run| run.whole),
            heuristics: run(&tools[1])?,
            reinstrumented: run(&tools[2])?,
        });
    }
    Ok(table)
}

fn increments_of(
    installation: &Installation,
    tool: &Tool,
    workload: &Workload,
    settings: &ForkSettings,
) -> Result<Option<Run>> {
    let directory = installation.fork_directory(&[&workload.name, &tool.name])?;
    let program = Program::Workload(workload.name.clone());
    let fork = run_fork(installation, tool, &program, settings, &directory)?;
    if fork.outcome != Outcome::Done {
        return Ok(None);
    }
    let trace = directory.join(TRACE);
    let read = |options: &[&str]| {
        command_json_with(installation, "report", &trace, options)
            .map(|report| Increments::from_report(&report))
    };
    let (whole, warm) = (read(&[])?, read(&["--from", WARM])?);
    Ok(whole.zip(warm).map(|(whole, warm)| Run { whole, warm }))
}

/// The table as Markdown, with the mean of the workloads' savings in the last row.
pub fn increments_table(rows: &[WorkloadIncrements]) -> String {
    let mut text = String::from(
        "| workload | one counter per site | heuristics only | after the warm-up | re-instrumented, whole run | after the warm-up | upper bound |\n\
         |---|---:|---:|---:|---:|---:|---:|\n",
    );
    for row in rows {
        text += &format!(
            "| {} | {} | {} | {} |\n",
            row.workload,
            number(row.sites),
            SAVED
                .map(|saved| percent(saved(row).and_then(|run| run.saved())))
                .join(" | "),
            percent(row.sites.and_then(|run| run.bound())),
        );
    }
    text += &format!(
        "| **mean** | | {} | {} |\n",
        SAVED
            .map(|saved| percent(mean_saved(rows, saved)))
            .join(" | "),
        percent(mean_of(rows.iter().filter_map(|row| row.sites?.bound())))
    );
    text
}

/// The savings of a row, in the order of the table.
const SAVED: [fn(&WorkloadIncrements) -> Option<Increments>; 4] = [
    |row| Some(row.heuristics?.whole),
    |row| Some(row.heuristics?.warm),
    |row| Some(row.reinstrumented?.whole),
    |row| Some(row.reinstrumented?.warm),
];

/// The arithmetic mean of the workloads' savings, as in the paper.
pub(crate) fn mean_saved(
    rows: &[WorkloadIncrements],
    run: impl Fn(&WorkloadIncrements) -> Option<Increments>,
) -> Option<f64> {
    mean_of(rows.iter().filter_map(|row| run(row)?.saved()))
}

fn mean_of(shares: impl Iterator<Item = f64>) -> Option<f64> {
    let shares: Vec<f64> = shares.collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

fn number(run: Option<Increments>) -> String {
    run.map_or("failed".to_owned(), |run| {
        format!("{:.1} M", (run.executed + run.profiling) / 1e6)
    })
}

fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{:.1}%", share * 100.0))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_table_has_the_savings_of_each_run_against_itself() {
        let increments = |executed| Increments {
            executed,
            profiling: 5e6,
            one_per_site: 1e8,
            least: 4e7,
        };
        let run = |whole, warm| {
            Some(Run {
                whole: increments(whole),
                warm: increments(warm),
            })
        };
        let rows = [
            WorkloadIncrements {
                workload: "json".to_owned(),
                sites: Some(Increments {
                    profiling: 0.0,
                    ..increments(1e8)
                }),
                heuristics: run(75e6, 73e6),
                reinstrumented: run(45e6, 35e6),
            },
            WorkloadIncrements {
                workload: "h2".to_owned(),
                sites: None,
                heuristics: run(35e6, 35e6),
                reinstrumented: None,
            },
        ];
        let table = increments_table(&rows);
        let lines: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "| json | 100.0 M | 20.0% | 22.0% | 50.0% | 60.0% | 60.0% |",
                "| h2 | failed | 60.0% | 60.0% | - | - | - |",
                "| **mean** | | 40.0% | 41.0% | 50.0% | 60.0% | 60.0% |",
            ]
        );
    }

    #[test]
    fn the_report_names_both_numbers() {
        let site = |method: &str, count: u32, filed: u32| {
            json!({"class": "A", "method": method, "descriptor": "()V", "type": "B", "count": count,
                "context": [{"count": filed}]})
        };
        let open =
            json!({"class": "A", "method": "m", "descriptor": "()V", "type": null, "count": 99});
        let report = json!({
            "increments": {"executed": 10, "one_per_site": 40, "profiling": 2, "saved_percent": 75.0},
            "sites": [site("m", 12, 0), site("m", 20, 10), site("n", 8, 5), open],
        });
        let read = Increments::from_report(&report).unwrap();
        assert_eq!(
            read,
            Increments {
                executed: 10.0,
                profiling: 2.0,
                one_per_site: 40.0,
                least: 15.0
            }
        );
        assert_eq!(read.saved(), Some(0.7));
        assert_eq!(read.bound(), Some(0.625));
        assert_eq!(Increments::from_report(&json!({})), None);
    }
}
