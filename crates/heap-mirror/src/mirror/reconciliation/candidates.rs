//! Which objects before an object afterwards can be: the ascending numbers of the objects of each shape.
//!
//! ```text
//! before    a1 b1 a2 c1 b2 b3        numbers 0 to 5
//! shapes    a: places 0-1   b: places 2-4   c: place 5
//! numbers   0 2  1 4 5  3            by place
//! others    1 2  3 4 5  6            for each place, the next one with another origin, or the end of the shape
//! ```

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use super::Sides;

/// An object afterwards whose shape no object before has.
const NO_SHAPE: u32 = u32::MAX;

/// The candidates, by shape.
pub(super) struct Candidates {
    /// Number of the shape of each object afterwards.
    pub(super) shapes: Vec<u32>,
    /// First place of each shape, and the end.
    starts: Vec<u32>,
    numbers: Vec<u32>,
    others: Vec<u32>,
    /// Objects before from this number on are loose.
    ordered: usize,
}

impl Candidates {
    pub(super) fn new<S: Copy + Eq + Hash, O: Copy + Eq>(sides: &Sides<'_, S, O>) -> Self {
        let mut known: HashMap<S, u32> = HashMap::new();
        let mut of_former = Vec::with_capacity(sides.before.len());
        for former in sides.before {
            let next = known.len() as u32;
            of_former.push(*known.entry(former.shape).or_insert(next));
        }
        let shapes = sides.after.iter();
        let shapes = shapes.map(|present| known.get(&present.shape).copied().unwrap_or(NO_SHAPE));
        let shapes = shapes.collect();
        let (starts, numbers) = sorted_by_shape(&of_former, known.len());
        let others = others(sides, &starts, &numbers);
        Self {
            shapes,
            starts,
            numbers,
            others,
            ordered: sides.ordered,
        }
    }

    /// Number of shapes before.
    pub(super) fn shape_count(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn shape(&self, object: usize) -> u32 {
        self.shapes[object]
    }

    fn all_places(&self, shape: u32) -> Range<usize> {
        match self.starts.get(shape as usize..) {
            Some([start, end, ..]) => *start as usize..*end as usize,
            _ => 0..0,
        }
    }

    /// The places of a shape whose numbers are in a range.
    pub(super) fn places_of(&self, shape: u32, range: &Range<usize>) -> Range<usize> {
        let all = self.all_places(shape);
        let numbers = &self.numbers[all.clone()];
        let below = |bound: usize| numbers.partition_point(|number| (*number as usize) < bound);
        all.start + below(range.start)..all.start + below(range.end)
    }

    /// The places of an object's shape whose numbers are in a range.
    pub(super) fn places(&self, object: usize, range: Range<usize>) -> Range<usize> {
        self.places_of(self.shape(object), &range)
    }

    pub(super) fn number(&self, place: usize) -> usize {
        self.numbers[place] as usize
    }

    pub(super) fn numbers(&self, places: Range<usize>) -> impl DoubleEndedIterator<Item = usize> {
        self.numbers[places].iter().map(|number| *number as usize)
    }

    /// Whether all objects at these places have the same origin.
    pub(super) fn is_one_origin_of(&self, places: &Range<usize>) -> bool {
        places.is_empty() || self.others[places.start] as usize >= places.end
    }

    /// Whether all candidates of an object in a range have the same origin.
    pub(super) fn is_one_origin(&self, object: usize, range: Range<usize>) -> bool {
        self.is_one_origin_of(&self.places(object, range))
    }

    /// Whether loose objects of this shape are known.
    pub(super) fn has_loose(&self, shape: u32) -> bool {
        let all = self.all_places(shape);
        self.numbers[all]
            .last()
            .is_some_and(|last| *last as usize >= self.ordered)
    }

    /// Whether the object can only be one of an ordered range.
    pub(super) fn is_ordered(&self, object: usize, range: &Range<usize>) -> bool {
        !self.has_loose(self.shape(object)) && !self.places(object, range.clone()).is_empty()
    }

    /// The loose object of the same shape and address.
    pub(super) fn at_the_same_address<S: Eq, O>(
        &self,
        sides: &Sides<'_, S, O>,
        object: usize,
    ) -> Option<usize> {
        let present = sides.after.get(object)?;
        let loose = sides.before.get(self.ordered..)?;
        let at = loose
            .binary_search_by_key(&present.address, |former| former.address)
            .ok()?;
        let has_same_shape = loose.get(at)?.shape == present.shape;
        has_same_shape.then_some(self.ordered + at)
    }

    /// The first and last candidate of each object afterwards, if all others are in order too. `None` if they cannot be.
    pub(super) fn windows(
        &self,
        before: &Range<usize>,
        after: &Range<usize>,
    ) -> Option<Vec<(usize, usize)>> {
        let mut windows = Vec::with_capacity(after.len());
        let mut start = before.start;
        for object in after.clone() {
            let places = self.places(object, start..before.end);
            let leftmost = self.numbers(places).next()?;
            windows.push((leftmost, leftmost));
            start = leftmost + 1;
        }
        let mut end = before.end;
        for (object, window) in after.clone().zip(&mut windows).rev() {
            let places = self.places(object, before.start..end);
            let rightmost = self.numbers(places).next_back()?;
            window.1 = rightmost;
            end = rightmost;
        }
        Some(windows)
    }
}

/// The first place of each shape, and the numbers by shape.
fn sorted_by_shape(of_former: &[u32], shapes: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; shapes + 1];
    for shape in of_former {
        starts[*shape as usize + 1] += 1;
    }
    for shape in 0..shapes {
        starts[shape + 1] += starts[shape];
    }
    let mut next = starts.clone();
    let mut numbers = vec![0; of_former.len()];
    for (number, shape) in of_former.iter().enumerate() {
        let place = &mut next[*shape as usize];
        numbers[*place as usize] = number as u32;
        *place += 1;
    }
    (starts, numbers)
}

fn others<S, O: Copy + Eq>(sides: &Sides<'_, S, O>, starts: &[u32], numbers: &[u32]) -> Vec<u32> {
    let mut others = vec![0; numbers.len()];
    for shape in starts.windows(2) {
        let mut other = shape[1];
        for place in (shape[0]..shape[1]).rev() {
            let origin = |place: u32| sides.before[numbers[place as usize] as usize].origin;
            if place + 1 < shape[1] && origin(place) != origin(place + 1) {
                other = place + 1;
            }
            others[place as usize] = other;
        }
    }
    others
}
