//! The initial capacity that saves the arrays of a growing collection, and whether the saving is exact.

use std::cmp::Reverse;

use ducktrack_count_model::{AllocationKind, CountModel, ObjectLayout, Tally};

use crate::advice::Sure;
use crate::classify::is_growth;
use crate::growth::{ArraySize, Presized, Sequence, presized};
use crate::jdk;
use crate::portion::{Basis, Portion};

/// The counted bytes may be more than those of the sequence by this part, of
/// the JDK's own collections that are beside the program's, in an estimate.
const MOST_NOISE: i64 = 50;

/// Arrays have one size where the bytes are off by no more than this part.
const MOST_OFF: i64 = 1000;

/// A kind of collections or builders.
struct Family {
    /// The classes whose constructor takes the capacity.
    classes: &'static [&'static str],
    element: Element,
    /// The capacity of the first array without one.
    default: i64,
    next: fn(i64) -> i64,
    first: First,
    /// The argument of the constructor that gives the capacity.
    argument: fn(i64) -> i64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    Byte,
    Reference,
}

/// Where the first array is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    /// In the constructor.
    Constructor,
    /// By the first element, or in the constructor that takes a capacity: not among the arrays of growth.
    Apart,
    /// Where the others are made.
    Growth,
}

const FAMILIES: &[Family] = &[
    Family {
        classes: &["java/util/ArrayList"],
        element: Element::Reference,
        default: 10,
        next: |capacity| capacity + (capacity >> 1).max(1),
        first: First::Apart,
        argument: |capacity| capacity,
    },
    Family {
        classes: &["java/util/Vector", "java/util/Stack"],
        element: Element::Reference,
        default: 10,
        next: |capacity| capacity * 2,
        first: First::Constructor,
        argument: |capacity| capacity,
    },
    Family {
        classes: &["java/util/ArrayDeque"],
        element: Element::Reference,
        default: 17,
        next: |capacity| match capacity < 64 {
            true => capacity * 2 + 2,
            false => capacity + (capacity >> 1),
        },
        first: First::Constructor,
        argument: |capacity| capacity - 1,
    },
    Family {
        classes: &[
            "java/util/HashMap",
            "java/util/HashSet",
            "java/util/LinkedHashMap",
            "java/util/LinkedHashSet",
        ],
        element: Element::Reference,
        default: 16,
        next: |capacity| capacity * 2,
        first: First::Growth,
        argument: |capacity| capacity,
    },
    Family {
        classes: &["java/util/IdentityHashMap"],
        element: Element::Reference,
        default: 64,
        next: |capacity| capacity * 2,
        first: First::Constructor,
        // The table has two elements for each of `capacity / 2` entries, of which two thirds are expected.
        argument: |capacity| (capacity / 2 + 2) / 3,
    },
    Family {
        classes: &[
            "java/lang/StringBuilder",
            "java/lang/StringBuffer",
            "java/lang/AbstractStringBuilder",
        ],
        element: Element::Byte,
        default: 16,
        next: |capacity| capacity * 2 + 2,
        first: First::Constructor,
        argument: |capacity| capacity,
    },
    Family {
        classes: &["java/io/ByteArrayOutputStream"],
        element: Element::Byte,
        default: 32,
        next: |capacity| capacity * 2,
        first: First::Constructor,
        argument: |capacity| capacity,
    },
];

/// The position of the kind of collections whose arrays these are.
pub(crate) fn family_of(portion: &Portion<'_>) -> Option<usize> {
    FAMILIES.iter().position(|family| family.grows(portion))
}

/// What the row's initial capacity saves.
pub(crate) struct GrowthSaving {
    /// The argument of the constructor.
    pub(crate) argument: i64,
    pub(crate) saving: Tally,
    pub(crate) sure: Sure,
    pub(crate) waste: i64,
}

/// Knows the collections of a run.
pub(crate) struct Growths<'a, 'm> {
    portions: &'a [Portion<'m>],
    layout: ObjectLayout,
}

