//! The survivors of a collection, as the agent reads them in the pause.

use ducktrack_trace_format::HeapClassId;

/// An object that survived a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Survivor {
    /// Address before the collection.
    pub from: u64,
    /// Address after the collection; the same as `from` if it stayed.
    pub to: u64,
    /// Size in units of 8 bytes.
    pub units: u32,
    /// Its class.
    pub class: HeapClassId,
}

impl Survivor {
    /// A survivor of `bytes` bytes (a multiple of 8, at most 32 GB).
    pub fn new(from: u64, to: u64, bytes: u64, class: HeapClassId) -> Self {
        let units = u32::try_from(bytes / 8).unwrap_or(u32::MAX);
        Self {
            from,
            to,
            units,
            class,
        }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.units) * 8
    }

    /// End address before the collection.
    pub(crate) fn end_before(&self) -> u64 {
        self.from.wrapping_add(self.bytes())
    }
}

/// The survivors of one collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survivors {
    /// One list or several, one after the other; ascending by `from`.
    pub objects: Vec<Vec<Survivor>>,
    /// These are all live objects, not only those of the collected ranges: if the heap was unknown, it is known again.
    pub whole_heap: bool,
    /// Moves are not known: these are all objects of the heap as the collection left it, and `from` equals `to`.
    pub listed: bool,
}

/// The survivors of the collected ranges.
impl From<Vec<Survivor>> for Survivors {
    fn from(objects: Vec<Survivor>) -> Self {
        Self {
            objects: vec![objects],
            ..Self::default()
        }
    }
}

impl Survivors {
    /// Their memory in bytes.
    pub(crate) fn memory(&self) -> u64 {
        let bytes = self.objects.iter().map(|part| size_of_val(&**part) as u64);
        bytes.sum()
    }

    /// Joins the lists into one.
    pub(crate) fn join(&mut self) -> &mut Vec<Survivor> {
        if self.objects.len() != 1 {
            self.objects = vec![self.objects.concat()];
        }
        // There is exactly one list now.
        &mut self.objects[0]
    }
}
