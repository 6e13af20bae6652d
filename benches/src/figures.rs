//! The figures that ducktrack must reach, with the measured values.

use anyhow::Result;
use serde::Serialize;

use crate::code_size::{bytes_per_probe_over_all, median_over_all};
use crate::completeness::{reports_of, share_over_all};
use crate::increments::mean_saved;
use crate::{
    Comparison, HardwareCounters, Installation, Metric, Plan, Progress, Spread, Tool,
    WorkloadCompleteness, measure_code_size, measure_completeness, measure_increments,
    measure_rewrite_speed, measure_start_up, median, run_plan, select_tools,
};

/// Whether a figure was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The aim is reached.
    Aim,
    /// The required value is reached, but not the aim.
    Must,
    /// The required value is missed.
    Missed,
    /// It could not be measured.
    Unknown,
    /// The bare JVM differs from itself by more than the figure allows.
    Noise,
}

/// One figure.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// Name of the figure.
    pub name: &'static str,
    /// The required value.
    pub must: &'static str,
    /// The value aimed for.
    pub aim: &'static str,
    /// The measured value, with its spread.
    pub measured: String,
    /// Whether the measured value is good enough.
    pub standing: Standing,
}

/// A bound on a figure: at most or at least.
#[derive(Clone, Copy)]
enum Bound {
    AtMost(f64, f64),
    AtLeast(f64, f64),
}

/// Measures all figures. `plan` determines workloads, rounds and iterations.
pub fn measure_figures(
    installation: &Installation,
    plan: &Plan,
    counters: Option<&HardwareCounters>,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Figure>> {
    let tools = select_tools(&["bare-again", COUNTED].map(str::to_owned), &[], Vec::new())?;
    let plan = Plan {
        tools: tools.clone(),
        ..plan.clone()
    };
    let comparison = compare(installation, &plan, counters, progress)?;
    let settings = |workload: &crate::Workload| plan.fixed_settings(workload);
    let start_up = measure_start_up(installation, &tools, plan.rounds.max(5) * 2, progress)?;
    let increments = measure_increments(installation, &plan.workloads, settings, progress)?;
    let code_size = measure_code_size(installation, &plan.workloads, settings, progress)?;
    let reports = reports_of(installation, &comparison.workloads, COUNTED, 0)?;
    let explained = completeness(installation, &plan, progress)?;
    let slowdown = comparison.ratio(COUNTED, None, Metric::Cpu);
    let worst = comparison.worst(COUNTED, Metric::Cpu);
    let added = start_up
        .iter()
        .find(|row| row.tool == COUNTED)
        .and_then(|row| row.added_ms);
    let memory = added_memory(&comparison);
    let mut figures = vec![
        figure(
            SLOWDOWN,
            ["<= 1.05", "<= 1.02"],
            slowdown.map(|spread| spread.median),
            Bound::AtMost(1.05, 1.02),
            |value| {
                format!(
                    "{value:.3}{}{}",
                    range(slowdown, 1.0, 3),
                    noise(&comparison)
                )
            },
        ),
        figure(
            "machine code added per executed counter in C2 (bytes, median over methods)",
            ["<= 48", "<= 24"],
            median_over_all(&code_size, "path"),
            Bound::AtMost(48.0, 24.0),
            |value| format!("{value:.1}{}", mean_code_size(&code_size)),
        ),
        figure(
            WORST,
            ["<= 1.20", "<= 1.08"],
            worst.map(|(_, ratio)| ratio),
            Bound::AtMost(1.20, 1.08),
            |value| {
                format!(
                    "{value:.3} ({})",
                    worst.map_or("", |(workload, _)| workload)
                )
            },
        ),
        figure(
            "increments saved against one counter per site after the warm-up, mean over the suite",
            [">= 30%", ">= 50%"],
            mean_saved(&increments, |row| Some(row.reinstrumented?.warm)),
            Bound::AtLeast(0.30, 0.50),
            |value| format!("{:.1}%", value * 100.0),
        ),
        figure(
            "start-up of an empty program",
            ["<= +0.6 s", "<= +0.25 s"],
            added.map(|spread| spread.median / 1e3),
            Bound::AtMost(0.6, 0.25),
            |value| format!("{value:+.2} s{}", range(added, 1e3, 2)),
        ),
        figure(
            "classes rewritten per second, one core",
            [">= 5,000", ">= 20,000"],
            measure_rewrite_speed(&reports),
            Bound::AtLeast(5e3, 20e3),
            |value| format!("{value:.0}"),
        ),
        figure(
            "resident memory above the bare JVM, median over the suite (1 GB heap: 2% are 21 MB)",
            ["<= 64 MB + 2% of heap", "<= 32 MB"],
            memory,
            Bound::AtMost(64e6 + 0.02 * 1073741824.0, 32e6),
            |value| format!("{:+.0} MB", value / 1e6),
        ),
        figure(
            "completeness over the suite (bytes explained)",
            [">= 99%", ">= 99.9%"],
            share_over_all(&explained),
            Bound::AtLeast(0.99, 0.999),
            |value| format!("{}{:.3}%", at_most(&explained), value * 100.0),
        ),
    ];
    if is_noisy(&comparison) {
        for figure in figures
            .iter_mut()
            .filter(|figure| [SLOWDOWN, WORST].contains(&figure.name))
        {
            figure.standing = Standing::Noise;
        }
    }
    Ok(figures)
}

const SLOWDOWN: &str =
    "slowdown in the steady state (application CPU), geometric mean over the suite";
const WORST: &str = "worst workload";

/// Whether the bare JVM differs from itself by as much as the allowed slowdown: then the ratios of these rounds mean
/// nothing.
fn is_noisy(comparison: &Comparison) -> bool {
    let again = comparison.ratio("bare-again", None, Metric::Cpu);
    again.is_none_or(|spread| !(1.0 / 1.05..=1.05).contains(&spread.median))
}

/// The tool whose figures these are.
const COUNTED: &str = "ducktrack-path";

fn compare(
    installation: &Installation,
    plan: &Plan,
    counters: Option<&HardwareCounters>,
    progress: &mut dyn FnMut(&str),
) -> Result<Comparison> {
    let mut report = |step: Progress<'_>| {
        progress(&format!(
            "slowdown, fork {} of {}: {} with {}",
            step.done + 1,
            step.all,
            step.workload,
            step.tool
        ));
    };
    Ok(Comparison::new(run_plan(
        installation,
        plan,
        counters,
        &mut report,
    )?))
}

