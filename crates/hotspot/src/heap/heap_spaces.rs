//! Finds the parts of the heap that hold objects: spaces of Serial and Parallel, regions of G1.
//!
//! They are reached from `Universe::_collectedHeap` through the VM's tables (`src/hotspot/share/gc/{serial,parallel,g1}`). Names changed
//! between releases; the first known one is used:
//!
//! ```text
//! Serial    SerialHeap (GenCollectedHeap) _young_gen -> DefNewGeneration _eden_space, _from_space, _to_space -> ContiguousSpace
//!                                         _old_gen   -> TenuredGeneration _the_space                         -> ContiguousSpace
//! Parallel  ParallelScavengeHeap::_young_gen -> PSYoungGen _eden_space, _from_space, _to_space -> MutableSpace
//!                                ::_old_gen   -> PSOldGen _object_space                        -> MutableSpace
//! G1        G1CollectedHeap _hrm (in it) _regions (in it): _base -> array of _length pointers -> region
//! ```
//!
//! Every space and region has `_bottom` and `_top`; its objects lie between them without gaps. These values are valid only while the world
//! is stopped. [`HeapSpaces::load`] reads all of them safely once; none of them ever moves, so later reads are direct. Eden can be walked
//! only after the VM has retired the TLABs (not at `GarbageCollectionStart`).

use crate::address::Address;
use crate::error::Error;
use crate::heap::address_range::AddressRange;
use crate::heap::g1_regions::{EvacuationFailure, G1Regions, SeenRegions};
use crate::heap::space::{Space, SpaceKind};
use crate::process::careful_read::read_value;
use crate::vm::collector::Collector;
use crate::vm::vm_structs::VmStructs;

/// Offsets of the two generations of Serial or Parallel.
#[derive(Debug, Clone, Copy)]
struct Generations {
    /// Address of the pointer to the young generation.
    young: Address,
    /// Address of the pointer to the old generation.
    old: Address,
    eden: usize,
    from: usize,
    to: usize,
    old_space: usize,
    bottom: usize,
    top: usize,
}

/// How the spaces of this heap are found.
#[derive(Debug, Clone)]
enum Shape {
    Generations(Generations),
    Regions(G1Regions),
}

/// The heap of the running VM. Load it in or after `VMInit`.
#[derive(Debug, Clone)]
pub struct HeapSpaces {
    shape: Shape,
    reserved_start: Address,
    reserved_bytes: usize,
    total_collections: Address,
    collecting: Address,
}

impl HeapSpaces {
    /// Finds the heap. Returns [`Error::UnsupportedCollector`] for collectors other than Serial, Parallel and G1.
    pub fn load(vm: &VmStructs, collector: Collector) -> Result<Self, Error> {
        let heap: Address = vm
            .libjvm()
            .read(vm.address(&[("Universe", "_collectedHeap")])?)?;
        let shape = match collector {
            Collector::Serial => Shape::Generations(serial(vm, heap)?),
            Collector::Parallel => Shape::Generations(parallel(vm)?),
            Collector::G1 => Shape::Regions(G1Regions::load(vm, heap)?),
            _ => return Err(Error::UnsupportedCollector),
        };
        let reserved = heap.plus(vm.offset(&[("CollectedHeap", "_reserved")])?);
        let words: u64 = read_value(reserved.plus(vm.offset(&[("MemRegion", "_word_size")])?))?;
        let implausible = Error::Implausible {
            what: "the size of the heap",
            value: words,
        };
        let bytes = usize::try_from(words)
            .ok()
            .and_then(|words| words.checked_mul(8))
            .ok_or(implausible)?;
        let spaces = Self {
            shape,
            reserved_start: read_value(reserved.plus(vm.offset(&[("MemRegion", "_start")])?))?,
            reserved_bytes: bytes,
            total_collections: heap.plus(vm.offset(&[("CollectedHeap", "_total_collections")])?),
            collecting: heap.plus(vm.offset(&[
                ("CollectedHeap", "_is_stw_gc_active"),
                ("CollectedHeap", "_is_gc_active"),
            ])?),
        };
        spaces.confirm()?;
        Ok(spaces)
    }

    /// Reads safely, once, everything that is read directly from now on.
    fn confirm(&self) -> Result<(), Error> {
        read_value::<u64>(self.total_collections)?;
        read_value::<u8>(self.collecting)?;
        match &self.shape {
            Shape::Generations(generations) => generations.confirm(),
            Shape::Regions(regions) => regions.confirm(),
        }
    }

    /// Lists every space or region, including free G1 regions, into `spaces` (cleared first). Call while the world is stopped.
    pub fn list(&self, spaces: &mut Vec<Space>) -> Result<(), Error> {
        spaces.clear();
        match &self.shape {
            Shape::Generations(generations) => generations.list(spaces),
            Shape::Regions(regions) => regions.list(spaces),
        }
    }

    /// Bytes by which the old space of Serial or Parallel can still fill, grown to its maximum; `None` for G1. The generations are
    /// adjacent, in either order.
    pub(crate) fn old_room(&self, spaces: &[Space]) -> Option<usize> {
        let Shape::Generations(_) = &self.shape else {
            return None;
        };
        let old = spaces.iter().find(|space| space.kind == SpaceKind::Old)?;
        let young = spaces.iter().filter(|space| space.kind.is_young());
        let above = young
            .map(|space| space.bottom)
            .filter(|&young| young > old.bottom);
        let heap_end = self.reserved_start.plus(self.reserved_bytes);
        Some(above.min().unwrap_or(heap_end).above(old.top))
    }

