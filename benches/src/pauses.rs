//! How long collections stopped the world, from the VM's own safepoint log.
//!
//! ```text
//! [3.9s][info][safepoint] Safepoint "G1CollectForAllocation", Time since last: 5 ns, Reaching safepoint: 7 ns, At safepoint: 90 ns, Total: 97 ns
//! ```
//!
//! These times include what an agent does in its callbacks at the start and the end of a collection; the collectors' own
//! management beans do not include it.

use std::path::Path;

/// The option that makes the VM write the log, into its working directory.
pub(crate) const SAFEPOINT_LOG: &str = "-Xlog:safepoint=info:file=safepoints.log";
const FILE: &str = "safepoints.log";

/// Milliseconds of all collections of the JVM that ran in `directory`; `None` if it wrote no log.
pub(crate) fn collection_pauses_ms(directory: &Path) -> Option<f64> {
    let log = std::fs::read_to_string(directory.join(FILE)).ok()?;
    Some(sum_ms(&log))
}

fn sum_ms(log: &str) -> f64 {
    log.lines().filter_map(collection_ns).sum::<f64>() / 1e6
}

fn collection_ns(line: &str) -> Option<f64> {
    let (_, rest) = line.split_once("Safepoint \"")?;
    let (operation, times) = rest.split_once('"')?;
    let collects = ["Collect", "G1", "GC"]
        .iter()
        .any(|part| operation.contains(part));
    let (_, at) = times.split_once("At safepoint: ")?;
    let (nanos, _) = at.split_once(' ')?;
    nanos.parse().ok().filter(|_| collects)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_collections_are_summed() {
        let line = |operation: &str, nanos: u32| {
            format!(
                "[1.2s][info][safepoint] Safepoint \"{operation}\", Time since last: 5 ns, Reaching safepoint: 7 ns, At safepoint: {nanos} ns, Total: 9 ns"
            )
        };
        let log = [
            line("G1CollectForAllocation", 2_000_000),
            line("ICBufferFull", 9_000_000),
            line("ParallelGCFailedAllocation", 500_000),
            "[1.3s] something else".to_owned(),
        ];
        assert_eq!(
            sum_ms(&log.join(
                "
"
            )),
            2.5
        );
    }
}
