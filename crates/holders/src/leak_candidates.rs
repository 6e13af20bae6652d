//! Leak candidates of a heap dump: (source type -> target type), from where the objects of a dump were born.
//!
//! The objects that are held by one class path and were born evenly over the run, and are all still there, are a *growing* path: of a table that is
//! filled once all are old, of a cache that replaces its entries all are young. Where growth begins (the path before does not grow) is the *head*: what stands before it
//! is the container, and what the head retains is the leak. The *target* is the first type of the program's own from the head on, since nodes and
//! arrays of collections say little; the *source* is the type whose objects refer to most targets.

use std::collections::BTreeMap;

use ducktrack_heap_dump::DumpError;

use crate::field_paths::PathNumber;
use crate::holder_path::HolderPath;
use crate::holdings::{Holding, Holdings};
use crate::last_use::LastUse;
use crate::type_table::{Origin, TypeNumber};

/// The run after its first fifth is looked at in this many windows of equally many collections.
const WINDOWS: usize = 10;
/// A verdict needs this many collections.
pub const FEWEST_COLLECTIONS: u32 = 10;
/// Fewer objects are no growth.
const FEWEST_OBJECTS: u64 = 16;
/// Of the windows at least this share must have births.
const LEAST_STEADY: f64 = 0.7;
/// Births in a window, as a share of the mean, that count.
const BIRTHS: f64 = 0.25;
/// Of the objects at least this share must be born after the first fifth.
const LEAST_LATE: f64 = 0.2;
/// The target is at most this many steps after the head.
const MOST_STEPS: usize = 4;

/// A pair of types whose objects become more and more.
#[derive(Clone, Debug)]
pub struct LeakCandidate {
    /// The type that refers to the target; `None`: a root does.
    pub source: Option<TypeNumber>,
    /// The type that becomes more.
    pub target: TypeNumber,
    /// Where most targets are made.
    pub origin: Origin,
    /// The targets; `retained` is what the whole growing structure retains.
    pub held: Holding,
    /// How long the targets have not been used; `None`: not recorded.
    pub last_use: Option<LastUse>,
    /// The share of windows in which targets were born that are still there.
    pub steadiness: f64,
    /// Targets more per collection.
    pub per_collection: f64,
    /// Bytes that the structure gains per collection.
    pub bytes_per_collection: f64,
    /// How the targets are held.
    pub path: HolderPath,
}

/// Births of the objects of one class path.
#[derive(Clone, Debug, Default)]
struct Births {
    early: u64,
    late: [u64; WINDOWS],
}

impl Births {
    fn late(&self) -> u64 {
        self.late.iter().sum()
    }

    /// The share of windows with births.
    fn steadiness(&self) -> f64 {
        let least = self.late() as f64 / WINDOWS as f64 * BIRTHS;
        let with = self
            .late
            .iter()
            .filter(|births| **births as f64 >= least.max(1.0));
        with.count() as f64 / WINDOWS as f64
    }

    fn grows(&self) -> bool {
        let late = self.late();
        late >= FEWEST_OBJECTS
            && late as f64 >= LEAST_LATE * (late + self.early) as f64
            && self.steadiness() >= LEAST_STEADY
    }
}

impl Holdings {
    /// All candidates, most retained bytes first; none when there were too few collections.
    ///
    /// # Errors
    /// When the dump cannot be read again, for the names of fields.
    pub fn leak_candidates(&self, most: usize) -> Result<Vec<LeakCandidate>, DumpError> {
        if self.dump.collection < FEWEST_COLLECTIONS {
            return Ok(Vec::new());
        }
        let births = self.births();
        let group_of = |object: u32| self.paths.of(object).map(|path| path.0);
        let held = self.by_group(self.paths.paths().len(), group_of);
        let mut heads: Vec<PathNumber> = (0_u32..)
            .zip(&births)
            .filter(|(_, births)| births.grows())
            .map(|(path, _)| PathNumber(path))
            .filter(|path| !self.grows_before(*path, &births))
            .collect();
        let retained = |path: &PathNumber| held_of(&held, *path).retained;
        heads.sort_by_key(|path| (core::cmp::Reverse(retained(path)), *path));
        heads.truncate(most);
        heads
            .into_iter()
            .map(|head| self.candidate(head, &births, &held))
            .collect()
    }

    fn births(&self) -> Vec<Births> {
        let mut births = vec![Births::default(); self.paths.paths().len()];
        let last = self.dump.collection.max(1);
        let start = last / 5;
        for object in 0..self.dump.graph.objects() {
            let Some(path) = self.paths.of(object) else {
                continue;
            };
            let Some(births) = births.get_mut(path.0 as usize) else {
                continue;
            };
            let birth = last.saturating_sub(self.dump.age(object));
            let is_known = self.dump.maker_number(object).is_some();
            match birth.checked_sub(start).filter(|_| is_known) {
                None => births.early += 1,
                Some(after) => {
                    let window = after as usize * WINDOWS / (last - start).max(1) as usize;
                    if let Some(count) = births.late.get_mut(window.min(WINDOWS - 1)) {
                        *count += 1;
                    }
                }
            }
        }
        births
    }

