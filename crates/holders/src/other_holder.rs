//! Who else holds the objects of a structure: to remove them from one of two collections frees nothing.

use ducktrack_heap_dump::{DumpError, Graph};

use crate::holder_path::HolderPath;
use crate::holdings::{Holding, Holdings};
use crate::thread_local_field::NamedField;

impl Holdings {
    /// The field by which the object at a path's end is held when the structure
    /// on the path has given up all its elements. `None`: nothing holds it then.
    ///
    /// # Errors
    /// When the dump cannot be read again.
    pub fn other_holder(&self, path: &HolderPath) -> Result<Option<NamedField>, DumpError> {
        let Some(way) = self.way_beside(path) else {
            return Ok(None);
        };
        let own = path.structure.as_ref().and_then(|one| one.field);
        let inside: Vec<u32> = path
            .steps
            .iter()
            .skip(own.unwrap_or(0))
            .map(|step| step.example)
            .collect();
        // From the object towards the root: the nearest field path that is not in the structure.
        for object in way.into_iter().rev().skip(1) {
            if inside.contains(&object) {
                continue;
            }
            let Some(number) = self.paths.of(object) else {
                continue;
            };
            let other = self.path_to(number, Holding::default())?;
            let field = self
                .structure_field(&other)
                .0
                .or_else(|| self.field_at(&other, 0));
            if field.is_some() {
                return Ok(field);
            }
        }
        Ok(None)
    }

    /// From a root to the object at the path's end, without the references by which the elements of the structure are held.
    fn way_beside(&self, path: &HolderPath) -> Option<Vec<u32>> {
        let piles_up = path.structure.as_ref()?.piles_up;
        let element = self.paths.of(path.steps.get(piles_up)?.example)?;
        let holder = self
            .paths
            .of(path.steps.get(piles_up.checked_sub(1)?)?.example)?;
        let graph = &self.dump.graph;
        let is_cut = |from: u32, to: u32| {
            let is_of_structure =
                self.paths.of(from) == Some(holder) && self.paths.of(to) == Some(element);
            // Elements of a chain (nodes of a bucket) lead to each other.
            let is_chain =
                self.paths.of(from) == Some(element) && self.paths.of(to) == Some(element);
            is_of_structure || is_chain || graph.soft_successor(from) == Some(to)
        };
        let to = path.steps.last()?.example;
        self.held().way_without(self.tree.orphans(), is_cut, to)
    }
}
