//! Findings as groups of objects whose cost is asked for.

use ducktrack_analyses::ObjectGroup;
use ducktrack_count_model::CountModel;
use ducktrack_findings::Findings;
use ducktrack_holders::{DumpError, Holdings};

use super::build::CostCandidate;
use crate::event_trace::place::{PlaceDoc, type_name};
use crate::filter::in_scope;

/// The findings whose holders' references a trial may remove, each pair once.
///
/// # Errors
/// When the dump cannot be read again, for the names of fields.
pub fn candidates_of(
    findings: &Findings<'_>,
    holdings: &Holdings,
    (most, unused_for): (usize, u32),
) -> Result<Vec<CostCandidate>, DumpError> {
    let name = |ty| type_name(Some(holdings.types.name(ty)));
    let mut known = Vec::new();
    let mut found = Vec::new();
    for removal in findings.removals(holdings, most, unused_for)? {
        let Some(pair) = removal.pair else { continue };
        let ends = (pair.source, pair.target);
        if !known.contains(&ends) {
            known.push(ends);
            found.push(CostCandidate {
                source: Some(name(pair.source)),
                target: name(pair.target),
                score: Some(100.0 * removal.finding.judged.sure),
                held: 0,
            });
        }
    }
    Ok(found)
}

/// The most collections that a target of these references had survived when
/// it was used last. `None`: the dump has none, or uses were not recorded.
pub fn longest_used(holdings: &Holdings, source: &str, target: &str) -> Option<u32> {
    let name = |ty| type_name(Some(holdings.types.name(ty)));
    holdings.longest_used(|ty| name(ty) == source, |ty| name(ty) == target)
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
