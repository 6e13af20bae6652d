//! Which pairs of types are tried: given ones, or the leak candidates of a first run.

use anyhow::{Result, bail};
use ducktrack_reports::{LeakRequest, LeaksReport, leaks_report};

use super::first_run::FirstRun;
use super::pair::Pair;

/// The changes that are tried.
pub(super) struct Found {
    pub(super) pairs: Vec<Pair>,
    /// Candidates that cannot be tried, and why.
    pub(super) left_out: Vec<String>,
    /// Trace and dump that named them.
    pub(super) found_in: Option<(String, String)>,
}

impl Found {
    pub(super) fn given(pairs: Vec<Pair>, first: Option<&FirstRun>) -> Self {
        Self {
            pairs,
            left_out: Vec::new(),
            found_in: first.map(FirstRun::names),
        }
    }
}

/// Takes what `ducktrack leaks` names.
pub(super) fn find(first: &FirstRun, most: usize) -> Result<Found> {
    let names = first.names();
    let mut loaded = first.load()?;
    let holdings = loaded.holdings()?;
    let request = LeakRequest {
        trace: names.0.clone(),
        dump: Some(names.1.clone()),
        ..LeakRequest::default()
    };
    let report = leaks_report(&loaded.model, Some(&holdings), &request)
        .map_err(|error| loaded.fault(error))?;
    let (pairs, left_out) = chosen(&report, most);
    if pairs.is_empty() {
        bail!(
            "the first run has no leak candidate that can be tried: name the pair with --pair SOURCE->TARGET, as ducktrack leaks has it"
        );
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
