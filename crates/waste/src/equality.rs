//! Equal strings, equal arrays of primitives and equal values: all but one of each could go.
//!
//! The one that is kept is of the field that has most of them, so that a field's figure is that of its own objects. Arrays inside of
//! strings, and parts inside of values, go with these: of the parts of equal objects one is kept, and those that others refer to stay.

use core::hash::Hasher;
use std::hash::DefaultHasher;

use rustc_hash::{FxHashMap, FxHashSet};

use ducktrack_heap_dump::{ClassIndex, Graph, HeapGraph};

use crate::claims::Claim;
use crate::contents::Contents;
use crate::findings::{Findings, Found, Named};
use crate::holder::HolderNumber;
use crate::kind::{Advice, Kind};
use crate::reach::{Reach, count};
use crate::value_classes::ValueClass;

const SHARED: Kind = Kind::new("strings-sharing-one-array", Advice::ShareString);
const LATIN1: Kind = Kind::new("equal-strings-latin1", Advice::Deduplicate);
const UTF16: Kind = Kind::new("equal-strings-utf16", Advice::Deduplicate);
const NARROW: Kind = Kind::new("utf16-strings-that-fit-latin1", Advice::CompactStrings);
/// Values in values are compared down to this depth, and then by identity.
const DEPTH: u32 = 8;

/// How the objects of a class are compared.
#[derive(Clone, Copy)]
enum Compared {
    No,
    String,
    Array(Kind),
    Value(ValueClass),
}

pub(crate) fn judge(
    graph: &HeapGraph,
    reach: &Reach,
    (contents, owned): (&Contents, &FxHashSet<u32>),
    findings: &mut Findings<'_>,
) -> Parts {
    let by_class = compared_classes(graph);
    let judge = Judge {
        graph,
        reach,
        contents,
        by_class: &by_class,
    };
    let parts = judge.parts();
    let is_chosen = |object: u32| {
        reach.is_live(object)
            && graph.as_class(object).is_none()
            && !parts.is_part(object)
            && !owned.contains(&object)
    };
    judge.narrow_strings(findings);
    let is_string = |compared| matches!(compared, Compared::String);
    let is_array = |compared| matches!(compared, Compared::Array(_));
    let is_value = |compared| matches!(compared, Compared::Value(_));
    let rounds: [&dyn Fn(Compared) -> bool; 3] = [&is_string, &is_array, &is_value];
    for is_of_round in rounds {
        judge.groups(
            |object| is_chosen(object) && is_of_round(judge.compared(object)),
            findings,
        );
    }
    parts
}

fn compared_classes(graph: &HeapGraph) -> Vec<Compared> {
    let classes = graph.classes();
    let compared = |class: ClassIndex| match classes.name(class) {
        "java/lang/String" => Compared::String,
        "[Z" => array("equal-boolean-arrays"),
        "[B" => array("equal-byte-arrays"),
        "[C" => array("equal-char-arrays"),
        "[S" => array("equal-short-arrays"),
        "[I" => array("equal-int-arrays"),
        "[J" => array("equal-long-arrays"),
        "[F" => array("equal-float-arrays"),
        "[D" => array("equal-double-arrays"),
        _ => ValueClass::of(classes, class).map_or(Compared::No, Compared::Value),
    };
    classes.indices().map(compared).collect()
}

const fn array(name: &'static str) -> Compared {
    Compared::Array(Kind::new(name, Advice::Deduplicate))
}

/// How many strings and values refer to each object as to a part of their own.
#[derive(Debug)]
pub(crate) struct Parts(Vec<u8>);

impl Parts {
    /// True if the object is a part of a string or value.
    pub(crate) fn is_part(&self, object: u32) -> bool {
        self.0.get(object as usize).is_some_and(|count| *count > 0)
    }
}

struct Judge<'a> {
    graph: &'a HeapGraph,
    reach: &'a Reach,
    contents: &'a Contents,
    by_class: &'a [Compared],
}

