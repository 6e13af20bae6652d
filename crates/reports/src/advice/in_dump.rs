//! What a heap dump of the run says about the objects that a change is about: how many are equal, how much of arrays was never written.

use ducktrack_advise::Rule;
use ducktrack_waste::Advice as WasteAdvice;

use super::document::{AdviceDoc, AdviceDumpDoc, AdviceReport};
use crate::waste::{WasteMakerDoc, WasteReport};

impl AdviceReport {
    /// Adds to each row the waste of what its line made.
    #[must_use]
    pub fn with_waste(mut self, waste: &WasteReport) -> Self {
        for row in &mut self.advice {
            let mut found: Vec<AdviceDumpDoc> = Vec::new();
            for wasted in &waste.waste {
                if !wasted
                    .advice
                    .is_some_and(|advice| is_about(row.kind, advice))
                {
                    continue;
                }
                let makers = wasted.makers.iter().filter(|maker| is_of_row(maker, row));
                let (objects, bytes) = makers.fold((0, 0), |(objects, bytes), maker| {
                    (objects + maker.objects, bytes + maker.bytes)
                });
                if objects > 0 {
                    found.push(AdviceDumpDoc {
                        kind: wasted.kind.clone(),
                        objects,
                        bytes,
                    });
                }
            }
            row.in_dump = found;
        }
        self
    }
}

/// Whether a kind of waste is what the rule asks.
fn is_about(rule: Rule, waste: WasteAdvice) -> bool {
    match rule {
        Rule::Text | Rule::Copy | Rule::Regex => {
            matches!(waste, WasteAdvice::Deduplicate | WasteAdvice::ShareString)
        }
        Rule::Box => waste == WasteAdvice::Deduplicate,
        Rule::Buffer => matches!(waste, WasteAdvice::ShorterArray | WasteAdvice::ArrayLate),
        Rule::Growth => matches!(waste, WasteAdvice::Trim | WasteAdvice::SmallerTable),
        _ => false,
    }
}

fn is_of_row(maker: &WasteMakerDoc, row: &AdviceDoc) -> bool {
    let same_line = row.line.is_none() || maker.line.line == row.line;
    let is_there = same_line || row.kind == Rule::Growth;
    is_there && maker.line.class == row.class && maker.line.method == row.method
}
