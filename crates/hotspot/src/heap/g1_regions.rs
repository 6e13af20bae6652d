//! The regions of a G1 heap.
//!
//! `G1HeapRegionTable` (in the region manager, in the heap object) has `_base`, an array of `_length` pointers to regions. A pointer is
//! null if its region was never created. A region has `_bottom`, `_top` and `_type._tag`, whose values are constants in the VM's tables:
//!
//! | | free | eden | survivor | humongous start | continues | old | archive (open, closed) |
//! |---|---|---|---|---|---|---|---|
//! | JDK 11, 17 | 0 | 2 | 3 | 12 | 13 | 16 | 56+ (mask 32) |
//! | JDK 25 | 0 | 2 | 3 | 4 | 5 | 8 | none |

use crate::address::Address;
use crate::error::Error;
use crate::heap::space::{Space, SpaceKind};
use crate::process::careful_read::read_value;
use crate::vm::vm_structs::VmStructs;

/// Upper bound on the number of regions (32 TB of 1 MB regions).
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EvacuationFailure<'s> {
    /// None: there are free regions to copy to.
    Impossible,
    /// Only those of regions that native code has pinned (JDK 22 and later). Start addresses, ascending.
    InPinned(&'s [Address]),
    /// All: no region is free.
    Anywhere {
        /// Some old regions are to be evacuated as well.
        of_old: bool,
    },
}

/// State kept between the looks of one pause, because there may be thousands of regions.
#[derive(Debug, Default)]
pub(crate) struct SeenRegions {
    /// Regions are not pinned or unpinned while the world is stopped.
    pinned: Option<Vec<Address>>,
    /// Index of a region that was free.
    free: u32,
}

/// Location of the region table, and layout of a region.
#[derive(Debug, Clone)]
pub(crate) struct G1Regions {
    base: Address,
    length: Address,
    bottom: usize,
    top: usize,
    tag: usize,
    /// Offset of the number of objects that native code has pinned (JDK 22 and later).
    pins: Option<usize>,
    /// Location of the length of the old set. Regions chosen for evacuation leave the set but keep their tag.
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

    /// Reads safely, once, everything that [`G1Regions::list`] later reads directly.
    pub(crate) fn confirm(&self) -> Result<(), Error> {
        let (base, length): (Address, u64) = (read_value(self.base)?, read_value(self.length)?);
        if let Some(old_set) = self.old_set {
            read_value::<u32>(old_set)?;
        }
        for index in 0..plausible(length)? {
            let region: Address = read_value(base.plus(index as usize * 8))?;
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
        spaces.extend(self.regions()?.map(|(index, region)| Space {
            kind: region.kind(),
            index,
            bottom: region.bottom(),
            top: region.top(),
        }));
        Ok(())
    }

    /// Which evacuations may fail now.
    pub(crate) fn evacuation_failure<'s>(
        &self,
        seen: &'s mut SeenRegions,
    ) -> Result<EvacuationFailure<'s>, Error> {
        if seen.pinned.is_none() {
            seen.pinned = Some(self.pinned()?);
        }
        let pinned = seen.pinned.as_deref().unwrap_or_default();
        Ok(match (self.has_free(&mut seen.free)?, pinned) {
            (true, []) => EvacuationFailure::Impossible,
            (true, pinned) => EvacuationFailure::InPinned(pinned),
            (false, _) => EvacuationFailure::Anywhere {
                of_old: self.old_ones_left_their_set()?,
            },
        })
    }

    /// Start addresses of the pinned regions, ascending.
    fn pinned(&self) -> Result<Vec<Address>, Error> {
        let pinned = self.regions()?.filter(|(_, region)| region.is_pinned());
        let mut pinned: Vec<Address> = pinned.map(|(_, region)| region.bottom()).collect();
        pinned.sort_unstable();
        Ok(pinned)
    }

    /// Whether a region is free. `known` is a region that was free; it is checked first.
    fn has_free(&self, known: &mut u32) -> Result<bool, Error> {
        let is_free = |region: &Region<'_>| region.kind() == SpaceKind::Free;
        if self.region(*known)?.is_some_and(|region| is_free(&region)) {
            return Ok(true);
        }
        let found = self.regions()?.find(|(_, region)| is_free(region));
        *known = found.map_or(*known, |(index, _)| index);
        Ok(found.is_some())
    }

    fn old_ones_left_their_set(&self) -> Result<bool, Error> {
        let Some(old_set) = self.old_set else {
            return Ok(true);
        };
        let old = self
            .regions()?
            .filter(|(_, region)| region.kind() == SpaceKind::Old);
        // SAFETY: `confirm` has read it; the set is part of the heap object.
        let in_set: u32 = unsafe { old_set.read() };
        Ok(in_set as usize != old.count())
    }

    /// Every region that was created, with its index.
    fn regions(&self) -> Result<impl Iterator<Item = (u32, Region<'_>)>, Error> {
        let regions = (0..self.length()?).map(|index| (index, self.made(index)));
        Ok(regions.filter_map(|(index, region)| Some((index, region?))))
    }

    /// The region with this index, if it was created.
    fn region(&self, index: u32) -> Result<Option<Region<'_>>, Error> {
        let is_there = index < self.length()?;
        Ok(is_there.then(|| self.made(index)).flatten())
    }

    fn length(&self) -> Result<u32, Error> {
        // SAFETY: `confirm` has read this word; the region table lives as long as the VM.
        plausible(unsafe { self.length.read() })
    }

    /// The region with this index, which must be below the length, if it was created.
    fn made(&self, index: u32) -> Option<Region<'_>> {
        // SAFETY: `confirm` has read it; the VM allocates the table once, for `length` entries.
        let at = unsafe {
            let base: Address = self.base.read();
            base.plus(index as usize * 8).read::<Address>()
        };
        (!at.is_null()).then_some(Region { layout: self, at })
    }
}

