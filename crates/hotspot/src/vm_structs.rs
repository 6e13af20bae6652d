//! `gHotSpotVMStructs` and its sisters: where HotSpot's own fields are, told by the VM itself.
//!
//! HotSpot exports four tables for its Serviceability Agent (`src/hotspot/share/runtime/vmStructs.cpp`), and for each table how it is laid out
//! (`gHotSpotVMStructEntryFieldNameOffset`, `...ArrayStride` and so on), so nothing about the layout needs to be assumed. Read here:
//!
//! | table | entry | ends with |
//! |---|---|---|
//! | `gHotSpotVMStructs` | type name, field name, type of the field, is static, offset, address | null type name |
//! | `gHotSpotVMTypes` | type name, superclass, ..., size | null type name |
//! | `gHotSpotVMIntConstants` | name, 32-bit value | null name |
//! | `gHotSpotVMLongConstants` | name, 64-bit value | null name |
//!
//! Each exported symbol is a *variable* that holds the address of the table. Example, one entry of JDK 25 (48 bytes, words in hex):
//!
//! ```text
//! +0x00 -> "Thread"   +0x08 -> "_tlab"   +0x10 -> "ThreadLocalAllocBuffer"
//! +0x18 0 (int: not static)   +0x20 0x1c0 (offset 448)   +0x28 0 (address, for static fields)
//! ```

use std::collections::HashMap;
use std::ffi::CStr;

use crate::address::Address;
use crate::careful_read::{read_c_string, read_value};
use crate::error::Error;
use crate::libjvm::Libjvm;

/// No table of any JDK has more entries (JDK 21 has about 1,500).
const MOST_ENTRIES: usize = 100_000;
/// No name in the tables is longer.
const LONGEST_NAME: usize = 4096;

/// Where a field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldPlace {
    /// Bytes from the start of the object.
    Offset(usize),
    /// Address of the static field.
    Static(Address),
}

/// One field of a HotSpot class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Where it is.
    pub place: FieldPlace,
    /// Its C++ type as the table writes it, e.g. `HeapWord*`; empty when the table leaves it out.
    pub type_string: String,
}

/// The tables, read once and kept by name.
#[derive(Debug, Clone, Default)]
pub struct VmStructs {
    fields: HashMap<String, HashMap<String, Field>>,
    type_sizes: HashMap<String, usize>,
    constants: HashMap<String, i64>,
}

/// How one table is laid out: where it starts, how long an entry is.
#[derive(Debug, Clone, Copy)]
struct Table {
    start: Address,
    stride: usize,
}

impl VmStructs {
    /// Reads the tables of the libjvm of this process.
    pub fn load() -> Result<Self, Error> {
        Self::load_from(&Libjvm::find()?)
    }

    /// Reads the tables of a loaded libjvm.
    pub fn load_from(libjvm: &Libjvm) -> Result<Self, Error> {
        Self::read(&|name| libjvm.symbol(name))
    }

