//! Leak candidates as groups of objects whose cost is asked for.

use ducktrack_heap_model::ObjectGroup;
use ducktrack_holders::Holdings;

use super::build::CostCandidate;
use crate::event_trace::leaks::LeaksReport;
use crate::event_trace::place::type_name;

/// The candidates that a reference of an object leads to, each pair once.
pub fn candidates_of(report: &LeaksReport, most: usize) -> Vec<CostCandidate> {
    let mut found: Vec<CostCandidate> = Vec::new();
    for row in report.candidates.iter().take(most) {
        let is_known =
            |known: &CostCandidate| known.source == row.source && known.target == row.target;
        if row.source.is_some() && !found.iter().any(is_known) {
            found.push(CostCandidate {
                source: row.source.clone(),
                target: row.target.clone(),
                score: Some(row.score),
                held: 0,
            });
        }
    }
    found
}

/// For each candidate its group; notes in the candidates what they hold.
pub fn candidate_groups(holdings: &Holdings, candidates: &mut [CostCandidate]) -> Vec<ObjectGroup> {
    let group = |candidate: &mut CostCandidate| {
        let source = candidate.source.clone().unwrap_or_default();
        let name = |ty| type_name(Some(holdings.types.name(ty)));
        let sites =
            holdings.held_only_by(|ty| name(ty) == source, |ty| name(ty) == candidate.target);
        candidate.held = sites.values().map(|site| site.held).sum();
        let shares = sites.into_iter();
        ObjectGroup {
            shares: shares
                .map(|(site, bytes)| (site, bytes.held as f64 / bytes.all.max(1) as f64))
                .collect(),
        }
    };
    candidates.iter_mut().map(group).collect()
}
