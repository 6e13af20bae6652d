//! Kinds of pauses whose length is explained in the same way.

use ducktrack_trace_format::CollectionKind;

/// The work of a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PauseKind {
    /// Copies what lives in the young spaces, and (mixed) in some old regions.
    Evacuation,
    /// Marks and compacts everything.
    Full,
    /// A pause of a concurrent cycle (Remark, Cleanup).
    Cycle,
}

impl PauseKind {
    /// All kinds, in the order of [`Cost::kinds`](crate::Cost::kinds).
    pub const ALL: [Self; 3] = [Self::Evacuation, Self::Full, Self::Cycle];

    /// `None`: the trace does not know what the collection did.
    pub(crate) fn of(kind: CollectionKind) -> Option<Self> {
        match kind {
            CollectionKind::Young | CollectionKind::Mixed => Some(Self::Evacuation),
            CollectionKind::Full => Some(Self::Full),
            CollectionKind::Cleanup => Some(Self::Cycle),
            _ => None,
        }
    }

    /// Place in lists by kind.
    pub(crate) fn position(self) -> usize {
        match self {
            Self::Evacuation => 0,
            Self::Full => 1,
            Self::Cycle => 2,
        }
    }

    /// The word in JSON and text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Evacuation => "young and mixed",
            Self::Full => "full",
            Self::Cycle => "concurrent cycle",
        }
    }
}

/// Causes, in the VM's words, that have nothing to do with room for objects.
const ASKED: [&str; 12] = [
    "System.gc()",
    "Heap Inspection Initiated GC",
    "Heap Dump Initiated GC",
    "Diagnostic Command",
    "JvmtiEnv ForceGarbageCollection",
    "FullGCAlot",
    "ScavengeAlot",
    "WhiteBox Initiated Young GC",
    "WhiteBox Initiated Full GC",
    "Metadata GC Threshold",
    "Metadata GC Clear Soft References",
    "Last ditch collection",
];

/// Did the program, a tool or the room for classes ask for the collection?
pub(crate) fn is_asked_for(cause: &str) -> bool {
    ASKED.contains(&cause)
}
