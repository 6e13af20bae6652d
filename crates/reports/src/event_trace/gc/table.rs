//! One row per site and caller.

use super::document::{GcCostDoc, GcReport};
use crate::event_trace::site_line::{SiteLine, with_caller};
use crate::json::AmountDoc;
use crate::quantity::grouped;
use crate::table::{PageTable, Table, Unit, Value};

#[rustfmt::skip]
pub(super) fn table(report: &GcReport) -> Table<'_, SiteLine<'_, GcCostDoc>> {
    let whole = report.pause_micros();
    let all = grouped(report.collections());
    let times = match report.is_of_cycles() {
        true => "CPU",
        false => "pauses",
    };
    with_caller::<GcCostDoc>()
        .amount("", "allocated", |row| AmountDoc { count: row.part.count, bytes: row.part.bytes })
        .amount("copied_", "copied", |row| row.part.copied)
        .in_csv("copied_in_vain_bytes", |row| row.part.copied_in_vain)
        .in_csv("marked_bytes", |row| row.part.marked)
        .amount("promoted_", "promoted", |row| row.part.promoted)
        .amount("promoted_soon_dead_", "soon dead", |row| row.part.promoted_soon_dead)
        .explained("promoted, and dead when a collection first looked at the old space")
        .column("pause_micros", times, Unit::Duration, |row| row.part.pause_micros)
        .first()
        .explained("its share of the time of collections")
        .in_text("share", Unit::Share, move |row| Value::share(row.part.pause_micros, whole))
        .first()
        .in_csv("pause_micros_low", |row| row.part.pause_interval[0])
        .in_csv("pause_micros_high", |row| row.part.pause_interval[1])
        .column("collections", format!("brings on, of {all}"), Unit::Count, |row| row.part.collections)
        .first()
        .explained("collections")
        .column("saved_micros", "a run without it saves", Unit::Duration, |row| row.part.without.pause_micros)
        .first()
        .column("saved_micros_low", "from", Unit::Duration, |row| row.part.without.pause_interval[0])
        .first()
        .column("saved_micros_high", "to", Unit::Duration, |row| row.part.without.pause_interval[1])
        .first()
        .shown("type", Unit::Text, |row| row.ty.clone())
        .in_text("site", Unit::Text, |row| row.name.clone())
}

pub(super) fn csv(report: &GcReport) -> String {
    let sites = report.sites.iter().flat_map(|site| {
        let callers = site.context.iter().map(|one| (&one.caller, &one.cost));
        SiteLine::by_caller(&site.place, &site.cost, callers)
    });
    table(report).csv(sites.chain(SiteLine::without_site(report.unattributed.as_ref())))
}

pub(super) fn page(report: &GcReport) -> PageTable {
    let sites = report.sites.iter();
    let sites = sites.map(|site| SiteLine::site(&site.place, &site.cost));
    let without = SiteLine::without_site(report.unattributed.as_ref());
    let types = report.types.iter();
    let types = types.map(|row| SiteLine::of_type(&row.ty, &row.cost));
    table(report).page(sites.chain(without).chain(types))
}
