//! The facts about a collection's runs that a replay needs once the fates of all objects are known. The
//! runs themselves are 40 bytes each, and in a parallel collection most survivors have a run of their own.

use ducktrack_trace_format::MoveRun;

use ducktrack_live_heap::capped;

/// Sums over the runs of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunSums {
    /// Survivors.
    pub(crate) objects: u64,
    /// Of these: at another address than before.
    pub(crate) moved: u64,
    /// Of these: an event or an earlier collection is to explain them.
    pub(crate) claimed: u64,
}

impl RunSums {
    pub(crate) fn of(runs: &[MoveRun]) -> Self {
        let sum = |is_counted: fn(&MoveRun) -> bool| {
            let counted = runs.iter().filter(|run| is_counted(run));
            capped::sum(counted.map(|run| run.objects))
        };
        Self {
            objects: sum(|_| true),
            moved: sum(|run| run.from != run.to),
            claimed: sum(|run| run.found.is_none()),
        }
    }
}
