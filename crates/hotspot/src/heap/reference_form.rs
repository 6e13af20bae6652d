//! How the VM keeps references in fields and elements.

use crate::address::Address;
use crate::error::Error;
use crate::vm::jvm_flags::JvmFlags;
use crate::vm::vm_structs::VmStructs;

/// How references are kept.
#[derive(Debug, Clone, Copy)]
pub struct ReferenceForm {
    pub(crate) base: usize,
    pub(crate) shift: u32,
    pub(crate) is_narrow: bool,
    /// Where a `java.lang.Class` object has the number of its class's static references, which follow its fields.
    pub(crate) static_count: usize,
}

impl ReferenceForm {
    /// Of this VM.
    ///
    /// # Errors
    /// What its tables do not say.
    pub fn load(vm: &VmStructs, flags: &JvmFlags) -> Result<Self, Error> {
        let is_narrow = flags.is_on("UseCompressedOops");
        let (base, shift) = match is_narrow {
            true => encoding(vm)?,
            false => (0, 0),
        };
        let static_count = vm.address(&[("java_lang_Class", "_static_oop_field_count_offset")])?;
        let static_count: i32 = vm.libjvm().read(static_count)?;
        Ok(Self {
            base,
            shift,
            is_narrow,
            static_count: usize::try_from(static_count).map_err(|_| Error::Implausible {
                what: "an offset in java.lang.Class",
                value: u64::MAX,
            })?,
        })
    }

    /// Whether they are compressed: 4 bytes instead of 8.
    pub fn is_narrow(self) -> bool {
        self.is_narrow
    }

    /// A compressed reference `n` stands for the address `base + (n << shift)`.
    pub fn encoding(self) -> (usize, u32) {
        (self.base, self.shift)
    }

    /// What a reference with these bits leads to.
    pub fn of_number(self, bits: u64) -> Address {
        if !self.is_narrow {
            return Address(bits as usize);
        }
        match bits as u32 {
            0 => Address::NULL,
            narrow => Address(self.base.wrapping_add((narrow as usize) << self.shift)),
        }
    }

    /// Bytes of one in a field.
    pub fn size(self) -> usize {
        if self.is_narrow { 4 } else { 8 }
    }

    /// What a reference at a place leads to.
    ///
    /// # Safety
    /// A reference is there.
    pub unsafe fn read(self, place: Address) -> Address {
        if !self.is_narrow {
            // SAFETY: the caller guarantees that a reference is stored at this address, in this form.
            return unsafe { place.read() };
        }
        // SAFETY: the caller guarantees that a reference is stored at this address, in this form.
        let narrow: u32 = unsafe { place.read() };
        self.of_number(narrow.into())
    }

    /// Makes a reference null, past all barriers of the collector.
    ///
    /// # Safety
    /// A reference is there, and the program never reads it.
    pub unsafe fn clear(self, place: Address) {
        let place = place.pointer::<u8>().cast_mut();
        // SAFETY: the caller guarantees that a reference is stored at this address; it has this many bytes.
        unsafe { place.write_bytes(0, self.size()) };
    }
}

/// Base and shift of compressed references.
fn encoding(vm: &VmStructs) -> Result<(usize, u32), Error> {
    let base = vm.address(&[
        ("CompressedOops", "_base"),
        ("CompressedOops", "_narrow_oop._base"),
        ("Universe", "_narrow_oop._base"),
    ])?;
    let shift = vm.address(&[
        ("CompressedOops", "_shift"),
        ("CompressedOops", "_narrow_oop._shift"),
        ("Universe", "_narrow_oop._shift"),
    ])?;
    let base: Address = vm.libjvm().read(base)?;
    let shift: i32 = vm.libjvm().read(shift)?;
    let small = u32::try_from(shift).ok().filter(|shift| *shift < 16);
    let shift = small.ok_or(Error::Implausible {
        what: "a shift of references",
        value: u64::from(shift.cast_unsigned()),
    })?;
    Ok((base.0, shift))
}