impl<'a, 'm> Growths<'a, 'm> {
    /// Whether arrays of references of this size have no element; not where one element fits into the same size.
    pub(crate) fn are_empty(&self, bytes: Option<u32>) -> bool {
        let [.., base] = self.layout.array_base;
        let size = ArraySize {
            base: base.into(),
            element: self.layout.reference.into(),
            alignment: self.layout.alignment.into(),
        };
        let is_size_of_none = |bytes: u32| i64::from(bytes) == size.of(0);
        bytes.is_some_and(is_size_of_none) && size.of(0) < size.of(1)
    }

    pub(crate) fn of(model: &CountModel, portions: &'a [Portion<'m>]) -> Self {
        Self {
            portions,
            layout: model.run.layout,
        }
    }

    /// The saving of a row; `None`: its arrays are not those of collections of one kind that grow one element at a time.
    pub(crate) fn saving(&self, row: &[&Portion<'_>]) -> Option<GrowthSaving> {
        let family = FAMILIES.get(family_of(row.first()?)?)?;
        let place = row.first()?;
        let arrays = self.arrays(family, place);
        // A copy is made with a capacity, too: it is not saved.
        if self.first_arrays(family, place)[0] > 0 {
            return None;
        }
        let guesses = self.guesses(family, place);
        let fits = guesses.iter().filter_map(|guess| {
            let (ended, least) = guess.sequence.ended(guess.collections, arrays.count)?;
            let off = arrays.bytes - least;
            let best = presized(&guess.sequence, ended, arrays, guess.first)?;
            (off >= 0 && best.saving.bytes > 0).then_some((off, best))
        });
        let mut fits: Vec<(i64, Presized)> = fits.collect();
        fits.sort_by_key(|(off, _)| *off);
        let (off, best) = *fits.first()?;
        let is_alone = fits
            .iter()
            .all(|(other, fit)| *other > off || fit.saving == best.saving);
        let sure = match off {
            0 if is_alone => Sure::Exact,
            _ if off <= arrays.bytes / MOST_NOISE => estimate(best.saving, arrays),
            _ => return None,
        };
        Some(GrowthSaving {
            argument: (family.argument)(best.capacity),
            saving: best.saving,
            sure,
            waste: best.waste,
        })
    }

    /// The most that a row saves whose collections are filled by whole collections, `new ArrayList(a)` and `addAll(b)`; `None`: not known.
    ///
    /// Where all arrays have one size, no collection grew twice: the second array would be larger. The first
    /// arrays are copies of the elements, which a collection with a capacity needs as well. So only the part
    /// of the array is saved that has no elements: it has more than the largest capacity that grows to it.
    pub(crate) fn most_of_copies(&self, row: &[&Portion<'_>]) -> Option<Tally> {
        let place = row.first()?;
        let family = FAMILIES.get(family_of(place)?)?;
        let (known, possible): (Vec<&Portion<'_>>, Vec<&Portion<'_>>) = row
            .iter()
            .partition(|portion| !matches!(portion.basis, Basis::Divided(_)));
        let arrays: Tally = known.iter().map(|portion| portion.tally).sum();
        let size = self.size(family);
        let mean = arrays.bytes.checked_div(arrays.count)?;
        let bytes = mean.saturating_add(size.alignment - 1) / size.alignment * size.alignment;
        // Few arrays of other sizes are in a part that samples tell.
        let off = |portion: &Portion<'_>| (portion.tally.bytes - bytes * portion.tally.count).abs();
        let has_one_size = |portion: &&Portion<'_>| off(portion) <= portion.tally.bytes / MOST_OFF;
        // Arrays that others seem to have asked for may all be those of growth.
        let possible: Tally = possible.iter().map(|portion| portion.most()).sum();
        if possible.count > arrays.count / MOST_NOISE {
            return None;
        }
        let [copies, others] = self.first_arrays(family, place);
        let are_copies = others == 0 && copies >= arrays.count - arrays.count / MOST_NOISE;
        if family.first != First::Apart || !known.iter().all(has_one_size) || !are_copies {
            return None;
        }
        let capacity = (bytes - size.base) / size.element.max(1);
        let outgrown = (0..capacity)
            .rev()
            .find(|small| (family.next)(*small) <= capacity)?;
        let unused = (bytes - size.of(outgrown + 1)).saturating_mul(arrays.count);
        let others: i64 = known.iter().map(|portion| off(portion)).sum();
        Some(Tally {
            count: possible.count + (arrays.count - copies).max(0),
            bytes: unused.saturating_add(possible.bytes).saturating_add(others),
        })
    }

    /// The most that a row of builders saves each of which becomes one text; `None`: not known.
    ///
    /// A builder that has the length of its text from the beginning makes one array, and the
    /// array of the text is as long: of all the arrays of the builders, only so much is needed.
    pub(crate) fn most_of_texts(&self, row: &[&Portion<'_>]) -> Option<Tally> {
        let place = row.first()?;
        let family = FAMILIES.get(family_of(place)?)?;
        let grown = Counted::of(row.iter().copied())?;
        let builders = self.counted(place, |portion| family.is_collection(portion))?;
        let first = self.counted(place, |portion| family.is_first(portion))?;
        let texts = self.counted(place, is_array_of_text)?;
        let one_each = builders.exact.count;
        let has_one_each =
            one_each > 0 && first.exact.count == one_each && texts.exact.count == one_each;
        let most = [grown.exact, grown.others, first.exact, first.others];
        let bytes = most.iter().map(|tally| tally.bytes).sum::<i64>() - texts.exact.bytes;
        (has_one_each && bytes > 0).then_some(Tally {
            count: grown.exact.count + grown.others.count + first.others.count,
            bytes,
        })
    }

    /// The objects of such portions of the row's method.
    fn counted(
        &self,
        place: &Portion<'_>,
        is_wanted: impl Fn(&Portion<'_>) -> bool,
    ) -> Option<Counted> {
        let portions = self.portions.iter();
        Counted::of(
            portions
                .filter(|portion| Scope::Method.has(place, portion))
                .filter(|portion| is_wanted(portion)),
        )
    }

    /// The first arrays of the method's collections: copies of others' elements, and those that are empty at first.
    fn first_arrays(&self, family: &Family, place: &Portion<'_>) -> [i64; 2] {
        let mut arrays = [0; 2];
        for portion in self
            .portions
            .iter()
            .filter(|portion| family.is_first(portion))
        {
            if Scope::Method.has(place, portion) {
                let is_empty = !portion.passes(|(_, name)| name == "toArray");
                arrays[usize::from(is_empty)] += portion.tally.count;
            }
        }
        arrays
    }

    /// The arrays of a family that the row's method asked for. Of objects that others may have asked for, nobody knows whose they are.
    fn arrays(&self, family: &Family, place: &Portion<'_>) -> Tally {
        let is_known =
            |portion: &&Portion<'_>| matches!(portion.basis, Basis::Exact | Basis::Sampled(_));
        let arrays = self
            .portions
            .iter()
            .filter(is_known)
            .filter(|portion| Scope::Method.has(place, portion) && family.counts(portion));
        arrays.map(|portion| portion.tally).sum()
    }

    /// The line that makes the collections of a row, where its method makes them.
    pub(crate) fn line_of_change(&self, place: &Portion<'_>) -> Option<u16> {
        let family = FAMILIES.get(family_of(place)?)?;
        let makes = |portion: &&Portion<'_>| {
            Scope::Method.has(place, portion) && family.is_collection(portion)
        };
        let lines = self.portions.iter().filter(makes);
        lines.filter_map(|portion| portion.place.line).min()
    }

    /// Possible numbers of collections, and what they begin with.
    fn guesses(&self, family: &Family, place: &Portion<'_>) -> Vec<Guess> {
        let mut guesses = Vec::new();
        for scope in [Scope::Method, Scope::Class, Scope::All] {
            let near = |portion: &&Portion<'_>| scope.has(place, portion);
            let first = self
                .portions
                .iter()
                .filter(near)
                .filter(|portion| family.is_first(portion));
            let first: Tally = first.map(|portion| portion.tally).sum();
            if family.first != First::Growth && first.count > 0 && first.bytes % first.count == 0 {
                let bytes = first.bytes / first.count;
                let capacities = self.capacities(family, bytes).into_iter();
                guesses
                    .extend(capacities.map(|capacity| self.guess(family, first.count, capacity)));
            }
            let made = self
                .portions
                .iter()
                .filter(near)
                .filter(|portion| family.is_collection(portion));
            let made: i64 = made.map(|portion| portion.tally.count).sum();
            if made > 0 {
                guesses.push(self.guess(family, made, family.default));
                if family.first == First::Growth {
                    let others = (0..16).map(|power| 1 << power);
                    let others = others.filter(|capacity| *capacity != family.default);
                    guesses.extend(others.map(|capacity| self.guess(family, made, capacity)));
                }
            }
        }
        guesses
    }

    fn guess(&self, family: &Family, collections: i64, capacity: i64) -> Guess {
        let size = self.size(family);
        let is_counted = family.first == First::Growth;
        let first = match is_counted {
            true => capacity,
            false => (family.next)(capacity),
        };
        Guess {
            collections,
            first: (!is_counted).then(|| size.of(capacity)),
            sequence: Sequence {
                first,
                next: family.next,
                size,
            },
        }
    }

    /// The capacities of arrays of a size, the usual one first.
    fn capacities(&self, family: &Family, bytes: i64) -> Vec<i64> {
        let size = self.size(family);
        let most = (bytes - size.base) / size.element.max(1);
        let least = (most - size.alignment / size.element.max(1) + 1).max(1);
        let mut capacities: Vec<i64> = (least..=most)
            .filter(|capacity| size.of(*capacity) == bytes)
            .collect();
        capacities.sort_by_key(|capacity| (*capacity != family.default, Reverse(*capacity)));
        capacities
    }

    fn size(&self, family: &Family) -> ArraySize {
        let [of_bytes, .., of_references] = self.layout.array_base;
        let (base, element) = match family.element {
            Element::Byte => (of_bytes, 1),
            Element::Reference => (of_references, self.layout.reference),
        };
        ArraySize {
            base: base.into(),
            element: element.into(),
            alignment: self.layout.alignment.into(),
        }
    }
}

/// Objects that are counted, and few others that are not: the most of them.
struct Counted {
    exact: Tally,
    others: Tally,
}

impl Counted {
    /// `None` where more are not counted.
    fn of<'p, 'm: 'p>(portions: impl Iterator<Item = &'p Portion<'m>>) -> Option<Self> {
        let (exact, others): (Vec<_>, Vec<_>) =
            portions.partition(|portion| portion.basis == Basis::Exact);
        let sum = |portions: &[&Portion<'_>]| portions.iter().map(|portion| portion.most()).sum();
        let (exact, others): (Tally, Tally) = (sum(&exact), sum(&others));
        (others.count <= exact.count / MOST_NOISE).then_some(Self { exact, others })
    }
}

/// Collections that may have made a row's arrays.
struct Guess {
    collections: i64,
    /// The bytes of the array that each has before those.
    first: Option<i64>,
    sequence: Sequence,
}

/// Where the collections may be made.
#[derive(Clone, Copy)]
enum Scope {
    Method,
    Class,
    All,
}

impl Scope {
    fn has(self, place: &Portion<'_>, other: &Portion<'_>) -> bool {
        let same_class = place.place.class == other.place.class;
        match self {
            Self::Method => same_class && place.place.method == other.place.method,
            Self::Class => same_class,
            Self::All => true,
        }
    }
}

impl Family {
    /// Whether arrays are made where these collections grow.
    fn grows(&self, portion: &Portion<'_>) -> bool {
        let is_ours = |class: &str| self.classes.contains(&class);
        portion.passes(|(class, name)| jdk::grows((class, name)) && is_ours(class))
            || portion.callee().is_some_and(|(class, _)| is_ours(class))
    }

    /// Whether these arrays are among those of the sequence: the first is, where it is made as the others are.
    fn counts(&self, portion: &Portion<'_>) -> bool {
        let is_table = self.first == First::Growth && portion.passes(jdk::grows);
        !portion.path.is_empty() && self.grows(portion) && (is_table || is_growth(portion))
    }

    /// Whether the portion is the first array of such collections.
    fn is_first(&self, portion: &Portion<'_>) -> bool {
        let is_array = portion
            .site
            .ty
            .as_deref()
            .is_some_and(|ty| ty.starts_with('['));
        let is_of_constructor = portion
            .callee()
            .is_some_and(|(class, name)| name == "<init>" && self.classes.contains(&class));
        let is_of_builder = self.classes.contains(&"java/lang/StringBuilder");
        is_array && (is_of_constructor || is_of_builder && is_first_of_chain(portion))
    }

    /// Whether the portion is such collections themselves, made by the program.
    fn is_collection(&self, portion: &Portion<'_>) -> bool {
        let ty = portion.site.ty.as_deref();
        let class = ty.and_then(|ty| ty.strip_prefix('L')?.strip_suffix(';'));
        portion.path.is_empty()
            && portion.site.kind == AllocationKind::New
            && class.is_some_and(|class| self.classes.contains(&class))
    }
}

/// Whether these are the arrays of texts that builders become.
fn is_array_of_text(portion: &Portion<'_>) -> bool {
    let is_array = |ty: &str| ty.starts_with('[');
    let is_of_text = portion
        .callee()
        .is_some_and(|(class, name)| jdk::is_builder(class) && name == "toString");
    let is_of_chain = portion.is_of_chain() && !is_first_of_chain(portion);
    portion.site.ty.as_deref().is_some_and(is_array) && (is_of_text || is_of_chain)
}

/// Whether these are the first arrays of a chain's builders: all have one size, which the arrays of texts have not.
fn is_first_of_chain(portion: &Portion<'_>) -> bool {
    portion.is_of_chain() && portion.site.size.is_some()
}

/// Around a saving of which a part may be others' arrays.
fn estimate(saving: Tally, arrays: Tally) -> Sure {
    let around = |value: i64, all: i64| {
        let off = all / MOST_NOISE + 1;
        ((value - off).max(0), value + off)
    };
    Sure::Estimate {
        objects: around(saving.count, arrays.count),
        bytes: around(saving.bytes, arrays.bytes),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ducktrack_count_model::{SiteFacts, SiteIndex};

    use super::*;
    use crate::advice::Place;
    use crate::portion::Site;

    /// Objects of a chain `new StringBuilder().append(..).toString()`, or arrays that it asks for by `append`.
    fn portion<'a>(
        facts: &'a SiteFacts,
        (kind, ty): (AllocationKind, &str),
        size: Option<u32>,
        tally: (i64, i64),
    ) -> Portion<'a> {
        let append = ("java/lang/StringBuilder", "append");
        let is_grown = kind == AllocationKind::NewArray;
        let path = is_grown.then(|| (Arc::from(append.0), Arc::from(append.1)));
        Portion {
            site: Site {
                index: SiteIndex::at(0),
                kind,
                method: if is_grown {
                    ("java/util/Arrays", "copyOf")
                } else {
                    ("Shop", "sell")
                },
                ty: Some(Arc::from(ty)),
                size,
                facts,
            },
            place: Place {
                class: Arc::from("Shop"),
                method: Arc::from("sell"),
                line: Some(3),
            },
            path: path.into_iter().collect(),
            constructed: None,
            tally: Tally {
                count: tally.0,
                bytes: tally.1,
            },
            basis: Basis::Exact,
            heap: None,
            has_constant_argument: false,
        }
    }

    #[test]
    fn builders_of_texts_need_arrays_as_long_as_the_texts() {
        let facts = SiteFacts::default();
        let most = |texts: i64| {
            let portions = [
                portion(
                    &facts,
                    (AllocationKind::New, "Ljava/lang/StringBuilder;"),
                    Some(24),
                    (10, 240),
                ),
                portion(
                    &facts,
                    (AllocationKind::StringConcat, "[B"),
                    Some(32),
                    (10, 320),
                ),
                portion(
                    &facts,
                    (AllocationKind::StringConcat, "[B"),
                    None,
                    (texts, 800),
                ),
                portion(&facts, (AllocationKind::NewArray, "[B"), None, (20, 2_000)),
            ];
            let growths = Growths {
                portions: &portions,
                layout: ObjectLayout::default(),
            };
            growths.most_of_texts(&[&portions[3]])
        };
        let saved = Tally {
            count: 20,
            bytes: 320 + 2_000 - 800,
        };
        assert_eq!(most(10), Some(saved));
        // Builders that become two texts each, or none.
        assert_eq!(most(20), None);
        assert_eq!(most(0), None);
    }
}
