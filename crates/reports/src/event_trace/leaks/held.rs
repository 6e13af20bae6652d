//! Who holds the objects of a candidate, by a heap dump.

use ducktrack_holders::{DumpError, HolderPath, Holdings, NamedRoot};
use rustc_hash::FxHashSet;

use super::candidates::{Candidate, JudgedRow};
use super::document::CandidateDoc;
use super::place_text::{class_of_place, is_own_place, near};
use super::softly::{SoftlyHeld, is_of_row};
use crate::event_trace::holder_docs::{HolderDocs, HolderPathDoc, MadeDoc};
use crate::event_trace::path_fold::standing_out;

/// What a dump does not have.
const OUTSIDE: &str = "something that a heap dump does not have: a ClassValue (an instance field of java.lang.Class), a frame of an unmounted virtual thread \
    (before JDK 22), or native memory";
/// Nothing of the candidate is in the dump.
const NOT_THERE: &str =
    "the dump has none of them: they had died when it was written, or came later";

/// What the dump has of the candidate is dead.
const DEAD: &str = "nothing: those of them that the dump has are dead in it (the JVM made no collection for it), so it does not show who held them";

/// Adds the path that holds most of a candidate's objects.
pub(super) fn with_holder(
    docs: &HolderDocs<'_>,
    soft: &SoftlyHeld<'_>,
    candidate: &Candidate<'_>,
) -> Result<CandidateDoc, DumpError> {
    let doc = candidate.doc.clone();
    let mut outside = NOT_THERE;
    // What was dropped is not in a later dump, and a path to a few others of its lines is no path to it.
    if doc.released && in_dump(docs.holdings, soft, candidate).saturating_mul(2) < doc.objects {
        return Ok(CandidateDoc {
            held_outside: Some(NOT_THERE.to_owned()),
            ..doc
        });
    }
    for row in &candidate.rows {
        match path_to(docs.holdings, soft, row)? {
            Some(path) if is_dead(docs.holdings, &path) => outside = DEAD,
            Some(path) => return Ok(held(docs, doc, &path)),
            None => {}
        }
    }
    Ok(CandidateDoc {
        held_outside: Some(outside.to_owned()),
        ..doc
    })
}

/// Objects of the candidate's driver in the dump.
fn in_dump(holdings: &Holdings, soft: &SoftlyHeld<'_>, candidate: &Candidate<'_>) -> i64 {
    let Some(driver) = candidate
        .rows
        .first()
        .filter(|_| holdings.dump.without_sites.is_none())
    else {
        return i64::MAX;
    };
    let makers = makers(holdings, driver);
    let is_its = |object: &u32| {
        let maker = holdings.dump.maker_number(*object);
        maker.is_some_and(|maker| makers.contains(&maker)) && soft.is_of(driver.part, *object)
    };
    (0..holdings.dump.graph.objects()).filter(is_its).count() as i64
}

fn is_dead(holdings: &Holdings, path: &HolderPath) -> bool {
    let step = path.steps.first();
    step.is_some_and(|step| holdings.dump.is_dead(holdings.tier(step.example)))
}

/// By the objects' sites; in a dump without sites, by their type.
fn path_to(
    holdings: &Holdings,
    soft: &SoftlyHeld<'_>,
    row: &JudgedRow<'_>,
) -> Result<Option<HolderPath>, DumpError> {
    let paths = match holdings.dump.without_sites {
        Some(_) => {
            let Some(wanted) = row.row.ty.as_deref() else {
                return Ok(None);
            };
            let name = |object| holdings.types.name(holdings.type_of(object));
            holdings.holders(|object| name(object) == wanted, 1)?
        }
        None => {
            let makers = makers(holdings, row);
            let mut wanted = vec![false; holdings.dump.makers.len()];
            for maker in &makers {
                if let Some(flag) = wanted.get_mut(*maker as usize) {
                    *flag = true;
                }
            }
            let is_its = |object: u32| {
                let maker = holdings.dump.maker_number(object);
                maker.is_some_and(|maker| wanted.get(maker as usize) == Some(&true))
                    && soft.is_of(row.part, object)
            };
            holdings.holders(is_its, 1)?
        }
    };
    Ok(paths.into_iter().next())
}

