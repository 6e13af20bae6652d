//! Where retained bytes accumulate: the object below which they spread over many others.

use crate::holdings::Holdings;

/// An object whose largest part retains at least this share of it only passes it on.
const PASSED_ON: f64 = 0.8;

impl Holdings {
    /// The objects that retain most, found from the roots down: each is followed to the object that retains most of it, as long as that is
    /// nearly all. Most retained bytes first; objects, not class objects.
    pub fn accumulation_points(&self, most: usize) -> Vec<u32> {
        let largest = self.largest_parts();
        let numbers = 1..u32::try_from(self.tree.numbers()).unwrap_or(u32::MAX);
        let mut top: Vec<u32> = numbers
            .filter(|number| self.tree.dominator(*number) == 0)
            .collect();
        top.sort_by_key(|number| core::cmp::Reverse(self.retained_by_number(*number)));
        let follow = |number: u32| {
            let mut here = number;
            while let Some(part) = largest.get(here as usize).copied().filter(|part| *part > 0) {
                let share = self.retained_by_number(part) as f64
                    / self.retained_by_number(here).max(1) as f64;
                let is_class = self
                    .object(here)
                    .is_some_and(|object| self.dump.graph.as_class(object).is_some());
                if share < PASSED_ON && !is_class {
                    break;
                }
                here = part;
            }
            self.object(here)
        };
        top.truncate(4 * most);
        let mut points: Vec<u32> = top.into_iter().filter_map(follow).collect();
        points.retain(|object| {
            let is_class = self.dump.graph.as_class(*object).is_some();
            !is_class && !self.dump.is_dead(self.tier(*object))
        });
        points.sort_by_key(|object| core::cmp::Reverse(self.retained(*object)));
        points.truncate(most);
        points
    }

    /// For each number the number of its immediate part that retains most; 0: it has none.
    fn largest_parts(&self) -> Vec<u32> {
        let mut largest = vec![0_u32; self.tree.numbers()];
        for number in 1..u32::try_from(self.tree.numbers()).unwrap_or(u32::MAX) {
            let parent = self.tree.dominator(number) as usize;
            if let Some(place) = largest.get_mut(parent)
                && (*place == 0
                    || self.retained_by_number(number) > self.retained_by_number(*place))
            {
                *place = number;
            }
        }
        largest
    }

    fn retained_by_number(&self, number: u32) -> u64 {
        self.retained.get(number as usize).copied().unwrap_or(0)
    }

    fn object(&self, number: u32) -> Option<u32> {
        self.tree.node(number)
    }
}
