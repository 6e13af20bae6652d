//! Class loaders that could be unloaded, and what keeps each: a leak of its own
//! kind, since a loader keeps all of its classes, and each class its static fields.

use ducktrack_heap_dump::{DumpError, Graph};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::holder_path::HolderPath;
use crate::holdings::Holdings;

/// Of each accessor that reflection generates: no program can keep or drop them.
const OF_REFLECTION: &str = "jdk/internal/reflect/DelegatingClassLoader";

/// Loaders of one type that are held by the same path of fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptLoaders {
    /// The loaders and what keeps them. The retained bytes are those of the
    /// dump, which does not have what instance fields of class objects hold.
    pub path: HolderPath,
    /// Their classes.
    pub classes: u64,
}

impl Holdings {
    /// Groups of loaders, most retained bytes first; at most `most`.
    ///
    /// # Errors
    /// When the dump cannot be read again, for the names of fields.
    pub fn kept_loaders(&self, most: usize) -> Result<Vec<KeptLoaders>, DumpError> {
        let mut classes: FxHashMap<u32, Vec<u32>> = self.dump.graph.loaders_of_classes();
        classes.retain(|loader, _| self.dump.graph.class_name(*loader) != OF_REFLECTION);
        let own = self.of_running_program(&classes);
        classes.retain(|loader, _| !own.contains(loader));
        let is_loader =
            |object: u32| classes.contains_key(&object) && !self.dump.is_dead(self.tier(object));
        let paths = self.holders(is_loader, most)?;
        let mut kept: Vec<KeptLoaders> = paths
            .into_iter()
            .map(|path| self.with_classes(path, &classes))
            .collect();
        kept.sort_by_key(|kept| core::cmp::Reverse(kept.path.held.retained));
        Ok(kept)
    }

    /// The only loaders of their type that threads at work use as context, and their parents: the
    /// running program's own. Of a type with several of them, one may be left behind, whoever uses it.
    fn of_running_program(&self, classes: &FxHashMap<u32, Vec<u32>>) -> FxHashSet<u32> {
        let graph = &self.dump.graph;
        let mut of_type: FxHashMap<&str, u32> = FxHashMap::default();
        for loader in classes.keys() {
            *of_type.entry(graph.class_name(*loader)).or_default() += 1;
        }
        let is_only = |loader: u32| of_type.get(graph.class_name(loader)) == Some(&1);
        let mut users: Vec<u32> = graph.innermost_methods().iter().map(|one| one.0).collect();
        let mut own = FxHashSet::default();
        while let Some(user) = users.pop() {
            for &loader in graph.successors(user) {
                if classes.contains_key(&loader) && is_only(loader) && own.insert(loader) {
                    users.push(loader);
                }
            }
        }
        own
    }

    /// Loaders and their classes go together, whichever of both an object refers to.
    fn with_classes(
        &self,
        mut path: HolderPath,
        classes: &FxHashMap<u32, Vec<u32>>,
    ) -> KeptLoaders {
        let of_path = classes
            .iter()
            .filter(|(loader, _)| self.paths.of(**loader) == Some(path.path));
        let (mut gone, mut count) = (FxHashSet::default(), 0);
        for (loader, classes) in of_path {
            gone.insert(*loader);
            gone.extend(classes);
            count += classes.len() as u64;
        }
        path.held.retained = self.exactly_retained(|object| gone.contains(&object));
        KeptLoaders {
            classes: count,
            path,
        }
    }
}
