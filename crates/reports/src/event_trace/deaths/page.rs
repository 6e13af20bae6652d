//! The page.

use super::document::DeathsReport;
use super::table;
use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::page::{DEATHS, Facts, page, title};
use crate::quantity::{bytes_in_objects, counted, grouped, share, short_bytes};

pub(super) fn html(report: &DeathsReport) -> Result<String, ReportError> {
    let all = &report.selected;
    let mut run = vec![
        report.runtime.clone(),
        report.frontend.clone(),
        format!("level {}", report.level),
        counted(report.collections, "collection"),
        format!("ages in {}", report.clock.name()),
    ];
    if report.asked.is_partial() {
        run.push(format!("only {}", report.asked.description()));
    }
    run.retain(|fact| !fact.is_empty());
    let contradictions = report.contradictions.iter();
    let contradictions = contradictions.map(|one| format!("{}: {}", one.what, grouped(one.count)));
    let mut cards = vec![
        Card::new(
            "Allocated",
            short_bytes(all.bytes),
            bytes_in_objects(all.bytes, all.objects),
        ),
        Card::new(
            "Alive at the end",
            share(all.alive.count, all.objects),
            bytes_in_objects(all.alive.bytes, all.alive.count.unsigned_abs()),
        ),
    ];
    if let Some(groups) = &report.shape.groups {
        cards.push(Card::new(
            "Died by themselves",
            share(groups.keys, groups.keys.saturating_add(groups.followers)),
            "of the dead; the others died with an object that referred to them".to_owned(),
        ));
    }
    let facts = Facts {
        run,
        missing: report.missing.clone(),
        damage: report
            .damage
            .iter()
            .cloned()
            .chain(contradictions)
            .collect(),
        ..Facts::titled(title(&report.command, &report.source), "Deaths", cards)
    };
    page(report, Some(table::page(report)), &facts, DEATHS)
}
