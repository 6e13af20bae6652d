//! Reads `gHotSpotVMStructs` and related tables, in which the VM publishes the locations of its own fields.
//!
//! HotSpot exports four tables for its Serviceability Agent (`src/hotspot/share/runtime/vmStructs.cpp`), together with the layout of each
//! table (`gHotSpotVMStructEntryFieldNameOffset`, `...ArrayStride` and so on), so no layout has to be assumed. This module reads:
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
use crate::error::Error;
use crate::vm::libjvm::Libjvm;

/// Upper bound on the entries of a table (JDK 21 has about 1,500).
const MOST_ENTRIES: usize = 100_000;
/// Upper bound on the length of a name.
const LONGEST_NAME: usize = 4096;

/// The location of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldPlace {
    /// Bytes from the start of the object.
    Offset(usize),
    /// Address of the static field.
    Static(Address),
}

/// A field of a HotSpot class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its location.
    pub place: FieldPlace,
    /// Its C++ type as written in the table, e.g. `HeapWord*`; empty if the table omits it.
    pub type_string: String,
}

/// The tables, read once and indexed by name.
#[derive(Debug, Clone, Default)]
pub struct VmStructs {
    libjvm: Libjvm,
    fields: FieldsByType,
    types: HashMap<String, TypeEntry>,
    constants: HashMap<String, i64>,
}

/// A type.
#[derive(Debug, Clone, Copy)]
struct TypeEntry {
    size: usize,
    name_place: Address,
}

type FieldsByType = HashMap<String, HashMap<String, Field>>;
/// Returns the address of an exported symbol.
type SymbolFinder<'a> = &'a dyn Fn(&'static CStr) -> Result<Address, Error>;

/// The source of the tables.
struct Source<'a> {
    libjvm: &'a Libjvm,
    symbol: SymbolFinder<'a>,
}

/// The layout of a table: its start and the size of an entry.
#[derive(Debug, Clone, Copy)]
struct Table {
    start: Address,
    stride: usize,
}

impl VmStructs {
    /// Reads the tables of the libjvm of this process.
    pub fn load() -> Result<Self, Error> {
        let libjvm = Libjvm::find()?;
        let symbols = libjvm.clone();
        Self::read(libjvm, &|name| symbols.symbol(name))
    }

    /// The library that the tables come from.
    #[must_use]
    pub fn libjvm(&self) -> &Libjvm {
        &self.libjvm
    }

    /// Reads the tables, with a function that finds exported symbols.
    pub(crate) fn read(libjvm: Libjvm, symbol: SymbolFinder<'_>) -> Result<Self, Error> {
        let source = Source {
            libjvm: &libjvm,
            symbol,
        };
        let fields = source.fields()?;
        let types = source.types()?;
        let mut constants = HashMap::new();
        source.int_constants(&mut constants)?;
        source.long_constants(&mut constants)?;
        Ok(Self {
            libjvm,
            fields,
            types,
            constants,
        })
    }

    /// Bytes from the start of an object of `type_name` to its field; `None` if there is no such field or it is static.
    #[must_use]
    pub fn field_offset(&self, type_name: &str, field_name: &str) -> Option<usize> {
        match self.field(type_name, field_name)?.place {
            FieldPlace::Offset(offset) => Some(offset),
            FieldPlace::Static(_) => None,
        }
    }

    /// The address of a static field; `None` if there is no such field or it is not static.
    #[must_use]
    pub fn static_address(&self, type_name: &str, field_name: &str) -> Option<Address> {
        match self.field(type_name, field_name)?.place {
            FieldPlace::Static(address) => Some(address),
            FieldPlace::Offset(_) => None,
        }
    }

    /// A field.
    #[must_use]
    pub fn field(&self, type_name: &str, field_name: &str) -> Option<&Field> {
        self.fields.get(type_name)?.get(field_name)
    }

    /// `sizeof` a type in bytes; `None` for an unknown type.
    #[must_use]
    pub fn type_size(&self, type_name: &str) -> Option<usize> {
        self.types.get(type_name).map(|entry| entry.size)
    }

    /// Where libjvm keeps the text of a type's name. The linker merges equal texts, so other tables usually point to the same place.
    pub(crate) fn type_name_place(&self, type_name: &str) -> Option<Address> {
        self.types.get(type_name).map(|entry| entry.name_place)
    }

    /// The value of an integer constant of either width.
    #[must_use]
    pub fn constant(&self, name: &str) -> Option<i64> {
        self.constants.get(name).copied()
    }

    /// The offset of a field that has had several names: the first one known. An error names the first.
    pub fn offset(&self, names: &[(&'static str, &'static str)]) -> Result<usize, Error> {
        let found = names
            .iter()
            .find_map(|(type_name, field_name)| self.field_offset(type_name, field_name));
        found.ok_or_else(|| missing(names))
    }

    /// The address of a static field that has had several names: the first one known. An error names the first.
    pub fn address(&self, names: &[(&'static str, &'static str)]) -> Result<Address, Error> {
        let found = names
            .iter()
            .find_map(|(type_name, field_name)| self.static_address(type_name, field_name));
        found.ok_or_else(|| missing(names))
    }

