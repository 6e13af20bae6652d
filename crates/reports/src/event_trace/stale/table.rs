//! One row per site and caller, with columns for each level of staleness.

use std::collections::BTreeSet;

use super::build::stale_of;
use super::document::{StalePartDoc, StaleReport};
use crate::event_trace::block_bars::shares;
use crate::event_trace::site_line::{SiteLine, with_caller};
use crate::table::{PageTable, Table, Unit};

/// Levels that fit into a column of text.
const LEVELS: usize = 12;

type Line<'a> = SiteLine<'a, StalePartDoc>;

#[rustfmt::skip]
pub(super) fn table(report: &StaleReport) -> Table<'_, Line<'_>> {
    let table = with_caller::<StalePartDoc>()
        .column("count", "objects", Unit::Objects, |row| row.part.count)
        .column("bytes", "live", Unit::Bytes, |row| row.part.bytes)
        .amount("stale_", "stale", |row| stale_of(&row.part.staleness))
        .exact()
        .first()
        .explained(format!("not used for {} collections or more", report.stale_from));
    let of_level = |row: &Line<'_>, level: &str| {
        let mut known = row.part.staleness.iter();
        known.find(|one| one.level == level).map_or((0, 0), |one| (one.count, one.bytes))
    };
    let with_levels = levels(report).into_iter().fold(table, |table, (_, level)| {
        let name = level.clone();
        table
            .in_csv(format!("unused_{level}_count"), move |row| of_level(row, &name).0)
            .in_csv(format!("unused_{level}_bytes"), move |row| of_level(row, &level).1)
    });
    with_levels
        .in_text("0 1 2-3 ..", Unit::Text, |row| {
            let levels = row.part.staleness.iter();
            let levels: Vec<u64> = levels.map(|level| level.bytes.unsigned_abs()).collect();
            shares(&levels, LEVELS)
        })
        .in_text("type", Unit::Text, |row| row.ty.clone())
        .in_text("site", Unit::Text, |row| row.name.clone())
}

pub(super) fn csv(report: &StaleReport) -> String {
    let sites = report.sites.iter().flat_map(|site| {
        let callers = site.context.iter().map(|one| (&one.caller, &one.part));
        SiteLine::by_caller(&site.place, &site.part, callers)
    });
    table(report).csv(sites.chain(SiteLine::without_site(report.unattributed.as_ref())))
}

/// Levels by their first number: `2-3` stands after `1`.
fn levels(report: &StaleReport) -> BTreeSet<(u64, String)> {
    let sites = report.sites.iter().flat_map(|site| {
        let callers = site.context.iter().map(|one| &one.part);
        std::iter::once(&site.part).chain(callers)
    });
    let parts = sites.chain(&report.unattributed);
    let named = |level: &str| {
        let digits = level.split(|letter: char| !letter.is_ascii_digit()).next();
        let first = digits.and_then(|digits| digits.parse().ok());
        (first.unwrap_or(u64::MAX), level.to_owned())
    };
    let levels = parts.flat_map(|part| part.staleness.iter().map(|one| named(&one.level)));
    levels.collect()
}

pub(super) fn page(report: &StaleReport) -> PageTable {
    let sites = report.sites.iter();
    let sites = sites.map(|site| SiteLine::site(&site.place, &site.part));
    let without = SiteLine::without_site(report.unattributed.as_ref());
    let types = report.types.iter();
    let types = types.map(|row| SiteLine::of_type(&row.ty, &row.part));
    table(report).page(sites.chain(without).chain(types))
}
