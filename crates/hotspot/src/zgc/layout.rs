//! Where ZGC's structures are, from the VM's tables, for the releases that this was proven on.
//!
//! What the tables do not give is known by its neighbours and proven by what is read: the generations
//! ([`super::generations`]) by their pointers, the live map of a page by its count of marked objects.

use super::generations::{self, GenerationPlace};
use crate::address::Address;
use crate::error::Error;
use crate::process::careful_read::read_value;
use crate::vm::jvm_flags::JvmFlags;
use crate::vm::vm_structs::VmStructs;
use crate::vm::zgc_tables::{self, Form, Tables};

/// Everything that readers need to know.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) form: Form,
    pub(crate) generations: Vec<GenerationPlace>,
    /// The word that says whether a young collection is part of a major one; generational only.
    pub(crate) active_type: Option<Address>,
    pub(crate) pages: PageMap,
    pub(crate) page: PageFields,
    pub(crate) forwarding: ForwardingFields,
    /// Bits of an address that are the offset in the heap.
    pub(crate) offset_mask: u64,
    /// What is added to an offset to read memory.
    pub(crate) base: u64,
}

/// The table of pages: a pointer for each granule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageMap {
    pub(crate) map: Address,
    pub(crate) slots: usize,
    pub(crate) granule_shift: u32,
}

/// Offsets in a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageFields {
    pub(crate) bytes: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) end_is_size: bool,
    pub(crate) top: usize,
    pub(crate) seqnum: usize,
    pub(crate) live_map: usize,
    /// What the page is for, one byte.
    pub(crate) kind: usize,
    /// That byte of pages of one large object.
    pub(crate) large: u8,
    /// Generational only.
    pub(crate) age: Option<usize>,
}

/// Offsets in a forwarding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ForwardingFields {
    pub(crate) bytes: usize,
    pub(crate) start: usize,
    pub(crate) shift: usize,
    pub(crate) ref_count: usize,
    pub(crate) length: usize,
    /// The ages before and after; generational only.
    pub(crate) ages: Option<(usize, usize)>,
}

impl Layout {
    /// Finds everything. Call in or after `VMInit`.
    pub(crate) fn load(vm: &VmStructs, flags: &JvmFlags) -> Result<Self, Error> {
        let (form, prefix) = zgc_tables::form(vm, flags)?;
        let tables = Tables { vm, prefix };
        let heap: Address = read_value(vm.address(&[("Universe", "_collectedHeap")])?)?;
        let heap = heap.plus(tables.offset(("@CollectedHeap", "_heap"))?);
        let pages = page_map(&tables, heap)?;
        let offset_mask: u64 = read_value(tables.global("_@AddressOffsetMask")?)?;
        if offset_mask == 0 || !(offset_mask + 1).is_power_of_two() {
            return Err(Error::Implausible {
                what: "ZGC's mask of offsets",
                value: offset_mask,
            });
        }
        let (generations, active_type) = match form {
            Form::Single => (vec![single(&tables, heap, pages.slots)?], None),
            Form::Generational => {
                let place = generations::HeapParts {
                    heap,
                    bytes: tables.size("@Heap")?,
                    page_allocator: heap.plus(tables.offset(("@Heap", "_page_allocator"))?),
                    page_table: heap.plus(tables.offset(("@Heap", "_page_table"))?),
                    page_map: pages.map,
                };
                let (found, active) = generations::find(&place)?;
                (found.to_vec(), Some(active))
            }
        };
        Ok(Self {
            form,
            generations,
            active_type,
            pages,
            page: page_fields(&tables, form)?,
            forwarding: forwarding_fields(&tables, form)?,
            offset_mask,
            base: offset_mask + 1,
        })
    }

    /// The address that the program uses, without colours.
    pub(crate) fn address(&self, offset: u64) -> usize {
        let base = match self.form {
            // Addresses are offsets: the views of the heap differ in their colours.
            Form::Single => 0,
            Form::Generational => self.base,
        };
        (base | offset & self.offset_mask) as usize
    }

    /// Where the memory of an offset can be read.
    pub(crate) fn memory(&self, offset: u64) -> Address {
        // The bit above the offset is the base of the heap, or the first of its views, all of which are mapped.
        Address((self.base | offset & self.offset_mask) as usize)
    }
}