    /// Reads the tables given a way to find exported symbols.
    pub(crate) fn read(
        symbol: &dyn Fn(&'static CStr) -> Result<Address, Error>,
    ) -> Result<Self, Error> {
        let mut tables = Self::default();
        tables.read_fields(symbol)?;
        tables.read_types(symbol)?;
        tables.read_int_constants(symbol)?;
        tables.read_long_constants(symbol)?;
        Ok(tables)
    }

    /// Bytes from the start of an object of `type_name` to its field; `None` when there is no such field or it is static.
    #[must_use]
    pub fn field_offset(&self, type_name: &str, field_name: &str) -> Option<usize> {
        match self.field(type_name, field_name)?.place {
            FieldPlace::Offset(offset) => Some(offset),
            FieldPlace::Static(_) => None,
        }
    }

    /// The address of a static field; `None` when there is no such field or it is not static.
    #[must_use]
    pub fn static_address(&self, type_name: &str, field_name: &str) -> Option<Address> {
        match self.field(type_name, field_name)?.place {
            FieldPlace::Static(address) => Some(address),
            FieldPlace::Offset(_) => None,
        }
    }

    /// Everything about a field.
    #[must_use]
    pub fn field(&self, type_name: &str, field_name: &str) -> Option<&Field> {
        self.fields.get(type_name)?.get(field_name)
    }

    /// `sizeof` a type in bytes; `None` for an unknown type.
    #[must_use]
    pub fn type_size(&self, type_name: &str) -> Option<usize> {
        self.type_sizes.get(type_name).copied()
    }

    /// The value of an integer constant of either width.
    #[must_use]
    pub fn constant(&self, name: &str) -> Option<i64> {
        self.constants.get(name).copied()
    }

    /// The offset of the first of several names a field has had over the releases; an error that names the first.
    pub fn offset(&self, names: &[(&'static str, &'static str)]) -> Result<usize, Error> {
        let found = names
            .iter()
            .find_map(|(type_name, field_name)| self.field_offset(type_name, field_name));
        found.ok_or_else(|| missing(names))
    }

    /// The address of the first of several names a static field has had over the releases; an error that names the first.
    pub fn address(&self, names: &[(&'static str, &'static str)]) -> Result<Address, Error> {
        let found = names
            .iter()
            .find_map(|(type_name, field_name)| self.static_address(type_name, field_name));
        found.ok_or_else(|| missing(names))
    }

    /// How many fields, types and constants were read.
    #[must_use]
    pub fn counts(&self) -> (usize, usize, usize) {
        (
            self.fields.values().map(HashMap::len).sum(),
            self.type_sizes.len(),
            self.constants.len(),
        )
    }

    fn read_fields(
        &mut self,
        symbol: &dyn Fn(&'static CStr) -> Result<Address, Error>,
    ) -> Result<(), Error> {
        let table = Table::find(
            symbol,
            c"gHotSpotVMStructs",
            c"gHotSpotVMStructEntryArrayStride",
        )?;
        let type_name = number(symbol, c"gHotSpotVMStructEntryTypeNameOffset")?;
        let field_name = number(symbol, c"gHotSpotVMStructEntryFieldNameOffset")?;
        let type_string = number(symbol, c"gHotSpotVMStructEntryTypeStringOffset")?;
        let is_static = number(symbol, c"gHotSpotVMStructEntryIsStaticOffset")?;
        let offset = number(symbol, c"gHotSpotVMStructEntryOffsetOffset")?;
        let address = number(symbol, c"gHotSpotVMStructEntryAddressOffset")?;
        table.each(type_name, |entry, owner| {
            let Some(name) = text_at(entry.plus(field_name))? else {
                return Ok(());
            };
            let place = if read_value::<i32>(entry.plus(is_static))? != 0 {
                FieldPlace::Static(read_value(entry.plus(address))?)
            } else {
                let bytes: u64 = read_value(entry.plus(offset))?;
                FieldPlace::Offset(plausible("a field offset", bytes)?)
            };
            let type_string = text_at(entry.plus(type_string))?.unwrap_or_default();
            self.fields
                .entry(owner)
                .or_default()
                .insert(name, Field { place, type_string });
            Ok(())
        })
    }

    fn read_types(
        &mut self,
        symbol: &dyn Fn(&'static CStr) -> Result<Address, Error>,
    ) -> Result<(), Error> {
        let table = Table::find(
            symbol,
            c"gHotSpotVMTypes",
            c"gHotSpotVMTypeEntryArrayStride",
        )?;
        let type_name = number(symbol, c"gHotSpotVMTypeEntryTypeNameOffset")?;
        let size = number(symbol, c"gHotSpotVMTypeEntrySizeOffset")?;
        table.each(type_name, |entry, name| {
            let bytes: u64 = read_value(entry.plus(size))?;
            self.type_sizes
                .insert(name, plausible("a type size", bytes)?);
            Ok(())
        })
    }

    fn read_int_constants(
        &mut self,
        symbol: &dyn Fn(&'static CStr) -> Result<Address, Error>,
    ) -> Result<(), Error> {
        let table = Table::find(
            symbol,
            c"gHotSpotVMIntConstants",
            c"gHotSpotVMIntConstantEntryArrayStride",
        )?;
        let name = number(symbol, c"gHotSpotVMIntConstantEntryNameOffset")?;
        let value = number(symbol, c"gHotSpotVMIntConstantEntryValueOffset")?;
        table.each(name, |entry, name| {
            let constant: i32 = read_value(entry.plus(value))?;
            self.constants.insert(name, i64::from(constant));
            Ok(())
        })
    }

    fn read_long_constants(
        &mut self,
        symbol: &dyn Fn(&'static CStr) -> Result<Address, Error>,
    ) -> Result<(), Error> {
        let table = Table::find(
            symbol,
            c"gHotSpotVMLongConstants",
            c"gHotSpotVMLongConstantEntryArrayStride",
        )?;
        let name = number(symbol, c"gHotSpotVMLongConstantEntryNameOffset")?;
        let value = number(symbol, c"gHotSpotVMLongConstantEntryValueOffset")?;
        table.each(name, |entry, name| {
            let constant: i64 = read_value(entry.plus(value))?;
            self.constants.insert(name, constant);
            Ok(())
        })
    }
}

impl Table {
    fn find(
        symbol: &dyn Fn(&'static CStr) -> Result<Address, Error>,
        table: &'static CStr,
        stride: &'static CStr,
    ) -> Result<Self, Error> {
        let start = read_value(symbol(table)?)?;
        let stride = number(symbol, stride)?;
        if stride < 8 {
            return Err(Error::Implausible {
                what: "the stride of a VM table",
                value: stride as u64,
            });
        }
        Ok(Self { start, stride })
    }

    /// Visits every entry with its name, until the entry without one.
    fn each(
        self,
        name_offset: usize,
        mut visit: impl FnMut(Address, String) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut entry = self.start;
        for _ in 0..MOST_ENTRIES {
            let Some(name) = text_at(entry.plus(name_offset))? else {
                return Ok(());
            };
            visit(entry, name)?;
            entry = entry.plus(self.stride);
        }
        Err(Error::EndlessChain {
            what: "of a VM table",
        })
    }
}

/// An exported 64-bit variable that says where something is in an entry.
fn number(
    symbol: &dyn Fn(&'static CStr) -> Result<Address, Error>,
    name: &'static CStr,
) -> Result<usize, Error> {
    plausible(
        "a layout number of the VM's tables",
        read_value::<u64>(symbol(name)?)?,
    )
}

/// The string a pointer at `place` points at; `None` for a null pointer.
fn text_at(place: Address) -> Result<Option<String>, Error> {
    let text: Address = read_value(place)?;
    if text.is_null() {
        return Ok(None);
    }
    let bytes = read_c_string(text, LONGEST_NAME).ok_or(Error::Unreadable {
        address: text,
        length: 1,
        errno: 0,
    })?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// A size or offset within an object: small.
fn plausible(what: &'static str, value: u64) -> Result<usize, Error> {
    const LIMIT: u64 = 1 << 31;
    usize::try_from(value)
        .ok()
        .filter(|_| value < LIMIT)
        .ok_or(Error::Implausible { what, value })
}

fn missing(names: &[(&'static str, &'static str)]) -> Error {
    let (type_name, field_name) = names.first().copied().unwrap_or(("?", "?"));
    Error::MissingField {
        type_name,
        field_name,
    }
}

#[cfg(test)]
mod tests;
