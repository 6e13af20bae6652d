//! The objects of the naive machine, and the parts of its trace.

use ducktrack_trace_format::{Collection, EventFile};

/// A part of a trace.
#[derive(Clone, Debug)]
pub enum Piece {
    /// The first block of a file.
    File(EventFile),
    /// A part of a synchronization point.
    Sync(Vec<u8>),
    /// A buffer of events of a thread.
    Events(Vec<u8>),
    /// A collection with its blocks of moves.
    Collection(Box<Collection>, Vec<Vec<u8>>),
    /// Births of objects that collections have found.
    Explained(Vec<u8>),
    /// Last uses of objects.
    Uses(Vec<u8>),
}

/// An object that a collection kept.
#[derive(Clone, Copy, Debug)]
pub struct NaiveSurvivor {
    /// Its address before.
    pub from: u64,
    /// Its address after.
    pub to: u64,
    /// Its size.
    pub bytes: u64,
    /// Place in [`CLASSES`](super::CLASSES).
    pub class: u32,
}

/// An object, from its birth to its end.
#[derive(Clone, Debug)]
pub struct Object {
    /// Where it is, or was when it died.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
    /// Place in [`CLASSES`](super::CLASSES).
    pub class: u32,
    /// Place in [`SITES`](super::SITES). `None`: the machine made it.
    pub site: Option<usize>,
    /// The thread that made it.
    pub thread: u32,
    /// The call to blame; 0: none.
    pub caller: u32,
    /// The epoch in which it was made.
    pub birth: u32,
    /// The epoch whose end found it dead.
    pub death: Option<u32>,
    /// It came from the young spaces into the old one.
    pub promoted: bool,
    /// A collection has looked at it (or at the space it is in, of objects that were made there).
    pub seen: bool,
    /// It is outside of threads' buffers.
    pub outside: bool,
    /// The trace does not say where it is until a collection finds it.
    pub hidden: bool,
    /// It is explained as soon as it was found.
    pub explained: bool,
    /// Its event comes after the collection.
    pub late: bool,
    /// It was found while the heap was known.
    pub found: bool,
    /// What became of it is not known: it was there while the heap was not known, or it was not found when the heap was lost.
    pub lost: bool,
    /// It was there when the heap was known again, and whose it is is not known.
    pub forgotten: bool,
}

impl Object {
    /// Its site, as far as the trace knows.
    pub fn told_site(&self) -> Option<usize> {
        self.site.filter(|_| !self.forgotten)
    }

    /// In the heap as the trace knows it after the last collection; `epoch` is the number of collections.
    pub fn is_in_heap(&self, epoch: u32) -> bool {
        let is_told = self.outside && !self.hidden && self.birth < epoch;
        self.death.is_none() && (self.seen || is_told)
    }

    /// Allocated at a site, and no collection has decided about it.
    pub fn is_new(&self, epoch: u32) -> bool {
        let waits = !self.outside || self.birth == epoch;
        self.death.is_none() && self.site.is_some() && !self.seen && waits
    }

    /// Collections survived when it was found dead, as far as a trace can tell.
    pub fn survived(&self, death: u32) -> u32 {
        match self.hidden || (!self.seen && !self.outside) {
            true => 0,
            false => death - self.birth,
        }
    }
}
