//! The kinds of memory outside of the heap that Java code owns: probes pass their numbers, traces and reports name them.

use serde::{Deserialize, Serialize};

/// A kind; `name()` returns the word used in reports and JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum OffHeapKind {
    /// A direct buffer (`ByteBuffer.allocateDirect`).
    Direct,
    /// A segment of an arena (`java.lang.foreign`).
    Segment,
    /// Other memory of `Unsafe.allocateMemory`.
    Unsafe,
    /// A mapped file (`FileChannel.map`).
    Mapped,
    /// The stack of a platform thread.
    Thread,
    /// What zlib holds for an `Inflater`.
    Inflater,
    /// What zlib holds for a `Deflater`.
    Deflater,
}

impl OffHeapKind {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 7] = [
        Self::Direct,
        Self::Segment,
        Self::Unsafe,
        Self::Mapped,
        Self::Thread,
        Self::Inflater,
        Self::Deflater,
    ];

    /// The number that probes pass.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The kind with a number.
    pub fn of_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }

    /// Whether it is memory of `Unsafe.allocateMemory`.
    pub fn is_of_unsafe(self) -> bool {
        matches!(self, Self::Direct | Self::Segment | Self::Unsafe)
    }

    /// The word in JSON, CSV and text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct-buffer",
            Self::Segment => "segment",
            Self::Unsafe => "unsafe",
            Self::Mapped => "mapped-file",
            Self::Thread => "thread-stack",
            Self::Inflater => "inflater",
            Self::Deflater => "deflater",
        }
    }
}
