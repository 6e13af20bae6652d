//! Who holds objects, and how: what [`Holdings`] answers by class paths and by the dominator tree.

use ducktrack_heap_dump::DumpError;

use crate::class_paths::PathNumber;
use crate::dominator_groups::{DominatorGroup, dominator_groups};
use crate::holder_path::{HolderPath, PathReader};
use crate::holdings::{Holding, Holdings};

impl Holdings {
    /// The paths by which these objects are held, most retained bytes first; at most `most`.
    ///
    /// # Errors
    /// When the dump cannot be read again, for the names of fields.
    pub fn holders(
        &self,
        is_member: impl Fn(u32) -> bool,
        most: usize,
    ) -> Result<Vec<HolderPath>, DumpError> {
        let paths = self.paths.paths().len();
        let group_of = |object: u32| {
            is_member(object)
                .then(|| self.paths.of(object))
                .flatten()
                .map(|path| path.0)
        };
        let holdings = self.by_group(paths, group_of);
        let mut largest: Vec<(u32, Holding)> = (0_u32..)
            .zip(holdings)
            .filter(|(_, holding)| holding.objects > 0)
            .collect();
        largest.sort_by_key(|(path, holding)| (core::cmp::Reverse(holding.retained), *path));
        largest.truncate(most);
        let mut reader = PathReader::new(self);
        largest
            .into_iter()
            .map(|(path, holding)| reader.read(PathNumber(path), holding))
            .collect()
    }

    /// A class path with the objects at its end, by the way to one of them.
    ///
    /// # Errors
    /// As [`Holdings::holders`].
    pub fn path_to(
        &self,
        object: u32,
        path: PathNumber,
        held: Holding,
    ) -> Result<HolderPath, DumpError> {
        PathReader::new(self).read_to(object, path, held)
    }

    /// The path by which one object is held.
    ///
    /// # Errors
    /// As [`Holdings::holders`].
    pub fn holder(&self, object: u32) -> Result<Option<HolderPath>, DumpError> {
        let Some(path) = self.paths.of(object) else {
            return Ok(None);
        };
        let age = self.dump.age(object);
        let held = Holding {
            objects: 1,
            bytes: self.dump.bytes(object),
            retained: self.retained(object),
            oldest: age,
            youngest: age,
        };
        PathReader::new(self).read_to(object, path, held).map(Some)
    }

    /// The dominator tree, its nodes grouped by type; groups that retain less than `least` bytes are left out.
    pub fn dominator_groups(&self, least: u64) -> Vec<DominatorGroup> {
        dominator_groups(self, least)
    }
}