    /// Which evacuations of G1 may fail now.
    pub(crate) fn evacuation_failure<'s>(
        &self,
        seen: &'s mut SeenRegions,
    ) -> Result<EvacuationFailure<'s>, Error> {
        match &self.shape {
            Shape::Generations(_) => Ok(EvacuationFailure::Impossible),
            Shape::Regions(regions) => regions.evacuation_failure(seen),
        }
    }

    /// Whether the address is inside the reserved heap.
    #[must_use]
    pub fn contains(&self, address: Address) -> bool {
        address >= self.reserved_start && address.above(self.reserved_start) < self.reserved_bytes
    }

    /// First address and length in bytes of the reserved heap.
    #[must_use]
    pub fn reserved(&self) -> (Address, usize) {
        (self.reserved_start, self.reserved_bytes)
    }

    /// The same as a range.
    pub(crate) fn reserved_range(&self) -> AddressRange {
        AddressRange {
            start: self.reserved_start,
            end: self.reserved_start.plus(self.reserved_bytes),
        }
    }

    /// Whether a collection is running, with the world stopped.
    #[must_use]
    pub fn is_collecting(&self) -> bool {
        // SAFETY: `load` has confirmed this address.
        let active: u8 = unsafe { self.collecting.read() };
        active != 0
    }

    /// The number of collections so far (`CollectedHeap::_total_collections`).
    pub fn total_collections(&self) -> Result<u32, Error> {
        // SAFETY: `load` has confirmed this address.
        Ok(unsafe { self.total_collections.read() })
    }

    /// The number of full collections so far: `CollectedHeap::_total_full_collections`. The tables do not list it; in all releases it
    /// directly follows `_total_collections`.
    pub fn full_collections(&self) -> Result<u32, Error> {
        // SAFETY: `load` has confirmed this address.
        Ok(unsafe { self.total_collections.plus(4).read() })
    }
}

impl Generations {
    fn confirm(&self) -> Result<(), Error> {
        let young: Address = read_value(self.young)?;
        let old: Address = read_value(self.old)?;
        for (_, pointer) in self.pointers(young, old) {
            let space: Address = read_value(pointer)?;
            read_value::<u64>(space.plus(self.bottom))?;
            read_value::<u64>(space.plus(self.top))?;
        }
        Ok(())
    }

    fn list(&self, spaces: &mut Vec<Space>) -> Result<(), Error> {
        // SAFETY: `confirm` has read all of this; generations and spaces are created once.
        unsafe {
            let parts = self.pointers(self.young.read(), self.old.read());
            for (index, (kind, pointer)) in (0..).zip(parts) {
                let space: Address = pointer.read();
                spaces.push(Space {
                    kind,
                    index,
                    bottom: space.plus(self.bottom).read(),
                    top: space.plus(self.top).read(),
                });
            }
        }
        Ok(())
    }

    /// The locations of the pointers to the spaces.
    fn pointers(&self, young: Address, old: Address) -> [(SpaceKind, Address); 4] {
        [
            (SpaceKind::Old, old.plus(self.old_space)),
            (SpaceKind::Eden, young.plus(self.eden)),
            (SpaceKind::Survivor, young.plus(self.from)),
            (SpaceKind::To, young.plus(self.to)),
        ]
    }
}

fn serial(vm: &VmStructs, heap: Address) -> Result<Generations, Error> {
    Ok(Generations {
        young: heap.plus(vm.offset(&[
            ("SerialHeap", "_young_gen"),
            ("GenCollectedHeap", "_young_gen"),
        ])?),
        old: heap.plus(vm.offset(&[("SerialHeap", "_old_gen"), ("GenCollectedHeap", "_old_gen")])?),
        eden: vm.offset(&[("DefNewGeneration", "_eden_space")])?,
        from: vm.offset(&[("DefNewGeneration", "_from_space")])?,
        to: vm.offset(&[("DefNewGeneration", "_to_space")])?,
        old_space: vm.offset(&[("TenuredGeneration", "_the_space")])?,
        bottom: vm.offset(&[("ContiguousSpace", "_bottom"), ("Space", "_bottom")])?,
        top: vm.offset(&[("ContiguousSpace", "_top")])?,
    })
}

fn parallel(vm: &VmStructs) -> Result<Generations, Error> {
    Ok(Generations {
        young: vm.address(&[("ParallelScavengeHeap", "_young_gen")])?,
        old: vm.address(&[("ParallelScavengeHeap", "_old_gen")])?,
        eden: vm.offset(&[("PSYoungGen", "_eden_space")])?,
        from: vm.offset(&[("PSYoungGen", "_from_space")])?,
        to: vm.offset(&[("PSYoungGen", "_to_space")])?,
        old_space: vm.offset(&[("PSOldGen", "_object_space")])?,
        bottom: vm.offset(&[("MutableSpace", "_bottom"), ("ImmutableSpace", "_bottom")])?,
        top: vm.offset(&[("MutableSpace", "_top")])?,
    })
}
