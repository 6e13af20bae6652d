//! One row per site, caller and type of object. How old the objects of a site are stands in its first row.

use std::borrow::Cow;

use super::document::{HeapPartDoc, HeapReport};
use crate::event_trace::AGES_SHOWN;
use crate::event_trace::block_bars::shares;
use crate::event_trace::place::PlaceDoc;
use crate::event_trace::site_line::{SiteLine, with_caller};
use crate::json::{CallerDoc, TypeDoc};
use crate::table::{Table, Unit, Value};

/// Objects of a row.
#[derive(Clone)]
pub(super) struct Live<'a> {
    pub(super) count: i64,
    pub(super) bytes: i64,
    /// `None`: they are in the site's first row.
    pub(super) ages: Option<&'a Vec<u64>>,
}

pub(super) type Line<'a> = SiteLine<'a, Live<'a>>;

impl<'a> Live<'a> {
    pub(super) fn of<'c>(part: &'a HeapPartDoc) -> Cow<'c, Live<'a>> {
        Cow::Owned(Live {
            count: part.count,
            bytes: part.bytes,
            ages: Some(&part.ages),
        })
    }
}

#[rustfmt::skip]
pub(super) fn table(report: &HeapReport) -> Table<'_, Line<'_>> {
    let whole = report.selected.bytes;
    let sites = report.sites.iter().map(|site| &site.live);
    let ages = sites.chain(&report.unattributed).map(|live| &live.ages);
    with_caller::<Live<'_>>()
        .in_csv("object_type", |row| row.ty.clone())
        .column("count", "objects", Unit::Objects, |row| row.part.count)
        .column("bytes", "bytes", Unit::Bytes, |row| row.part.bytes)
        .first()
        .shown("share", Unit::Share, move |row| Value::share(row.part.bytes, whole))
        .first()
        .list("site_age", ages, |row| row.part.ages)
        .in_text("survived", Unit::Text, |row| match row.part.ages {
            Some(ages) => shares(ages, AGES_SHOWN).into(),
            None => Value::Absent,
        })
        .shown("collections survived", Unit::Number, |_| Value::Absent)
        .on_page_only()
        .shown("type", Unit::Text, |row| row.ty.clone())
        .in_text("site", Unit::Text, |row| row.name.clone())
}

pub(super) fn csv(report: &HeapReport) -> String {
    let sites = report.sites.iter();
    let sites = sites.flat_map(|site| lines(Some(&site.place), &site.live));
    let without = report.unattributed.iter();
    let without = without.flat_map(|part| lines(None, part));
    table(report).csv(sites.chain(without))
}

fn lines<'a>(place: Option<&'a PlaceDoc>, live: &'a HeapPartDoc) -> Vec<Line<'a>> {
    let mut lines = match live.context.as_slice() {
        [] => by_type(None, &live.types, (live.count, live.bytes)),
        callers => callers
            .iter()
            .flat_map(|part| by_type(Some(&part.caller), &part.types, (part.count, part.bytes)))
            .collect(),
    };
    lines.iter_mut().for_each(|line| line.place = place);
    if let Some(first) = lines.first_mut() {
        first.part.to_mut().ages = Some(&live.ages);
    }
    lines
}

/// One part for each type; one for all where types are not known of all objects.
fn by_type<'a>(
    caller: Option<&'a CallerDoc>,
    types: &'a [TypeDoc],
    (count, bytes): (i64, i64),
) -> Vec<Line<'a>> {
    let line = |ty: &str, count, bytes| SiteLine {
        caller,
        ty: ty.to_owned(),
        ..SiteLine::named(
            "",
            Cow::Owned(Live {
                count,
                bytes,
                ages: None,
            }),
        )
    };
    let known: i64 = types.iter().map(|ty| ty.count).sum();
    match types.is_empty() || known != count {
        true => vec![line("", count, bytes)],
        false => types
            .iter()
            .map(|ty| line(&ty.ty, ty.count, ty.bytes))
            .collect(),
    }
}
