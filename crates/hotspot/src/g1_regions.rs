//! The regions of a G1 heap.
//!
//! `G1HeapRegionTable` (in the region manager, in the heap object) has `_base`, an array of `_length` pointers to regions; a pointer is null for a
//! region that was never made. A region has `_bottom`, `_top` and `_type._tag`, whose values are constants of the VM's tables:
//!
//! | | free | eden | survivor | humongous start | continues | old | archive (open, closed) |
//! |---|---|---|---|---|---|---|---|
//! | JDK 11, 17 | 0 | 2 | 3 | 12 | 13 | 16 | 56+ (mask 32) |
//! | JDK 25 | 0 | 2 | 3 | 4 | 5 | 8 | none |

use crate::address::Address;
use crate::careful_read::read_value;
use crate::error::Error;
use crate::heap_spaces::{Space, SpaceKind};
use crate::vm_structs::VmStructs;

/// No heap has more regions (32 TB of 1 MB regions).
const MOST_REGIONS: u64 = 1 << 25;

/// Tag values of this VM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tags {
    free: i64,
    eden: i64,
    survivor: i64,
    humongous_start: i64,
    humongous_continues: i64,
    old_mask: i64,
    archive_mask: i64,
}

/// Which evacuations may fail now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EvacuationFailure {
    /// None: there are free regions to copy to.
    Impossible,
    /// Those of regions that native code has pinned (JDK 22 and later), which start here; ascending.
    InPinned(Vec<Address>),
    /// All: no region is free.
    Anywhere {
        /// Some old regions are to be evacuated as well.
        of_old: bool,
    },
}

/// What looks from inside one pause need not find out again: there are thousands of regions.
#[derive(Debug, Default)]
pub(crate) struct SeenRegions {
    /// Nothing is pinned or let go while the world is stopped.
    pinned: Option<Vec<Address>>,
    /// The index of a region that was free.
    free: usize,
}

/// Where the table of regions is and how a region is laid out.
#[derive(Debug, Clone)]
pub(crate) struct G1Regions {
    base: Address,
    length: Address,
    bottom: usize,
    top: usize,
    tag: usize,
    /// The number of objects that native code pinned (JDK 22 and later).
    pins: Option<usize>,
    /// The number of regions in the set of old ones. What is to be evacuated is taken out of the set, and keeps its tag.
    old_set: Option<Address>,
    tags: Tags,
}

impl G1Regions {
    pub(crate) fn load(vm: &VmStructs, heap: Address) -> Result<Self, Error> {
        let manager = heap.plus(vm.offset(&[("G1CollectedHeap", "_hrm")])?);
        let table = manager.plus(vm.offset(&[
            ("G1HeapRegionManager", "_regions"),
            ("HeapRegionManager", "_regions"),
        ])?);
        let tag = vm.offset(&[("G1HeapRegion", "_type"), ("HeapRegion", "_type")])?
            + vm.offset(&[("G1HeapRegionType", "_tag"), ("HeapRegionType", "_tag")])?;
        Ok(Self {
            base: table.plus(vm.offset(&[("G1HeapRegionTable", "_base")])?),
            length: table.plus(vm.offset(&[("G1HeapRegionTable", "_length")])?),
            bottom: vm.offset(&[
                ("G1HeapRegion", "_bottom"),
                ("HeapRegion", "_bottom"),
                ("Space", "_bottom"),
            ])?,
            top: vm.offset(&[
                ("G1HeapRegion", "_top"),
                ("HeapRegion", "_top"),
                ("G1ContiguousSpace", "_top"),
            ])?,
            tag,
            pins: vm.field_offset("G1HeapRegion", "_pinned_object_count"),
            old_set: old_set(vm, heap),
            tags: Tags::load(vm)?,
        })
    }

    /// Reads with care everything that [`G1Regions::list`] reads plainly.
    pub(crate) fn confirm(&self) -> Result<(), Error> {
        let (base, length): (Address, u64) = (read_value(self.base)?, read_value(self.length)?);
        if let Some(old_set) = self.old_set {
            read_value::<u32>(old_set)?;
        }
        for index in 0..plausible(length)? {
            let region: Address = read_value(base.plus(index * 8))?;
            if !region.is_null() {
                self.confirm_region(region)?;
            }
        }
        Ok(())
    }

    fn confirm_region(&self, region: Address) -> Result<(), Error> {
        read_value::<i32>(region.plus(self.tag))?;
        read_value::<u64>(region.plus(self.bottom))?;
        read_value::<u64>(region.plus(self.top))?;
        if let Some(pins) = self.pins {
            read_value::<u64>(region.plus(pins))?;
        }
        Ok(())
    }

    pub(crate) fn list(&self, spaces: &mut Vec<Space>) -> Result<(), Error> {
        self.each(|index, region| {
            // SAFETY: a region of the VM's own table; regions are made once and never given back.
            unsafe {
                spaces.push(Space {
                    kind: self.tags.kind(region.plus(self.tag).read()),
                    index,
                    bottom: region.plus(self.bottom).read(),
                    top: region.plus(self.top).read(),
                });
            }
        })
    }