    /// A path on the way grows already.
    fn grows_before(&self, path: PathNumber, births: &[Births]) -> bool {
        let mut before = self.paths.upwards(path).skip(1);
        before.any(|path| births.get(path.0 as usize).is_some_and(Births::grows))
    }

    fn candidate(
        &self,
        head: PathNumber,
        births: &[Births],
        held: &[Holding],
    ) -> Result<LeakCandidate, DumpError> {
        let target = self.target(head, births, held);
        let ty = |path: PathNumber| self.paths.get(path).map(|path| path.ty);
        let of_target = held_of(held, target);
        let retained = held_of(held, head).retained;
        let late = births.get(target.0 as usize).cloned().unwrap_or_default();
        let span = f64::from(self.dump.collection - self.dump.collection / 5).max(1.0);
        let per_collection = late.late() as f64 / span;
        Ok(LeakCandidate {
            source: self.source(target),
            target: ty(target).unwrap_or(TypeNumber(0)),
            origin: self.most_frequent_origin(target),
            held: Holding {
                retained,
                ..of_target
            },
            last_use: self.last_use(target),
            steadiness: late.steadiness(),
            per_collection,
            bytes_per_collection: per_collection * retained as f64
                / of_target.objects.max(1) as f64,
            path: self.path_to(target, of_target)?,
        })
    }

    /// The type whose objects refer to the targets. Where a class path goes back (a chain of targets), most are held by others than the first.
    fn source(&self, target: PathNumber) -> Option<TypeNumber> {
        let path = self.paths.get(target)?;
        let of_path = || Some(self.paths.get(path.before?)?.ty);
        match path.repeats {
            true => self.most_frequent_holder(target).or_else(of_path),
            false => of_path(),
        }
    }

    fn most_frequent_holder(&self, path: PathNumber) -> Option<TypeNumber> {
        let objects = 0..self.dump.graph.objects();
        let of_path = objects.filter(|object| self.paths.of(*object) == Some(path));
        let mut counts: BTreeMap<TypeNumber, u64> = BTreeMap::new();
        for holder in of_path.filter_map(|object| self.shortest.before(object)) {
            *counts.entry(self.type_of(holder)).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.map(|(ty, _)| ty)
    }

    /// From the head on the first type of the program's own, along the growing paths that retain most; else the last of them before plain data.
    fn target(&self, head: PathNumber, births: &[Births], held: &[Holding]) -> PathNumber {
        let mut here = head;
        for _ in 0..MOST_STEPS {
            if !self.is_plumbing(here) {
                return here;
            }
            let growing = self
                .after(here)
                .filter(|path| births.get(path.0 as usize).is_some_and(Births::grows));
            let own = |path: &PathNumber| !self.is_plumbing(*path) && self.is_own(*path);
            let retained = |path: &PathNumber| held_of(held, *path).retained;
            let Some(next) = growing.max_by_key(|path| (own(path), retained(path))) else {
                return here;
            };
            if self.name_at(next).starts_with('[') && !self.is_plumbing(next) && here != head {
                return here;
            }
            here = next;
        }
        here
    }

    /// The class paths with one step more.
    fn after(&self, path: PathNumber) -> impl Iterator<Item = PathNumber> {
        (0_u32..)
            .zip(self.paths.paths())
            .filter(move |(_, next)| next.before == Some(path))
            .map(|(number, _)| PathNumber(number))
    }

    /// Nodes and arrays of collections.
    fn is_plumbing(&self, path: PathNumber) -> bool {
        let name = self.name_at(path);
        name.starts_with("[L") || name.starts_with("[[") || name.starts_with("Ljava/")
    }

    fn is_own(&self, path: PathNumber) -> bool {
        self.name_at(path).starts_with('L')
    }

    fn name_at(&self, path: PathNumber) -> &str {
        let ty = self.paths.get(path).map(|path| path.ty);
        ty.map_or("", |ty| self.types.name(ty))
    }

    fn last_use(&self, path: PathNumber) -> Option<LastUse> {
        let objects = 0..self.dump.graph.objects();
        let of_path = objects.filter(|object| self.paths.of(*object) == Some(path));
        let last_use = LastUse::of(of_path.filter_map(|object| self.dump.staleness(object)));
        Some(last_use).filter(|last_use| last_use.objects() > 0)
    }

    fn most_frequent_origin(&self, path: PathNumber) -> Origin {
        let mut counts = vec![0_u64; self.types.origins().len()];
        for object in 0..self.dump.graph.objects() {
            if self.paths.of(object) == Some(path)
                && let Some(origin) = self.types.origin_of(&self.dump, object)
                && let Some(count) = counts.get_mut(origin as usize)
            {
                *count += 1;
            }
        }
        let most = (0..counts.len()).max_by_key(|at| counts.get(*at).copied());
        most.and_then(|at| self.types.origins().get(at))
            .copied()
            .unwrap_or_default()
    }
}

fn held_of(held: &[Holding], path: PathNumber) -> Holding {
    held.get(path.0 as usize).copied().unwrap_or_default()
}
