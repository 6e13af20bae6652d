//! Decodes `Klass::_layout_helper`: a 32-bit number that gives the size of a class's instances.
//!
//! From `src/hotspot/share/oops/klass.hpp`. The shifts and masks are the constants `Klass::_lh_*` of the VM's tables, the same in all JDKs
//! from 11 to 25:
//!
//! | value | meaning |
//! |---|---|
//! | 0 | unknown: an interface, an abstract class, or a class without a fixed size |
//! | > 0 | instances of `value & !1` bytes; bit 0: allocation must take the slow path (finalizers, abstract classes, `Class`) |
//! | < 0 | arrays: bits 31-30 kind (11 primitives, 10 references), 23-16 header bytes, 15-8 element type, 5-0 log2 of the element size |
//!
//! Example: `0xC010_0A02` is an `int[]` with compressed class pointers: primitive, header 16, type 10 (`T_INT`), elements of `1 << 2`
//! bytes. An `int[3]` takes 16 + 12 = 28 bytes, rounded up to 32 by the object alignment of 8.

/// The size rule of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LayoutHelper(pub i32);

/// A decoded layout helper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstanceSize {
    /// The class has no instances, or the VM does not give their size.
    None,
    /// Every instance has this many bytes, alignment included.
    Fixed {
        /// Size in bytes.
        bytes: usize,
        /// Whether allocation must go through the VM. Set for `java.lang.Class`, whose instances are larger than `bytes`, each by its own
        /// static fields.
        slow_path: bool,
    },
    /// Arrays.
    Array {
        /// Bytes before the first element.
        header_bytes: usize,
        /// log2 of the element size in bytes.
        log2_element_size: u32,
        /// Whether the elements are references.
        of_references: bool,
    },
}

impl LayoutHelper {
    /// Decodes the number.
    #[must_use]
    pub fn decode(self) -> InstanceSize {
        let value = self.0;
        if value == 0 {
            return InstanceSize::None;
        }
        let bits = value.cast_unsigned();
        if value > 0 {
            return InstanceSize::Fixed {
                bytes: (bits & !1) as usize,
                slow_path: bits & 1 != 0,
            };
        }
        InstanceSize::Array {
            header_bytes: (bits >> 16 & 0xFF) as usize,
            log2_element_size: bits & 0x3F,
            of_references: bits >> 30 == 0b10,
        }
    }

    /// The size in bytes of an array of `length` elements, rounded up to the object alignment; `None` if this is not an array class or the
    /// numbers overflow.
    #[must_use]
    pub fn array_bytes(self, length: usize, alignment: usize) -> Option<usize> {
        let InstanceSize::Array {
            header_bytes,
            log2_element_size,
            ..
        } = self.decode()
        else {
            return None;
        };
        let elements = length.checked_mul(1_usize.checked_shl(log2_element_size)?)?;
        elements
            .checked_add(header_bytes)?
            .checked_next_multiple_of(alignment)
    }
}

#[cfg(test)]
mod tests {
    use super::{InstanceSize, LayoutHelper};

    #[test]
    fn example_of_the_module() {
        let helper = LayoutHelper(0xC010_0A02_u32.cast_signed());
        assert_eq!(
            helper.decode(),
            InstanceSize::Array {
                header_bytes: 16,
                log2_element_size: 2,
                of_references: false
            }
        );
        assert_eq!(helper.array_bytes(3, 8), Some(32));
        assert_eq!(helper.array_bytes(0, 8), Some(16));
        assert_eq!(helper.array_bytes(3, 256), Some(256));
        assert_eq!(helper.array_bytes(usize::MAX, 8), None);
    }

    #[test]
    fn instances_and_none() {
        assert_eq!(
            LayoutHelper(24).decode(),
            InstanceSize::Fixed {
                bytes: 24,
                slow_path: false
            }
        );
        assert_eq!(
            LayoutHelper(121).decode(),
            InstanceSize::Fixed {
                bytes: 120,
                slow_path: true
            }
        );
        assert_eq!(LayoutHelper(0).decode(), InstanceSize::None);
        assert_eq!(LayoutHelper(24).array_bytes(1, 8), None);
        let references = LayoutHelper(0x8010_0C02_u32.cast_signed());
        assert!(matches!(
            references.decode(),
            InstanceSize::Array {
                of_references: true,
                ..
            }
        ));
    }
}