/// A region in the VM's table. Regions are created once and never freed.
#[derive(Debug, Clone, Copy)]
struct Region<'a> {
    layout: &'a G1Regions,
    at: Address,
}

impl Region<'_> {
    fn kind(&self) -> SpaceKind {
        // SAFETY: `at` is a region of the VM, which is never freed, and the offset is that of its tag.
        self.layout
            .tags
            .kind(unsafe { self.at.plus(self.layout.tag).read() })
    }

    fn bottom(&self) -> Address {
        // SAFETY: `at` is a region of the VM, which is never freed, and the offset is that of its bottom.
        unsafe { self.at.plus(self.layout.bottom).read() }
    }

    fn top(&self) -> Address {
        // SAFETY: `at` is a region of the VM, which is never freed, and the offset is that of its top.
        unsafe { self.at.plus(self.layout.top).read() }
    }

    fn is_pinned(&self) -> bool {
        self.layout
            .pins
            // SAFETY: `at` is a region of the VM, which is never freed, and the offset is that of its pin count.
            .is_some_and(|pins| unsafe { self.at.plus(pins).read::<u64>() } != 0)
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

fn plausible(length: u64) -> Result<u32, Error> {
    let implausible = Error::Implausible {
        what: "the number of G1 regions",
        value: length,
    };
    u32::try_from(length)
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
            // There are no archive regions from JDK 19 on.
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
            SpaceKind::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EvacuationFailure, G1Regions, SeenRegions, Tags};
    use crate::address::Address;
    use crate::heap::space::SpaceKind;

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

    /// A region table in our own memory, from tags and pins. Region `n` starts at 0x1000 * `n`.
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
        let assert_fails =
            |regions: &[(u64, u64)], in_old_set, seen: &mut SeenRegions, expected| {
                let found = table(regions, in_old_set).evacuation_failure(seen);
                assert_eq!(found, Ok(expected));
            };
        let mut seen = SeenRegions::default();
        let free = [(EDEN, 0), (OLD, 0), (FREE, 0)];
        assert_fails(&free, 1, &mut seen, EvacuationFailure::Impossible);
        // A different region is free now.
        let other = [(FREE, 0), (OLD, 0), (OLD, 0)];
        assert_fails(&other, 1, &mut seen, EvacuationFailure::Impossible);
        let full = [(EDEN, 0), (OLD, 0), (OLD, 0)];
        for (in_old_set, of_old) in [(2, false), (1, true)] {
            let expected = EvacuationFailure::Anywhere { of_old };
            assert_fails(&full, in_old_set, &mut seen, expected);
        }
        let mut seen = SeenRegions::default();
        let pinned = [(EDEN, 1), (FREE, 0), (OLD, 2)];
        let expected = EvacuationFailure::InPinned(&[Address(0), Address(0x2000)]);
        assert_fails(&pinned, 1, &mut seen, expected);
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
            SpaceKind::Other,
        ];
        assert_eq!(kinds, expected);
        assert_eq!(TAGS_25.kind(8), SpaceKind::Old);
        assert_eq!(TAGS_25.kind(4), SpaceKind::HumongousStart);
    }
}
