//! Walks the objects of a space from bottom to top.
//!
//! Nothing marks the end of an object: its class gives its size, and the next object starts there. So a walk is correct if every class is
//! known and the last object ends exactly at the top. Anything else is a [`WalkFault`], and the rest of the space is not read.

use crate::address::Address;
use crate::classes::class_table::{ClassId, ClassTable, SizeRule};
use crate::classes::klass::KlassLayout;
use crate::error::Error;
use crate::heap::object_header::{ObjectHeader, forwarded_to};
use crate::heap::space::{Space, SpaceKind};
use crate::vm::jvm_flags::JvmFlags;
use crate::vm::vm_structs::VmStructs;

/// An object of the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeapObject {
    /// Its address.
    pub address: Address,
    /// Its class.
    pub class: ClassId,
    /// Its size in bytes, alignment included.
    pub bytes: usize,
}

/// Why a walk ended before the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WalkFault {
    /// The class pointer is not in the class table.
    #[error("object at {object:?} has an unknown class {klass:?}")]
    UnknownClass {
        /// The object.
        object: Address,
        /// The class pointer in its header.
        klass: Address,
    },
    /// The size is zero, unaligned, or reaches past the top.
    #[error("object at {object:?} would have {bytes} bytes")]
    BadSize {
        /// The object.
        object: Address,
        /// The size.
        bytes: usize,
    },
    /// The header is overwritten by a forwarding pointer that leads out of the heap.
    #[error("object at {object:?} is forwarded to {target:?}, outside the heap")]
    BadForwarding {
        /// The object.
        object: Address,
        /// The target of the pointer.
        target: Address,
    },
}

/// What is needed, besides the class table, to compute sizes.
#[derive(Debug, Clone, Copy)]
pub struct ObjectSizes {
    header: ObjectHeader,
    alignment: usize,
    /// `java_lang_Class::_oop_size_offset`.
    mirror_words: usize,
    /// Offset of `jdk.internal.vm.StackChunk.size`. Without it these objects cannot be passed.
    stack_chunk_words: Option<usize>,
    /// log2 of the number of references in a word of a stack: 1 with compressed references.
    log2_references_per_word: u32,
}

impl ObjectSizes {
    /// Reads the VM's layout. `stack_chunk_words` is the offset of the field `size` of `jdk.internal.vm.StackChunk`, as
    /// `Unsafe.objectFieldOffset` returns it (JDK 19 and later).
    pub fn load(
        vm: &VmStructs,
        flags: &JvmFlags,
        stack_chunk_words: Option<usize>,
    ) -> Result<Self, Error> {
        let alignment = flags.number("ObjectAlignmentInBytes").unwrap_or(8);
        let implausible = Error::Implausible {
            what: "the object alignment",
            value: alignment.cast_unsigned(),
        };
        let alignment = usize::try_from(alignment)
            .ok()
            .filter(|bytes| bytes.is_power_of_two())
            .ok_or(implausible)?;
        Ok(Self {
            header: ObjectHeader::load(vm, flags)?,
            alignment,
            mirror_words: KlassLayout::load(vm)?.class_oop_size,
            stack_chunk_words,
            log2_references_per_word: u32::from(flags.is_on("UseCompressedOops")),
        })
    }

    /// Sets the offset of `StackChunk.size`.
    pub(crate) fn set_stack_chunk_size_offset(&mut self, offset: usize) {
        self.stack_chunk_words = Some(offset);
    }

    /// The header layout.
    #[must_use]
    pub fn header(&self) -> &ObjectHeader {
        &self.header
    }

    /// The object alignment in bytes.
    #[must_use]
    pub fn alignment(&self) -> usize {
        self.alignment
    }

    /// The size of an object by the rule of its class; `None` if the class has no instances.
    ///
    /// # Safety
    /// `object` must be an instance of such a class in readable memory. Its header may be forwarded.
    #[must_use]
    pub unsafe fn bytes_of(&self, object: Address, rule: SizeRule) -> Option<usize> {
        match rule {
            SizeRule::Fixed(bytes) => Some(bytes),
            SizeRule::Array(helper) => {
                // SAFETY: the caller vouches for the object.
                let length = unsafe { self.header.array_length_of(object) };
                helper.array_bytes(length as usize, self.alignment)
            }
            SizeRule::Mirror(least) => {
                // SAFETY: the caller vouches for the object; a `java.lang.Class` object has this field.
                let words: u32 = unsafe { object.plus(self.mirror_words).read() };
                Some((words as usize * 8).max(least))
            }
            SizeRule::StackChunk(fixed) => {
                // SAFETY: the caller vouches for the object; a stack chunk has this field.
                let words: u32 = unsafe { object.plus(self.stack_chunk_words?).read() };
                self.stack_chunk_bytes(fixed, words as usize)
            }
            SizeRule::None => None,
        }
    }