fn page_map(tables: &Tables<'_>, heap: Address) -> Result<PageMap, Error> {
    let table = heap
        .plus(tables.offset(("@Heap", "_page_table"))?)
        .plus(tables.offset(("@PageTable", "_map"))?);
    let pointer = tables.offset(("@GranuleMapForPageTable", "_map"))?;
    let missing = Error::MissingConstant {
        name: "ZGranuleSizeShift",
    };
    let shift = tables.vm.constant(&tables.name("@GranuleSizeShift"));
    let granule_shift = shift
        .and_then(|shift| u32::try_from(shift).ok())
        .filter(|shift| (12..40).contains(shift))
        .ok_or(missing)?;
    let slots: u64 = read_value(table.plus(pointer - 8))?;
    let capacity: u64 = read_value(
        heap.plus(tables.offset(("@Heap", "_page_allocator"))?)
            .plus(tables.offset(("@PageAllocator", "_max_capacity"))?),
    )?;
    // The VM reserves 16 times its capacity of offsets, from 0 on.
    let used = capacity.saturating_mul(16).checked_next_power_of_two();
    let used = used.map_or(u64::MAX, |bytes| bytes >> granule_shift);
    let implausible = Error::Implausible {
        what: "the size of ZGC's table of pages",
        value: slots,
    };
    Ok(PageMap {
        map: read_value(table.plus(pointer))?,
        slots: usize::try_from(slots.min(used))
            .ok()
            .filter(|slots| (1..1 << 28).contains(slots))
            .ok_or(implausible)?,
        granule_shift,
    })
}

/// `most`: slots of the table of pages that the VM can use. The map has
/// room for millions, and to look through all of them takes milliseconds.
fn single(tables: &Tables<'_>, heap: Address, most: usize) -> Result<GenerationPlace, Error> {
    let table = heap
        .plus(tables.offset(("@Heap", "_forwarding_table"))?)
        .plus(tables.offset(("@ForwardingTable", "_map"))?);
    let pointer = tables.offset(("@GranuleMapForForwarding", "_map"))?;
    let bytes = tables.size("@Heap")?;
    Ok(GenerationPlace {
        phase: tables.global("_@GlobalPhase")?,
        seqnum: tables.global("_@GlobalSeqNum")?,
        map: read_value(table.plus(pointer))?,
        slots: (read_value::<u64>(table.plus(pointer - 8))? as usize).min(most),
        relocation_set: None,
        search: (heap, bytes),
    })
}

fn page_fields(tables: &Tables<'_>, form: Form) -> Result<PageFields, Error> {
    let memory = tables.offset(("@Page", "_virtual"))?;
    let end_is_size = !tables.has(("@VirtualMemory", "_end"));
    let end = match end_is_size {
        true => "_size",
        false => "_end",
    };
    let top = tables.offset(("@Page", "_top"))?;
    // JDK 25 has the size and the shift of a segment before it.
    let is_shifted = tables
        .vm
        .static_address("Abstract_VM_Version", "_vm_major_version")
        .and_then(|place| read_value::<i32>(place).ok())
        .is_some_and(|version| version >= 25);
    let live_map = top + 8 + if is_shifted { 8 } else { 0 };
    Ok(PageFields {
        bytes: tables.size("@Page")?.clamp(live_map + 48, 1 << 10),
        start: memory + tables.offset(("@VirtualMemory", "_start"))?,
        end: memory + tables.offset(("@VirtualMemory", end))?,
        end_is_size,
        top,
        seqnum: tables.offset(("@Page", "_seqnum"))?,
        live_map,
        kind: tables.offset(("@Page", "_type"))?,
        large: large(tables),
        age: (form == Form::Generational).then_some(2),
    })
}

/// The kind of pages of large objects: the third one.
fn large(tables: &Tables<'_>) -> u8 {
    let names = ["@PageType::large", "@PageTypeLarge"];
    let values = names.map(|name| tables.vm.constant(&tables.name(name)));
    let value = values.into_iter().flatten().next();
    value
        .and_then(|value| u8::try_from(value).ok())
        .unwrap_or(2)
}

fn forwarding_fields(tables: &Tables<'_>, form: Form) -> Result<ForwardingFields, Error> {
    let memory = tables.offset(("@Forwarding", "_virtual"))?;
    let entries = tables.offset(("@Forwarding", "_entries"))?;
    Ok(ForwardingFields {
        bytes: tables.size("@Forwarding")?,
        start: memory + tables.offset(("@VirtualMemory", "_start"))?,
        shift: tables.offset(("@Forwarding", "_object_alignment_shift"))?,
        ref_count: tables.offset(("@Forwarding", "_ref_count"))?,
        length: entries + tables.offset(("@AttachedArrayForForwarding", "_length"))?,
        ages: (form == Form::Generational).then_some((entries + 16, entries + 17)),
    })
}
