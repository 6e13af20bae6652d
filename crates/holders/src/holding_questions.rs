//! Who holds objects, and how: what [`Holdings`] answers by field paths and by the dominator tree.

use ducktrack_heap_dump::DumpError;

use crate::dominator_groups::{DominatorGroup, dominator_groups};
use crate::field_paths::PathNumber;
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
        let path_of = |object: u32| {
            let path = is_member(object).then(|| self.paths.of(object));
            path.flatten().map(|path| path.0)
        };
        let holdings = self.by_group(paths, path_of);
        let mut largest: Vec<(u32, Holding)> = (0_u32..)
            .zip(holdings)
            .filter(|(_, holding)| holding.objects > 0)
            .collect();
        // What is dead in the dump is held by nothing; it comes last.
        let is_dead = |path: u32| {
            let path = self.paths.get(PathNumber(path));
            path.is_none_or(|path| self.dump.is_dead(self.tier(path.example)))
        };
        largest.sort_by_key(|(path, holding)| {
            (is_dead(*path), core::cmp::Reverse(holding.retained), *path)
        });
        largest.truncate(most);
        let reader = PathReader::new(self);
        let read = |(path, holding): (u32, Holding)| {
            let is_of_path = |object: &u32| path_of(*object) == Some(path);
            let members: Vec<u32> = (0..self.dump.graph.objects()).filter(is_of_path).collect();
            let held = Holding {
                retained: self.retained_by(&members, holding.retained),
                ..holding
            };
            reader.read(PathNumber(path), held, &members)
        };
        largest.into_iter().map(read).collect()
    }

    /// What exactly these objects retain. `topmost`: the sum of what those of them retain that no other dominates.
    fn retained_by(&self, members: &[u32], topmost: u64) -> u64 {
        match members {
            [_] => topmost,
            _ => {
                let mut is_member = vec![false; self.dump.graph.objects() as usize];
                for member in members {
                    if let Some(flag) = is_member.get_mut(*member as usize) {
                        *flag = true;
                    }
                }
                self.exactly_retained(|object| is_member.get(object as usize) == Some(&true))
            }
        }
    }

    /// A field path with some of the objects at its end.
    pub(crate) fn path_of_members(
        &self,
        path: PathNumber,
        held: Holding,
        members: &[u32],
    ) -> Result<HolderPath, DumpError> {
        PathReader::new(self).read(path, held, members)
    }

    /// A field path with the objects at its end.
    ///
    /// # Errors
    /// As [`Holdings::holders`].
    pub fn path_to(&self, path: PathNumber, held: Holding) -> Result<HolderPath, DumpError> {
        let objects = 0..self.dump.graph.objects();
        let members: Vec<u32> = objects
            .filter(|object| self.paths.of(*object) == Some(path))
            .collect();
        PathReader::new(self).read(path, held, &members)
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
        PathReader::new(self).read(path, held, &[object]).map(Some)
    }

    /// The dominator tree, its nodes grouped by type; groups that retain less than `least` bytes are left out.
    pub fn dominator_groups(&self, least: u64) -> Vec<DominatorGroup> {
        dominator_groups(self, least)
    }
}
