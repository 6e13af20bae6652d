//! The parts of the page that need no script.

use super::document::HoldersReport;
use crate::card::Card;
use crate::event_trace::page::Facts;
use crate::quantity::{counted, grouped, share, short_bytes};

pub(super) fn facts(report: &HoldersReport) -> Facts {
    let mut facts = Facts::of(&report.head, "Holders");
    facts.run.push(format!("dump {}", report.dump));
    facts
        .run
        .push(format!("after collection {}", report.collection));
    let join = &report.join;
    let size = |value: i64| short_bytes(u64::try_from(value).unwrap_or(0));
    facts.cards = vec![
        Card::new(
            "Heap",
            size(report.total.bytes),
            counted(report.total.count, "object"),
        ),
        Card::new(
            "Found in the trace",
            share(join.found, join.objects),
            format!("{} are fillers", grouped(join.fillers)),
        ),
    ];
    if let Some(selected) = &report.selected {
        facts.cards.push(Card::new(
            "Chosen",
            size(selected.held.bytes),
            format!("retain {}", size(selected.exactly_retained)),
        ));
    }
    facts
}
