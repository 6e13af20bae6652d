//! One row per site and caller.

use super::document::{LifetimeDoc, LifetimesReport};
use crate::event_trace::AGES_SHOWN;
use crate::event_trace::amounts::signed;
use crate::event_trace::block_bars::shares;
use crate::event_trace::site_line::{SiteLine, with_caller};
use crate::table::{PageTable, Table, Unit, Value};

#[rustfmt::skip]
pub(super) fn table(report: &LifetimesReport) -> Table<'_, SiteLine<'_, LifetimeDoc>> {
    let is_known = report.known;
    let lives = || {
        let sites = report.sites.iter().map(|site| &site.lives);
        sites.chain(&report.unattributed)
    };
    let (died, until_death) = (
        lives().map(|lives| &lives.died),
        lives().map(|lives| &lives.bytes_until_death),
    );
    with_caller::<LifetimeDoc>()
        .column("count", "objects", Unit::Objects, |row| row.part.count)
        .column("bytes", "bytes", Unit::Bytes, |row| row.part.bytes)
        .first()
        .in_csv("eliminated", |row| row.part.eliminated)
        .amount("alive_", "alive", move |row| is_known.then_some(row.part.alive))
        .in_csv("not_yet_collected_count", |row| row.part.not_yet_collected.count)
        .in_csv("unknown_fate_count", |row| row.part.unknown_fate.count)
        .amount("died_promoted_", "medium-lived", move |row| is_known.then_some(row.part.died_promoted))
        .explained("died after promotion to the old generation")
        .list("died_after", died, |row| Some(&row.part.died))
        .list("died_within_2_to", until_death, |row| Some(&row.part.bytes_until_death))
        .in_text("died after", Unit::Text, |row| shares(&row.part.died, AGES_SHOWN))
        .shown("died young", Unit::Share, move |row| {
            let young = signed(row.part.died_young());
            is_known.then(|| Value::share(young, row.part.told()))
        })
        .explained("died before its first collection")
        .shown("half died within", Unit::ShortBytes, |row| row.part.median_until_death())
        .explained("half of the dead objects died before the program had allocated so much")
        .shown("type", Unit::Text, |row| row.ty.clone())
        .in_text("site", Unit::Text, |row| row.name.clone())
}

pub(super) fn csv(report: &LifetimesReport) -> String {
    let sites = report.sites.iter().flat_map(|site| {
        let callers = site.context.iter().map(|one| (&one.caller, &one.lives));
        SiteLine::by_caller(&site.place, &site.lives, callers)
    });
    table(report).csv(sites.chain(SiteLine::without_site(report.unattributed.as_ref())))
}

pub(super) fn page(report: &LifetimesReport) -> PageTable {
    let sites = report.sites.iter();
    let sites = sites.map(|site| SiteLine::site(&site.place, &site.lives));
    let without = SiteLine::without_site(report.unattributed.as_ref());
    table(report).page(sites.chain(without))
}
