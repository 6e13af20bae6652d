//! Statistics of the log.

/// Buffers that were dropped for one reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// The number of buffers.
    pub buffers: u64,
    /// The number of their events.
    pub events: u64,
}

impl Dropped {
    pub(crate) fn add(&mut self, events: u64) {
        self.buffers += 1;
        self.events += events;
    }
}

/// Totals since the start of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventStats {
    /// Events decoded (allocations, gaps, drops).
    pub events: u64,
    /// Bytes of words that were handed over.
    pub event_bytes: u64,
    /// Buffers handed over.
    pub buffers: u64,
    /// How often a thread waited for room.
    pub waits: u64,
    /// Time that threads waited for room, summed over all threads, in nanoseconds.
    pub wait_nanos: u64,
    /// Buffers that were dropped before the log ended.
    pub dropped_buffers: u64,
    /// Events in the dropped buffers.
    pub dropped_events: u64,
    /// Those dropped because no memory was left for them.
    pub short_of_memory: Dropped,
    /// Those dropped because the queue was full (`on-full=drop`).
    pub queue_full: Dropped,
    /// Most buffers that waited at the same time.
    pub queue_peak: u64,
    /// The pipeline's thread has failed.
    pub broken: bool,
    /// Pieces whose words did not decode to the end.
    pub broken_buffers: u64,
    /// Pieces that came after the collection that ended their epoch.
    pub late_buffers: u64,
    /// Survivors that contradict an event or the mirror.
    pub contradictions: u64,
    /// Number of collections.
    pub collections: u64,
    /// Survivors of all collections together.
    pub survivors: u64,
    /// Bytes of the contents that describe moves.
    pub move_bytes: u64,
    /// Survivors that no event explained when a collection found them.
    pub found: u64,
    /// Found objects that were explained later.
    pub explained: u64,
    /// Found objects with more than one possible origin: see [`ducktrack_trace_format::CollectionCounts::ambiguous`].
    pub ambiguous: u64,
    /// Objects in the mirror.
    pub mirror_objects: u64,
    /// Memory of the mirror, in bytes.
    pub mirror_bytes: u64,
    /// Memory of events that wait for a collection, in bytes.
    pub retained_bytes: u64,
    /// Blocks written.
    pub blocks: u64,
    /// Compressed blocks among them.
    pub compressed_blocks: u64,
    /// Bytes of all contents before compression.
    pub plain_bytes: u64,
    /// Bytes written to all files, removed ones included.
    pub written_bytes: u64,
    /// Bytes of the files that exist now.
    pub file_bytes: u64,
    /// Files begun.
    pub files: u64,
    /// Files removed to keep the limit.
    pub rotations: u64,
    /// Synchronization points written.
    pub sync_points: u64,
    /// Bytes of the synchronization points.
    pub sync_bytes: u64,
    /// Synchronization points that alone exceed a file's share of the limit.
    pub large_sync_points: u64,
    /// How often an unknown heap became known again.
    pub heaps_taken_anew: u64,
    /// Emergency collections that were requested.
    pub emergency_collections: u64,
    /// Files begun without a synchronization point although moves were known, because no collection came.
    pub rotations_without_sync: u64,
    /// Blocks that could not be written.
    pub lost_blocks: u64,
    /// Bytes of these blocks.
    pub lost_bytes: u64,
    /// Time of the pipeline thread spent on buffers, in nanoseconds.
    pub buffer_nanos: u64,
    /// Time of the pipeline thread spent on collections, in nanoseconds.
    pub collection_nanos: u64,
}