/// The makers in the dump that are those of a row.
pub(super) fn makers(holdings: &Holdings, row: &JudgedRow<'_>) -> FxHashSet<u32> {
    let makers = (0_u32..).zip(&holdings.dump.makers);
    let its = makers.filter(|(_, maker)| is_of_row(maker, row.row));
    its.map(|(number, _)| number).collect()
}

fn held(docs: &HolderDocs<'_>, doc: CandidateDoc, path: &HolderPath) -> CandidateDoc {
    let is_outside = path.root == NamedRoot::NotInDump;
    let path = docs.path(path);
    let caller = doc.caller.as_deref().and_then(class_of_place);
    let near = [doc.class.as_deref(), Some(doc.target.as_str()), caller];
    let near: Vec<&str> = near.into_iter().flatten().collect();
    let shown = standing_out(&path, &near);
    let before = path.steps.len().checked_sub(2);
    CandidateDoc {
        source: before
            .and_then(|at| path.steps.get(at))
            .map(|step| step.ty.clone()),
        retained: Some(path.held.retained),
        shown,
        held_outside: is_outside.then(|| OUTSIDE.to_owned()),
        added_by: added_by(&doc, &path),
        holder_made: holder_made(&doc, &path),
        root: Some(path.root),
        path: path.steps,
        structure: path.structure,
        ..doc
    }
}

/// Code of the JDK made the object for a caller that is not known: who made the nearest holder that was made for it alone.
fn holder_made(doc: &CandidateDoc, path: &HolderPathDoc) -> Option<String> {
    if doc.caller.is_some() || doc.made.as_deref().is_none_or(is_own_place) {
        return None;
    }
    let piles_up = path.structure.as_ref()?.piles_up;
    let last = path.steps.len().checked_sub(1)?;
    let holders = path.steps.get(piles_up..last)?;
    holders.iter().rev().find_map(|step| {
        let own = places(step.made.as_ref()?).find(|place| is_own_place(place))?;
        Some(format!("{own}, which made the {} that holds it", step.ty))
    })
}

/// The call that made the structure's nodes (or its array). Else a line near it: what the nodes were made for, the first below them that code of the program's own makes; else that
/// of what leaks.
fn added_by(doc: &CandidateDoc, path: &HolderPathDoc) -> Option<String> {
    let structure = path.structure.as_ref();
    let added = structure.and_then(|structure| structure.added.as_ref());
    let piles_up = structure.map_or(0, |structure| structure.piles_up);
    let below = path.steps.iter().skip(piles_up);
    let below = below.take(if structure.is_some() { usize::MAX } else { 0 });
    // A node of a collection is made by what adds to it; an object of the program's own may be made long before.
    let nodes = below.clone().take(1).filter(|step| !step.own);
    let nodes = nodes.filter_map(|step| step.made.as_ref());
    let mut adding = added.into_iter().chain(nodes).flat_map(places);
    let held = below.filter_map(|step| step.made.as_ref()).flat_map(places);
    let leaks = [doc.caller.clone(), doc.made.clone()];
    let mut held = held.chain(leaks.into_iter().flatten());
    let made = || {
        held.find(|place| is_own_place(place))
            .map(|place| near(&place))
    };
    let place = || added.map(|added| added.place.location.to_string());
    adding
        .find(|place| is_own_place(place))
        .or_else(made)
        .or_else(place)
}

fn places(made: &MadeDoc) -> impl Iterator<Item = String> {
    let place = made.place.location.to_string();
    made.caller.clone().into_iter().chain([place])
}
