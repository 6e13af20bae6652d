//! Which pairs of types are tried: given ones, or the leak candidates of a first run.

use anyhow::{Result, bail};
use ducktrack_findings::{Evidence, Findings};
use ducktrack_holders::{DumpError, Holdings};
use ducktrack_reports::type_name;

use super::first_run::FirstRun;
use super::pair::Pair;
use super::wait;

/// The changes that are tried.
pub(super) struct Found {
    pub(super) pairs: Vec<Pair>,
    /// Candidates that cannot be tried, and why.
    pub(super) left_out: Vec<String>,
    /// Trace and dump that named them.
    pub(super) found_in: Option<(String, String)>,
    /// For how many collections an object must be unused before references to it are removed.
    pub(super) after: u32,
}

impl Found {
    pub(super) fn given(
        pairs: Vec<Pair>,
        first: Option<&FirstRun>,
        after: Option<u32>,
    ) -> Result<Self> {
        let after = match (after, first) {
            (Some(after), _) => after,
            (None, Some(first)) => wait::collections(&first.load()?.holdings()?, &pairs),
            (None, None) => wait::LONGEST,
        };
        Ok(Self {
            pairs,
            left_out: Vec::new(),
            found_in: first.map(FirstRun::names),
            after,
        })
    }
}

/// Takes what `ducktrack leaks` names.
pub(super) fn find(first: &FirstRun, most: usize, after: Option<u32>) -> Result<Found> {
    let unused_for = after.unwrap_or(wait::LONGEST);
    let names = first.names();
    let mut loaded = first.load()?;
    let holdings = loaded.holdings()?;
    let evidence = Evidence {
        holdings: Some(&holdings),
        ..Evidence::of_trace(&loaded.model, &loaded.answer)
    };
    let findings = Findings::of(evidence).map_err(|error| loaded.fault(error))?;
    let pairs = chosen(&findings, &holdings, most, unused_for);
    let (pairs, left_out) = pairs.map_err(|error| loaded.fault(error))?;
    if pairs.is_empty() {
        bail!(
            "the first run has no leak candidate that can be tried: name the pair with --pair SOURCE->TARGET, as ducktrack leaks has it"
        );
    }
    let after = after.unwrap_or_else(|| wait::collections(&holdings, &pairs));
    Ok(Found {
        pairs,
        left_out,
        found_in: Some(names),
        after,
    })
}

/// For each of the first findings the references that hold most of it.
fn chosen(
    findings: &Findings<'_>,
    holdings: &Holdings,
    most: usize,
    unused_for: u32,
) -> Result<(Vec<Pair>, Vec<String>), DumpError> {
    let name = |ty| type_name(Some(holdings.types.name(ty)));
    let (mut pairs, mut left_out): (Vec<Pair>, Vec<String>) = Default::default();
    let mut known = Vec::new();
    for removal in findings.removals(holdings, most, unused_for)? {
        let Some(pair) = removal.pair else {
            left_out.push(format!(
                "{}: no reference on the way to it may be removed (roots, and classes whose fields the VM or native code may read, are left alone)",
                type_name(removal.finding.maker.ty.as_deref())
            ));
            continue;
        };
        if !known.contains(&(pair.source, pair.target)) {
            known.push((pair.source, pair.target));
            pairs.push(Pair {
                source: name(pair.source),
                target: name(pair.target),
                score: Some(100.0 * removal.finding.judged.sure),
            });
        }
    }
    Ok((pairs, left_out))
}
