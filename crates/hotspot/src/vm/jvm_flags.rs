//! Reads the VM's flags (`-XX:`) from its own flag table.
//!
//! `JVMFlag::flags` points to an array of `JVMFlag::numFlags` entries (`src/hotspot/share/runtime/flags/jvmFlag.hpp`), each with a name, a
//! type and the address of the value. Offsets come from `gHotSpotVMStructs`, the size of an entry from `gHotSpotVMTypes`. The type is a
//! number from JDK 16 on, and a C string (`"bool"`, `"uintx"`) before.
//!
//! | type number | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 |
//! |---|---|---|---|---|---|---|---|---|---|---|
//! | type | bool | int | uint | intx | uintx | `uint64_t` | `size_t` | double | ccstr | ccstrlist |
//! | bytes | 1 | 4 | 4 | 8 | 8 | 8 | 8 | 8 | pointer | pointer |
//!
//! Values are read on request, because the VM still changes some after `Agent_OnLoad` (the heap may turn compressed references off), and
//! manageable flags at any time.

use std::collections::HashMap;

use crate::address::Address;
use crate::error::Error;
use crate::process::careful_read::{read_c_string, read_value};
use crate::vm::libjvm::Libjvm;
use crate::vm::vm_structs::VmStructs;

/// Upper bound on the number of flags (JDK 25 has about 1,400).
const MOST_FLAGS: u64 = 20_000;
/// Upper bound on the length of a text value in bytes.
const LONGEST_TEXT: usize = 1 << 16;

/// The C++ type of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FlagType {
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
    /// `intx`: signed, as wide as a pointer.
    Intx,
    /// `uintx`, `uint64_t` or `size_t`.
    Unsigned64,
    /// `double`.
    Double,
    /// `ccstr` or `ccstrlist`.
    Text,
}

/// The value of a flag.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FlagValue {
    /// On or off.
    Bool(bool),
    /// A signed number.
    Signed(i64),
    /// An unsigned number.
    Unsigned(u64),
    /// A floating-point number.
    Double(f64),
    /// A text; `None` if it was never set.
    Text(Option<String>),
}

/// The flag table: type and location by name.
#[derive(Debug, Clone)]
pub struct JvmFlags {
    places: HashMap<String, FlagPlace>,
}

/// The location and type of a value.
#[derive(Debug, Clone, Copy)]
struct FlagPlace {
    kind: FlagType,
    address: Address,
}

/// Offsets in one entry.
struct EntryLayout {
    name: usize,
    address: usize,
    kind: usize,
    kind_is_text: bool,
}

impl JvmFlags {
    /// The flags of the VM of this process.
    ///
    /// # Errors
    /// Its tables do not have them.
    pub fn of_process() -> Result<Self, Error> {
        Self::load(&VmStructs::load()?)
    }

    /// Finds all flags of the VM. Skips entries of unknown types.
    pub fn load(vm: &VmStructs) -> Result<Self, Error> {
        let libjvm = vm.libjvm();
        let flags: Address = libjvm.read(vm.address(&[("JVMFlag", "flags")])?)?;
        let count: u64 = libjvm.read(vm.address(&[("JVMFlag", "numFlags")])?)?;
        let stride = vm.type_size("JVMFlag").ok_or(Error::MissingType {
            type_name: "JVMFlag",
        })?;
        let layout = EntryLayout {
            name: vm.offset(&[("JVMFlag", "_name")])?,
            address: vm.offset(&[("JVMFlag", "_addr")])?,
            kind: vm.offset(&[("JVMFlag", "_type")])?,
            kind_is_text: vm
                .field("JVMFlag", "_type")
                .is_some_and(|field| field.type_string.contains("char")),
        };
        if count > MOST_FLAGS {
            return Err(Error::Implausible {
                what: "the number of VM flags",
                value: count,
            });
        }
        let mut places = HashMap::new();
        let mut entry = flags;
        for _ in 0..count {
            if let Some((name, place)) = layout.read(libjvm, entry)? {
                places.insert(name, place);
            }
            entry = entry.plus(stride);
        }
        Ok(Self { places })
    }

