//! Finds the slots through which libjvm calls functions of other libraries, and replaces their contents.
//!
//! An imported function is called through a word of the caller's global offset table, which the loader fills with the function's address.
//! The dynamic section leads to that word (System V ABI, "Dynamic Linking"):
//!
//! | tag | value |
//! |---|---|
//! | `DT_JMPREL`, `DT_PLTRELSZ` | relocations of called functions, and their size in bytes |
//! | `DT_RELA`, `DT_RELASZ` | all other relocations |
//! | `DT_SYMTAB` | symbols, 24 bytes each: name (offset in the string table), ... |
//! | `DT_STRTAB` | string table |
//!
//! A relocation has 24 bytes: offset of the word from the library's base, symbol number (upper half) and kind (lower half) of a word,
//! addend. Example (JDK 17 on x86-64): `00000000012dc670 0000003c00000007 0` says that the word at base + 0x12dc670 is a jump slot (7) of
//! symbol 0x3c, whose name is `clock_gettime`.

use std::ffi::CStr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::address::Address;
use crate::error::{Error, last_errno};
use crate::process::page_size::page_size;
use crate::vm::libjvm::Libjvm;

/// Relocation kinds of words that hold the address of a function.
#[cfg(target_arch = "x86_64")]
const FUNCTION_KINDS: [u64; 2] = [7, 6];
#[cfg(target_arch = "aarch64")]
const FUNCTION_KINDS: [u64; 2] = [1026, 1025];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const FUNCTION_KINDS: [u64; 0] = [];

const RELOCATION_BYTES: usize = 24;
const SYMBOL_BYTES: usize = 24;
/// Upper bound on the entries of a dynamic section.
const MOST_TAGS: usize = 1000;

const DT_NULL: u64 = 0;
const DT_PLTRELSZ: u64 = 2;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_RELA: u64 = 7;
const DT_RELASZ: u64 = 8;
const DT_JMPREL: u64 = 23;

/// The tables that the dynamic section refers to.
#[derive(Debug, Clone, Copy, Default)]
struct Tables {
    calls: Address,
    calls_bytes: usize,
    others: Address,
    others_bytes: usize,
    symbols: Address,
    texts: Address,
}

/// Makes libjvm call `replacement` instead of `function`. The function called before is stored in `original` before any such call. Returns
/// `false` if libjvm does not import the function.
pub(crate) fn replace_import(
    libjvm: &Libjvm,
    function: &'static CStr,
    replacement: *mut (),
    original: &AtomicPtr<()>,
) -> Result<bool, Error> {
    let slots = import_slots(libjvm, function)?;
    let Some(content) = common_content(libjvm, &slots, function)? else {
        return Ok(false);
    };
    original.store(content.pointer::<()>().cast_mut(), Ordering::SeqCst);
    for slot in slots {
        replace(slot, replacement)?;
    }
    Ok(true)
}

/// The words where libjvm keeps the address of an imported function; empty if it does not import it.
fn import_slots(libjvm: &Libjvm, function: &CStr) -> Result<Vec<Address>, Error> {
    let tables = Tables::read(libjvm)?;
    let mut slots = Vec::new();
    for (start, bytes) in [
        (tables.calls, tables.calls_bytes),
        (tables.others, tables.others_bytes),
    ] {
        for number in 0..bytes / RELOCATION_BYTES {
            let relocation = start.plus(number * RELOCATION_BYTES);
            let info: u64 = libjvm.read(relocation.plus(8))?;
            if !FUNCTION_KINDS.contains(&(info & 0xFFFF_FFFF)) {
                continue;
            }
            // The upper 32 bits always fit.
            let symbol = usize::try_from(info >> 32).unwrap_or(0);
            if is_named(libjvm, &tables, symbol, function)? {
                let offset: Address = libjvm.read(relocation)?;
                slots.push(libjvm.base().plus(offset.0));
            }
        }
    }
    slots.sort_unstable();
    slots.dedup();
    Ok(slots)
}

/// The function that all slots hold; `None` if there are no slots.
fn common_content(
    libjvm: &Libjvm,
    slots: &[Address],
    function: &'static CStr,
) -> Result<Option<Address>, Error> {
    let mut common = None;
    for &slot in slots {
        let mut content: Address = libjvm.read(slot)?;
        if libjvm.contains(content, 1) {
            // Not bound yet: the first call would bind it and thereby remove the replacement, so it is bound here.
            // SAFETY: the name is NUL-terminated.
            let bound = unsafe { libc::dlsym(libc::RTLD_DEFAULT, function.as_ptr()) };
            content = Address(bound.expose_provenance());
        }
        if content.is_null() || common.is_some_and(|common| common != content) {
            return Err(Error::Ambiguous {
                what: "what libjvm calls for the time or for memory",
            });
        }
        common = Some(content);
    }
    Ok(common)
}

/// Stores a function's address in a slot. The loader made the page read-only as a protection; it stays writable afterwards, because other
/// code may want to replace words there as well.
fn replace(slot: Address, function: *mut ()) -> Result<(), Error> {
    let page = page_size();
    let start = Address(slot.0 / page * page);
    // SAFETY: the page belongs to libjvm's data and stays readable; nothing relies on a fault when it is written.
    let outcome = unsafe {
        libc::mprotect(
            start.pointer::<libc::c_void>().cast_mut(),
            page,
            libc::PROT_READ | libc::PROT_WRITE,
        )
    };
    if outcome != 0 {
        return Err(Error::Protected {
            address: slot,
            errno: last_errno(),
        });
    }
    let word = slot.pointer::<AtomicPtr<()>>();
    // SAFETY: an aligned word of libjvm, now writable; other threads only load it.
    let word = unsafe { &*word };
    word.store(function, Ordering::SeqCst);
    Ok(())
}

/// Whether the symbol has this name.
fn is_named(libjvm: &Libjvm, tables: &Tables, symbol: usize, name: &CStr) -> Result<bool, Error> {
    let text: u32 = libjvm.read(tables.symbols.plus(symbol.wrapping_mul(SYMBOL_BYTES)))?;
    let text = tables.texts.plus(text as usize);
    for (index, &byte) in name.to_bytes_with_nul().iter().enumerate() {
        if libjvm.read::<u8>(text.plus(index))? != byte {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Tables {
    fn read(libjvm: &Libjvm) -> Result<Self, Error> {
        let mut tables = Self::default();
        let mut entry = libjvm.dynamic();
        for _ in 0..MOST_TAGS {
            let tag: u64 = libjvm.read(entry)?;
            let value: Address = libjvm.read(entry.plus(8))?;
            // glibc turns these values into addresses; musl leaves them relative to the base.
            let place = if value < libjvm.base() {
                libjvm.base().plus(value.0)
            } else {
                value
            };
            match tag {
                DT_NULL => return Ok(tables),
                DT_JMPREL => tables.calls = place,
                DT_PLTRELSZ => tables.calls_bytes = value.0,
                DT_RELA => tables.others = place,
                DT_RELASZ => tables.others_bytes = value.0,
                DT_SYMTAB => tables.symbols = place,
                DT_STRTAB => tables.texts = place,
                _ => {}
            }
            entry = entry.plus(16);
        }
        Err(Error::EndlessChain {
            what: "of the dynamic section of libjvm",
        })
    }
}
