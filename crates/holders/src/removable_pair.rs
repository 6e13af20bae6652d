//! The references whose removal frees what a path holds: what a trial of `ducktrack impact` sets to null.
//!
//! A trial removes references to objects that the program has not used for some collections, and a
//! use of a removed object ends it. So references count by the bytes that they alone hold of such
//! objects: the nodes of a table that grows are used again whenever it does, what they hold is not.

use rustc_hash::FxHashMap;

use ducktrack_count_model::may_lose_references;
use ducktrack_heap_dump::Graph;

use crate::field_paths::PathNumber;
use crate::holder_path::{HolderPath, HolderStep};
use crate::holdings::Holdings;
use crate::type_table::TypeNumber;

/// Steps after the one at which objects pile up that are looked at.
const STEPS: usize = 2;
/// Types of targets that are looked at beside the path, of objects that pile up: those that retain most.
const BESIDE: usize = 3;

/// What nodes hold is removed rather than the nodes, if that frees this part of it (one half) or more.
const PAYLOAD: u64 = 2;

/// References from objects of one type to those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovablePair {
    /// The type of the referring objects.
    pub source: TypeNumber,
    /// The type of their targets.
    pub target: TypeNumber,
    /// Bytes that nothing but these references holds, of targets that a trial removes.
    pub frees: u64,
}

impl Holdings {
    /// Of the references with which objects pile up on a path, and of those of these objects, the ones that
    /// free most, if a trial may set them to null; else the next ones nearer to the root. `unused_for`:
    /// collections without a use after which a trial removes. `None`: no reference of the path may be removed.
    pub fn removable_pair(&self, path: &HolderPath, unused_for: u32) -> Option<RemovablePair> {
        let piles_up = path.structure.as_ref()?.piles_up;
        let mut ends: Vec<Ends> = (piles_up..=piles_up + STEPS)
            .flat_map(|at| ends_at(path, at))
            .collect();
        ends.extend(self.beside(path, piles_up));
        let ends = ends.into_iter().filter(|ends| self.may_be_removed(*ends));
        let pairs: Vec<RemovablePair> = ends.map(|ends| self.pair(ends, unused_for)).collect();
        let best = most(pairs.iter());
        let is_payload = |pair: &&RemovablePair| !is_of_collections(self.types.name(pair.target));
        let payload = most(pairs.iter().filter(is_payload));
        let payload =
            payload.filter(|payload| best.is_none_or(|best| payload.frees >= best.frees / PAYLOAD));
        let best = payload.or(best);
        let above = || {
            let above = (0..piles_up).rev().flat_map(|at| ends_at(path, at));
            let mut above = above.filter(|ends| self.may_be_removed(*ends));
            above.next().map(|ends| self.pair(ends, unused_for))
        };
        best.or_else(above)
    }

    fn may_be_removed(&self, (source, _): Ends) -> bool {
        may_lose_references(self.types.name(source))
    }

    fn pair(&self, (source, target): Ends, unused_for: u32) -> RemovablePair {
        let goes = |object| self.stays_unused(object, unused_for);
        RemovablePair {
            source,
            target,
            frees: self.bytes_held_only_by(source, target, goes),
        }
    }

    /// A trial would have removed the object, and the program did not use it
    /// any more after that. Where uses are not recorded, all objects are such.
    fn stays_unused(&self, object: u32, unused_for: u32) -> bool {
        let unused = self.dump.staleness(object);
        let Some((unused, used_at)) = unused.zip(self.dump.age_at_use(object)) else {
            return true;
        };
        unused >= unused_for && used_at < unused_for
    }

    /// References of the objects that pile up to what they alone hold.
    fn beside(&self, path: &HolderPath, piles_up: usize) -> Vec<Ends> {
        let Some(step) = path.steps.get(piles_up).filter(|step| step.class.is_none()) else {
            return Vec::new();
        };
        let of_step: Option<PathNumber> = self.paths.of(step.example);
        let mut retained: FxHashMap<TypeNumber, u64> = FxHashMap::default();
        for object in
            (0..self.dump.graph.objects()).filter(|object| self.paths.of(*object) == of_step)
        {
            for target in self.dump.graph.successors(object) {
                if self.shortest.before(*target) == Some(object) {
                    *retained.entry(self.type_of(*target)).or_default() += self.retained(*target);
                }
            }
        }
        let mut types: Vec<(TypeNumber, u64)> = retained.into_iter().collect();
        types.sort_unstable_by_key(|(ty, retained)| (core::cmp::Reverse(*retained), *ty));
        types.truncate(BESIDE);
        types.into_iter().map(|(ty, _)| (step.ty, ty)).collect()
    }
}

/// Of equal ones the first, which is nearest to the root.
fn most<'a>(pairs: impl Iterator<Item = &'a RemovablePair>) -> Option<RemovablePair> {
    pairs
        .copied()
        .reduce(|best, pair| match pair.frees > best.frees {
            true => pair,
            false => best,
        })
}

/// Nodes and tables: a collection uses them when it grows or is searched, and does not use what they hold.
fn is_of_collections(descriptor: &str) -> bool {
    let element = descriptor.trim_start_matches('[');
    element.starts_with("Ljava/util/")
}

/// Source and target.
type Ends = (TypeNumber, TypeNumber);

/// The references that lead to a step: from the step before, and from its own kind where recursion is folded.
fn ends_at(path: &HolderPath, at: usize) -> Vec<Ends> {
    let Some(step) = path.steps.get(at) else {
        return Vec::new();
    };
    let before = at.checked_sub(1).and_then(|at| path.steps.get(at));
    let own = Some(step).filter(|step| step.repeats);
    let sources = before.into_iter().chain(own);
    let objects = sources.filter(|source: &&HolderStep| source.class.is_none());
    objects.map(|source| (source.ty, step.ty)).collect()
}

#[cfg(test)]
mod tests {
    use super::is_of_collections;

    #[test]
    fn nodes_and_tables_are_of_collections() {
        for of_collections in ["Ljava/util/HashMap$Node;", "[Ljava/util/HashMap$Node;"] {
            assert!(is_of_collections(of_collections), "{of_collections}");
        }
        for payload in [
            "[B",
            "Lacme/java/util/Thing;",
            "Ljava/lang/String;",
            "LCache$Key;",
        ] {
            assert!(!is_of_collections(payload), "{payload}");
        }
    }
}
