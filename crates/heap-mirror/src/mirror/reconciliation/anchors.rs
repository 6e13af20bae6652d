//! Anchors: objects of a segment that can be only one object before, because their shape is equally frequent before and
//! afterwards.
//!
//! In the open segment a shape with loose objects has no anchors. If pairs cross, some are wrong but most are right: the longest ascending
//! sequence is taken (patience sorting, as in Cohen's patience diff).

use std::collections::HashMap;

use super::Segment;
use super::candidates::Candidates;

/// How often a shape occurs in a segment.
#[derive(Clone, Debug, Default)]
struct Shape {
    /// Place of the first object before.
    first: usize,
    before: usize,
    after: usize,
    seen: usize,
}

impl Candidates {
    /// Pairs of numbers afterwards and before, both ascending.
    pub(super) fn anchors(&self, segment: &Segment) -> Vec<(usize, usize)> {
        let mut shapes: HashMap<u32, Shape> = HashMap::new();
        for object in segment.after.clone() {
            let shape = self.shape(object);
            if shape as usize >= self.shape_count() {
                continue;
            }
            let known = shapes.entry(shape).or_insert_with(|| {
                let places = self.places_of(shape, &segment.before);
                let can_anchor = !(segment.open && self.has_loose(shape));
                Shape {
                    first: places.start,
                    before: if can_anchor { places.len() } else { 0 },
                    ..Shape::default()
                }
            });
            known.after += 1;
        }
        let mut pairs = Vec::new();
        for object in segment.after.clone() {
            let shape = shapes.get_mut(&self.shape(object));
            if let Some(shape) = shape.filter(|shape| shape.before == shape.after) {
                pairs.push((object, self.number(shape.first + shape.seen)));
                shape.seen += 1;
            }
        }
        longest_ascending(&pairs)
    }
}

/// The longest sequence of pairs whose second numbers ascend; the first numbers ascend already.
fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    /// Marks a pair without predecessor.
    const NONE: usize = usize::MAX;
    // For each length, the pair with the lowest second number that ends such a sequence.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![NONE; pairs.len()];
    for (index, (_, second)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *second);
        if let Some(shorter) = length.checked_sub(1) {
            before[index] = ends[shorter];
        }
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut longest = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied().unwrap_or(NONE);
    while let Some(pair) = pairs.get(at) {
        longest.push(*pair);
        at = before[at];
    }
    longest.reverse();
    longest
}

#[cfg(test)]
mod tests {
    use super::longest_ascending;

    #[test]
    fn a_pair_that_crosses_many_is_left_out() {
        let pairs = [(0, 9), (1, 2), (2, 3), (5, 1), (6, 7)];
        assert_eq!(longest_ascending(&pairs), [(1, 2), (2, 3), (6, 7)]);
        assert!(longest_ascending(&[]).is_empty());
    }
}
