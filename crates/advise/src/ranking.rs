//! Portions of one change become a row; rows that reach the heap most come first.

use std::cmp::Reverse;
use std::sync::Arc;

use ducktrack_count_model::{AllocationKind, CountModel, Tally};
use ducktrack_profile::{Interval, Profile, Unit};
use rustc_hash::FxHashMap;

use crate::advice::{Advice, Change, Place, Sure};
use crate::attribution::{Attributed, portions};
use crate::classify::{captures_same, is_filled, rule_of};
use crate::growth_rule::{GrowthSaving, Growths, family_of};
use crate::jdk;
use crate::portion::{Basis, Portion};
use crate::rule::Rule;

/// Changes that save a smaller share of all bytes, and of all objects, are left out.
const LEAST_SHARE: f64 = 0.001;
/// What happened less often is not worth a change.
const LEAST_OBJECTS: i64 = 100;
/// Of changes that need a larger rewriting, or may not be possible.
const LEAST_SHARE_OF_LARGE: f64 = 0.01;
/// Of text, most of which is wanted.
const LEAST_SHARE_OF_TEXT: f64 = 0.05;

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
    join_captures(&mut rows);
    join_texts(&mut rows);
    join_exceptions(&mut rows, &portions);
    join_filled(&mut rows, &portions);
    let growths = Growths::of(model, &portions);
    drop_grown_copies(&mut rows, &growths);
    let mut advice = Vec::new();
    for row in &rows {
        let change = row.advice(profile, &growths, unexplained);
        let is_known =
            !matches!(change.sure, Sure::Estimate { .. }) || row.is_known(profile, model.total);
        if options.all || is_known && is_worth_it(&change, model.total) {
            advice.push(change);
        }
    }
    advice.sort_by_key(|row| {
        (
            Reverse(weight(row)),
            Reverse((row.saving.bytes, row.saving.count)),
            row.place.clone(),
            row.rule,
        )
    });
    advice
}

/// Rows are ordered by this: the bytes that reach the heap, but at least a twentieth of the saving, since up to that part a row counts as removed by the JIT.
fn weight(row: &Advice) -> i64 {
    row.heap_bytes().max(row.saving.bytes / 20)
}

/// The same for all portions of a change.
fn place_of_change(rule: Rule, place: &Place) -> Place {
    Place {
        line: place.line.filter(|_| !rule.is_of_method()),
        ..place.clone()
    }
}

/// The closures that a chain of stream or `Optional` is given go with the chain.
fn join_captures(rows: &mut Vec<Row<'_, '_>>) {
    let mut chains: Vec<(Place, usize)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if matches!(row.rule, Rule::Stream | Rule::Optional) {
            let places = row.portions.iter().map(|portion| portion.place.clone());
            chains.extend(places.map(|place| (place, at)));
        }
    }
    let mut moved = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let place = row.portions.first().map(|portion| &portion.place);
        let chain = chains.iter().find(|(of_chain, _)| Some(of_chain) == place);
        if let (Rule::Capture, Some((_, chain))) = (row.rule, chain) {
            moved.push((at, *chain));
        }
    }
    move_portions(rows, &moved);
    rows.retain(|row| !row.portions.is_empty());
}

/// A text that one line begins and a later one ends, `new StringBuilder` and `toString`: as many builders as texts.
fn join_texts(rows: &mut Vec<Row<'_, '_>>) {
    let builders: Vec<(Place, i64, usize)> = ends_of_texts(rows, &|portion| {
        portion.path.is_empty() && portion.site.kind == AllocationKind::New
    });
    let texts = ends_of_texts(rows, &|portion| {
        let is_text = portion.site.ty.as_deref() == Some("Ljava/lang/String;");
        is_text
            && portion
                .callee()
                .is_some_and(|(class, name)| jdk::is_builder(class) && name == "toString")
    });
    let has_own = |at: usize, ends: &[(Place, i64, usize)]| ends.iter().any(|(.., row)| *row == at);
    let mut moved = Vec::new();
    for (place, count, at) in &builders {
        let ends = texts.iter().find(|(other, texts, _)| {
            (&other.class, &other.method) == (&place.class, &place.method)
                && other.line > place.line
                && texts == count
        });
        if let (Some((.., text)), false) = (ends, has_own(*at, &texts))
            && !has_own(*text, &builders)
        {
            moved.push((*text, *at));
        }
    }
    move_portions(rows, &moved);
    rows.retain(|row| !row.portions.is_empty());
}

