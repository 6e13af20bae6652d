//! Who holds the objects of a candidate, by a heap dump.

use ducktrack_holders::{DumpError, HolderPath, Holdings};
use rustc_hash::FxHashSet;

use super::candidates::{Candidate, JudgedRow};
use super::document::CandidateDoc;
use crate::event_trace::amounts::signed;
use crate::event_trace::holder_docs::HolderDocs;

/// What a dump does not have.
const OUTSIDE: &str = "no path in the dump leads to them: a ClassValue (an instance field of java.lang.Class), a frame of an unmounted virtual thread \
    (before JDK 22), or native memory holds them";

/// Adds the path that holds most of a candidate's objects.
pub(super) fn with_holder(
    docs: &HolderDocs<'_>,
    candidate: &Candidate<'_>,
) -> Result<CandidateDoc, DumpError> {
    let doc = candidate.doc.clone();
    let rows = candidate.rows.iter();
    for row in rows {
        if let Some(path) = path_to(docs.holdings, row)? {
            return Ok(held(docs, doc, &path));
        }
    }
    Ok(CandidateDoc {
        held_outside: Some(OUTSIDE.to_owned()),
        ..doc
    })
}

fn path_to(holdings: &Holdings, row: &JudgedRow<'_>) -> Result<Option<HolderPath>, DumpError> {
    let makers = makers(holdings, row);
    let is_its = |object: u32| {
        let maker = holdings.dump.maker_number(object);
        maker.is_some_and(|maker| makers.contains(&maker))
    };
    Ok(holdings.holders(is_its, 1)?.into_iter().next())
}

/// The makers in the dump that are those of a row.
fn makers(holdings: &Holdings, row: &JudgedRow<'_>) -> FxHashSet<u32> {
    let makers = (0_u32..).zip(&holdings.dump.makers);
    let is_its = |maker: &ducktrack_analyses::ObjectMaker| {
        let is_site = maker.site.is_some_and(|site| row.row.sites.contains(&site));
        (is_site || maker.site.is_none() && row.row.site.is_none()) && maker.ty == row.row.ty
    };
    let its = makers.filter(|(_, maker)| is_its(maker));
    its.map(|(number, _)| number).collect()
}

fn held(docs: &HolderDocs<'_>, doc: CandidateDoc, path: &HolderPath) -> CandidateDoc {
    let path = docs.path(path);
    let before = path.steps.len().checked_sub(2);
    CandidateDoc {
        source: before
            .and_then(|at| path.steps.get(at))
            .map(|step| step.ty.clone()),
        retained: Some(signed(u64::try_from(path.held.retained).unwrap_or(0))),
        root: Some(path.root),
        path: path.steps,
        ..doc
    }
}