/// Executed bytes can exceed the bytes that the JVM allocated where the JIT removed objects, and so hide gaps. Therefore
/// separate runs record what reached the heap.
fn completeness(
    installation: &Installation,
    plan: &Plan,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<WorkloadCompleteness>> {
    let tool = Tool::ducktrack(
        "ducktrack-materialized",
        "mode=count,counters=path,record=materialized",
    );
    let plan = Plan {
        tools: vec![tool.clone()],
        rounds: 1,
        ..plan.clone()
    };
    let mut report = |step: Progress<'_>| progress(&format!("completeness, {}", step.workload));
    let measurements = run_plan(installation, &plan, None, &mut report)?;
    let workloads: Vec<String> = measurements
        .into_iter()
        .map(|measurement| measurement.workload)
        .collect();
    let reports = reports_of(installation, &workloads, &tool.name, 0)?;
    Ok(measure_completeness(&reports))
}

/// If only executed bytes are known, some of them may have been eliminated and hide a gap.
fn at_most(rows: &[WorkloadCompleteness]) -> &'static str {
    if rows.iter().all(|row| row.basis == "materialized") {
        ""
    } else {
        "at most "
    }
}

/// The ratio of the bare JVM to itself in the same rounds; a slowdown within it means nothing.
fn noise(comparison: &Comparison) -> String {
    let again = comparison.ratio("bare-again", None, Metric::Cpu);
    again.map_or(String::new(), |spread| {
        format!(
            "; bare against bare {:.3}{}",
            spread.median,
            range(again, 1.0, 3)
        )
    })
}