    /// The number of fields, types and constants read.
    #[must_use]
    pub fn counts(&self) -> (usize, usize, usize) {
        (
            self.fields.values().map(HashMap::len).sum(),
            self.types.len(),
            self.constants.len(),
        )
    }
}

impl Source<'_> {
    fn fields(&self) -> Result<FieldsByType, Error> {
        let table = self.table(c"gHotSpotVMStructs", c"gHotSpotVMStructEntryArrayStride")?;
        let type_name = self.number(c"gHotSpotVMStructEntryTypeNameOffset")?;
        let field_name = self.number(c"gHotSpotVMStructEntryFieldNameOffset")?;
        let type_string = self.number(c"gHotSpotVMStructEntryTypeStringOffset")?;
        let is_static = self.number(c"gHotSpotVMStructEntryIsStaticOffset")?;
        let offset = self.number(c"gHotSpotVMStructEntryOffsetOffset")?;
        let address = self.number(c"gHotSpotVMStructEntryAddressOffset")?;
        let mut fields = FieldsByType::new();
        self.each(table, type_name, |entry, owner| {
            let Some(name) = self.text_at(entry.plus(field_name))? else {
                return Ok(());
            };
            let place = if self.libjvm.read::<i32>(entry.plus(is_static))? != 0 {
                FieldPlace::Static(self.libjvm.read(entry.plus(address))?)
            } else {
                FieldPlace::Offset(plausible(
                    "a field offset",
                    self.libjvm.read(entry.plus(offset))?,
                )?)
            };
            let type_string = self.text_at(entry.plus(type_string))?.unwrap_or_default();
            fields
                .entry(owner)
                .or_default()
                .insert(name, Field { place, type_string });
            Ok(())
        })?;
        Ok(fields)
    }

    fn types(&self) -> Result<HashMap<String, TypeEntry>, Error> {
        let table = self.table(c"gHotSpotVMTypes", c"gHotSpotVMTypeEntryArrayStride")?;
        let type_name = self.number(c"gHotSpotVMTypeEntryTypeNameOffset")?;
        let size = self.number(c"gHotSpotVMTypeEntrySizeOffset")?;
        let mut types = HashMap::new();
        self.each(table, type_name, |entry, name| {
            let size = plausible("a type size", self.libjvm.read(entry.plus(size))?)?;
            let name_place = self.libjvm.read(entry.plus(type_name))?;
            types.insert(name, TypeEntry { size, name_place });
            Ok(())
        })?;
        Ok(types)
    }

    fn int_constants(&self, constants: &mut HashMap<String, i64>) -> Result<(), Error> {
        let table = self.table(
            c"gHotSpotVMIntConstants",
            c"gHotSpotVMIntConstantEntryArrayStride",
        )?;
        let name = self.number(c"gHotSpotVMIntConstantEntryNameOffset")?;
        let value = self.number(c"gHotSpotVMIntConstantEntryValueOffset")?;
        self.each(table, name, |entry, name| {
            constants.insert(name, i64::from(self.libjvm.read::<i32>(entry.plus(value))?));
            Ok(())
        })
    }

    fn long_constants(&self, constants: &mut HashMap<String, i64>) -> Result<(), Error> {
        let table = self.table(
            c"gHotSpotVMLongConstants",
            c"gHotSpotVMLongConstantEntryArrayStride",
        )?;
        let name = self.number(c"gHotSpotVMLongConstantEntryNameOffset")?;
        let value = self.number(c"gHotSpotVMLongConstantEntryValueOffset")?;
        self.each(table, name, |entry, name| {
            constants.insert(name, self.libjvm.read(entry.plus(value))?);
            Ok(())
        })
    }

    /// The start of a table and the size of its entries.
    fn table(&self, table: &'static CStr, stride: &'static CStr) -> Result<Table, Error> {
        let start = self.libjvm.read((self.symbol)(table)?)?;
        let stride = self.number(stride)?;
        if stride < 8 {
            return Err(Error::Implausible {
                what: "the stride of a VM table",
                value: stride as u64,
            });
        }
        Ok(Table { start, stride })
    }

    /// Visits every entry with its name, up to the entry without one.
    fn each(
        &self,
        table: Table,
        name_offset: usize,
        mut visit: impl FnMut(Address, String) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut entry = table.start;
        for _ in 0..MOST_ENTRIES {
            let Some(name) = self.text_at(entry.plus(name_offset))? else {
                return Ok(());
            };
            visit(entry, name)?;
            entry = entry.plus(table.stride);
        }
        Err(Error::EndlessChain {
            what: "of a VM table",
        })
    }

    /// An exported 64-bit variable that gives an offset in an entry.
    fn number(&self, name: &'static CStr) -> Result<usize, Error> {
        plausible(
            "a layout number of the VM's tables",
            self.libjvm.read((self.symbol)(name)?)?,
        )
    }

    /// The string that the pointer at `place` points to; `None` for a null pointer.
    fn text_at(&self, place: Address) -> Result<Option<String>, Error> {
        let text: Address = self.libjvm.read(place)?;
        if text.is_null() {
            return Ok(None);
        }
        let unreadable = Error::Unreadable {
            address: text,
            length: 1,
            errno: 0,
        };
        self.libjvm
            .read_text(text, LONGEST_NAME)
            .map(Some)
            .ok_or(unreadable)
    }
}

/// A plausible size or offset within an object.
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
