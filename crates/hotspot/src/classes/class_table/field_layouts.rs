//! Finds the fields in instances of a class from its `FieldInfo`, which the VM keeps with the class.
//!
//! | | JDK 11 to 20 | from JDK 21 |
//! |---|---|---|
//! | where | `InstanceKlass::_fields`, an `Array<u2>` | `InstanceKlass::_fieldinfo_stream`, an `Array<u1>` |
//! | a field | 6 numbers: flags, name, descriptor, initial value, offset in two halves; generic signatures after all fields | numbers of [`unsigned5`]: name, descriptor, offset, flags, VM flags, and one for each VM flag that asks for it |
//! | fields the VM adds | after the program's, flag `JVM_ACC_FIELD_INTERNAL` | VM flag `_ff_injected` |
//!
//! From `src/hotspot/share/oops/fieldInfo.hpp`. Name and descriptor are indices into the class's constant pool or, for fields added by the
//! VM, into the VM's own symbol table. An array is an `int` length followed by its elements; a constant pool entry is one word, after the
//! pool's header.
//!
//! Example (from JDK 21): the numbers `1 0 | 6 7 12 2 4 9` mean one field of the program and none of the VM: name 6, descriptor 7, offset
//! 12, flags 2 (private), VM flags 4 (generic), so the index 9 of its generic signature follows.
//!
//! A class is read while it is in the chain and the world is stopped. Still, the first classes are read safely ([`ClassMemory`]): offsets
//! that are wrong for this VM show there and disable the reading. An inconsistent layout (fields outside the object or overlapping, no
//! descriptor) is not reported.

mod unsigned5;

use crate::address::Address;
use crate::classes::class_table::class_memory::{CAREFUL, ClassMemory};
use crate::classes::class_table::size_rule::{ClassId, SizeRule};
use crate::classes::klass::KlassLayout;
use crate::error::Error;
use crate::process::confirmed_pages::ConfirmedPages;
use crate::vm::vm_structs::VmStructs;
use unsigned5::Unsigned5;

/// `ACC_STATIC` of the class file.
const STATIC: u32 = 8;

/// A field in instances of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceField {
    /// Its name in modified UTF-8. For a field added by the VM, the VM's name.
    pub name: Vec<u8>,
    /// Its type descriptor.
    pub descriptor: Vec<u8>,
    /// Bytes from the start of the object.
    pub offset: u32,
}

/// The field offsets in instances of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldLayout {
    /// The class.
    pub class: ClassId,
    /// The class that its instances inherit fields from; `None` for `java.lang.Object`.
    pub superclass: Option<ClassId>,
    /// The instance fields that the class itself declares, ascending by offset.
    pub fields: Vec<InstanceField>,
}

/// Fields read from a class. Its superclass is looked up when all new classes are in the table.
#[derive(Debug)]
pub(crate) struct OwnFields {
    pub(crate) superclass: Address,
    pub(crate) fields: Vec<InstanceField>,
}

/// Reads the fields of classes.
#[derive(Debug)]
pub(crate) struct FieldReading {
    form: Form,
    superclass: usize,
    constants: usize,
    /// Size of the header of a constant pool in bytes.
    pool_header: usize,
    /// The VM's own symbol table.
    vm_symbols: Address,
    symbol_length: usize,
    symbol_body: usize,
    /// Number of classes that are still to be read safely.
    careful: u32,
}

/// The VM's encoding of fields.
#[derive(Debug, Clone, Copy)]
enum Form {
    Slots(Slots),
    Stream(Stream),
}

/// Up to JDK 20.
#[derive(Debug, Clone, Copy)]
struct Slots {
    fields: usize,
    data: usize,
    /// Numbers per field, and their positions.
    each: usize,
    flags: usize,
    name: usize,
    descriptor: usize,
    low: usize,
    high: usize,
    /// The low bits of an offset are a tag; this bit of the tag marks a valid offset.
    tag_bits: u32,
    is_offset: u32,
    /// Flags: added by the VM; has a generic signature.
    internal: u32,
    generic: u32,
}

/// From JDK 21 on.
#[derive(Debug, Clone, Copy)]
struct Stream {
    fields: usize,
    data: usize,
    injected: u32,
    /// VM flags that are each followed by a further number.
    with_number: u32,
}

/// A field in the VM's encoding.
struct Raw {
    name: u32,
    descriptor: u32,
    offset: u32,
    is_static: bool,
    injected: bool,
}

impl FieldReading {
    /// Locates the encoding in the VM's tables.
    pub(crate) fn load(vm: &VmStructs, klass: &KlassLayout) -> Result<Self, Error> {
        let pool_header = vm
            .type_size("ConstantPool")
            .ok_or(missing("ConstantPool", "size"))?;
        Ok(Self {
            form: match vm.field_offset("InstanceKlass", "_fieldinfo_stream") {
                Some(fields) => Form::Stream(Stream::load(vm, fields)?),
                None => Form::Slots(Slots::load(vm)?),
            },
            superclass: vm.offset(&[("Klass", "_super")])?,
            constants: vm.offset(&[("InstanceKlass", "_constants")])?,
            pool_header,
            vm_symbols: vm
                .address(&[("Symbol", "_vm_symbols[0]"), ("vmSymbols", "_symbols[0]")])?,
            symbol_length: klass.symbol_length,
            symbol_body: klass.symbol_body,
            careful: CAREFUL,
        })
    }

