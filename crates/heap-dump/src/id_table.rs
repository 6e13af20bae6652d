//! Which object has which address.

/// Objects per bucket, on average.
const PER_BUCKET: u64 = 8;

/// Numbers of objects by their identifiers.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdTable {
    /// By number.
    ids: Vec<u64>,
    /// Numbers, by ascending identifier.
    sorted: Vec<u32>,
    first: u64,
    shift: u32,
    /// Where in `sorted` the identifiers with each value of `(id - first) >> shift` begin; one more at the end.
    buckets: Vec<u32>,
}

impl IdTable {
    /// Callers must keep to fewer than 2^32 identifiers.
    pub(crate) fn new(ids: Vec<u64>) -> Self {
        let mut sorted: Vec<u32> = (0..u32::try_from(ids.len()).unwrap_or(u32::MAX)).collect();
        let id = |number: &u32| ids.get(*number as usize).copied().unwrap_or(0);
        // Dumps hold a few ascending runs: this sort takes them as they are.
        sorted.sort_by_key(id);
        let first = sorted.first().map_or(0, id);
        let span = sorted.last().map_or(0, id).saturating_sub(first);
        let wanted = (ids.len() as u64 / PER_BUCKET).max(1);
        let shift = (0..64).find(|shift| span >> shift <= wanted).unwrap_or(63);
        let mut buckets = Vec::with_capacity(((span >> shift) + 2) as usize);
        for (place, number) in (0_u32..).zip(&sorted) {
            let bucket = (id(number) - first) >> shift;
            while buckets.len() as u64 <= bucket {
                buckets.push(place);
            }
        }
        buckets.push(u32::try_from(sorted.len()).unwrap_or(u32::MAX));
        Self {
            ids,
            sorted,
            first,
            shift,
            buckets,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn id(&self, number: u32) -> u64 {
        self.ids.get(number as usize).copied().unwrap_or(0)
    }

    /// The object with an identifier; of several the first.
    pub(crate) fn number(&self, id: u64) -> Option<u32> {
        let bucket = (id.checked_sub(self.first)? >> self.shift) as usize;
        let start = *self.buckets.get(bucket)? as usize;
        let end = *self.buckets.get(bucket + 1)? as usize;
        let candidates = self.sorted.get(start..end)?;
        let at = candidates.partition_point(|number| self.id(*number) < id);
        let number = *candidates.get(at)?;
        (self.id(number) == id).then_some(number)
    }

    /// Numbers in the order of their identifiers.
    pub(crate) fn ascending(&self) -> &[u32] {
        &self.sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn nothing_is_found_in_nothing() {
        let table = IdTable::new(Vec::new());
        assert_eq!(table.number(0), None);
        assert_eq!(table.number(u64::MAX), None);
    }

    proptest! {
        #[test]
        fn finds_what_a_map_finds(ids in prop::collection::vec(prop_oneof![0_u64..50, any::<u64>()], 0..200), more in any::<u64>()) {
            let table = IdTable::new(ids.clone());
            let mut map = BTreeMap::new();
            for (number, id) in (0_u32..).zip(&ids) {
                map.entry(*id).or_insert(number);
            }
            for id in ids.iter().copied().chain([0, 25, more, u64::MAX]) {
                prop_assert_eq!(table.number(id), map.get(&id).copied());
            }
            let ascending: Vec<u64> = table.ascending().iter().map(|number| table.id(*number)).collect();
            prop_assert!(ascending.is_sorted());
        }
    }
}
