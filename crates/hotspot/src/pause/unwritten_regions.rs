//! Regions of G1 that need not be read, because nothing was written into them.
//!
//! Where most of a large eden is dead, what lived on stood in a few of its regions: in 20 to 50 of 611, where programs parse or render. Only in these
//! has the collector written. Which they are is watched ([`WriteWatch`]), and all others are left alone: no object of them lived on.
//!
//! That they are dead rests on the system's word, and is checked: as always, what stands at the new places must be the survivors that were found
//! ([`crate::young_coverage`]). If it is not, every region is read. What that check cannot tell are classes that fillers have, too (`int[]` and
//! `java.lang.Object`): of these there may be more than were found.
//!
//! To watch costs the collector a moment for every page it writes first. So a pause is watched only if in the one before it less than half of eden's regions had
//! survivors.

use crate::collection_report::{AddressRange, Survivor};
use crate::heap_spaces::{Space, SpaceKind};
use crate::write_watch::WriteWatch;

/// A smaller eden is read as quickly as it is watched.
const FEWEST_REGIONS: usize = 16;

/// What is watched in this pause, and whether it is to be in the next.
#[derive(Debug, Default)]
pub(super) struct UnwrittenRegions {
    /// Only with G1, and where the system can do it.
    watch: Option<WriteWatch>,
    /// In the pause before, few regions had survivors.
    pays: bool,
}

impl UnwrittenRegions {
    /// For G1: other collectors' edens are a single space.
    pub(super) fn of_regions() -> Self {
        Self {
            watch: WriteWatch::new().ok(),
            pays: false,
        }
    }

    /// A pause begins.
    pub(super) fn begin(&mut self, before: &[Space]) {
        let Some(watch) = self.watch.as_mut().filter(|_| self.pays) else {
            return;
        };
        if watch.begin(&edens(before)).is_err() {
            // What is protected already loses that with the first write.
            self.watch = None;
        }
    }

    /// What must be read of these spaces; `None`: nothing is known.
    pub(super) fn written_of(&self, evacuated: &[Space]) -> Option<Vec<Space>> {
        let watch = self.watch.as_ref().filter(|watch| watch.is_on())?;
        let written = watch.written().ok()?;
        let is_written = |space: &Space| {
            let memory = memory(space);
            let first = written.partition_point(|range| range.end <= memory.start);
            let range = written.get(first);
            !watch.covers(memory) || range.is_some_and(|range| range.start < memory.end)
        };
        let needed = evacuated.iter().filter(|space| is_written(space));
        Some(needed.copied().collect())
    }

    /// What was found in these spaces, ascending by `from` in each, says whether to watch the next time.
    pub(super) fn learn(&mut self, evacuated: &[Space], survivors: &[Survivor]) {
        let (mut edens, mut living, mut at) = (0, 0, 0);
        for space in evacuated {
            let memory = memory(space);
            let rest = survivors.get(at..).unwrap_or_default();
            let inside = rest.partition_point(|survivor| memory.contains(survivor.from));
            at += inside;
            if space.kind == SpaceKind::Eden {
                edens += 1;
                living += usize::from(inside > 0);
            }
        }
        if edens > 0 {
            self.pays = edens >= FEWEST_REGIONS && living * 2 < edens;
        }
    }

    /// The pause is over.
    pub(super) fn end(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.end();
        }
    }
}

/// The memory of eden's regions, those that follow one another as one: what is not used of a region is watched as well.
fn edens(regions: &[Space]) -> Vec<AddressRange> {
    let mut edens: Vec<AddressRange> = Vec::new();
    let mut last_index = None;
    let filled = |space: &&Space| space.kind == SpaceKind::Eden && space.bottom < space.top;
    for region in regions.iter().filter(filled) {
        let follows = last_index.is_some_and(|last: u32| last.checked_add(1) == Some(region.index));
        match edens.last_mut().filter(|_| follows) {
            Some(range) => range.end = region.top,
            None => edens.push(memory(region)),
        }
        last_index = Some(region.index);
    }
    edens
}

fn memory(space: &Space) -> AddressRange {
    AddressRange {
        start: space.bottom,
        end: space.top,
    }
}

#[cfg(test)]
mod tests {
    use super::{UnwrittenRegions, edens};
    use crate::address::Address;
    use crate::class_table::ClassId;
    use crate::collection_report::{AddressRange, Survivor};
    use crate::heap_spaces::{Space, SpaceKind};

    const REGION: usize = 1 << 20;

    fn region(kind: SpaceKind, index: u32) -> Space {
        let bottom = Address(REGION * (index as usize + 1));
        Space {
            kind,
            index,
            bottom,
            top: bottom.plus(REGION - 64),
        }
    }

    fn survivor(region: u32, offset: usize) -> Survivor {
        let from = Address(REGION * (region as usize + 1) + offset);
        Survivor::new(from, from.plus(8), 16, ClassId(0)).expect("a size")
    }

    #[test]
    fn regions_that_follow_one_another_are_one_range() {
        let regions = [
            region(SpaceKind::Eden, 1),
            region(SpaceKind::Eden, 2),
            region(SpaceKind::Old, 3),
            region(SpaceKind::Eden, 4),
            region(SpaceKind::Survivor, 5),
        ];
        let range = |first: usize, last: usize| AddressRange {
            start: Address(REGION * (first + 1)),
            end: Address(REGION * (last + 2) - 64),
        };
        assert_eq!(edens(&regions), [range(1, 2), range(4, 4)]);
    }

    #[test]
    fn it_pays_where_few_of_many_regions_have_survivors() {
        let mut unwritten = UnwrittenRegions::default();
        let spaces: Vec<Space> = (0..40)
            .map(|index| region(SpaceKind::Eden, index))
            .chain([region(SpaceKind::Survivor, 40)])
            .collect();
        let living = |step: usize| -> Vec<Survivor> {
            let regions = (0..40).step_by(step).chain([40]);
            regions
                .flat_map(|region| [survivor(region, 0), survivor(region, 64)])
                .collect()
        };
        let mut pays = |spaces: &[Space], survivors: &[Survivor]| {
            unwritten.learn(spaces, survivors);
            unwritten.pays
        };
        assert!(pays(&spaces, &living(3)));
        // Not an evacuation: what was known stays.
        assert!(pays(&[], &[]));
        assert!(!pays(&spaces, &living(2)));
        assert!(!pays(&spaces[30..], &[]));
    }
}
