//! The objects of the naive machine, and the parts of its trace.

use ducktrack_trace_format::{Collection, EventFile};

/// A part of a trace.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    File(EventFile),
    Sync(Vec<u8>),
    Events(Vec<u8>),
    Collection(Box<Collection>, Vec<Vec<u8>>),
    Explained(Vec<u8>),
    Uses(Vec<u8>),
}

/// An object that a collection kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NaiveSurvivor {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) bytes: u64,
    pub(crate) class: u32,
}

/// An object, from its birth to its end.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) class: u32,
    /// Place in [`SITES`]. `None`: the machine made it.
    pub(crate) site: Option<usize>,
    pub(crate) thread: u32,
    /// The call to blame; 0: none.
    pub(crate) caller: u32,
    pub(crate) birth: u32,
    /// The epoch whose end found it dead.
    pub(crate) death: Option<u32>,
    pub(crate) promoted: bool,
    /// A collection has looked at it (or at the space it is in, of objects that were made there).
    pub(crate) seen: bool,
    /// It is outside of threads' buffers.
    pub(crate) outside: bool,
    /// The trace does not say where it is until a collection finds it.
    pub(crate) hidden: bool,
    /// It is explained as soon as it was found.
    pub(crate) explained: bool,
    /// Its event comes after the collection.
    pub(crate) late: bool,
    /// It was found while the heap was known.
    pub(crate) found: bool,
    /// What became of it is not known: it was there while the heap was not known, or it was not found when the heap was lost.
    pub(crate) lost: bool,
    /// It was there when the heap was known again, and whose it is is not known.
    pub(crate) forgotten: bool,
}

impl Object {
    /// Its site, as far as the trace knows.
    pub(crate) fn told_site(&self) -> Option<usize> {
        self.site.filter(|_| !self.forgotten)
    }

    /// In the heap as the trace knows it after the last collection; `epoch` is the number of collections.
    pub(crate) fn is_in_heap(&self, epoch: u32) -> bool {
        let is_told = self.outside && !self.hidden && self.birth < epoch;
        self.death.is_none() && (self.seen || is_told)
    }

    /// Allocated at a site, and no collection has decided about it.
    pub(crate) fn is_new(&self, epoch: u32) -> bool {
        let waits = !self.outside || self.birth == epoch;
        self.death.is_none() && self.site.is_some() && !self.seen && waits
    }

    /// Collections survived when it was found dead, as far as a trace can tell.
    pub(crate) fn survived(&self, death: u32) -> u32 {
        match self.hidden || (!self.seen && !self.outside) {
            true => 0,
            false => death - self.birth,
        }
    }
}
