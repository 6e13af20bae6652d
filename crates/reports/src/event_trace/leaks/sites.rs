//! The verdict on every line of source: `--sites`.

use ducktrack_findings::{JudgedRow, Maker, Part};

use super::document::SiteVerdictDoc;
use super::interval::interval;
use super::names::Names;
use super::words::reason;
use crate::event_trace::amounts::{ratio, signed};
use crate::event_trace::place::PlaceDoc;
use crate::filter::Filter;

/// All rows that the filter wants and that have live objects.
pub(super) fn sites(
    names: Names<'_>,
    rows: &[JudgedRow<'_>],
    filter: &Filter,
) -> Vec<SiteVerdictDoc> {
    let wanted = rows.iter().filter(|row| !row.judged.live.is_zero());
    let docs = wanted.filter_map(|row| site(names, row, filter));
    docs.take(filter.top.unwrap_or(usize::MAX)).collect()
}

/// A row is of one type and one caller: the filter wants all of it or nothing.
fn is_wanted(
    names: Names<'_>,
    row: &JudgedRow<'_>,
    place: Option<&PlaceDoc>,
    filter: &Filter,
) -> bool {
    let maker = Maker::of(row.row);
    let caller = names.caller(&maker);
    let mut classes = [
        place.map(|place| &place.location),
        caller.map(|caller| &caller.location),
    ]
    .into_iter()
    .flatten();
    let is_there = filter.only.is_empty() || classes.any(|at| filter.wants_class(&at.class));
    is_there && (filter.types.is_empty() || filter.wants_type(&names.target(&maker)))
}

fn site(names: Names<'_>, row: &JudgedRow<'_>, filter: &Filter) -> Option<SiteVerdictDoc> {
    let place = row.row.site;
    let place = place.and_then(|site| PlaceDoc::of(&names.model.count, site));
    if !is_wanted(names, row, place.as_ref(), filter) {
        return None;
    }
    let at = place.as_ref().map(|place| &place.location);
    let judged = &row.judged;
    let maker = Maker::of(row.row);
    Some(SiteVerdictDoc {
        verdict: judged.verdict.into(),
        softly: row.part == Part::Soft,
        reason: reason(judged.verdict),
        ty: names.target(&maker),
        class: at.map(|at| at.class.clone()),
        method: at.map(|at| at.method.clone()),
        line: at.and_then(|at| at.line),
        made: at.map(ToString::to_string),
        caller: names.caller(&maker).map(ToString::to_string),
        loaders: row.row.loaders,
        objects: signed(judged.live.objects),
        bytes: signed(judged.live.bytes),
        kept_objects: signed(judged.kept.objects),
        kept_bytes: signed(judged.kept.bytes),
        share: interval(judged.share),
        objects_per_mb: interval(judged.objects_per_mb),
        bytes_per_mb: interval(judged.bytes_per_mb),
        sure: ratio(judged.sure),
        cohorts: judged.cohorts.0 as u32,
        of_cohorts: judged.cohorts.1 as u32,
    })
}
