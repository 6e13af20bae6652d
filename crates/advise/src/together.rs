//! Changes that one looks at together: those of one method, and those of methods of its package that it calls, or that call it.
//!
//! Each change of a list saves its own objects. Who changes a method sees there what all of them save.

use std::sync::Arc;

use ducktrack_count_model::{SiteIndex, Tally};
use ducktrack_profile::{Frame, Profile, StackIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::advice::{Advice, Place, Sure, Together};
use crate::owner::place;
use crate::portion::Portion;
use crate::rule::Rule;

/// A method as it is in the source.
type Method = (Arc<str>, Arc<str>);

/// The stacks of each site.
pub(crate) struct Callers<'p> {
    profile: &'p Profile,
    stacks: FxHashMap<SiteIndex, FxHashSet<StackIndex>>,
}

impl<'p> Callers<'p> {
    pub(crate) fn of(profile: &'p Profile) -> Self {
        let mut stacks: FxHashMap<SiteIndex, FxHashSet<StackIndex>> = FxHashMap::default();
        for row in profile.rows.iter().filter(|row| row.samples > 0) {
            let stratum = profile.strata.get(row.stratum);
            for site in stratum.iter().flat_map(|stratum| &stratum.sites) {
                stacks.entry(*site).or_default().insert(row.stack);
            }
        }
        Self { profile, stacks }
    }

