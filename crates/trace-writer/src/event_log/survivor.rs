//! The survivors of a collection, as the agent reads them in the pause.

use ducktrack_trace_format::Survivor;

/// The survivors of one collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survivors {
    /// One list or several, one after the other; ascending by `from`.
    pub objects: Vec<Vec<Survivor>>,
    /// These are all live objects, not only those of the collected ranges: if the heap was unknown, it is known again.
    pub whole_heap: bool,
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