    /// Whether classes are still read safely.
    pub(crate) fn is_careful(&self) -> bool {
        self.careful > 0
    }

    /// The fields of a class. `Ok(None)` if they are inconsistent, or if the class has no layout of its own (arrays).
    ///
    /// # Safety
    /// `klass` must be a prepared class of the VM with this size rule. The
    /// world must be stopped, or the class must not be unloaded meanwhile.
    pub(crate) unsafe fn read(
        &mut self,
        klass: Address,
        rule: SizeRule,
        pages: &mut ConfirmedPages,
    ) -> Result<Option<OwnFields>, Error> {
        let (SizeRule::Fixed(bytes) | SizeRule::Mirror(bytes) | SizeRule::StackChunk(bytes)) = rule
        else {
            return Ok(None);
        };
        let careful = self.is_careful();
        let mut memory = ClassMemory { careful, pages };
        // SAFETY: the caller vouches for the class.
        let own = unsafe { self.own_fields(klass, &mut memory) }?;
        let Some(fields) = own.filter(|fields| is_sound(fields, bytes)) else {
            return match careful {
                true => Err(Error::Implausible {
                    what: "the fields of a class",
                    value: klass.0 as u64,
                }),
                false => Ok(None),
            };
        };
        self.careful = self.careful.saturating_sub(1);
        // SAFETY: the caller vouches for the class, whose struct holds the superclass.
        let superclass = unsafe { memory.value(klass.plus(self.superclass)) }?;
        Ok(Some(OwnFields { superclass, fields }))
    }

    /// Returns `None` if a value is not plausible.
    unsafe fn own_fields(
        &self,
        klass: Address,
        memory: &mut ClassMemory<'_>,
    ) -> Result<Option<Vec<InstanceField>>, Error> {
        // SAFETY: the caller vouches for the class.
        let raw = unsafe {
            match &self.form {
                Form::Slots(slots) => slots.read(klass, memory)?,
                Form::Stream(stream) => stream.read(klass, memory)?,
            }
        };
        let Some(raw) = raw else { return Ok(None) };
        let mut fields = Vec::new();
        // SAFETY: the caller vouches for the class; a class with a name has its constant pool.
        let pool: Address = unsafe { memory.value(klass.plus(self.constants)) }?;
        for field in raw.iter().filter(|field| !field.is_static) {
            let symbols = match field.injected {
                true => self.vm_symbols,
                false => pool.plus(self.pool_header),
            };
            // SAFETY: the VM made these indices for the class's fields; symbols live as long as the pool that refers to them.
            unsafe {
                fields.push(InstanceField {
                    name: self.symbol(symbols, field.name, memory)?,
                    descriptor: self.symbol(symbols, field.descriptor, memory)?,
                    offset: field.offset,
                });
            }
        }
        fields.sort_unstable_by_key(|field| field.offset);
        Ok(Some(fields))
    }

    unsafe fn symbol(
        &self,
        symbols: Address,
        index: u32,
        memory: &mut ClassMemory<'_>,
    ) -> Result<Vec<u8>, Error> {
        // SAFETY: the caller vouches for table and index.
        unsafe {
            let symbol: Address = memory.value(symbols.plus(index as usize * 8))?;
            memory.text(symbol, self.symbol_length, self.symbol_body)
        }
    }
}

