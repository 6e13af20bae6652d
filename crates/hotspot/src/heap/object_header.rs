//! Reads object headers: the class of an object and the length of an array.
//!
//! There are three layouts (`src/hotspot/share/oops/oop.hpp`, `markWord.hpp`, `arrayOop.hpp`), selected by two flags:
//!
//! | | mark word | class pointer | array length |
//! |---|---|---|---|
//! | compressed class pointers (default) | 8 bytes at 0 | 4 bytes at 8 | 4 bytes at 12 |
//! | `-XX:-UseCompressedClassPointers` | 8 bytes at 0 | 8 bytes at 8 | 4 bytes at 16 |
//! | `-XX:+UseCompactObjectHeaders` (JDK 24 and later) | 8 bytes at 0 | upper 22 bits of the mark word | 4 bytes at 8 |
//!
//! A compressed class pointer `n` stands for `base + (n << shift)`, with `base` and `shift` from
//! `CompressedKlassPointers`. Example of JDK 25 with base 0x7F00_0000_0000 and shift 10: mark
//! word `0x0000_4C00_0000_0001` has `mark >> 42 = 0x13`, so the class is at 0x7F00_0000_4C00.
//!
//! If the low two bits of the mark word are 11, the collector has forwarded the object, and the other bits are the new address.

use crate::address::Address;
use crate::error::Error;
use crate::vm::jvm_flags::JvmFlags;
use crate::vm::vm_structs::VmStructs;

/// How a header holds its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClassPointer {
    /// A full pointer at offset 8.
    Full,
    /// 32 bits at offset 8.
    Compressed { base: usize, shift: u32 },
    /// Upper bits of the mark word.
    InMark {
        base: usize,
        shift: u32,
        mark_shift: u32,
    },
}

/// Position of the class bits in a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClassBits {
    /// All 8 bytes at 8; an array's length follows at 16.
    Word,
    /// 4 bytes at 8; an array's length follows at 12.
    HalfWord,
    /// The mark word, shifted right by this many bits; an array's length is at 8.
    UpperMark(u32),
}

/// The header layout of this VM. Load in or after `VMInit`, because the
/// base of class pointers is known only once the VM has set up its heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObjectHeader {
    class_pointer: ClassPointer,
    array_length: usize,
    /// Bits of the mark word that mark a failed evacuation.
    stays_bits: u64,
}

/// Bit 2 of the mark word, from JDK 24 on: the evacuation of this object
/// failed, and it stays. Before, such an object is forwarded to itself.
const STAYS: u64 = 0b100;
/// The first JDK with that bit.
const FIRST_WITH_STAYS: i32 = 24;

/// Low two bits of a mark word: forwarded by the collector.
const FORWARDED: u64 = 0b11;

impl ObjectHeader {
    /// Determines the layout that this VM uses.
    pub fn load(vm: &VmStructs, flags: &JvmFlags) -> Result<Self, Error> {
        let version = vm.address(&[("Abstract_VM_Version", "_vm_major_version")])?;
        let version: i32 = vm.libjvm().read(version)?;
        let stays_bits = if version < FIRST_WITH_STAYS { 0 } else { STAYS };
        if flags.is_on("UseCompactObjectHeaders") {
            let (base, shift) = encoding(vm)?;
            let name = "markWord::klass_shift";
            let mark_shift = vm.constant(name).ok_or(Error::MissingConstant { name })?;
            let mark_shift = small_shift(mark_shift)?;
            return Ok(Self {
                class_pointer: ClassPointer::InMark {
                    base,
                    shift,
                    mark_shift,
                },
                array_length: 8,
                stays_bits,
            });
        }
        // A VM without the flag has only the compressed layout.
        if flags.get("UseCompressedClassPointers").is_none()
            || flags.is_on("UseCompressedClassPointers")
        {
            let (base, shift) = encoding(vm)?;
            return Ok(Self {
                class_pointer: ClassPointer::Compressed { base, shift },
                array_length: 12,
                stays_bits,
            });
        }
        Ok(Self {
            class_pointer: ClassPointer::Full,
            array_length: 16,
            stays_bits,
        })
    }

    /// The Klass pointer of an object, unchecked.
    ///
    /// # Safety
    /// The 16 bytes at `object` must be readable.
    #[must_use]
    pub unsafe fn klass_of(&self, object: Address) -> Address {
        match self.class_pointer {
            ClassPointer::InMark {
                base,
                shift,
                mark_shift,
            } => {
                // SAFETY: the caller vouches for the header. Only the mark word is read.
                let mark: u64 = unsafe { object.read() };
                decoded(base, shift, mark >> mark_shift)
            }
            // SAFETY: the caller vouches for the header, which has its class word at 8 in this layout.
            _ => self.klass_in(unsafe { object.plus(8).read() }),
        }
    }

    /// The Klass pointer from the word after the mark word; null if the class is in the mark word.
    #[inline(always)]
    pub(crate) fn klass_in(&self, second: u64) -> Address {
        match self.class_pointer {
            ClassPointer::Full => Address(second as usize),
            ClassPointer::Compressed { base, shift } => decoded(base, shift, second & 0xFFFF_FFFF),
            ClassPointer::InMark { .. } => Address::NULL,
        }
    }

    /// The number of elements of an array.
    ///
    /// # Safety
    /// The 24 bytes at `array` must be readable.
    #[must_use]
    pub unsafe fn array_length_of(&self, array: Address) -> u32 {
        // SAFETY: the caller vouches for the header.
        unsafe { array.plus(self.array_length).read() }
    }

