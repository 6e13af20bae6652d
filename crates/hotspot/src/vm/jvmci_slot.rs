//! Locates `JavaThread::_jvmci_reserved0`: eight bytes in every thread that are unused unless a JVMCI compiler runs.
//!
//! HotSpot with JVMCI compiled in (every usual build on Linux) reserves two words per thread for the Graal compiler
//! (`src/hotspot/share/runtime/javaThread.hpp`). Their offset is in JVMCI's own struct table (`JVMCIVMStructs::localHotSpotVMStructs` in
//! `jvmci/vmStructs_jvmci.cpp`), which has the entry format of `gHotSpotVMStructs` but is not exported. So the entry is found by content:
//! the data segments of libjvm are searched for an entry whose first word points to the text `JavaThread` and whose second word points to
//! `_jvmci_reserved0`:
//!
//! ```text
//! +0x00 -> "JavaThread"   +0x08 -> "_jvmci_reserved0"   +0x10 -> "intptr_t"
//! +0x18 0 (not static)    +0x20 the offset              +0x28 0
//! ```
//!
//! The whole entry is checked, and several different entries are a refusal. The word starts as zero in every thread, and the VM never
//! writes it by itself. With a JVMCI compiler it belongs to that compiler, which is also a refusal.

use std::ffi::CStr;

use crate::address::Address;
use crate::error::Error;
use crate::process::careful_read::read_bytes;
use crate::vm::jvm_flags::JvmFlags;
use crate::vm::libjvm::Segment;
use crate::vm::vm_structs::VmStructs;

/// Why the slot cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JvmciSlotRefusal {
    /// A JVMCI compiler may use the slot.
    #[error("the flag {flag} is on")]
    JvmciInUse {
        /// The flag that is set.
        flag: &'static str,
    },
    /// There is no such table: the VM was built without JVMCI.
    #[error("libjvm has no JVMCI table with the reserved slot")]
    NotFound,
    /// Matching entries disagree.
    #[error("libjvm has entries for the reserved slot at offset {first} and at {second}")]
    Ambiguous {
        /// One offset.
        first: u64,
        /// Another.
        second: u64,
    },
    /// An entry was found, but its offset cannot be right.
    #[error(
        "the entry of the reserved slot says offset {offset} in a thread of {thread_size} bytes"
    )]
    Implausible {
        /// The offset.
        offset: u64,
        /// Size of a thread.
        thread_size: usize,
    },
    /// The VM's memory or tables could not be read.
    #[error(transparent)]
    Unreadable(#[from] Error),
}

/// Flags that turn on a JVMCI compiler or JVMCI itself.
const JVMCI_FLAGS: [&str; 3] = ["EnableJVMCI", "UseJVMCICompiler", "UseJVMCINativeLibrary"];

/// The offset of the reserved word in a native thread, in bytes from `eetop`.
pub fn jvmci_reserved_slot(vm: &VmStructs, flags: &JvmFlags) -> Result<usize, JvmciSlotRefusal> {
    if let Some(flag) = JVMCI_FLAGS.into_iter().find(|flag| flags.is_on(flag)) {
        return Err(JvmciSlotRefusal::JvmciInUse { flag });
    }
    let thread_size = vm.type_size("JavaThread").ok_or(Error::MissingType {
        type_name: "JavaThread",
    })?;
    let offset = find_entry(vm.libjvm().segments(), vm.type_name_place("JavaThread"))?;
    check_offset(offset, thread_size)
}

/// The offset that all matching entries agree on. The first search accepts only entries whose type name is the very text that the exported
/// tables use, and so follows hardly any pointer. If the linker did not merge the texts, the second search accepts every pointer to a text
/// `JavaThread`.
fn find_entry(segments: &[Segment], owner_place: Option<Address>) -> Result<u64, JvmciSlotRefusal> {
    if let Some(place) = owner_place {
        match agreed_offset(segments, &|word| word == place.0) {
            Err(JvmciSlotRefusal::NotFound) => {}
            decided => return decided,
        }
    }
    agreed_offset(segments, &|word| points_at(segments, word, c"JavaThread"))
}

/// The offset that all entries with such a type name agree on.
fn agreed_offset(
    segments: &[Segment],
    is_owner: &dyn Fn(usize) -> bool,
) -> Result<u64, JvmciSlotRefusal> {
    let mut found: Option<u64> = None;
    for segment in segments.iter().filter(|segment| segment.writable) {
        for offset in entries_in(segment, segments, is_owner)? {
            match found {
                Some(first) if first != offset => {
                    return Err(JvmciSlotRefusal::Ambiguous {
                        first,
                        second: offset,
                    });
                }
                _ => found = Some(offset),
            }
        }
    }
    found.ok_or(JvmciSlotRefusal::NotFound)
}

/// The offsets of all matching entries in one data segment.
fn entries_in(
    data: &Segment,
    segments: &[Segment],
    is_owner: &dyn Fn(usize) -> bool,
) -> Result<Vec<u64>, Error> {
    let start = Address(data.start.0.next_multiple_of(8));
    let length = data.file_length.saturating_sub(start.above(data.start)) & !7;
    let mut words = vec![0_usize; length / 8];
    // SAFETY: the slice covers the same memory as `words`, and every byte content is a valid number.
    read_bytes(start, unsafe {
        std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), length)
    })?;
    let mut offsets = Vec::new();
    for place in words
        .iter()
        .enumerate()
        .filter(|&(_, &word)| is_owner(word))
        .map(|(place, _)| place)
    {
        let Some(&[_, field, type_string, is_static, offset, address]) =
            words.get(place..place + 6)
        else {
            break;
        };
        let wanted = points_at(segments, field, c"_jvmci_reserved0")
            && (points_at(segments, type_string, c"intptr_t")
                || points_at(segments, type_string, c"jlong"));
        // The flag is a 32-bit int; the upper half of its word is padding.
        if wanted && is_static & 0xFFFF_FFFF == 0 && address == 0 {
            offsets.push(offset as u64);
        }
    }
    Ok(offsets)
}

/// Whether this word points to exactly this text inside libjvm.
fn points_at(segments: &[Segment], word: usize, text: &CStr) -> bool {
    let wanted = text.to_bytes_with_nul();
    let address = Address(word);
    segments
        .iter()
        .any(|segment| segment.contains(address, wanted.len()))
        && wanted.iter().enumerate().all(|(index, &byte)| {
            // SAFETY: the whole text lies inside one readable segment of libjvm, which remains loaded.
            let there: u8 = unsafe { address.plus(index).read() };
            there == byte
        })
}

/// Checks that the offset is an aligned word inside a thread, but not its vtable pointer.
fn check_offset(offset: u64, thread_size: usize) -> Result<usize, JvmciSlotRefusal> {
    let refusal = JvmciSlotRefusal::Implausible {
        offset,
        thread_size,
    };
    let place = usize::try_from(offset).map_err(|_| refusal.clone())?;
    let inside = place >= 8 && place.checked_add(8).is_some_and(|end| end <= thread_size);
    if inside && place % 8 == 0 {
        Ok(place)
    } else {
        Err(refusal)
    }
}

#[cfg(test)]
mod tests;
