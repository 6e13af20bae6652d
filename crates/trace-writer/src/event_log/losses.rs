//! What could not be recorded, in sentences for the end record.

use super::EventStats;

/// One sentence for each kind of loss; empty when nothing was lost.
pub(crate) fn sentences(stats: &EventStats) -> Vec<String> {
    let cases = [
        (
            u64::from(stats.broken),
            "the thread that takes events has failed; events after that are missing".to_owned(),
        ),
        (
            stats.lost_blocks,
            format!(
                "{} blocks of events ({} bytes) could not be written; their contents are missing",
                stats.lost_blocks, stats.lost_bytes
            ),
        ),
        (
            stats.queue_full.buffers,
            format!(
                "{} buffers with {} events were dropped because the queue was full (on-full=drop)",
                stats.queue_full.buffers, stats.queue_full.events
            ),
        ),
        (
            stats.short_of_memory.buffers,
            format!(
                "{} buffers with {} events were dropped because no memory was left for them",
                stats.short_of_memory.buffers, stats.short_of_memory.events
            ),
        ),
        (
            stats.broken_buffers,
            format!(
                "{} buffers did not decode to their end; the rest of their events is missing",
                stats.broken_buffers
            ),
        ),
        (
            stats.late_buffers,
            format!(
                "{} buffers came after the collection that ended their epoch; their objects' sites may be missing",
                stats.late_buffers
            ),
        ),
        (
            stats.contradictions,
            format!(
                "{} survivors contradict their events; their sites are unknown",
                stats.contradictions
            ),
        ),
        (
            stats.rotations_without_sync,
            format!(
                "{} event files begin without a synchronization point because no collection came",
                stats.rotations_without_sync
            ),
        ),
    ];
    let happened = cases.into_iter().filter(|(times, _)| *times > 0);
    happened.map(|(_, sentence)| sentence).collect()
}
