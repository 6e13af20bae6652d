//! G1 loses bytes behind large objects: how many, for each size of its regions.
//!
//! An object larger than half a region (*humongous*) has regions of its own, and nothing else goes into what it leaves of its last one.

use core::cmp::Reverse;

use rustc_hash::FxHashMap;

use ducktrack_heap_dump::HeapGraph;

use crate::holder::HolderNumber;
use crate::reach::Reach;

/// The sizes that G1 chooses from, unless a larger one is asked for.
pub const REGIONS: [u64; 6] = [1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20, 32 << 20];

/// The losses with each of [`REGIONS`], in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Regions {
    /// Of all large objects.
    pub all: [RegionLoss; REGIONS.len()],
    /// Of each holder and maker, most bytes first.
    pub rows: Vec<LargeObjects>,
}

/// Objects that are humongous with one size of regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionLoss {
    /// How many.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes behind them that nothing else can use.
    pub lost: u64,
}

/// Large objects that one field holds, and one maker made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargeObjects {
    /// The field; empty: not known.
    pub holder: String,
    /// The maker's number, as the caller gave it.
    pub maker: Option<u32>,
    /// Objects that are humongous with the smallest regions.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes lost with each of [`REGIONS`].
    pub lost: [u64; REGIONS.len()],
}

impl RegionLoss {
    /// Adds an object, if it is humongous in such regions; gives what it loses.
    fn add(&mut self, bytes: u64, region: u64) -> u64 {
        if bytes <= region / 2 {
            return 0;
        }
        let lost = bytes.next_multiple_of(region) - bytes;
        self.objects += 1;
        self.bytes += bytes;
        self.lost += lost;
        lost
    }
}

/// Looks at all live objects; `None`: none is large.
pub(crate) fn regions(
    graph: &HeapGraph,
    reach: &Reach,
    maker_of: &dyn Fn(u32) -> Option<u32>,
) -> Option<Regions> {
    let mut found = Regions::default();
    let mut rows: FxHashMap<(HolderNumber, Option<u32>), LargeObjects> = FxHashMap::default();
    let live = (0..graph.objects()).filter(|object| reach.is_live(*object));
    for object in live.filter(|object| graph.bytes(*object) > REGIONS[0] / 2) {
        let (bytes, maker) = (graph.bytes(object), maker_of(object));
        let holder = reach.holders.of(object);
        let row = rows.entry((holder, maker)).or_insert_with(|| LargeObjects {
            holder: reach.holders.name(holder).to_owned(),
            maker,
            objects: 0,
            bytes: 0,
            lost: Default::default(),
        });
        row.objects += 1;
        row.bytes += bytes;
        for ((all, lost), region) in found.all.iter_mut().zip(&mut row.lost).zip(REGIONS) {
            *lost += all.add(bytes, region);
        }
    }
    found.rows = rows.into_values().collect();
    found
        .rows
        .sort_by(|a, b| (Reverse(a.bytes), &a.holder).cmp(&(Reverse(b.bytes), &b.holder)));
    (!found.rows.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_region_is_not_humongous_and_the_rest_of_the_last_one_is_lost() {
        let region = 1 << 20;
        let mut all = RegionLoss::default();
        assert_eq!(all.add(region / 2, region), 0);
        assert_eq!(all.add(region / 2 + 8, region), region / 2 - 8);
        assert_eq!(all.add(region, region), 0);
        assert_eq!(all.add(region + 8, region), region - 8);
        let expected = RegionLoss {
            objects: 3,
            bytes: 5 * region / 2 + 16,
            lost: 3 * region / 2 - 16,
        };
        assert_eq!(all, expected);
    }
}