    /// Position of the class bits.
    pub(crate) fn class_bits(&self) -> ClassBits {
        match self.class_pointer {
            ClassPointer::Full => ClassBits::Word,
            ClassPointer::Compressed { .. } => ClassBits::HalfWord,
            ClassPointer::InMark { mark_shift, .. } => ClassBits::UpperMark(mark_shift),
        }
    }

    /// Size of the smallest object in bytes.
    pub(crate) fn smallest_object(&self) -> usize {
        if self.class_is_in_mark() { 8 } else { 16 }
    }

    /// Bits of the mark word that, during a pause, mark a failed evacuation of the object; 0 if this VM has none.
    pub(crate) fn stays_bits(&self) -> u64 {
        self.stays_bits
    }

    /// Whether forwarding overwrites the class (compact headers). If so, the class of an evacuated object is read at its new place.
    #[must_use]
    pub fn class_is_in_mark(&self) -> bool {
        matches!(self.class_pointer, ClassPointer::InMark { .. })
    }
}

#[cfg(test)]
impl ObjectHeader {
    /// For synthetic heaps in tests: full class pointers.
    pub(crate) fn made_up() -> Self {
        Self {
            class_pointer: ClassPointer::Full,
            array_length: 16,
            stays_bits: 0,
        }
    }

    /// The same with compressed class pointers.
    pub(crate) fn made_up_compressed(base: usize) -> Self {
        Self {
            class_pointer: ClassPointer::Compressed { base, shift: 0 },
            array_length: 12,
            stays_bits: 0,
        }
    }

    /// The same with compact headers, as of JDK 25.
    pub(crate) fn made_up_compact(base: usize) -> Self {
        Self {
            class_pointer: ClassPointer::InMark {
                base,
                shift: 3,
                mark_shift: 42,
            },
            array_length: 8,
            stays_bits: STAYS,
        }
    }
}

#[inline(always)]
fn decoded(base: usize, shift: u32, narrow: u64) -> Address {
    Address(base.wrapping_add((narrow as usize) << shift))
}

/// The new address in a mark word that an evacuation wrote, or `None` if the object is not forwarded.
#[must_use]
pub fn forwarded_to(mark: u64) -> Option<Address> {
    // Bit 2 also belongs to the mark; objects are aligned to 8.
    (mark & FORWARDED == FORWARDED)
        .then(|| usize::try_from(mark & !7).map(Address).ok())
        .flatten()
}

/// Base and shift of compressed class pointers.
fn encoding(vm: &VmStructs) -> Result<(usize, u32), Error> {
    let base = vm.address(&[
        ("CompressedKlassPointers", "_base"),
        ("CompressedKlassPointers", "_narrow_klass._base"),
        ("Universe", "_narrow_klass._base"),
    ])?;
    let shift = vm.address(&[
        ("CompressedKlassPointers", "_shift"),
        ("CompressedKlassPointers", "_narrow_klass._shift"),
        ("Universe", "_narrow_klass._shift"),
    ])?;
    let base: Address = vm.libjvm().read(base)?;
    let shift: i32 = vm.libjvm().read(shift)?;
    Ok((base.0, small_shift(i64::from(shift))?))
}

fn small_shift(shift: i64) -> Result<u32, Error> {
    let implausible = Error::Implausible {
        what: "a shift of class pointers",
        value: shift.cast_unsigned(),
    };
    u32::try_from(shift)
        .ok()
        .filter(|&shift| shift < 64)
        .ok_or(implausible)
}

#[cfg(test)]
mod tests {
    use super::{ClassPointer, ObjectHeader, forwarded_to};
    use crate::address::Address;

    fn klass(class_pointer: ClassPointer, words: [u64; 3]) -> usize {
        let header = ObjectHeader {
            class_pointer,
            array_length: 12,
            stays_bits: 0,
        };
        // SAFETY: the reads stay inside the array.
        unsafe { header.klass_of(Address::of(words.as_ptr())) }.0
    }

    #[test]
    fn class_pointers_of_all_layouts() {
        let base = 0x7F00_0000_0000;
        let compact = ClassPointer::InMark {
            base,
            shift: 10,
            mark_shift: 42,
        };
        assert_eq!(
            klass(compact, [0x0000_4C00_0000_0001, 0, 0]),
            0x7F00_0000_4C00
        );
        let compressed = ClassPointer::Compressed { base, shift: 0 };
        assert_eq!(
            klass(compressed, [1, 0x0000_0005_0000_1040, 0]),
            0x7F00_0000_1040
        );
        assert_eq!(
            klass(ClassPointer::Full, [1, 0x7F12_3456_7890, 0]),
            0x7F12_3456_7890
        );
    }

    #[test]
    fn lengths_and_forwarding() {
        let words = [1_u64, 0x0000_0005_0000_1040, 0];
        let header = ObjectHeader {
            class_pointer: ClassPointer::Compressed { base: 0, shift: 0 },
            array_length: 12,
            stays_bits: 0,
        };
        // SAFETY: the reads stay inside the array.
        let length = unsafe { header.array_length_of(Address::of(words.as_ptr())) };
        assert_eq!(length, 5);
        assert_eq!(forwarded_to(0x7_1234_5003), Some(Address(0x7_1234_5000)));
        assert_eq!(forwarded_to(1), None);
    }
}
