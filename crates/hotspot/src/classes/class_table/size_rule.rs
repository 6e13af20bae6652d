//! Class numbers, and how the sizes of instances are found.

use crate::classes::layout_helper::{InstanceSize, LayoutHelper};

/// A class, as the number of its row in the class table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

/// How the size of an instance is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeRule {
    /// All instances have this many bytes.
    Fixed(usize),
    /// An array class.
    Array(LayoutHelper),
    /// `java.lang.Class`: the size in heap words is in a field of the object; this is the minimum in bytes.
    Mirror(usize),
    /// `jdk.internal.vm.StackChunk`: this many bytes, then a stack whose length in words is in a field.
    StackChunk(usize),
    /// No instances.
    None,
}

/// The rule of a class with this layout helper and internal name.
pub(super) fn rule_of(helper: LayoutHelper, name: &[u8]) -> SizeRule {
    match helper.decode() {
        InstanceSize::Fixed { bytes, .. } => match name {
            b"java/lang/Class" => SizeRule::Mirror(bytes),
            b"jdk/internal/vm/StackChunk" => SizeRule::StackChunk(bytes),
            _ => SizeRule::Fixed(bytes),
        },
        InstanceSize::Array { .. } => SizeRule::Array(helper),
        InstanceSize::None => SizeRule::None,
    }
}
