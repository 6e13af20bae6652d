//! What the log has done so far.

/// Numbers since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventStats {
    /// Events decoded (allocations, gaps, drops).
    pub events: u64,
    /// Bytes of words handed over.
    pub event_bytes: u64,
    /// Buffers handed over.
    pub buffers: u64,
    /// Times that a thread waited for room.
    pub waits: u64,
    /// How long, all threads together.
    pub wait_nanos: u64,
    /// Buffers dropped (`on-full=drop`).
    pub dropped_buffers: u64,
    /// Their events.
    pub dropped_events: u64,
    /// Most buffers that waited at a time.
    pub queue_peak: u64,
    /// The thread that takes events has failed.
    pub broken: bool,
    /// Pieces whose words did not decode to the end.
    pub broken_buffers: u64,
    /// Pieces that came after the collection that ended their epoch.
    pub late_buffers: u64,
    /// Survivors that contradict an event or the mirror.
    pub contradictions: u64,
    /// Collections.
    pub collections: u64,
    /// Survivors, all collections together.
    pub survivors: u64,
    /// Bytes of contents that say where they went.
    pub move_bytes: u64,
    /// Survivors that no event explained when a collection found them.
    pub found: u64,
    /// Found objects that were explained later.
    pub explained: u64,
    /// Objects that could not be told apart: see [`ducktrack_trace_format::CollectionCounts::ambiguous`].
    pub ambiguous: u64,
    /// Objects in the mirror.
    pub mirror_objects: u64,
    /// Memory of the mirror.
    pub mirror_bytes: u64,
    /// Memory of events that wait for a collection.
    pub retained_bytes: u64,
    /// Blocks written.
    pub blocks: u64,
    /// Blocks of these that are compressed.
    pub compressed_blocks: u64,
    /// Bytes of all contents before compression.
    pub plain_bytes: u64,
    /// Bytes written, all files together, rotated ones included.
    pub written_bytes: u64,
    /// Bytes of the files that are there now.
    pub file_bytes: u64,
    /// Files begun.
    pub files: u64,
    /// Files that were removed to keep the limit.
    pub rotations: u64,
    /// Synchronization points written.
    pub sync_points: u64,
    /// Bytes of their contents.
    pub sync_bytes: u64,
    /// Synchronization points that alone are larger than a file's share of the limit.
    pub large_sync_points: u64,
    /// Times that the heap was not known any more, and then was again.
    pub heaps_taken_anew: u64,
    /// Emergency collections asked for.
    pub emergency_collections: u64,
    /// Files begun without a synchronization point although moves were known, because no collection came.
    pub rotations_without_sync: u64,
    /// Blocks that could not be written.
    pub lost_blocks: u64,
    /// Bytes of their contents.
    pub lost_bytes: u64,
    /// Time of the pipeline thread spent on buffers.
    pub buffer_nanos: u64,
    /// Time of the pipeline thread spent on collections.
    pub collection_nanos: u64,
}
