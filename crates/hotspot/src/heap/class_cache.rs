//! Caches the classes that a walk has seen recently, to avoid searching the class table.
//!
//! A few classes make up nearly all objects of a heap, and a walk looks up the class of every object. So each walking thread keeps a small
//! direct-mapped cache: 512 lines of 24 bytes, selected by the upper bits of a multiplied class address. It is filled only from the
//! [`ClassTable`] and lives no longer than one walk.

use crate::address::Address;
use crate::classes::class_table::{ClassId, ClassTable, SizeRule};
use crate::classes::layout_helper::InstanceSize;
use crate::heap::object_walk::ObjectSizes;

const LINES: usize = 512;

/// A compact rule for the size of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuickRule {
    /// Size in bytes.
    Fixed(u32),
    /// An array: bytes before the elements, log2 of the size of an element.
    Array { header: u16, log2_element: u8 },
    /// By the rule of the class table.
    Special,
}

/// What the walk needs to know about a class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuickClass {
    klass: Address,
    pub(crate) id: ClassId,
    pub(crate) rule: QuickRule,
}

/// The cache of one walking thread.
#[derive(Debug)]
pub(crate) struct ClassCache<'a> {
    table: &'a ClassTable,
    lines: Box<[QuickClass]>,
}

impl<'a> ClassCache<'a> {
    pub(crate) fn new(table: &'a ClassTable) -> Self {
        let empty = QuickClass {
            klass: Address::NULL,
            id: ClassId(0),
            rule: QuickRule::Special,
        };
        Self {
            table,
            lines: vec![empty; LINES].into_boxed_slice(),
        }
    }

    /// The class table.
    pub(crate) fn table(&self) -> &'a ClassTable {
        self.table
    }

    /// The size of an object in bytes; 0 when its class has no instances.
    ///
    /// # Safety
    /// `object` must be an object of this class in readable memory. Its mark word may be overwritten.
    #[inline]
    pub(crate) unsafe fn bytes_of(
        &self,
        object: Address,
        class: QuickClass,
        sizes: &ObjectSizes,
    ) -> usize {
        match class.rule {
            QuickRule::Fixed(bytes) => bytes as usize,
            QuickRule::Array {
                header,
                log2_element,
            } => {
                // SAFETY: the caller vouches for the object.
                let length = unsafe { sizes.header().array_length_of(object) };
                // A 32-bit length times an element of at most 256 bytes fits 64 bits.
                let bytes = usize::from(header) + ((length as usize) << log2_element);
                bytes.next_multiple_of(sizes.alignment())
            }
            // SAFETY: the caller vouches for the object.
            QuickRule::Special => unsafe {
                let rule = self.table.rule(class.id);
                sizes.bytes_of(object, rule).unwrap_or(0)
            },
        }
    }

    /// The class at this address, if the class table has one there.
    #[inline]
    pub(crate) fn find(&mut self, klass: Address) -> Option<QuickClass> {
        let mixed = (klass.0 as u64 >> 3).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // The upper 9 bits are always below LINES.
        let line = self.lines.get_mut((mixed >> 55) as usize)?;
        if line.klass == klass && !klass.is_null() {
            return Some(*line);
        }
        let id = self.table.find(klass)?;
        *line = QuickClass::of(self.table, id);
        Some(*line)
    }
}

impl QuickClass {
    /// A class of the table.
    pub(crate) fn of(table: &ClassTable, id: ClassId) -> Self {
        Self {
            klass: table.class(id).map_or(Address::NULL, |class| class.klass),
            id,
            rule: quick_rule(table.rule(id)),
        }
    }
}

fn quick_rule(rule: SizeRule) -> QuickRule {
    match rule {
        SizeRule::Fixed(bytes) => u32::try_from(bytes).map_or(QuickRule::Special, QuickRule::Fixed),
        SizeRule::Array(helper) => match helper.decode() {
            InstanceSize::Array {
                header_bytes,
                log2_element_size: log2_element @ 0..=8,
                ..
            } => QuickRule::Array {
                // Both come from single bytes of the layout helper.
                header: u16::try_from(header_bytes).unwrap_or(u16::MAX),
                log2_element: u8::try_from(log2_element).unwrap_or(0),
            },
            _ => QuickRule::Special,
        },
        SizeRule::Mirror(_) | SizeRule::StackChunk(_) | SizeRule::None => QuickRule::Special,
    }
}