/// Rows of text that have such portions, and the number of objects in them.
fn ends_of_texts(
    rows: &[Row<'_, '_>],
    is_end: &dyn Fn(&Portion<'_>) -> bool,
) -> Vec<(Place, i64, usize)> {
    let mut ends = Vec::new();
    for (at, row) in rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.rule == Rule::Text)
    {
        let objects = row.portions.iter().filter(|portion| is_end(portion));
        let objects: i64 = objects.map(|portion| portion.tally.count).sum();
        if let (Some(first), true) = (row.portions.first(), objects > 0) {
            ends.push((first.place.clone(), objects, at));
        }
    }
    ends
}

/// The collections themselves go with the arrays that they are made with, where each has one.
fn join_filled<'a, 'm>(rows: &mut [Row<'a, 'm>], portions: &'a [Portion<'m>]) {
    for row in rows.iter_mut().filter(|row| row.rule == Rule::Copy) {
        let mut arrays: FxHashMap<&Place, i64> = FxHashMap::default();
        for portion in row.portions.iter().filter(|portion| is_filled(portion)) {
            *arrays.entry(&portion.place).or_default() += portion.tally.count;
        }
        let is_collection = |portion: &&'a Portion<'m>| {
            let has_array = |arrays: &i64| *arrays >= portion.tally.count / 10 * 9;
            portion.path.is_empty()
                && portion.site.kind == AllocationKind::New
                && rule_of(portion).is_none()
                && arrays.get(&portion.place).is_some_and(has_array)
        };
        let collections: Vec<_> = portions.iter().filter(is_collection).collect();
        row.portions.extend(collections);
    }
}

/// A copy that its method makes larger is no copy that could be kept.
fn drop_grown_copies(rows: &mut Vec<Row<'_, '_>>, growths: &Growths<'_, '_>) {
    let grown = rows
        .iter()
        .filter(|row| row.most_of_copies(growths).is_some());
    let grown = grown.filter_map(|row| row.portions.first());
    let grown: Vec<Place> = grown
        .map(|portion| place_of_change(Rule::Growth, &portion.place))
        .collect();
    rows.retain(|row| {
        let is_grown =
            |portion: &&Portion<'_>| grown.contains(&place_of_change(Rule::Growth, &portion.place));
        row.rule != Rule::Copy
            || !row
                .portions
                .iter()
                .any(|portion| is_filled(portion) && is_grown(portion))
    });
}

/// The exceptions themselves, their texts, and what the same line puts around them go with their stack traces.
fn join_exceptions<'a, 'm>(rows: &mut Vec<Row<'a, 'm>>, portions: &'a [Portion<'m>]) {
    let mut made: Vec<(Place, usize)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if row.rule == Rule::Exception {
            let makes = row
                .portions
                .iter()
                .filter(|portion| portion.constructed.is_some());
            made.extend(makes.map(|portion| (portion.place.clone(), at)));
        }
    }
    let row_of = |place: &Place| made.iter().find(|(of, _)| of == place).map(|(_, at)| *at);
    let mut moved = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let place = row.portions.first().map(|portion| &portion.place);
        if let (Rule::Text, Some(to)) = (row.rule, place.and_then(row_of)) {
            moved.push((at, to));
        }
    }
    move_portions(rows, &moved);
    let is_open = |portion: &&Portion<'_>| {
        portion.path.is_empty()
            && portion.site.kind == AllocationKind::New
            && rule_of(portion).is_none()
    };
    for portion in portions.iter().filter(is_open) {
        if let Some(row) = row_of(&portion.place).and_then(|at| rows.get_mut(at)) {
            row.portions.push(portion);
        }
    }
    rows.retain(|row| !row.portions.is_empty());
}