    /// `InstanceStackChunkKlass::instance_size`: the fields, the stack, and a bitmap with one bit for each possible reference.
    fn stack_chunk_bytes(&self, fixed: usize, words: usize) -> Option<usize> {
        let bitmap_words = words
            .checked_shl(self.log2_references_per_word)?
            .div_ceil(64);
        let stack_bytes = words.checked_add(bitmap_words)?.checked_mul(8)?;
        fixed
            .checked_add(stack_bytes)?
            .checked_next_multiple_of(self.alignment)
    }
}

/// The objects of one space.
#[derive(Debug)]
pub struct ObjectWalk<'a> {
    classes: &'a ClassTable,
    sizes: &'a ObjectSizes,
    at: Address,
    top: Address,
    /// A humongous region holds one object, which may end in another region.
    single: bool,
    /// Bounds of the heap, if headers may be overwritten by forwarding pointers.
    forwarding_within: Option<(Address, usize)>,
    done: bool,
}

impl<'a> ObjectWalk<'a> {
    /// Walks a space whose objects have intact headers.
    ///
    /// # Safety
    /// The world must be stopped until the walk ends, and `[space.bottom, space.top)` must be committed memory.
    #[must_use]
    pub unsafe fn new(space: &Space, classes: &'a ClassTable, sizes: &'a ObjectSizes) -> Self {
        Self {
            classes,
            sizes,
            at: space.bottom,
            top: space.top,
            single: space.kind == SpaceKind::HumongousStart,
            forwarding_within: None,
            done: !space.kind.holds_objects() || space.bottom >= space.top,
        }
    }

    /// The object at the current place.
    fn object(&self) -> Result<HeapObject, WalkFault> {
        let object = self.at;
        let header_at = self.header_place(object)?;
        // SAFETY: the space is committed, and an object starts here; a forwarding target lies in the heap.
        let klass = unsafe { self.sizes.header.klass_of(header_at) };
        let Some(class) = self.classes.find(klass) else {
            return Err(WalkFault::UnknownClass { object, klass });
        };
        // SAFETY: an object starts here in committed memory, and the class table has confirmed its class.
        let bytes = unsafe { self.sizes.bytes_of(object, self.classes.rule(class)) }.unwrap_or(0);
        let room = self.top.above(object);
        if bytes < 8 || bytes % 8 != 0 || (bytes > room && !self.single) {
            return Err(WalkFault::BadSize { object, bytes });
        }
        Ok(HeapObject {
            address: object,
            class,
            bytes,
        })
    }

    /// The header that holds the class: the object's own, or that of its copy if the class was in the overwritten mark word.
    fn header_place(&self, object: Address) -> Result<Address, WalkFault> {
        let Some((start, length)) = self.forwarding_within else {
            return Ok(object);
        };
        // SAFETY: the object lies below the top of a space, whose memory is committed up to there.
        let mark: u64 = unsafe { object.read() };
        match forwarded_to(mark) {
            None => Ok(object),
            Some(target) if target >= start && target.above(start) < length => Ok(target),
            Some(target) => Err(WalkFault::BadForwarding { object, target }),
        }
    }
}

impl Iterator for ObjectWalk<'_> {
    type Item = Result<HeapObject, WalkFault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done || self.at >= self.top {
            return None;
        }
        let found = self.object();
        match &found {
            Ok(object) => {
                self.at = self.at.plus(object.bytes);
                self.done = self.single;
            }
            Err(_) => self.done = true,
        }
        Some(found)
    }
}

#[cfg(test)]
impl ObjectSizes {
    /// For synthetic heaps in tests: full class pointers, alignment 8.
    pub(crate) fn made_up() -> Self {
        Self::made_up_with(ObjectHeader::made_up())
    }

    /// The same with other headers.
    pub(crate) fn made_up_with(header: ObjectHeader) -> Self {
        Self {
            header,
            alignment: 8,
            mirror_words: 0,
            stack_chunk_words: None,
            log2_references_per_word: 0,
        }
    }
}