    /// Which evacuations may fail now?
    pub(crate) fn evacuation_failure(
        &self,
        seen: &mut SeenRegions,
    ) -> Result<EvacuationFailure, Error> {
        let pinned = match &seen.pinned {
            Some(pinned) => pinned,
            None => seen.pinned.insert(self.pinned()?),
        };
        let has_free = self.is_free(seen.free)? || self.find_free(&mut seen.free)?;
        Ok(match (has_free, pinned.is_empty()) {
            (true, true) => EvacuationFailure::Impossible,
            (true, false) => EvacuationFailure::InPinned(pinned.clone()),
            (false, _) => EvacuationFailure::Anywhere {
                of_old: self.old_ones_left_their_set()?,
            },
        })
    }

    /// Where the pinned regions start, ascending.
    fn pinned(&self) -> Result<Vec<Address>, Error> {
        let mut pinned = Vec::new();
        let Some(pins) = self.pins else {
            return Ok(pinned);
        };
        self.each(|_, region| {
            // SAFETY: as for `list`.
            unsafe {
                if region.plus(pins).read::<u64>() != 0 {
                    pinned.push(region.plus(self.bottom).read());
                }
            }
        })?;
        pinned.sort_unstable();
        Ok(pinned)
    }

    /// Is the region with this index there, and free?
    fn is_free(&self, index: usize) -> Result<bool, Error> {
        // SAFETY: both were read by `confirm`.
        let (base, length): (Address, u64) = unsafe { (self.base.read(), self.length.read()) };
        if index >= plausible(length)? {
            return Ok(false);
        }
        // SAFETY: the VM made the table for `length` entries, once.
        let region: Address = unsafe { base.plus(index * 8).read() };
        // SAFETY: as for `list`.
        Ok(!region.is_null() && unsafe { self.kind(region) } == SpaceKind::Free)
    }

    fn find_free(&self, free: &mut usize) -> Result<bool, Error> {
        let mut found = false;
        self.each(|index, region| {
            // SAFETY: as for `list`.
            if !found && unsafe { self.kind(region) } == SpaceKind::Free {
                (found, *free) = (true, index as usize);
            }
        })?;
        Ok(found)
    }

    fn old_ones_left_their_set(&self) -> Result<bool, Error> {
        let Some(old_set) = self.old_set else {
            return Ok(true);
        };
        let mut old = 0;
        self.each(|_, region| {
            // SAFETY: as for `list`.
            old += u32::from(unsafe { self.kind(region) } == SpaceKind::Old);
        })?;
        // SAFETY: `confirm` read it; the set is part of the heap object.
        let in_set: u32 = unsafe { old_set.read() };
        Ok(in_set != old)
    }

    /// # Safety
    /// It is a region of the VM's table.
    unsafe fn kind(&self, region: Address) -> SpaceKind {
        // SAFETY: passed on; regions are made once and never given back.
        self.tags.kind(unsafe { region.plus(self.tag).read() })
    }

    /// Visits every region with its index.
    fn each(&self, mut visit: impl FnMut(u32, Address)) -> Result<(), Error> {
        // SAFETY: both were read by `confirm`.
        let (base, length): (Address, u64) = unsafe { (self.base.read(), self.length.read()) };
        for (index, place) in (0..).zip(0..plausible(length)?) {
            // SAFETY: the VM made the table for `length` entries, once.
            let region: Address = unsafe { base.plus(place * 8).read() };
            if !region.is_null() {
                visit(index, region);
            }
        }
        Ok(())
    }
}

fn old_set(vm: &VmStructs, heap: Address) -> Option<Address> {
    let set = vm.field_offset("G1CollectedHeap", "_old_set")?;
    let length = vm.offset(&[
        ("G1HeapRegionSetBase", "_length"),
        ("HeapRegionSetBase", "_length"),
    ]);
    Some(heap.plus(set).plus(length.ok()?))
}

fn plausible(length: u64) -> Result<usize, Error> {
    let implausible = Error::Implausible {
        what: "the number of G1 regions",
        value: length,
    };
    usize::try_from(length)
        .ok()
        .filter(|_| length <= MOST_REGIONS)
        .ok_or(implausible)
}

impl Tags {
    fn load(vm: &VmStructs) -> Result<Self, Error> {
        let constant = |new: &'static str, old: &'static str| {
            vm.constant(new)
                .or_else(|| vm.constant(old))
                .ok_or(Error::MissingConstant { name: new })
        };
        Ok(Self {
            free: constant("G1HeapRegionType::FreeTag", "HeapRegionType::FreeTag")?,
            eden: constant("G1HeapRegionType::EdenTag", "HeapRegionType::EdenTag")?,
            survivor: constant("G1HeapRegionType::SurvTag", "HeapRegionType::SurvTag")?,
            humongous_start: constant(
                "G1HeapRegionType::StartsHumongousTag",
                "HeapRegionType::StartsHumongousTag",
            )?,
            humongous_continues: constant(
                "G1HeapRegionType::ContinuesHumongousTag",
                "HeapRegionType::ContinuesHumongousTag",
            )?,
            old_mask: constant("G1HeapRegionType::OldMask", "HeapRegionType::OldMask")?,
            // From JDK 19 on there are no archive regions.
            archive_mask: vm.constant("HeapRegionType::ArchiveMask").unwrap_or(0),
        })
    }

