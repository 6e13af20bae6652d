//! The references whose removal frees what a path holds: what a trial of `ducktrack impact` sets to null.

use ducktrack_count_model::may_lose_references;

use crate::holder_path::HolderPath;
use crate::holdings::Holdings;
use crate::type_table::TypeNumber;

/// Steps after the one at which objects pile up that are looked at.
const STEPS: usize = 2;

/// References from objects of one type to those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovablePair {
    /// The type of the referring objects.
    pub source: TypeNumber,
    /// The type of their targets.
    pub target: TypeNumber,
    /// Bytes that nothing but these references holds.
    pub frees: u64,
}

impl Holdings {
    /// Of the references with which objects pile up on a path those that hold most, if a trial may set them to null; else the next ones nearer to the root.
    /// `None`: no reference of the path may be removed.
    pub fn removable_pair(&self, path: &HolderPath) -> Option<RemovablePair> {
        let piles_up = path.structure.as_ref()?.piles_up;
        let below = (piles_up..=piles_up + STEPS).flat_map(|at| self.pairs_at(path, at));
        let most = below.max_by_key(|(at, pair)| (pair.frees, core::cmp::Reverse(*at)));
        let above = || {
            (0..piles_up)
                .rev()
                .flat_map(|at| self.pairs_at(path, at))
                .next()
        };
        most.or_else(above).map(|(_, pair)| pair)
    }

    /// The references that lead to a step: from the step before, and from its own kind where recursion is folded.
    fn pairs_at(&self, path: &HolderPath, at: usize) -> Vec<(usize, RemovablePair)> {
        let Some(step) = path.steps.get(at) else {
            return Vec::new();
        };
        let before = at.checked_sub(1).and_then(|at| path.steps.get(at));
        let own = Some(step).filter(|step| step.repeats);
        let sources = before
            .into_iter()
            .chain(own)
            .filter(|source| source.class.is_none());
        let pair = |source: TypeNumber| {
            let may = may_lose_references(self.types.name(source));
            may.then(|| RemovablePair {
                source,
                target: step.ty,
                frees: self.bytes_held_only_by(source, step.ty),
            })
        };
        sources
            .filter_map(|source| Some((at, pair(source.ty)?)))
            .collect()
    }
}
