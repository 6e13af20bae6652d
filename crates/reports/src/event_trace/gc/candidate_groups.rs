//! Leak candidates as groups of objects whose cost is asked for.

use ducktrack_analyses::ObjectGroup;
use ducktrack_count_model::CountModel;
use ducktrack_holders::{DumpError, Holdings, TypeNumber};

use super::build::CostCandidate;
use crate::event_trace::leaks::{CandidateDoc, LeaksReport};
use crate::event_trace::place::{PlaceDoc, type_name};
use crate::filter::in_scope;

/// The candidates whose holders' references a trial may remove, each pair once.
///
/// # Errors
/// When the dump cannot be read again, for the names of fields.
pub fn candidates_of(
    model: &CountModel,
    holdings: &Holdings,
    report: &LeaksReport,
    (most, unused_for): (usize, u32),
) -> Result<Vec<CostCandidate>, DumpError> {
    let mut found: Vec<CostCandidate> = Vec::new();
    for row in report.candidates.iter().take(most) {
        let Some((source, target)) = removable_pair((model, holdings), row, unused_for)? else {
            continue;
        };
        let is_known = |known: &CostCandidate| {
            known.source.as_ref() == Some(&source) && known.target == target
        };
        if !found.iter().any(is_known) {
            found.push(CostCandidate {
                source: Some(source),
                target,
                score: Some(100.0 * row.sure),
                held: 0,
            });
        }
    }
    Ok(found)
}

/// The references whose removal frees what holds the objects of a candidate: source and target. `unused_for`: collections without a use after which a trial removes.
/// `None`: no reference on the way to them may be removed.
///
/// # Errors
/// When the dump cannot be read again, for the names of fields.
pub fn removable_pair(
    (model, holdings): (&CountModel, &Holdings),
    row: &CandidateDoc,
    unused_for: u32,
) -> Result<Option<(String, String)>, DumpError> {
    let name = |ty| type_name(Some(holdings.types.name(ty)));
    let types: Vec<bool> = (0..holdings.types.types() as u32)
        .map(|ty| name(TypeNumber(ty)) == row.target)
        .collect();
    let origins = holdings.types.origins().iter();
    let origins: Vec<bool> = origins
        .map(|origin| {
            let place = origin.site.and_then(|site| PlaceDoc::of(model, site));
            let place = place.map(|place| place.location);
            place.as_ref().map(|at| (&at.class, &at.method, at.line))
                == row
                    .class
                    .as_ref()
                    .zip(row.method.as_ref())
                    .map(|(class, method)| (class, method, row.line))
        })
        .collect();
    let is_its = |object: u32| {
        let origin = holdings.types.origin_of(&holdings.dump, object);
        types.get(holdings.type_of(object).0 as usize) == Some(&true)
            && origin.is_none_or(|origin| origins.get(origin as usize) == Some(&true))
    };
    let path = holdings.holders(is_its, 1)?.into_iter().next();
    let pair = path.and_then(|path| holdings.removable_pair(&path, unused_for));
    Ok(pair.map(|pair| (name(pair.source), name(pair.target))))
}

/// The most collections that a target of these references had survived when it was used last. `None`: the dump has none, or uses were not recorded.
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
