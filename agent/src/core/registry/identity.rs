//! Identities of classes, and of methods without bytecode.

use std::hash::{DefaultHasher, Hash, Hasher};

use rustc_hash::FxHasher;

/// A class loader; 0 is the boot loader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LoaderId(pub(crate) u32);

impl LoaderId {
    /// Instead of the loader of hidden classes, which no other class names.
    pub(crate) const OF_HIDDEN: Self = Self(u32::MAX);
}

/// The identity of a class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClassKey {
    pub(crate) loader: LoaderId,
    pub(crate) name: Box<[u8]>,
}

/// 128 bits that are the same in each run of one build: of two hash functions, since each class file that is loaded goes through them.
pub(crate) fn hash_of(parts: &[&[u8]]) -> u128 {
    u128::from(half(parts, DefaultHasher::new())) << 64
        | u128::from(half(parts, FxHasher::default()))
}

fn half(parts: &[&[u8]], mut hasher: impl Hasher) -> u64 {
    parts.hash(&mut hasher);
    hasher.finish()
}

/// Everything of a class that decides on its probes: definitions with equal content share numbers, whichever loader defines them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ClassContent(u128);

impl ClassContent {
    /// The content of a class file, which holds the name of the class. Hidden classes get other probes than others.
    pub(crate) fn of(bytes: &[u8], hidden: bool) -> Self {
        Self(hash_of(&[bytes, &[u8::from(hidden)]]))
    }

    /// For a cache on disk: the same in each run of one build.
    pub(crate) fn bits(self) -> u128 {
        self.0
    }
}

/// The number of what is kept of a class file. It is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EntryId(pub(crate) u32);

/// The origin of a class.
pub(crate) struct Origin<'a> {
    pub(crate) key: &'a ClassKey,
    pub(crate) loader_name: &'a str,
    pub(crate) hidden: bool,
}

/// A method without bytecode in which objects are allocated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NativeMethod {
    pub(crate) class: String,
    pub(crate) loader: String,
    pub(crate) method: String,
    pub(crate) descriptor: String,
}
