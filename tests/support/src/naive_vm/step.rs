//! What the naive machine can be told to do.

/// One step of a program.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the text of each step names its fields")]
pub enum Step {
    /// An object in the thread's buffer; `length` for measured sites.
    Allocate {
        thread: u32,
        site: usize,
        length: u32,
    },
    /// The compiler removed the allocation.
    Eliminate { thread: u32, site: usize },
    /// Outside of buffers: in eden, or in the old space; its address is told or not.
    Outside {
        thread: u32,
        site: usize,
        length: u32,
        old: bool,
        told: bool,
    },
    /// The machine makes an object itself, in the thread's buffer.
    Internal { thread: u32, units: u32 },
    /// An array of arrays in the thread's buffer, with the lengths of both levels.
    Levels { thread: u32, outer: u32, inner: u32 },
    /// The thread's buffer of events is full.
    Flush { thread: u32 },
    /// A collection; every object lives on with this chance of 8.
    Collect {
        kind: Kind,
        chance: u32,
        straggler: Option<u32>,
        sync: bool,
    },
    /// The moves of the next collection are not known, nor those of later ones, until a full collection tells all that is there.
    LoseHeap,
}

/// What a collection looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Looks at eden and the survivors.
    Young,
    /// Looks at all.
    Full,
    /// Looks at the old space only, and moves nothing.
    Cleanup,
}

/// Threads of a program.
pub const THREADS: u32 = 3;