impl Slots {
    fn load(vm: &VmStructs) -> Result<Self, Error> {
        let number = |name: &'static str| {
            let value = vm
                .constant(name)
                .and_then(|value| u32::try_from(value).ok());
            value.ok_or(missing("FieldInfo", name))
        };
        let slot = |name| number(name).map(|slot| slot as usize);
        Ok(Self {
            fields: vm.offset(&[("InstanceKlass", "_fields")])?,
            data: vm.offset(&[("Array<u2>", "_data")])?,
            each: slot("FieldInfo::field_slots")?.max(1),
            flags: slot("FieldInfo::access_flags_offset")?,
            name: slot("FieldInfo::name_index_offset")?,
            descriptor: slot("FieldInfo::signature_index_offset")?,
            low: slot("FieldInfo::low_packed_offset")?,
            high: slot("FieldInfo::high_packed_offset")?,
            tag_bits: number("FIELDINFO_TAG_SIZE")?,
            is_offset: number("FIELDINFO_TAG_OFFSET")?,
            internal: number("JVM_ACC_FIELD_INTERNAL")?,
            generic: number("JVM_ACC_FIELD_HAS_GENERIC_SIGNATURE")?,
        })
    }

    unsafe fn read(
        &self,
        klass: Address,
        memory: &mut ClassMemory<'_>,
    ) -> Result<Option<Vec<Raw>>, Error> {
        // SAFETY: the caller vouches for the class; the array is its own.
        let bytes = unsafe { memory.array(klass.plus(self.fields), self.data, 2) }?;
        let numbers: Vec<u32> = bytes
            .as_chunks()
            .0
            .iter()
            .map(|pair| u32::from(u16::from_ne_bytes(*pair)))
            .collect();
        let fields = numbers.chunks_exact(self.each);
        let fields = fields.take(self.number_of_fields(&numbers));
        Ok(fields.map(|slots| self.field(slots)).collect())
    }

    /// The fields are followed by the indices of generic signatures, one for each field that has one.
    fn number_of_fields(&self, numbers: &[u32]) -> usize {
        let mut end = numbers.len();
        for (field, slots) in numbers.chunks_exact(self.each).enumerate() {
            if field * self.each >= end {
                break;
            }
            end -= usize::from(at(slots, self.flags) & self.generic != 0);
        }
        end / self.each
    }

    fn is_internal(&self, slots: &[u32]) -> bool {
        at(slots, self.flags) & self.internal != 0
    }

    fn field(&self, slots: &[u32]) -> Option<Raw> {
        let packed = at(slots, self.high) << 16 | at(slots, self.low);
        (packed & self.is_offset != 0).then(|| Raw {
            name: at(slots, self.name),
            descriptor: at(slots, self.descriptor),
            offset: packed >> self.tag_bits,
            is_static: at(slots, self.flags) & STATIC != 0,
            injected: self.is_internal(slots),
        })
    }
}

impl Stream {
    fn load(vm: &VmStructs, fields: usize) -> Result<Self, Error> {
        let flag = |name: &'static str| {
            let bit = vm.constant(name).and_then(|bit| u32::try_from(bit).ok());
            bit.and_then(|bit| 1_u32.checked_shl(bit))
                .ok_or(missing("FieldInfo::FieldFlags", name))
        };
        Ok(Self {
            fields,
            data: vm.offset(&[("Array<u1>", "_data")])?,
            injected: flag("FieldInfo::FieldFlags::_ff_injected")?,
            with_number: flag("FieldInfo::FieldFlags::_ff_initialized")?
                | flag("FieldInfo::FieldFlags::_ff_generic")?
                | flag("FieldInfo::FieldFlags::_ff_contended")?,
        })
    }

    unsafe fn read(
        &self,
        klass: Address,
        memory: &mut ClassMemory<'_>,
    ) -> Result<Option<Vec<Raw>>, Error> {
        // SAFETY: the caller vouches for the class; the array is its own.
        let bytes = unsafe { memory.array(klass.plus(self.fields), self.data, 1) }?;
        Ok(self.fields_of(&bytes))
    }

    fn fields_of(&self, bytes: &[u8]) -> Option<Vec<Raw>> {
        let mut numbers = Unsigned5::new(bytes);
        let number = numbers.next()? as usize + numbers.next()? as usize;
        let mut fields = Vec::with_capacity(number.min(bytes.len()));
        for _ in 0..number {
            let (name, descriptor, offset) = (numbers.next()?, numbers.next()?, numbers.next()?);
            let (access, flags) = (numbers.next()?, numbers.next()?);
            for _ in 0..(flags & self.with_number).count_ones() {
                numbers.next()?;
            }
            fields.push(Raw {
                name,
                descriptor,
                offset,
                is_static: access & STATIC != 0,
                injected: flags & self.injected != 0,
            });
        }
        Some(fields)
    }
}

/// Whether all fields lie inside the object and do not overlap.
fn is_sound(fields: &[InstanceField], bytes: usize) -> bool {
    const SHORTEST_HEADER: usize = 8;
    let mut free = SHORTEST_HEADER;
    fields.iter().all(|field| {
        let start = field.offset as usize;
        let fits = width(&field.descriptor).is_some_and(|width| {
            let is_apart = start >= free && start.is_multiple_of(width);
            free = start + width;
            is_apart && free <= bytes
        });
        fits && !field.name.is_empty()
    })
}

/// The minimum size of a field of this type in bytes (references are longer without compression).
fn width(descriptor: &[u8]) -> Option<usize> {
    match descriptor.first()? {
        b'Z' | b'B' => Some(1),
        b'C' | b'S' => Some(2),
        b'I' | b'F' | b'L' | b'[' => Some(4),
        b'J' | b'D' => Some(8),
        _ => None,
    }
}

fn at(slots: &[u32], slot: usize) -> u32 {
    slots.get(slot).copied().unwrap_or(0)
}

fn missing(type_name: &'static str, field_name: &'static str) -> Error {
    Error::MissingField {
        type_name,
        field_name,
    }
}

#[cfg(test)]
mod tests;