/// Moves all portions of rows, by their positions, to other rows.
fn move_portions(rows: &mut [Row<'_, '_>], moved: &[(usize, usize)]) {
    for (from, to) in moved {
        let portions = rows
            .get_mut(*from)
            .map(|row| std::mem::take(&mut row.portions));
        if let Some(row) = rows.get_mut(*to) {
            row.portions.extend(portions.unwrap_or_default());
        }
    }
}

fn is_worth_it(row: &Advice, total: Tally) -> bool {
    let bytes = share_of(row.saving.bytes, total.bytes);
    let share = bytes.max(share_of(row.saving.count, total.count));
    let least = match row.rule {
        Rule::Capture if !row.change.is_unchanged => LEAST_SHARE_OF_LARGE,
        Rule::Text => LEAST_SHARE_OF_TEXT,
        Rule::Iterator if !row.change.is_indexed => LEAST_SHARE_OF_LARGE,
        Rule::Copy => LEAST_SHARE_OF_LARGE,
        _ => LEAST_SHARE,
    };
    // A smaller array instead of a large one is no object less.
    share >= least && (row.saving.count >= LEAST_OBJECTS || row.saving.count == 0)
}

fn share_of(part: i64, whole: i64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Whether a bound is not much more than the known part of it: it is said as it is. Else it is the end of an interval.
fn is_close(known: i64, most: i64) -> bool {
    most.saturating_sub(known).saturating_mul(20) <= known
}

/// The portions of one change.
struct Row<'a, 'm> {
    rule: Rule,
    portions: Vec<&'a Portion<'m>>,
}

impl Row<'_, '_> {
    fn advice(&self, profile: &Profile, growths: &Growths<'_, '_>, unexplained: Tally) -> Advice {
        let largest = self.largest();
        let growth = match self.rule {
            Rule::Growth => growths.saving(&self.portions),
            _ => None,
        };
        let (saving, sure) = match &growth {
            Some(growth) => (growth.saving, growth.sure),
            None => match self.most_of_copies(growths) {
                Some(most) => (most, Sure::AtMost),
                None => self.saving(profile, unexplained),
            },
        };
        Advice {
            rule: self.rule,
            place: Place {
                line: match self.rule {
                    Rule::Growth => growths.line_of_change(largest).or(self.first_line()),
                    _ => self.first_line(),
                },
                ..place_of_change(self.rule, &largest.place)
            },
            change: self.change(
                largest,
                growth.as_ref(),
                growths.are_empty(largest.site.size),
            ),
            saving,
            sure,
            reaches_heap: self.reaches_heap(saving),
        }
    }

    fn most_of_copies(&self, growths: &Growths<'_, '_>) -> Option<Tally> {
        let is_growth = self.rule == Rule::Growth;
        is_growth
            .then(|| growths.most_of_copies(&self.portions))
            .flatten()
    }

    fn largest(&self) -> &Portion<'_> {
        let size = |portion: &&&Portion<'_>| (portion.tally.bytes, portion.tally.count);
        // A row is made with a portion.
        self.portions
            .iter()
            .max_by_key(size)
            .unwrap_or(&self.portions[0])
    }

    fn first_line(&self) -> Option<u16> {
        self.portions
            .iter()
            .filter_map(|portion| portion.place.line)
            .min()
    }

    fn saving(&self, profile: &Profile, unexplained: Tally) -> (Tally, Sure) {
        let saving: Tally = self.portions.iter().map(|portion| portion.tally).sum();
        let is_of = |wanted: &dyn Fn(Basis) -> bool| {
            let mut portions = self.portions.iter();
            portions.any(|portion| wanted(portion.basis))
        };
        let is_bound = is_of(&|basis| basis == Basis::Bound);
        let is_open = is_of(&|basis| matches!(basis, Basis::Sampled(_) | Basis::Divided(_)));
        let (objects, bytes) = self.bounds(profile);
        if self.rule.removes_all() && !is_bound {
            return match is_open {
                true => (saving, Sure::Estimate { objects, bytes }),
                false => (saving, Sure::Exact),
            };
        }
        let others = match is_open || is_bound {
            true => unexplained,
            false => Tally::default(),
        };
        let most = Tally {
            count: saving
                .count
                .max(objects.1)
                .saturating_add(others.count.max(0)),
            bytes: saving
                .bytes
                .max(bytes.1)
                .saturating_add(others.bytes.max(0)),
        };
        if is_close(saving.count, most.count) && is_close(saving.bytes, most.bytes) {
            return (most, Sure::AtMost);
        }
        // Some of the objects may be needed.
        let sure = Sure::Estimate {
            objects: (0, most.count),
            bytes: (0, most.bytes),
        };
        (saving, sure)
    }

    /// Least and most objects, and bytes, that belong to the row.
    fn bounds(&self, profile: &Profile) -> ((i64, i64), (i64, i64)) {
        let sampled = || {
            self.portions
                .iter()
                .filter_map(|portion| match portion.basis {
                    Basis::Sampled(row) => profile.rows.get(row),
                    _ => None,
                })
        };
        let (mut counted, mut divided) = (Tally::default(), Tally::default());
        for portion in &self.portions {
            match portion.basis {
                Basis::Exact | Basis::Bound => counted += portion.tally,
                Basis::Divided(most) => divided += most,
                Basis::Sampled(_) => {}
            }
        }
        let ends = |counted: i64, divided: i64, interval: Interval| {
            let low = interval.low.floor() as i64;
            let high = interval.high.ceil() as i64;
            let high = counted.saturating_add(high).saturating_add(divided);
            (counted.saturating_add(low), high)
        };
        let objects = profile.interval(sampled(), Unit::Objects);
        let bytes = profile.interval(sampled(), Unit::Bytes);
        (
            ends(counted.count, divided.count, objects),
            ends(counted.bytes, divided.bytes, bytes),
        )
    }

    /// Whether the sampled stacks are enough to know that the row has more than the least share.
    fn is_known(&self, profile: &Profile, total: Tally) -> bool {
        let mut portions = self.portions.iter();
        let is_sampled = portions.any(|portion| matches!(portion.basis, Basis::Sampled(_)));
        let (objects, bytes) = self.bounds(profile);
        let share = share_of(bytes.0, total.bytes).max(share_of(objects.0, total.count));
        !is_sampled || share >= LEAST_SHARE
    }

    fn reaches_heap(&self, saving: Tally) -> Option<i64> {
        let known: f64 = self
            .portions
            .iter()
            .filter_map(|portion| portion.heap)
            .sum();
        let of_known: i64 = self
            .portions
            .iter()
            .filter(|portion| portion.heap.is_some())
            .map(|portion| portion.tally.count)
            .sum();
        let all: i64 = self
            .portions
            .iter()
            .map(|portion| portion.tally.count)
            .sum();
        // Small portions beside known ones do not make the row unknown.
        if saving.count <= 0 || of_known <= 0 || of_known.saturating_mul(2) < all {
            return None;
        }
        let share = (known / of_known as f64).clamp(0.0, 1.0);
        Some((saving.count as f64 * share).round() as i64)
    }

    fn change(
        &self,
        largest: &Portion<'_>,
        growth: Option<&GrowthSaving>,
        is_empty: bool,
    ) -> Change {
        let callee = largest
            .path
            .first()
            .map(|(class, name)| Arc::from(format!("{class}.{name}")));
        let passed_to = largest.site.facts.passed_to.as_ref();
        let passed_to = passed_to.map(|method| format!("{}.{}", method.class, method.name));
        let callee = callee.or_else(|| passed_to.map(Arc::from));
        Change {
            ty: largest.site.ty.clone(),
            callee,
            in_loop: largest.path.is_empty() && largest.site.facts.loops > 0,
            is_unchanged: self.portions.iter().all(|portion| captures_same(portion)),
            is_empty: is_empty
                && largest
                    .site
                    .ty
                    .as_deref()
                    .is_some_and(|ty| ty.starts_with('[')),
            has_constant_argument: largest.has_constant_argument,
            is_indexed: jdk::is_indexed(
                largest.site.method.0,
                largest
                    .callee()
                    .map_or(largest.site.method.0, |(class, _)| class),
            ),
            capacity: growth.map(|growth| growth.argument),
            waste: growth.map_or(0, |growth| growth.waste),
        }
    }
}