    fn kind(&self, tag: i32) -> SpaceKind {
        let value = i64::from(tag);
        if value == self.free {
            SpaceKind::Free
        } else if value == self.eden {
            SpaceKind::Eden
        } else if value == self.survivor {
            SpaceKind::Survivor
        } else if value == self.humongous_start {
            SpaceKind::HumongousStart
        } else if value == self.humongous_continues {
            SpaceKind::HumongousContinues
        } else if value & self.archive_mask != 0 {
            SpaceKind::Archive
        } else if value & self.old_mask != 0 {
            SpaceKind::Old
        } else {
            SpaceKind::Unknown(tag)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EvacuationFailure, G1Regions, SeenRegions, Tags};
    use crate::address::Address;
    use crate::heap_spaces::SpaceKind;

    const FREE: u64 = 0;
    const EDEN: u64 = 2;
    const OLD: u64 = 8;

    const TAGS_25: Tags = Tags {
        free: 0,
        eden: 2,
        survivor: 3,
        humongous_start: 4,
        humongous_continues: 5,
        old_mask: 8,
        archive_mask: 0,
    };

    /// A table of regions in memory of our own, from tags and pins; region `n` starts at 0x1000 * `n`.
    fn table(regions: &[(u64, u64)], in_old_set: u64) -> G1Regions {
        let regions = (0_u64..).zip(regions);
        let regions: Vec<[u64; 4]> = regions
            .map(|(number, &(tag, pins))| [number * 0x1000, number * 0x1000 + 0x800, tag, pins])
            .collect();
        let regions: &[[u64; 4]] = regions.leak();
        let place = |region: &[u64; 4]| region.as_ptr() as u64;
        let pointers: &[u64] = regions.iter().map(place).collect::<Vec<_>>().leak();
        let cells = vec![pointers.as_ptr() as u64, pointers.len() as u64, in_old_set];
        let cells: &[u64] = cells.leak();
        let cell = |number: usize| Address(cells.as_ptr() as usize + number * 8);
        G1Regions {
            base: cell(0),
            length: cell(1),
            bottom: 0,
            top: 8,
            tag: 16,
            pins: Some(24),
            old_set: Some(cell(2)),
            tags: TAGS_25,
        }
    }

    #[test]
    fn evacuations_fail_in_pinned_regions_or_where_none_is_free() {
        let failure = |regions: &[(u64, u64)], in_old_set, seen: &mut SeenRegions| {
            table(regions, in_old_set).evacuation_failure(seen).unwrap()
        };
        let mut seen = SeenRegions::default();
        let free = [(EDEN, 0), (OLD, 0), (FREE, 0)];
        assert_eq!(failure(&free, 1, &mut seen), EvacuationFailure::Impossible);
        // Another one is free now.
        let other = [(FREE, 0), (OLD, 0), (OLD, 0)];
        assert_eq!(failure(&other, 1, &mut seen), EvacuationFailure::Impossible);
        let full = [(EDEN, 0), (OLD, 0), (OLD, 0)];
        for (in_old_set, of_old) in [(2, false), (1, true)] {
            let expected = EvacuationFailure::Anywhere { of_old };
            assert_eq!(failure(&full, in_old_set, &mut seen), expected);
        }
        let mut seen = SeenRegions::default();
        let pinned = [(EDEN, 1), (FREE, 0), (OLD, 2)];
        let expected = EvacuationFailure::InPinned(vec![Address(0), Address(0x2000)]);
        assert_eq!(failure(&pinned, 1, &mut seen), expected);
    }

    #[test]
    fn tags_of_both_generations_of_the_vm() {
        let tags_17 = Tags {
            free: 0,
            eden: 2,
            survivor: 3,
            humongous_start: 12,
            humongous_continues: 13,
            old_mask: 16,
            archive_mask: 32,
        };
        let kinds: Vec<_> = [0, 2, 3, 12, 13, 16, 57, 64]
            .map(|tag| tags_17.kind(tag))
            .into();
        let expected = [
            SpaceKind::Free,
            SpaceKind::Eden,
            SpaceKind::Survivor,
            SpaceKind::HumongousStart,
            SpaceKind::HumongousContinues,
            SpaceKind::Old,
            SpaceKind::Archive,
            SpaceKind::Unknown(64),
        ];
        assert_eq!(kinds, expected);
        assert_eq!(TAGS_25.kind(8), SpaceKind::Old);
        assert_eq!(TAGS_25.kind(4), SpaceKind::HumongousStart);
    }
}
