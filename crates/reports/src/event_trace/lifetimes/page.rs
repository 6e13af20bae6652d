//! The page.

use super::document::LifetimesReport;
use super::table;
use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::amounts::signed;
use crate::event_trace::page::{Facts, LIFETIMES, page};
use crate::quantity::{bytes_in_objects, counted, grouped, share, short_bytes};

pub(super) fn html(report: &LifetimesReport) -> Result<String, ReportError> {
    let mut facts = Facts::of(&report.head, "Lifetimes");
    facts.run.push(counted(report.collections, "collection"));
    let all = &report.selected;
    facts.cards = vec![Card::new(
        "Reached the heap",
        short_bytes(all.bytes.unsigned_abs()),
        bytes_in_objects(all.bytes, all.count),
    )];
    if report.known {
        facts.cards.extend([
            Card::new(
                "Died young",
                share(signed(all.died_young()), all.told()),
                format!(
                    "{} before their first collection",
                    counted(all.died_young(), "object")
                ),
            ),
            Card::new(
                "Medium-lived",
                short_bytes(all.died_promoted.bytes.unsigned_abs()),
                format!(
                    "{} of what was promoted is dead",
                    share(all.died_promoted.bytes, all.promoted.bytes)
                ),
            ),
            Card::new(
                "Alive",
                short_bytes(all.alive.bytes.unsigned_abs()),
                format!(
                    "{} at the last collection",
                    counted(all.alive.count, "object")
                ),
            ),
        ]);
    }
    if report.known && all.unknown_fate.count > 0 {
        facts.cards.push(Card::new(
            "Fate unknown",
            short_bytes(all.unknown_fate.bytes.unsigned_abs()),
            format!(
                "{} made, or alive, where the heap was not known",
                counted(all.unknown_fate.count, "object")
            ),
        ));
    }
    if all.eliminated > 0 {
        facts.cards.push(Card::new(
            "Eliminated",
            grouped(all.eliminated),
            "objects that the JIT removed: not on this page".to_owned(),
        ));
    }
    page(report, Some(table::page(report)), &facts, LIFETIMES)
}
