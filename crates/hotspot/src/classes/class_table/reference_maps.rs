//! Finds the references in instances of a class from its oop maps, which the VM keeps after the class.
//!
//! ```text
//! InstanceKlass | vtable: _vtable_len words | itable: _itable_len words | oop maps: _nonstatic_oop_map_size words
//!
//! oop map = offset of the first reference: int, number of adjacent references: unsigned int
//! ```
//!
//! From `src/hotspot/share/oops/instanceKlass.hpp`. The maps of `java.lang.ref.Reference` leave out the referent, which the collector
//! follows by its own rules. A class is read when it enters the table, because the class of a dead object may have been unloaded since.

use crate::address::Address;
use crate::classes::class_table::class_memory::ClassMemory;
use crate::error::Error;
use crate::vm::vm_structs::VmStructs;

/// Upper bound on the maps of a class: each covers fields of one class on the way up to `Object`.
const MOST_MAPS: i32 = 1 << 12;
/// Upper bound on the size of method tables, in words.
const LONGEST_TABLE: i32 = 1 << 20;

/// Adjacent references in an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReferenceRun {
    /// Bytes from the start of the object to the first reference.
    pub(crate) offset: u32,
    /// Number of references.
    pub(crate) count: u32,
}

/// Where a class keeps its oop maps: bytes from the start of an `InstanceKlass`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReferenceMapLayout {
    /// The length of the vtable in words: an int.
    pub vtable_length: usize,
    /// The length of the itable in words: an int.
    pub itable_length: usize,
    /// The size of the oop maps in words, which is their number: an int.
    pub map_words: usize,
    /// The end of the `InstanceKlass`, where the vtable begins.
    pub klass_bytes: usize,
}

impl ReferenceMapLayout {
    /// What the VM's tables say.
    ///
    /// # Errors
    /// If they lack one of these.
    pub fn load(vm: &VmStructs) -> Result<Self, Error> {
        let klass_bytes = vm
            .type_size("InstanceKlass")
            .ok_or(Error::MissingConstant {
                name: "sizeof(InstanceKlass)",
            })?;
        Ok(Self {
            vtable_length: vm.offset(&[("Klass", "_vtable_len")])?,
            itable_length: vm.offset(&[("InstanceKlass", "_itable_len")])?,
            map_words: vm.offset(&[("InstanceKlass", "_nonstatic_oop_map_size")])?,
            klass_bytes,
        })
    }
}

/// The oop maps of all classes of the table, by row.
#[derive(Debug)]
pub(crate) struct ReferenceMaps {
    layout: ReferenceMapLayout,
    rows: Vec<Box<[ReferenceRun]>>,
    /// Why the maps of a class are unknown.
    fault: Option<Error>,
}

impl ReferenceMaps {
    pub(crate) fn load(vm: &VmStructs) -> Result<Self, Error> {
        Ok(Self {
            layout: ReferenceMapLayout::load(vm)?,
            rows: Vec::new(),
            fault: None,
        })
    }

    /// The references in instances of the class in this row. Empty for arrays.
    pub(crate) fn of(&self, row: u32) -> &[ReferenceRun] {
        self.rows.get(row as usize).map_or(&[], |row| row)
    }

    /// Why the maps of some class are unknown.
    pub(crate) fn fault(&self) -> Option<&Error> {
        self.fault.as_ref()
    }

    /// Adds the class of the next row, whose instances have at least this many bytes; `None` for an array class or one without instances.
    ///
    /// # Safety
    /// The class must be in the chain, and the chain must not change meanwhile.
    pub(crate) unsafe fn add(
        &mut self,
        klass: Address,
        bytes: Option<usize>,
        memory: &mut ClassMemory<'_>,
    ) {
        let row = match bytes {
            // SAFETY: the caller upholds the same contract.
            Some(bytes) => unsafe { self.read(klass, bytes, memory) },
            None => Ok(Box::default()),
        };
        self.rows.push(row.unwrap_or_else(|error| {
            self.fault.get_or_insert(error);
            Box::default()
        }));
    }

    unsafe fn read(
        &self,
        klass: Address,
        bytes: usize,
        memory: &mut ClassMemory<'_>,
    ) -> Result<Box<[ReferenceRun]>, Error> {
        let layout = self.layout;
        let mut length = |field: usize, most: i32| {
            // SAFETY: the caller vouches for the class.
            let length: i32 = unsafe { memory.value(klass.plus(field)) }?;
            usize::try_from(length)
                .ok()
                .filter(|_| length <= most)
                .ok_or_else(|| implausible(klass))
        };
        let methods = length(layout.vtable_length, LONGEST_TABLE)?
            + length(layout.itable_length, LONGEST_TABLE)?;
        let maps = length(layout.map_words, MOST_MAPS)?;
        let first = klass.plus(layout.klass_bytes + methods * 8);
        let mut runs = Vec::with_capacity(maps);
        for map in 0..maps {
            // SAFETY: a linked class has its maps after its method tables.
            let word: u64 = unsafe { memory.value(first.plus(map * 8)) }?;
            let run = ReferenceRun {
                offset: word as u32,
                count: (word >> 32) as u32,
            };
            // A reference has at least 4 bytes.
            let end = u64::from(run.offset) + u64::from(run.count) * 4;
            if run.offset < 8 || end > bytes as u64 {
                return Err(implausible(klass));
            }
            runs.push(run);
        }
        Ok(runs.into())
    }
}

fn implausible(klass: Address) -> Error {
    Error::Implausible {
        what: "where objects of a class have references",
        value: klass.0 as u64,
    }
}