/// The mean in addition to the median: loops unrolled by C2 have a counter's code several times and weigh more in the
/// mean.
fn mean_code_size(rows: &[crate::CodeSize]) -> String {
    bytes_per_probe_over_all(rows, "path")
        .map_or(String::new(), |mean| format!(" (mean {mean:.1})"))
}

/// Median over workloads of the additional peak memory.
fn added_memory(comparison: &Comparison) -> Option<f64> {
    let difference = |workload: &String| {
        let with = comparison.absolute(COUNTED, workload, Metric::Memory)?;
        Some(
            with.median
                - comparison
                    .absolute("bare", workload, Metric::Memory)?
                    .median,
        )
    };
    median(comparison.workloads.iter().filter_map(difference))
}

fn range(spread: Option<Spread>, unit: f64, digits: usize) -> String {
    let Some(spread) = spread.filter(|spread| spread.count > 1) else {
        return String::new();
    };
    format!(
        " ({:.digits$} to {:.digits$})",
        spread.min / unit,
        spread.max / unit
    )
}

fn figure(
    name: &'static str,
    [must, aim]: [&'static str; 2],
    value: Option<f64>,
    bound: Bound,
    show: impl Fn(f64) -> String,
) -> Figure {
    let standing = match (value, bound) {
        (None, _) => Standing::Unknown,
        (Some(value), Bound::AtMost(_, aim)) if value <= aim => Standing::Aim,
        (Some(value), Bound::AtLeast(_, aim)) if value >= aim => Standing::Aim,
        (Some(value), Bound::AtMost(must, _)) if value <= must => Standing::Must,
        (Some(value), Bound::AtLeast(must, _)) if value >= must => Standing::Must,
        (Some(_), _) => Standing::Missed,
    };
    Figure {
        name,
        must,
        aim,
        measured: value.map_or("not measured".to_owned(), show),
        standing,
    }
}

/// The figures as a table.
pub fn figures_table(figures: &[Figure]) -> String {
    let mut text =
        String::from("| figure | must | aim | measured | reached |\n|---|---:|---:|---:|---|\n");
    for figure in figures {
        let standing = match figure.standing {
            Standing::Aim => "aim",
            Standing::Must => "must",
            Standing::Missed => "**missed**",
            Standing::Unknown => "-",
            Standing::Noise => "too noisy to say",
        };
        text += &format!(
            "| {} | {} | {} | {} | {standing} |\n",
            figure.name, figure.must, figure.aim, figure.measured
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_stands_where_its_bounds_say() {
        let standing = |value, bound| {
            figure("x", ["m", "a"], value, bound, |value| value.to_string()).standing
        };
        let at_most = Bound::AtMost(1.05, 1.02);
        assert_eq!(
            [Some(1.02), Some(1.03), Some(1.06), None].map(|value| standing(value, at_most)),
            [
                Standing::Aim,
                Standing::Must,
                Standing::Missed,
                Standing::Unknown
            ]
        );
        let at_least = Bound::AtLeast(0.3, 0.5);
        assert_eq!(
            [Some(0.6), Some(0.3), Some(0.29)].map(|value| standing(value, at_least)),
            [Standing::Aim, Standing::Must, Standing::Missed]
        );
    }

    #[test]
    fn a_bare_jvm_that_differs_from_itself_is_noise() {
        use crate::comparison::tests::fork;
        let with = |again| {
            Comparison::new(vec![
                fork("h2", "bare", 0, 100.0, 1.0),
                fork("h2", "bare-again", 0, again, 1.0),
            ])
        };
        assert_eq!(
            [90.0, 97.0, 104.0, 106.0].map(|again| is_noisy(&with(again))),
            [true, false, false, true]
        );
        assert!(is_noisy(&Comparison::new(Vec::new())));
    }

    #[test]
    fn the_table_says_what_is_missed() {
        let row = figure(
            "memory",
            ["<= 2", "<= 1"],
            Some(3.0),
            Bound::AtMost(2.0, 1.0),
            |value| format!("{value:.1}"),
        );
        assert!(figures_table(&[row]).ends_with("| memory | <= 2 | <= 1 | 3.0 | **missed** |\n"));
    }
}