    /// The current value of a flag; `None` if the VM does not have the flag or its value cannot be read.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<FlagValue> {
        let &FlagPlace { kind, address } = self.places.get(name)?;
        let value = match kind {
            FlagType::Bool => FlagValue::Bool(read_value::<u8>(address).ok()? != 0),
            FlagType::Int => FlagValue::Signed(i64::from(read_value::<i32>(address).ok()?)),
            FlagType::Uint => FlagValue::Unsigned(u64::from(read_value::<u32>(address).ok()?)),
            FlagType::Intx => FlagValue::Signed(read_value(address).ok()?),
            FlagType::Unsigned64 => FlagValue::Unsigned(read_value(address).ok()?),
            FlagType::Double => FlagValue::Double(read_value(address).ok()?),
            FlagType::Text => FlagValue::Text(read_text(address)?),
        };
        Some(value)
    }

    /// Where the value of a flag of this type lies.
    pub(crate) fn place_of(&self, name: &str, wanted: FlagType) -> Option<Address> {
        let place = self.places.get(name);
        let place = place.filter(|place| place.kind == wanted);
        place.map(|place| place.address)
    }

    /// Whether a boolean flag is set. A flag that the VM does not have counts as off.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name) == Some(FlagValue::Bool(true))
    }

    /// The value of an integer flag; `None` for other types and for numbers outside `i64`.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            FlagValue::Signed(value) => Some(value),
            FlagValue::Unsigned(value) => i64::try_from(value).ok(),
            _ => None,
        }
    }

    /// The names of all flags, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(String::as_str)
    }
}

impl EntryLayout {
    /// Name, type and location of one entry; `None` for the empty entry at the end and for unknown types.
    fn read(&self, libjvm: &Libjvm, entry: Address) -> Result<Option<(String, FlagPlace)>, Error> {
        let name: Address = libjvm.read(entry.plus(self.name))?;
        let address: Address = libjvm.read(entry.plus(self.address))?;
        if name.is_null() || address.is_null() {
            return Ok(None);
        }
        let Some(name) = libjvm.read_text(name, 256) else {
            return Ok(None);
        };
        let kind = if self.kind_is_text {
            let text: Address = libjvm.read(entry.plus(self.kind))?;
            libjvm
                .read_text(text, 64)
                .and_then(|text| flag_type_of_text(&text))
        } else {
            flag_type_of_number(libjvm.read(entry.plus(self.kind))?)
        };
        Ok(kind.map(|kind| (name, FlagPlace { kind, address })))
    }
}

/// The text that a `ccstr` flag points to: `Some(None)` if unset, `None` if unreadable.
fn read_text(place: Address) -> Option<Option<String>> {
    let text: Address = read_value(place).ok()?;
    if text.is_null() {
        return Some(None);
    }
    read_c_string(text, LONGEST_TEXT)
        .map(|bytes| Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// JDK 16 and later: `JVMFlag::FlagTypes`.
fn flag_type_of_number(number: i32) -> Option<FlagType> {
    Some(match number {
        0 => FlagType::Bool,
        1 => FlagType::Int,
        2 => FlagType::Uint,
        3 => FlagType::Intx,
        4..=6 => FlagType::Unsigned64,
        7 => FlagType::Double,
        8 | 9 => FlagType::Text,
        _ => return None,
    })
}

/// Before JDK 16: the C++ type as text.
fn flag_type_of_text(text: &str) -> Option<FlagType> {
    Some(match text {
        "bool" => FlagType::Bool,
        "int" => FlagType::Int,
        "uint" => FlagType::Uint,
        "intx" => FlagType::Intx,
        "uintx" | "uint64_t" | "size_t" => FlagType::Unsigned64,
        "double" => FlagType::Double,
        "ccstr" | "ccstrlist" => FlagType::Text,
        _ => return None,
    })
}