    /// The methods in whose calls the objects of a change are made: they are on all sampled stacks that pass its place.
    pub(crate) fn of_all(&self, portions: &[&Portion<'_>], at: &Place) -> FxHashSet<Method> {
        let sites: FxHashSet<SiteIndex> =
            portions.iter().map(|portion| portion.site.index).collect();
        let stacks = sites.iter().filter_map(|site| self.stacks.get(site));
        let methods = stacks
            .flatten()
            .filter_map(|stack| self.methods_above(*stack, at));
        let on_all = methods.reduce(|known, others| known.intersection(&others).cloned().collect());
        on_all.unwrap_or_default()
    }

    /// The callers of a place on a stack; `None` where the stack does not have it.
    fn methods_above(&self, stack: StackIndex, at: &Place) -> Option<FxHashSet<Method>> {
        let mut methods = FxHashSet::default();
        let mut is_above = false;
        for frame in self.profile.frames_of(stack) {
            let Frame::Method { class, method, .. } = self.profile.frame(frame) else {
                continue;
            };
            let here = place(class, method, None);
            let is_place = here.class == at.class && here.method == at.method;
            if is_above && !is_place {
                methods.insert((here.class, here.method));
            }
            is_above |= is_place;
        }
        is_above.then_some(methods)
    }
}

/// A change of the list.
pub(crate) struct Ranked {
    pub(crate) change: Advice,
    /// The methods in whose calls its objects are made.
    pub(crate) made_in: FxHashSet<Method>,
    /// The arrays of the method's growing builders are among its objects.
    pub(crate) holds_growth: bool,
}

/// Adds to each change what it saves with the others.
pub(crate) fn add_together(rows: Vec<Ranked>) -> Vec<Advice> {
    let all: Vec<Option<Together>> = (0..rows.len()).map(|at| together(&rows, at)).collect();
    let rows = rows.into_iter().map(|row| row.change).zip(all);
    rows.map(|(row, together)| Advice { together, ..row })
        .collect()
}

fn together(rows: &[Ranked], at: usize) -> Option<Together> {
    let row = rows.get(at)?;
    let is_with = |other: &usize| {
        rows.get(*other).is_some_and(|one| {
            *other == at
                || is_of_method(&one.change, &row.change)
                || is_called(one, row)
                || is_called(row, one)
        })
    };
    let all: Vec<usize> = (0..rows.len()).filter(is_with).collect();
    let parts: Vec<&Ranked> = all.iter().filter_map(|part| rows.get(*part)).collect();
    let is_held = |part: &&Ranked| {
        let holds =
            |other: &&Ranked| other.holds_growth && is_of_method(&other.change, &part.change);
        part.change.rule == Rule::Growth && parts.iter().any(holds)
    };
    let summed = parts.iter().filter(|part| !is_held(part));
    let summed: Vec<&Advice> = summed.map(|part| &part.change).collect();
    (all.len() > 1).then(|| Together {
        others: all.into_iter().filter(|other| *other != at).collect(),
        saving: summed.iter().map(|part| part.saving).sum(),
        sure: sure_of(&summed),
    })
}

fn is_of_method(change: &Advice, row: &Advice) -> bool {
    change.place.class == row.place.class && change.place.method == row.place.method
}

/// Whether the objects of a change are made in calls of the other's method. What a program's `main` calls is no part of it: both are of
/// one package.
fn is_called(called: &Ranked, caller: &Ranked) -> bool {
    let place = &caller.change.place;
    let method = (Arc::clone(&place.class), Arc::clone(&place.method));
    package(&called.change.place.class) == package(&place.class) && called.made_in.contains(&method)
}

fn package(class: &str) -> &str {
    class.rsplit_once('/').map_or("", |(package, _)| package)
}

/// A sum is as certain as the least certain part.
fn sure_of(parts: &[&Advice]) -> Sure {
    if parts.iter().all(|part| part.sure == Sure::Exact) {
        return Sure::Exact;
    }
    let is_estimate = |part: &&&Advice| matches!(part.sure, Sure::Estimate { .. });
    if !parts.iter().any(|part| is_estimate(&part)) {
        return Sure::AtMost;
    }
    let (mut least, mut most) = (Tally::default(), Tally::default());
    for part in parts {
        let [low, high] = ends(part);
        least += low;
        most += high;
    }
    Sure::Estimate {
        objects: (least.count, most.count),
        bytes: (least.bytes, most.bytes),
    }
}

/// The least and the most that a change saves.
fn ends(part: &Advice) -> [Tally; 2] {
    let tally = |count, bytes| Tally { count, bytes };
    match part.sure {
        Sure::Exact => [part.saving; 2],
        Sure::AtMost => [Tally::default(), part.saving],
        Sure::Estimate { objects, bytes } => [tally(objects.0, bytes.0), tally(objects.1, bytes.1)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::Change;

    fn change(place: &str, objects: i64, sure: Sure) -> Advice {
        let (class, method) = place.split_once('.').expect("a dot");
        Advice {
            rule: Rule::Box,
            place: Place {
                class: Arc::from(class),
                method: Arc::from(method),
                line: None,
            },
            change: Change::default(),
            saving: Tally {
                count: objects,
                bytes: 16 * objects,
            },
            sure,
            reaches_heap: None,
            reaches_heap_at_most: None,
            together: None,
        }
    }

    fn called_by(methods: &[(&str, &str)]) -> FxHashSet<Method> {
        let methods = methods.iter();
        methods
            .map(|(class, name)| (Arc::from(*class), Arc::from(*name)))
            .collect()
    }

    #[test]
    fn a_method_has_the_sum_of_its_changes_and_of_those_that_it_calls() {
        let read = called_by(&[("io/Stream", "read"), ("Main", "main")]);
        let rows = [
            (
                "io/Stream.read",
                500,
                Sure::Exact,
                called_by(&[("Main", "main")]),
            ),
            ("io/Stream.read", 40, Sure::Exact, FxHashSet::default()),
            ("io/Buffer.grow", 7, Sure::AtMost, read.clone()),
            ("other/Codec.take", 3, Sure::Exact, read),
            ("Main.main", 1, Sure::Exact, FxHashSet::default()),
        ];
        let rows = rows.map(|(place, objects, sure, made_in)| Ranked {
            change: change(place, objects, sure),
            made_in,
            holds_growth: false,
        });
        let rows = add_together(rows.into());
        let sums: Vec<_> = rows
            .iter()
            .map(|row| row.together.as_ref())
            .map(|together| together.map(|sum| (&*sum.others, sum.saving.count, sum.sure)))
            .collect();
        assert_eq!(sums[0], Some((&[1, 2][..], 547, Sure::AtMost)));
        assert_eq!(sums[1], Some((&[0, 2][..], 547, Sure::AtMost)));
        assert_eq!(sums[2], Some((&[0, 1][..], 547, Sure::AtMost)));
        assert_eq!(sums[3..], [None, None]);
    }

    #[test]
    fn arrays_that_a_text_has_are_summed_once() {
        let row = |rule, objects, holds_growth| Ranked {
            change: Advice {
                rule,
                ..change("A.a", objects, Sure::AtMost)
            },
            made_in: FxHashSet::default(),
            holds_growth,
        };
        let sum = |holds_growth| {
            let rows = vec![
                row(Rule::Text, 6, holds_growth),
                row(Rule::Growth, 2, false),
            ];
            let rows = add_together(rows);
            rows[1]
                .together
                .as_ref()
                .map(|together| together.saving.count)
        };
        assert_eq!(sum(true), Some(6));
        assert_eq!(sum(false), Some(8));
    }

    #[test]
    fn an_estimate_makes_the_sum_one() {
        let estimate = Sure::Estimate {
            objects: (2, 9),
            bytes: (32, 144),
        };
        let parts = [
            ("A.a", Sure::Exact),
            ("A.a", Sure::AtMost),
            ("A.a", estimate),
        ];
        let parts = parts.map(|(place, sure)| change(place, 5, sure));
        let sum = Sure::Estimate {
            objects: (7, 19),
            bytes: (112, 304),
        };
        assert_eq!(sure_of(&parts.iter().collect::<Vec<_>>()), sum);
        assert_eq!(sure_of(&[&parts[0], &parts[1]]), Sure::AtMost);
        assert_eq!(sure_of(&[&parts[0]]), Sure::Exact);
    }
}
