//! Leak candidates as groups of objects whose cost is asked for.

use ducktrack_analyses::ObjectGroup;
use ducktrack_count_model::CountModel;
use ducktrack_holders::Holdings;

use super::build::CostCandidate;
use crate::event_trace::leaks::LeaksReport;
use crate::event_trace::place::{PlaceDoc, type_name};
use crate::filter::in_scope;

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

/// All objects of the sites in a package, class or method (`com.acme.Cache.put`). `None`: there is no such site.
pub fn group_of_sites(model: &CountModel, name: &str) -> Option<ObjectGroup> {
    let is_it = |place: PlaceDoc| {
        let class = &place.location.class;
        in_scope(name, class) || format!("{class}.{}", place.location.method) == name
    };
    let sites = model.indexed_sites().map(|(site, _)| site);
    let wanted = sites.filter(|site| PlaceDoc::of(model, *site).is_some_and(is_it));
    let shares: Vec<_> = wanted.map(|site| (Some(site), 1.0)).collect();
    (!shares.is_empty()).then_some(ObjectGroup { shares })
}
