//! Reads why the VM collected, in the VM's own words.
//!
//! The VM publishes the cause of a collection among its performance counters (`src/hotspot/share/runtime/perfMemory.hpp`): memory at
//! `PerfMemory::_start` that begins with a prologue of 32 bytes, followed by entries.
//!
//! | prologue | | entry | |
//! |---|---|---|---|
//! | 0 | magic CA FE C0 C0 | 0 | i32 length of the entry |
//! | 24 | i32 offset of the first entry | 4 | i32 offset of the name |
//! | 28 | i32 number of entries | 8 | i32 length of the vector (0: a scalar) |
//! | | | 16 | i32 offset of the data |
//!
//! `sun.gc.cause` holds the cause while the VM's record of it is open, and "No GC" otherwise; `sun.gc.lastCause` holds the previous one.
//! Serial and Parallel close the record before `GarbageCollectionFinish`, G1 after it. With `-XX:-UsePerfData` there are no counters.

use crate::address::Address;
use crate::process::careful_read::{read_bytes, read_c_string, read_value};
use crate::vm::vm_structs::VmStructs;

/// The first bytes of the prologue.
const MAGIC: [u8; 4] = [0xCA, 0xFE, 0xC0, 0xC0];
/// Upper bound on the number of entries.
const MOST_ENTRIES: i32 = 100_000;
/// Upper bound on the bytes read of a cause.
const LONGEST_CAUSE: usize = 256;
/// The value of the counter between collections.
const NONE: &str = "No GC";

/// Addresses of the two texts; `None` if the VM keeps no counters.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CollectionCause {
    current: Option<Address>,
    last: Option<Address>,
}

impl CollectionCause {
    /// Finds the counters. Call in or after `VMInit`.
    pub(crate) fn load(vm: &VmStructs) -> Self {
        find(vm).unwrap_or_default()
    }

    /// The cause of the collection that is ending; empty if the VM gives none.
    pub(crate) fn text(&self) -> String {
        let read_cause = |place: Option<Address>| {
            let text = read_c_string(place?, LONGEST_CAUSE)?;
            Some(String::from_utf8_lossy(&text).into_owned()).filter(|text| text != NONE)
        };
        read_cause(self.current)
            .or_else(|| read_cause(self.last))
            .unwrap_or_default()
    }
}

fn find(vm: &VmStructs) -> Option<CollectionCause> {
    let start: Address = read_value(vm.static_address("PerfMemory", "_start")?).ok()?;
    let mut magic = [0; 4];
    read_bytes(start, &mut magic).ok()?;
    if magic != MAGIC {
        return None;
    }
    let number = |place: Address| read_value::<i32>(place).ok();
    let mut entry = start.plus(usize::try_from(number(start.plus(24))?).ok()?);
    let mut found = CollectionCause::default();
    for _ in 0..number(start.plus(28))?.min(MOST_ENTRIES) {
        let part = |at: usize| usize::try_from(number(entry.plus(at))?).ok();
        let data = entry.plus(part(16)?);
        match read_c_string(entry.plus(part(4)?), LONGEST_CAUSE)?.as_slice() {
            b"sun.gc.cause" => found.current = Some(data),
            b"sun.gc.lastCause" => found.last = Some(data),
            _ => {}
        }
        entry = entry.plus(part(0).filter(|&length| length > 0)?);
    }
    Some(found)
}
