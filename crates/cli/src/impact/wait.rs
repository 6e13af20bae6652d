//! For how many collections an object must be unused before a trial removes references to it.

use ducktrack_holders::Holdings;
use ducktrack_reports::longest_used;

use super::pair::Pair;

/// Without a first run, or if objects are used late in it.
pub(super) const LONGEST: u32 = 8;
/// A use in the collection of a look may not be seen yet.
const SHORTEST: u32 = 2;

/// Longer than nearly all of these objects were used in the first run: as
/// short as that allows, since what is removed late saves little of a run.
pub(super) fn collections(holdings: &Holdings, pairs: &[Pair]) -> u32 {
    let longest = pairs
        .iter()
        .map(|pair| longest_used(holdings, &pair.source, &pair.target))
        .try_fold(0, |longest, used| Some(used?.max(longest)));
    longest.map_or(LONGEST, |used| {
        used.saturating_add(1).clamp(SHORTEST, LONGEST)
    })
}
