//! Matches the objects before a collection with those after it, if no walk saw them move.
//!
//! | | |
//! |---|---|
//! | shape | class and size: all that is known of an object afterwards, with its address |
//! | ordered | objects before that keep their order (the old space of a collector that slides) |
//! | loose | objects before in no reliable order; those that survive come after the last ordered one |
//! | anchor | an object afterwards that can be only one object before |
//! | segment | what lies between two anchors, before and afterwards: each side corresponds to the other |
//! | certain | all objects before that it can be have one origin |
//! | ambiguous | they have several: it gets the first that fits |
//!
//! 1. *Anchors.* A shape that a segment has equally often before and afterwards: all its objects survived, in order. If some contradict
//!    each other (not all objects before were known), the longest ascending sequence of them counts. Anchors cut the segment into smaller
//!    ones, in which there may be more anchors.
//! 2. *Windows.* In a segment without anchors, each object afterwards has a leftmost match (the first object before that leaves
//!    room for all the ones before it) and a rightmost match. It can be any object of its shape between the two, and no other.
//! 3. *The rest* is matched by shape alone: loose objects, and segments whose windows
//!    contradict. An object at the same address as one of its shape is that one.
//!
//! Example (letters are shapes, digits origins): before `a1 b1 a2 c1 b2 b3`, afterwards `a b c b`.
//! The anchor is `c`: the segments are `a1 b1 a2` with `a b`, and `b2 b3` with `b`. In the first, `b`
//! is an anchor, and `a` before it must be `a1`. In the second nothing decides between `b2` and `b3`.
//!
//! The result is right if all objects before are known and the order was kept. O(n log n).

mod anchors;
mod candidates;

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use candidates::Candidates;

/// How deep segments are cut at anchors.
const MOST_CUTS: u32 = 16;

/// An object before the collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Former<S, O> {
    pub(crate) shape: S,
    pub(crate) address: u64,
    pub(crate) origin: O,
}

/// An object after the collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Present<S> {
    pub(crate) shape: S,
    pub(crate) address: u64,
}

/// The objects before and after the collection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides<'a, S, O> {
    /// The ordered ones in order, then the loose ones, ascending by address.
    pub(crate) before: &'a [Former<S, O>],
    /// How many of `before` are ordered.
    pub(crate) ordered: usize,
    /// In the order that ordered objects keep.
    pub(crate) after: &'a [Present<S>],
    /// Only this many of `after`, from the first on, can be ordered objects.
    pub(crate) first: usize,
    /// No object moves to where another of its shape was: the same address means the same object.
    pub(crate) in_place: bool,
}

/// Which object before the collection an object is, by its number in [`Sides::before`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// None that is known.
    Unmatched,
    /// All candidates have the same origin.
    Certain(usize),
    /// One of several candidates; the origin may be that of another.
    Ambiguous(usize),
}

/// Finds for each object afterwards the object that it was.
pub(crate) fn reconcile<S: Copy + Eq + Hash, O: Copy + Eq>(sides: &Sides<'_, S, O>) -> Vec<Match> {
    let candidates = Candidates::new(sides);
    let mut reconciliation = Reconciliation {
        matches: vec![Match::Unmatched; sides.after.len()],
        used: vec![false; sides.before.len()],
        sides,
        candidates,
    };
    reconciliation.run();
    reconciliation.matches
}

/// A part of both sides.
#[derive(Clone, Debug)]
struct Segment {
    before: Range<usize>,
    after: Range<usize>,
    /// This is the last segment: loose objects may be among those afterwards.
    open: bool,
    cuts: u32,
}

/// A shape in [`Reconciliation::by_shape`]: its candidates and their numbers.
struct Group {
    places: Range<usize>,
    cursor: usize,
    wanted: usize,
    unused: usize,
}

struct Reconciliation<'a, S, O> {
    sides: &'a Sides<'a, S, O>,
    candidates: Candidates,
    matches: Vec<Match>,
    used: Vec<bool>,
}

