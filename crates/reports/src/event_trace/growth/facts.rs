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
    let number = |verdict: &str| {
        report
            .sites
            .iter()
            .filter(|site| site.row.verdict == verdict)
            .count() as u64
    };
    let rate: f64 = report
        .sites
        .iter()
        .filter(|site| site.row.verdict == "growing")
        .map(|site| site.row.bytes_per_collection)
        .sum();
    facts.cards = vec![
        Card::new(
            "Growing",
            grouped(number("growing")),
            format!("sites, together {} B per collection", signed_rate(rate)),
        ),
        Card::new(
            "Periodic",
            grouped(number("periodic")),
            "sites that rise and fall".to_owned(),
        ),
        Card::new(
            "Bounded",
            grouped(number("bounded")),
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
