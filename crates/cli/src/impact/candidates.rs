//! Which pairs of types are tried: given ones, or the leak candidates of a first run.

use anyhow::{Context, Result, bail};
use ducktrack_heap_model::{Moment, Questions};
use ducktrack_holders::Holdings;
use ducktrack_reports::{LeakRequest, LeaksReport, leaks_report};

use super::pair::Pair;
use super::trial::Program;
use crate::dump_loading::DumpTrace;
use crate::trace_report::load_events;

/// What is tried.
pub(super) struct Found {
    pub(super) pairs: Vec<Pair>,
    /// Candidates that cannot be tried, and why.
    pub(super) left_out: Vec<String>,
    /// Trace and dump that named them.
    pub(super) found_in: Option<(String, String)>,
}

impl Found {
    pub(super) fn given(pairs: Vec<Pair>) -> Self {
        Self {
            pairs,
            left_out: Vec::new(),
            found_in: None,
        }
    }
}

/// Runs the program once, traced, and takes what `ducktrack leaks` names.
pub(super) fn find(program: &Program, most: usize) -> Result<Found> {
    eprintln!("ducktrack: a first run, traced, to find candidates");
    let trace = program.traced()?;
    let dump = trace.join("heap.hprof");
    let names = (trace.display().to_string(), dump.display().to_string());
    let advice = "name the pair with --pair SOURCE->TARGET, as ducktrack leaks has it";
    let questions = Questions {
        growth: true,
        staleness: Some(Moment::End),
        ..Questions::default()
    };
    let load = |questions: &Questions| load_events(&trace, questions);
    let mut loaded = DumpTrace::load(load, &dump, questions)
        .with_context(|| format!("no candidates were found; {advice}"))?;
    let holdings = Holdings::new(loaded.join()?);
    let request = LeakRequest {
        trace: names.0.clone(),
        dump: Some(names.1.clone()),
        ..LeakRequest::default()
    };
    let report = leaks_report(&loaded.model, Some(&holdings), &request)
        .map_err(|error| loaded.fault(error))?;
    let (pairs, left_out) = chosen(&report, most);
    if pairs.is_empty() {
        bail!("the first run has no leak candidate that can be tried: {advice}");
    }
    Ok(Found {
        pairs,
        left_out,
        found_in: Some(names),
    })
}

/// The first candidates that a reference of an object leads to.
fn chosen(report: &LeaksReport, most: usize) -> (Vec<Pair>, Vec<String>) {
    let (mut pairs, mut left_out): (Vec<Pair>, Vec<String>) = Default::default();
    for row in report.candidates.iter().take(most) {
        let Some(source) = &row.source else {
            left_out.push(format!(
                "{}: a root refers to it, and roots are not removed",
                row.target
            ));
            continue;
        };
        let is_known = |pair: &Pair| pair.source == *source && pair.target == row.target;
        if !pairs.iter().any(is_known) {
            pairs.push(Pair {
                source: source.clone(),
                target: row.target.clone(),
                score: Some(row.score),
            });
        }
    }
    (pairs, left_out)
}