impl<S: Copy + Eq + Hash, O: Copy + Eq> Reconciliation<'_, S, O> {
    fn run(&mut self) {
        let mut segments = vec![Segment {
            before: 0..self.sides.ordered,
            after: 0..self.sides.first,
            open: true,
            cuts: 0,
        }];
        while let Some(segment) = segments.pop() {
            let anchors = match segment.cuts < MOST_CUTS {
                true => self.candidates.anchors(&segment),
                false => Vec::new(),
            };
            if anchors.is_empty() {
                self.settle(segment);
                continue;
            }
            for &(after, before) in &anchors {
                self.take(after, before, true);
            }
            segments.extend(segment.between(&anchors));
        }
    }

    fn take(&mut self, after: usize, before: usize, is_certain: bool) {
        self.used[before] = true;
        self.matches[after] = match is_certain {
            true => Match::Certain(before),
            false => Match::Ambiguous(before),
        };
    }

    /// Matches a segment without anchors.
    fn settle(&mut self, segment: Segment) {
        if !segment.open {
            self.by_windows_or_shape(segment.before, segment.after);
            return;
        }
        // An object that cannot be loose is ordered, and so are all before it.
        let ordered = segment
            .after
            .clone()
            .rfind(|after| self.candidates.is_ordered(*after, &segment.before));
        let end = ordered.map_or(segment.after.start, |last| last + 1);
        let last = self.by_windows_or_shape(segment.before.clone(), segment.after.start..end);
        let start = last.map_or(segment.before.start, |last| last + 1);
        self.by_shape(end..self.sides.after.len(), start);
    }

    /// Matches by windows, or by shape if the windows contradict. Returns a lower bound of the number that the last
    /// object afterwards had before.
    fn by_windows_or_shape(&mut self, before: Range<usize>, after: Range<usize>) -> Option<usize> {
        let windows = self.candidates.windows(&before, &after);
        if let Some(windows) = windows {
            for (object, (leftmost, rightmost)) in after.zip(&windows) {
                let is_certain = self
                    .candidates
                    .is_one_origin(object, *leftmost..*rightmost + 1);
                self.take(object, *leftmost, is_certain);
            }
            return windows.last().map(|(leftmost, _)| *leftmost);
        }
        let groups = self.groups(after.clone(), |_| before.clone());
        self.take_in_order(after, groups, |_| before.clone());
        None
    }

    /// Matches objects that may be loose with the objects before from `start` on; ordered ones only for those
    /// afterwards that can be ordered.
    fn by_shape(&mut self, after: Range<usize>, start: usize) {
        let sides = self.sides;
        let range = |object: usize| match object < sides.first {
            true => start..sides.before.len(),
            false => sides.ordered..sides.before.len(),
        };
        for object in after.clone() {
            let same = self.candidates.at_the_same_address(sides, object);
            if let Some(former) = same.filter(|former| !self.used[*former]) {
                let is_certain =
                    sides.in_place || self.candidates.is_one_origin(object, range(object));
                self.take(object, former, is_certain);
            }
        }
        let groups = self.groups(after.clone(), range);
        self.take_in_order(after, groups, range);
    }

    /// The unmatched objects by shape and start of their range.
    fn groups(
        &self,
        after: Range<usize>,
        range: impl Fn(usize) -> Range<usize>,
    ) -> HashMap<(u32, usize), Group> {
        let mut groups: HashMap<(u32, usize), Group> = HashMap::new();
        for object in after.filter(|object| self.matches[*object] == Match::Unmatched) {
            let range = range(object);
            let key = (self.candidates.shape(object), range.start);
            let group = groups.entry(key).or_insert_with(|| {
                let places = self.candidates.places(object, range);
                let of_places = self.candidates.numbers(places.clone());
                let unused = of_places.filter(|former| !self.used[*former]).count();
                Group {
                    cursor: places.start,
                    places,
                    wanted: 0,
                    unused,
                }
            });
            group.wanted += 1;
        }
        groups
    }

    fn take_in_order(
        &mut self,
        after: Range<usize>,
        mut groups: HashMap<(u32, usize), Group>,
        range: impl Fn(usize) -> Range<usize>,
    ) {
        for object in after {
            let key = (self.candidates.shape(object), range(object).start);
            let is_matched = self.matches[object] != Match::Unmatched;
            let Some(group) = groups.get_mut(&key).filter(|_| !is_matched) else {
                continue;
            };
            let mut rest = group.cursor..group.places.end;
            let Some(place) = rest.find(|place| !self.used[self.candidates.number(*place)]) else {
                continue;
            };
            group.cursor = place + 1;
            // If there are more objects than candidates, any of them may be an unknown one.
            let is_certain =
                group.wanted <= group.unused && self.candidates.is_one_origin_of(&group.places);
            self.take(object, self.candidates.number(place), is_certain);
        }
    }
}

impl Segment {
    /// The segments before, between and after anchors.
    fn between(&self, anchors: &[(usize, usize)]) -> Vec<Self> {
        let ends = anchors.iter().copied();
        let ends = ends.chain([(self.after.end, self.before.end)]);
        let (mut after, mut before) = (self.after.start, self.before.start);
        let mut segments = Vec::with_capacity(anchors.len() + 1);
        for (number, (after_end, before_end)) in ends.enumerate() {
            let is_last = number == anchors.len();
            if after < after_end || (is_last && self.open) {
                segments.push(Self {
                    before: before..before_end,
                    after: after..after_end,
                    open: is_last && self.open,
                    cuts: self.cuts + 1,
                });
            }
            (after, before) = (after_end + 1, before_end + 1);
        }
        segments
    }
}

#[cfg(test)]
mod tests;
