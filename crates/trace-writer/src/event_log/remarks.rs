//! Remarks for the user on how events were recorded, although nothing is missing, as sentences for the trace.

use super::EventStats;

/// One sentence for each kind of remark; empty when there is nothing to remark.
pub(crate) fn sentences(stats: &EventStats) -> Vec<String> {
    let cases = [
        (
            stats.emergency_collections,
            format!(
                "{} collections were asked for because the event files were full (max-trace-size)",
                stats.emergency_collections
            ),
        ),
        (
            stats.large_sync_points,
            format!(
                "{} event files begin with a list of live objects that alone is larger than a file's share of max-trace-size: the files may take more than that",
                stats.large_sync_points
            ),
        ),
        (
            stats.waits,
            format!(
                "threads of the program waited {} times, {:.1} ms in all, for events to be written (on-full=wait)",
                stats.waits,
                stats.wait_nanos as f64 / 1e6
            ),
        ),
    ];
    let happened = cases.into_iter().filter(|(times, _)| *times > 0);
    happened.map(|(_, sentence)| sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_happened_is_remarked() {
        assert!(sentences(&EventStats::default()).is_empty());
        let stats = EventStats {
            waits: 3,
            wait_nanos: 2_500_000,
            ..EventStats::default()
        };
        let remarks = sentences(&stats);
        assert!(
            remarks.len() == 1 && remarks[0].contains("3 times, 2.5 ms"),
            "{remarks:?}"
        );
    }
}
