//! The graph interface of the algorithms.

/// A directed graph whose nodes are numbered from 0.
pub trait Graph {
    /// Number of nodes.
    fn nodes(&self) -> usize;
    /// The targets of a node's edges; a target may occur more than once.
    fn successors(&self, node: u32) -> &[u32];
    /// The targets of edges that lead on but do not hold ([`Tiers`](crate::Tiers)).
    fn late_successors(&self, _node: u32) -> &[u32] {
        &[]
    }
    /// The successor that the node keeps only until memory is short.
    fn soft_successor(&self, _node: u32) -> Option<u32> {
        None
    }
}

/// Lists of numbers, stored one after the other in one vector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    /// The end of each list.
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// The most items of all lists together.
    pub const MOST_ITEMS: usize = u32::MAX as usize;

    /// No lists, with room for this many.
    pub fn with_room(lists: usize, items: usize) -> Self {
        Self {
            ends: Vec::with_capacity(lists),
            items: Vec::with_capacity(items),
        }
    }

    /// Adds an item to the open list.
    pub fn push(&mut self, item: u32) {
        self.items.push(item);
    }

    /// Adds items to the open list.
    pub fn extend(&mut self, items: impl IntoIterator<Item = u32>) {
        self.items.extend(items);
    }

    /// Closes the open list. Callers must respect [`Lists::MOST_ITEMS`].
    pub fn end_list(&mut self) {
        self.ends
            .push(u32::try_from(self.items.len()).unwrap_or(u32::MAX));
    }

    /// Exactly this many lists: empty ones are added, or the last ones taken away.
    pub(crate) fn fill(&mut self, lists: usize) {
        if lists < self.ends.len() {
            self.ends.truncate(lists);
        }
        let end = self.ends.last().copied().unwrap_or(0);
        self.items.truncate(end as usize);
        self.ends.resize(lists, end);
    }

    /// Number of lists.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no lists.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Total number of items.
    pub fn items(&self) -> usize {
        self.items.len()
    }

    /// A list; empty if there is none with this number.
    pub fn list(&self, number: usize) -> &[u32] {
        self.items.get(self.range(number)).unwrap_or_default()
    }

    /// The same lists in another order: `number_of` returns the new number of the list at each place, different for each list, or `None` to
    /// leave it out.
    pub(crate) fn renumbered(self, lists: usize, number_of: impl Fn(usize) -> Option<u32>) -> Self {
        let mut ends = vec![0_u32; lists];
        for place in 0..self.len() {
            let number = number_of(place);
            if let Some(end) = number.and_then(|number| ends.get_mut(number as usize)) {
                *end = u32::try_from(self.list(place).len()).unwrap_or(u32::MAX);
            }
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let mut all = Self {
            ends,
            items: vec![0; sum as usize],
        };
        for place in 0..self.len() {
            let range = number_of(place).map(|number| all.range(number as usize));
            let to = range.and_then(|range| all.items.get_mut(range));
            let from = self.list(place);
            if let Some(to) = to.filter(|to| to.len() == from.len()) {
                to.copy_from_slice(from);
            }
        }
        all
    }

    fn range(&self, number: usize) -> core::ops::Range<usize> {
        let start = match number {
            0 => 0,
            _ => self.ends.get(number - 1).map_or(0, |end| *end as usize),
        };
        start..self.ends.get(number).map_or(start, |end| *end as usize)
    }

    /// The lists made of pairs (list, item), in the order of the pairs within a list. `pairs` is called twice and must produce the same
    /// pairs each time.
    pub fn grouped(lists: usize, pairs: impl Fn(&mut dyn FnMut(u32, u32))) -> Self {
        let mut ends = vec![0_u32; lists];
        let mut items = 0_usize;
        pairs(&mut |list, _| {
            if let Some(count) = ends.get_mut(list as usize) {
                *count += 1;
                items += 1;
            }
        });
        let mut start = 0;
        for end in &mut ends {
            let count = core::mem::replace(end, start);
            start += count;
        }
        // Each value is now the start of its list, and becomes its end while the list is filled.
        let mut all = Self {
            ends,
            items: vec![0; items],
        };
        pairs(&mut |list, item| {
            let Some(end) = all.ends.get_mut(list as usize) else {
                return;
            };
            if let Some(place) = all.items.get_mut(*end as usize) {
                *place = item;
                *end += 1;
            }
        });
        all
    }
}

impl Graph for Lists {
    fn nodes(&self) -> usize {
        self.len()
    }

    fn successors(&self, node: u32) -> &[u32] {
        self.list(node as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_become_lists() {
        let pairs = [(2, 7), (0, 1), (2, 8), (9, 9)];
        let lists = Lists::grouped(3, |give| {
            pairs.iter().for_each(|(list, item)| give(*list, *item));
        });
        assert_eq!(lists.list(0), [1]);
        assert!(lists.list(1).is_empty());
        assert_eq!(lists.list(2), [7, 8]);
        assert!(lists.list(3).is_empty());
        assert_eq!((lists.len(), lists.items()), (3, 3));
        let numbers = [Some(3), None, Some(1)];
        let again = lists.renumbered(4, |place| numbers[place]);
        assert_eq!(again.list(3), [1]);
        assert_eq!(again.list(1), [7, 8]);
        assert_eq!((again.len(), again.items()), (4, 3));
    }
}
