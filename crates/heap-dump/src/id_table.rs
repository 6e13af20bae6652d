//! Maps identifiers (addresses) to numbers of objects, which are in the order of the identifiers.

/// Objects per bucket, on average.
const PER_BUCKET: u64 = 8;

/// Identifiers by number, ascending, and numbers by identifier. Takes 4.5 bytes per object if the identifiers are close together (a heap of
/// up to 32 GB), otherwise 8.5.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdTable {
    offsets: Offsets,
    first: u64,
    /// All offsets are multiples of two to this power.
    alignment: u32,
    shift: u32,
    /// The first number with each value of `offset >> shift`; one more at the end.
    buckets: Vec<u32>,
}

/// The distance of each identifier from the first, in units of the alignment.
#[derive(Clone, Debug)]
enum Offsets {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Default for Offsets {
    fn default() -> Self {
        Self::Narrow(Vec::new())
    }
}

impl Offsets {
    fn len(&self) -> usize {
        match self {
            Self::Narrow(all) => all.len(),
            Self::Wide(all) => all.len(),
        }
    }

    fn get(&self, number: usize) -> Option<u64> {
        match self {
            Self::Narrow(all) => all.get(number).map(|offset| u64::from(*offset)),
            Self::Wide(all) => all.get(number).copied(),
        }
    }
}

impl IdTable {
    /// Callers must pass fewer than 2^32 identifiers. Duplicates are removed.
    pub(crate) fn new(mut ids: Vec<u64>) -> Self {
        // Dumps contain a few ascending runs, which this sort uses as they are.
        ids.sort();
        ids.dedup();
        let first = ids.first().copied().unwrap_or(0);
        let all_bits = ids.iter().fold(0, |bits, id| bits | (id - first));
        let alignment = all_bits.trailing_zeros().min(63);
        let span = ids.last().map_or(0, |last| (last - first) >> alignment);
        let wanted = (ids.len() as u64 / PER_BUCKET).max(1);
        let shift = (0..64).find(|shift| span >> shift <= wanted).unwrap_or(63);
        let mut buckets = Vec::with_capacity(((span >> shift) + 2) as usize);
        for (number, id) in (0_u32..).zip(&ids) {
            let bucket = (id - first) >> alignment >> shift;
            while buckets.len() as u64 <= bucket {
                buckets.push(number);
            }
        }
        buckets.push(u32::try_from(ids.len()).unwrap_or(u32::MAX));
        let offset = |id: &u64| (id - first) >> alignment;
        let offsets = match u32::try_from(span) {
            Ok(_) => Offsets::Narrow(ids.iter().map(|id| offset(id) as u32).collect()),
            Err(_) => Offsets::Wide(ids.iter().map(offset).collect()),
        };
        Self {
            offsets,
            first,
            alignment,
            shift,
            buckets,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.offsets.len()
    }

    pub(crate) fn id(&self, number: u32) -> u64 {
        let offset = self.offsets.get(number as usize);
        offset.map_or(0, |offset| self.first + (offset << self.alignment))
    }

    /// The object with an identifier.
    pub(crate) fn number(&self, id: u64) -> Option<u32> {
        let difference = id.checked_sub(self.first)?;
        let offset = difference >> self.alignment;
        if offset << self.alignment != difference {
            return None;
        }
        let bucket = usize::try_from(offset >> self.shift).ok()?;
        let start = *self.buckets.get(bucket)?;
        let end = *self.buckets.get(bucket.checked_add(1)?)?;
        let range = start as usize..end as usize;
        let place = match &self.offsets {
            Offsets::Narrow(all) => {
                let offset = u32::try_from(offset).ok()?;
                all.get(range)?.binary_search(&offset).ok()?
            }
            Offsets::Wide(all) => all.get(range)?.binary_search(&offset).ok()?,
        };
        Some(start + place as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn nothing_is_found_in_nothing() {
        let table = IdTable::new(Vec::new());
        assert_eq!(table.number(0), None);
        assert_eq!(table.number(u64::MAX), None);
    }

    #[test]
    fn one_object_is_found() {
        let table = IdTable::new(vec![4096]);
        assert_eq!((table.number(4096), table.id(0)), (Some(0), 4096));
        assert_eq!((table.number(4097), table.number(0)), (None, None));
    }

    #[test]
    fn aligned_identifiers_take_four_bytes() {
        let ids = |step: u64| (0..1000).map(move |at| at * step + (1 << 40)).collect();
        let is_narrow = |ids| matches!(IdTable::new(ids).offsets, Offsets::Narrow(_));
        assert!(is_narrow(ids(1 << 25)));
        let mut odd: Vec<u64> = ids(1 << 25);
        odd.push((1 << 40) + 1);
        assert!(!is_narrow(odd));
    }

    proptest! {
        #[test]
        fn finds_what_a_set_finds(
            ids in prop::collection::vec(prop_oneof![0_u64..50, any::<u64>(), (0_u64..1 << 32).prop_map(|at| at << 3)], 0..200),
            more in any::<u64>(),
        ) {
            let table = IdTable::new(ids.clone());
            let sorted: Vec<u64> = ids.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
            prop_assert_eq!(table.len(), sorted.len());
            for (number, id) in (0_u32..).zip(&sorted) {
                prop_assert_eq!(table.id(number), *id);
            }
            for id in ids.iter().copied().chain([0, 25, more, u64::MAX]) {
                let expected = sorted.binary_search(&id).ok().map(|number| number as u32);
                prop_assert_eq!(table.number(id), expected);
            }
        }
    }
}