impl Judge<'_> {
    fn compared(&self, object: u32) -> Compared {
        let class = self.graph.class_of(object);
        self.by_class
            .get(class.get())
            .copied()
            .unwrap_or(Compared::No)
    }

    /// The parts of a string or value that are its own by its class.
    fn parts_of(&self, object: u32) -> impl Iterator<Item = u32> {
        let parts: &[&str] = match self.compared(object) {
            Compared::String => &["[B"],
            Compared::Value(value) => value.parts,
            Compared::No | Compared::Array(_) => &[],
        };
        let targets = match parts {
            [] => &[],
            _ => self.graph.successors(object),
        };
        let targets = targets.iter().copied();
        targets.filter(move |target| parts.contains(&self.graph.class_name(*target)))
    }

    fn parts(&self) -> Parts {
        let mut parts = vec![0; self.graph.objects() as usize];
        for object in (0..self.graph.objects()).filter(|object| self.reach.is_live(*object)) {
            self.parts_of(object)
                .for_each(|part| count(&mut parts, part));
        }
        Parts(parts)
    }

    /// Equal objects have equal hashes.
    fn hash(&self, object: u32, depth: u32) -> u64 {
        let mut hasher = DefaultHasher::new();
        hasher.write_usize(self.graph.class_of(object).get());
        hasher.write_u64(self.contents.hash(object));
        let compared = self.compared(object);
        if matches!(compared, Compared::String) {
            hasher.write_u8(u8::from(self.contents.wide_strings.contains(&object)));
        }
        if matches!(compared, Compared::No | Compared::Array(_)) {
            return hasher.finish();
        }
        for target in self.graph.successors(object) {
            match (compared, self.compared(*target)) {
                (Compared::Value(value), _) if value.is_derived(self.graph.class_name(*target)) => {
                }
                (Compared::Value(value), Compared::Array(_)) if value.parts.is_empty() => {
                    hasher.write_u32(*target);
                }
                (_, Compared::No) => hasher.write_u32(*target),
                _ if depth == 0 => hasher.write_u32(*target),
                _ => hasher.write_u64(self.hash(*target, depth - 1)),
            }
        }
        hasher.finish()
    }

    fn groups(&self, is_chosen: impl Fn(u32) -> bool, findings: &mut Findings<'_>) {
        let chosen = (0..self.graph.objects()).filter(|object| is_chosen(*object));
        let mut all: Vec<(u64, u32)> = chosen
            .map(|object| (self.hash(object, DEPTH), object))
            .collect();
        all.sort_unstable();
        let mut distinct: FxHashMap<(Kind, HolderNumber), u64> = FxHashMap::default();
        for group in all
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|group| group.len() > 1)
        {
            let members: Vec<u32> = group.iter().map(|(_, object)| *object).collect();
            for row in self.group(&members, findings) {
                *distinct.entry(row).or_default() += 1;
            }
        }
        for ((kind, holder), values) in distinct {
            let detail = format!("{values} values occur more than once");
            findings.detail(kind, Named::Holder(holder), &detail);
        }
    }

    /// Adds all but one of a group of equal objects; returns the rows that they are in.
    fn group(&self, members: &[u32], findings: &mut Findings<'_>) -> Vec<(Kind, HolderNumber)> {
        let kept = self.kept(members);
        let mut parts = GroupParts::of(self, members, kept);
        let kind = self.kind(kept, &parts);
        let mut rows = Vec::new();
        for member in members.iter().filter(|member| **member != kept) {
            let mut claims = vec![self.claim(*member)];
            parts.take(self, *member, &mut claims);
            let found = Found {
                object: *member,
                claims: &claims,
                replacement: 0,
                table: None,
            };
            findings.add(kind, found);
            let row = (kind, self.reach.holders.of(*member));
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        rows
    }

    /// The object to keep: the first of the holder with the most.
    fn kept(&self, members: &[u32]) -> u32 {
        let mut counts: FxHashMap<HolderNumber, (usize, u32)> = FxHashMap::default();
        for member in members {
            let holder = self.reach.holders.of(*member);
            counts.entry(holder).or_insert((0, *member)).0 += 1;
        }
        let most = counts
            .into_values()
            .max_by_key(|(count, first)| (*count, core::cmp::Reverse(*first)));
        most.map_or(0, |(_, first)| first)
    }

    fn kind(&self, object: u32, parts: &GroupParts) -> Kind {
        match self.compared(object) {
            Compared::String if parts.is_one() => SHARED,
            Compared::String if self.contents.wide_strings.contains(&object) => UTF16,
            Compared::Array(kind) => kind,
            Compared::Value(value) => value.kind,
            Compared::No | Compared::String => LATIN1,
        }
    }

    fn claim(&self, object: u32) -> Claim {
        Claim {
            object,
            bytes: self.graph.bytes(object),
        }
    }

    /// Strings of two bytes for each character, all of which would fit one.
    fn narrow_strings(&self, findings: &mut Findings<'_>) {
        let mut is_taken: FxHashSet<u32> = FxHashSet::default();
        let mut strings: Vec<u32> = self.contents.wide_strings.iter().copied().collect();
        strings.sort_unstable();
        for string in strings {
            let array = self.parts_of(string).next();
            let length = array.and_then(|array| self.contents.narrow_arrays.get(&array));
            let Some((array, length)) = array
                .zip(length)
                .filter(|(array, _)| is_taken.insert(*array))
            else {
                continue;
            };
            let bytes = self.graph.model().array_bytes(1, u64::from(length / 2));
            let claims = [Claim {
                object: array,
                bytes: self.graph.bytes(array).saturating_sub(bytes),
            }];
            let found = Found {
                object: string,
                claims: &claims,
                replacement: 0,
                table: None,
            };
            findings.add(NARROW, found);
        }
    }
}

/// The parts of equal objects: one of each is kept.
struct GroupParts {
    /// How many of the group refer to each part.
    references: FxHashMap<u32, u32>,
    /// Kept, or counted already.
    is_taken: FxHashSet<u32>,
}

impl GroupParts {
    fn of(judge: &Judge<'_>, members: &[u32], kept: u32) -> Self {
        let mut references: FxHashMap<u32, u32> = FxHashMap::default();
        for member in members {
            for part in judge.parts_of(*member) {
                *references.entry(part).or_default() += 1;
            }
        }
        Self {
            references,
            is_taken: judge.parts_of(kept).collect(),
        }
    }

    fn is_one(&self) -> bool {
        self.references.len() == 1
    }

    /// Adds the parts of an object that go with it.
    fn take(&mut self, judge: &Judge<'_>, object: u32, claims: &mut Vec<Claim>) {
        let parts: Vec<u32> = judge.parts_of(object).collect();
        for part in parts {
            let known = self.references.get(&part).copied().unwrap_or(1);
            let is_only_here = u32::from(judge.reach.in_degree(part)) == known.min(255);
            if is_only_here && self.is_taken.insert(part) {
                claims.push(judge.claim(part));
                self.take(judge, part, claims);
            }
        }
    }
}
