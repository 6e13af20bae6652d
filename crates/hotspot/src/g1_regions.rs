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

/// Where the table of regions is and how a region is laid out.
#[derive(Debug, Clone)]
pub(crate) struct G1Regions {
    base: Address,
    length: Address,
    bottom: usize,
    top: usize,
    tag: usize,
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
            tags: Tags::load(vm)?,
        })
    }

    pub(crate) fn list(&self, spaces: &mut Vec<Space>) -> Result<(), Error> {
        let base: Address = read_value(self.base)?;
        let length: u64 = read_value(self.length)?;
        if length > MOST_REGIONS {
            return Err(Error::Implausible {
                what: "the number of G1 regions",
                value: length,
            });
        }
        let mut pointer = base;
        for index in (0_u32..).take(usize::try_from(length).unwrap_or(0)) {
            let region: Address = read_value(pointer)?;
            pointer = pointer.plus(8);
            if region.is_null() {
                continue;
            }
            spaces.push(Space {
                kind: self.tags.kind(read_value(region.plus(self.tag))?),
                index,
                bottom: read_value(region.plus(self.bottom))?,
                top: read_value(region.plus(self.top))?,
            });
        }
        Ok(())
    }
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
    use super::Tags;
    use crate::heap_spaces::SpaceKind;

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
        let tags_25 = Tags {
            humongous_start: 4,
            humongous_continues: 5,
            old_mask: 8,
            archive_mask: 0,
            ..tags_17
        };
        assert_eq!(tags_25.kind(8), SpaceKind::Old);
        assert_eq!(tags_25.kind(4), SpaceKind::HumongousStart);
    }
}
