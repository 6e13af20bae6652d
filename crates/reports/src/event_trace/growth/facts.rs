//! What the page says without its script.

use super::document::GrowthReport;
use crate::event_trace::page::{Card, Facts};
use crate::event_trace::signed_rate;
use crate::quantity::{counted, grouped};

pub(super) fn facts(report: &GrowthReport) -> Facts {
    let mut facts = Facts::of(&report.head, "Growth");
    facts.run.push(counted(report.collections, "collection"));
    if report.collections < report.fewest_collections {
        facts.missing.push(format!(
            "a verdict needs {}, this run has {}",
            counted(report.fewest_collections, "collection"),
            report.collections
        ));
    }
    if report.known && report.old_space.is_none() {
        facts.missing.push(
            "no collection has looked at the old space: what was promoted may be dead".to_owned(),
        );
    }
    let all = &report.verdicts;
    facts.cards = vec![
        Card::new(
            "Growing",
            grouped(all.growing),
            format!(
                "sites in {}, together {} B per second",
                counted(report.groups.len() as u64, "group"),
                signed_rate(all.bytes_per_second)
            ),
        ),
        Card::new(
            "Periodic",
            grouped(all.periodic),
            "sites that rise and fall".to_owned(),
        ),
        Card::new(
            "Bounded",
            grouped(all.bounded),
            "sites around one level".to_owned(),
        ),
        Card::new(
            "Collections",
            grouped(report.collections),
            "with a known heap".to_owned(),
        ),
    ];
    facts
}
