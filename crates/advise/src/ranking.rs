//! Portions of one change become a row; rows that reach the heap most come first.

use std::cmp::Reverse;

use ducktrack_count_model::CountModel;
use ducktrack_profile::Profile;
use rustc_hash::FxHashMap;

use crate::advice::{Advice, Place, Sure};
use crate::attribution::{Attributed, portions};
use crate::classify::{is_filled, rule_of};
use crate::growth_rule::{Growths, family_of};
use crate::joining::{drop_grown_copies, join};
use crate::row::{Row, place_of_change};
use crate::rule::Rule;
use crate::together::{Callers, Ranked, add_together};

/// What is listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct AdviceOptions {
    /// Also small and rare changes.
    pub all: bool,
}

/// All changes, in descending order of the bytes that reach the heap.
pub fn advise(model: &CountModel, profile: &Profile, options: AdviceOptions) -> Vec<Advice> {
    let Attributed {
        portions,
        unexplained,
    } = portions(model, profile);
    let mut rows: Vec<Row<'_, '_>> = Vec::new();
    let mut row_of: FxHashMap<(Rule, Place, Option<usize>), usize> = FxHashMap::default();
    for portion in &portions {
        let Some(rule) = rule_of(portion) else {
            continue;
        };
        let family = match rule {
            Rule::Growth => family_of(portion),
            _ => None,
        };
        let mut place = place_of_change(rule, &portion.place);
        if rule == Rule::Copy && is_filled(portion) {
            place.line = None;
        }
        let key = (rule, place, family);
        // Objects that a line may have asked for widen the bounds of a row, and make none.
        if portion.tally.count == 0 && !row_of.contains_key(&key) {
            continue;
        }
        let at = *row_of.entry(key).or_insert(rows.len());
        match rows.get_mut(at) {
            Some(row) => row.portions.push(portion),
            None => rows.push(Row {
                rule,
                portions: vec![portion],
            }),
        }
    }
    join(&mut rows, &portions, profile);
    let growths = Growths::of(model, &portions);
    drop_grown_copies(&mut rows, &growths);
    let callers = Callers::of(profile);
    let mut advice = Vec::new();
    for row in &rows {
        let mut change = row.advice(profile, &growths, unexplained);
        change.change.is_returned =
            row.rule == Rule::Optional && returns_optional(model, &change.place);
        let is_known =
            !matches!(change.sure, Sure::Estimate { .. }) || row.is_known(profile, model.total);
        if options.all || is_known && row.is_worth_it(&change, model.total) {
            let made_in = callers.of_all(&row.portions, &change.place);
            advice.push(Ranked {
                change,
                made_in,
                holds_growth: row.holds_growth(),
            });
        }
    }
    advice.sort_by_key(|Ranked { change: row, .. }| {
        (
            Reverse(weight(row)),
            Reverse((row.saving.bytes, row.saving.count)),
            row.place.clone(),
            row.rule,
        )
    });
    add_together(advice)
}

/// Whether a method of this name returns an `Optional`.
fn returns_optional(model: &CountModel, place: &Place) -> bool {
    let mut methods = model.methods.iter();
    methods.any(|method| {
        (&method.class, &method.name) == (&place.class, &place.method)
            && method.descriptor.contains(")Ljava/util/Optional")
    })
}

/// Rows are ordered by this: the bytes that reach the heap, but at least a twentieth
/// of the saving, since up to that part a row counts as removed by the JIT.
fn weight(row: &Advice) -> i64 {
    row.heap_bytes().max(row.saving.bytes / 20)
}
