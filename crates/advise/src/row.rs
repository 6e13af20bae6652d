//! A row: the portions of one change, what they save together, and how sure that is.

use std::sync::Arc;

use ducktrack_count_model::{AllocationKind, Tally};
use ducktrack_profile::{Interval, Profile, Unit};

use crate::advice::{Advice, Change, Place, Sure};
use crate::classify::{captures_same, is_filled, rule_of};
use crate::growth_rule::{GrowthSaving, Growths};
use crate::heap_share::HeapShare;
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

/// The same for all portions of a change.
pub(crate) fn place_of_change(rule: Rule, place: &Place) -> Place {
    Place {
        line: place.line.filter(|_| !rule.is_of_method()),
        ..place.clone()
    }
}

fn share_of(part: i64, whole: i64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Whether a bound is not much more than the known part of it: it is said as it is. Else it is the end of an interval.
fn is_close(known: i64, most: i64) -> bool {
    most.saturating_sub(known).saturating_mul(20) <= known
}

/// The portions of one change.
pub(crate) struct Row<'a, 'm> {
    pub(crate) rule: Rule,
    pub(crate) portions: Vec<&'a Portion<'m>>,
}

impl Row<'_, '_> {
    pub(crate) fn advice(
        &self,
        profile: &Profile,
        growths: &Growths<'_, '_>,
        unexplained: Tally,
    ) -> Advice {
        let largest = self.largest();
        let growth = match self.rule {
            Rule::Growth => growths.saving(&self.portions),
            _ => None,
        };
        let (saving, sure) = match &growth {
            Some(growth) => (growth.saving, growth.sure),
            None => match self.most_of_growth(growths) {
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
            reaches_heap: self.reaches_heap(saving, |heap| heap.share),
            reaches_heap_at_most: self.reaches_heap(saving, |heap| heap.most),
            together: None,
        }
    }

    pub(crate) fn most_of_copies(&self, growths: &Growths<'_, '_>) -> Option<Tally> {
        let is_growth = self.rule == Rule::Growth;
        is_growth
            .then(|| growths.most_of_copies(&self.portions))
            .flatten()
    }

    /// The most that a row of growth saves whose collections do not grow element by element.
    fn most_of_growth(&self, growths: &Growths<'_, '_>) -> Option<Tally> {
        let is_growth = self.rule == Rule::Growth;
        let of_texts = || is_growth.then(|| growths.most_of_texts(&self.portions))?;
        self.most_of_copies(growths).or_else(of_texts)
    }

    pub(crate) fn is_worth_it(&self, change: &Advice, total: Tally) -> bool {
        let made: Tally = self.portions.iter().map(|portion| portion.tally).sum();
        let saving = match self.holds_growth() {
            true => self.without_growth(),
            false => change.saving,
        };
        let bytes = share_of(saving.bytes, total.bytes);
        let share = bytes.max(share_of(saving.count, total.count));
        let least = match self.rule {
            Rule::Capture if !change.change.is_unchanged => LEAST_SHARE_OF_LARGE,
            Rule::Text => LEAST_SHARE_OF_TEXT,
            Rule::Iterator if !change.change.is_indexed => LEAST_SHARE_OF_LARGE,
            Rule::Copy => LEAST_SHARE_OF_LARGE,
            _ => LEAST_SHARE,
        };
        // A smaller array instead of a large one is no object less.
        share >= least && made.count.max(saving.count) >= LEAST_OBJECTS
    }

    /// The growing arrays are in a row of their own.
    fn without_growth(&self) -> Tally {
        let portions = self.portions.iter();
        let others = portions.filter(|portion| rule_of(portion) != Some(Rule::Growth));
        others.map(|portion| portion.tally).sum()
    }

    /// The place of a text that is made from a pattern and variable arguments.
    pub(crate) fn place_of_format(&self) -> Option<&Place> {
        let is_format = |portion: &&&Portion<'_>| portion.callee().is_some_and(jdk::formats);
        let mut formats = self.portions.iter().filter(is_format);
        formats
            .next()
            .map(|portion| &portion.place)
            .filter(|_| self.rule == Rule::Text)
    }

    /// Whether the arrays of the method's growing builders are in its bound.
    pub(crate) fn holds_growth(&self) -> bool {
        let mut portions = self.portions.iter();
        self.rule == Rule::Text && portions.any(|portion| rule_of(portion) == Some(Rule::Growth))
    }

    /// How many collections it makes at each of its lines, where it makes some with many elements.
    pub(crate) fn collections(&self) -> Option<i64> {
        if self.rule != Rule::Copy || !self.portions.iter().any(|portion| is_filled(portion)) {
            return None;
        }
        let made = self
            .portions
            .iter()
            .filter(|portion| portion.path.is_empty() && portion.site.kind == AllocationKind::New);
        made.map(|portion| portion.tally.count).min()
    }

    pub(crate) fn is_of_method(&self, other: &Self) -> bool {
        let method = |row: &Self| {
            let place = &row.largest().place;
            (Arc::clone(&place.class), Arc::clone(&place.method))
        };
        method(self) == method(other)
    }

    pub(crate) fn largest(&self) -> &Portion<'_> {
        // Portions that other rules have joined do not name the change.
        let size = |portion: &&&Portion<'_>| {
            let is_of_rule = rule_of(portion) == Some(self.rule);
            (is_of_rule, portion.tally.bytes, portion.tally.count)
        };
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
    pub(crate) fn bounds(&self, profile: &Profile) -> ((i64, i64), (i64, i64)) {
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
    pub(crate) fn is_known(&self, profile: &Profile, total: Tally) -> bool {
        let mut portions = self.portions.iter();
        let is_sampled = portions.any(|portion| matches!(portion.basis, Basis::Sampled(_)));
        let (objects, bytes) = self.bounds(profile);
        let share = share_of(bytes.0, total.bytes).max(share_of(objects.0, total.count));
        !is_sampled || share >= LEAST_SHARE
    }

    /// The objects of the saving that reach the heap by a part of each portion's.
    fn reaches_heap(&self, saving: Tally, part: fn(&HeapShare) -> f64) -> Option<i64> {
        let (mut heap, mut of_known, mut all) = (0.0, 0, 0);
        for portion in &self.portions {
            let objects = portion.tally.count;
            all += objects;
            if let Some(share) = &portion.heap {
                heap += part(share) * objects as f64;
                of_known += objects;
            }
        }
        // Small portions beside known ones do not make the row unknown.
        if saving.count <= 0 || of_known <= 0 || of_known.saturating_mul(2) < all {
            return None;
        }
        let share = (heap / of_known as f64).clamp(0.0, 1.0);
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
            is_returned: false,
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
