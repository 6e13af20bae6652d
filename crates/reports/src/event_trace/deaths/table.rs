//! One row per site and type.

use super::document::{AgeClock, DeathsReport, LivesDoc, SiteDeathsDoc};
use crate::table::{PageTable, Table, Unit};

/// A site, one of its callers, or a type.
pub(super) struct Line<'a> {
    pub(super) site: Option<&'a SiteDeathsDoc>,
    pub(super) ty: &'a str,
    pub(super) name: String,
    pub(super) lives: &'a LivesDoc,
}

impl<'a> Line<'a> {
    pub(super) fn site(site: &'a SiteDeathsDoc) -> Self {
        Self {
            site: Some(site),
            ty: &site.ty,
            name: site.place.to_string(),
            lives: &site.lives,
        }
    }

    pub(super) fn named(name: String, lives: &'a LivesDoc) -> Self {
        Self {
            site: None,
            ty: "",
            name,
            lives,
        }
    }
}

#[rustfmt::skip]
pub(super) fn table<'a>(report: &DeathsReport) -> Table<'a, Line<'a>> {
    let clock = report.clock;
    let age = match clock {
        AgeClock::Bytes => Unit::ShortBytes,
        AgeClock::Calls => Unit::Calls,
        AgeClock::Micros => Unit::Duration,
    };
    Table::<Line<'a>>::new()
        .in_csv("class", |row| Some(row.site?.place.class.clone()))
        .in_csv("method", |row| Some(row.site?.place.method.clone()))
        .in_csv("source_file", |row| row.site?.place.source_file.clone())
        .in_csv("line", |row| row.site?.place.line)
        .in_csv("type", |row| row.ty)
        .column("objects", "objects", Unit::Objects, |row| row.lives.objects)
        .column("bytes", "bytes", Unit::Bytes, |row| row.lives.bytes)
        .first()
        .amount("alive_", "alive", |row| row.lives.alive)
        .explained("at the end")
        .column("lifetime_p50", "lifetime p50", age, |row| Some(row.lives.spans.lifetime?.p50))
        .explained("half live no longer")
        .column("lifetime_p90", "lifetime p90", age, |row| Some(row.lives.spans.lifetime?.p90))
        .explained("nine of ten live no longer")
        .column("lifetime_max", "lifetime max", age, |row| Some(row.lives.spans.lifetime?.max))
        .explained("the longest")
        .column("drag_p50", "drag p50", age, |row| Some(row.lives.spans.drag?.p50))
        .explained("from the last use until unreachable")
        .column("drag_p90", "drag p90", age, |row| Some(row.lives.spans.drag?.p90))
        .explained("nine of ten drag no longer")
        .in_csv("drag_max", |row| Some(row.lives.spans.drag?.max))
        .in_csv("floating_p50", |row| Some(row.lives.spans.floating?.p50))
        .in_csv("floating_p90", |row| Some(row.lives.spans.floating?.p90))
        .in_csv("floating_max", |row| Some(row.lives.spans.floating?.max))
        .in_csv("clock", move |_| clock.name())
        .shown("type", Unit::Text, |row| row.ty)
        .in_text("site", Unit::Text, |row| row.name.clone())
}

pub(super) fn csv(report: &DeathsReport) -> String {
    table(report).csv(report.sites.iter().map(Line::site))
}

pub(super) fn page(report: &DeathsReport) -> PageTable {
    let types = report.types.iter();
    let types = types.map(|row| Line::named(row.ty.clone(), &row.lives));
    table(report).page(report.sites.iter().map(Line::site).chain(types))
}
