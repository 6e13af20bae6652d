//! For how many collections an object must be unused before a trial removes references to it.

use anyhow::Result;
use ducktrack_reports::longest_used;

use super::first_run::FirstRun;
use super::pair::Pair;

/// Where the first run does not say, or objects are used late.
pub(super) const LONGEST: u32 = 8;
/// A use in the collection of a look may not be seen yet.
const SHORTEST: u32 = 2;

/// Longer than nearly all of these objects were used in the first run: as short as that allows, since what is removed late saves little of a run.
pub(super) fn collections(first: &FirstRun, pairs: &[Pair]) -> Result<u32> {
    let mut trace = first.load()?;
    let holdings = trace.holdings()?;
    let longest = pairs
        .iter()
        .map(|pair| longest_used(&holdings, &pair.source, &pair.target))
        .try_fold(0, |longest, used| Some(used?.max(longest)));
    Ok(longest.map_or(LONGEST, |used| {
        used.saturating_add(1).clamp(SHORTEST, LONGEST)
    }))
}
