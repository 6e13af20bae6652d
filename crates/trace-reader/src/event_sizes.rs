//! How many bytes of each kind the event files hold.

use ducktrack_trace_format::{BlockHeader, BlockKind};

/// Sums over the intact blocks of event files. *Plain* means before compression and without block headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventSizes {
    /// Number of blocks.
    pub blocks: u64,
    /// All contents, plain.
    pub plain_bytes: u64,
    /// All contents as stored.
    pub stored_bytes: u64,
    /// Buffers of events, plain (in columns, where they are so).
    pub event_bytes: u64,
    /// Moves, plain.
    pub move_bytes: u64,
    /// Synchronization points, plain.
    pub sync_bytes: u64,
}

impl EventSizes {
    pub(crate) fn add(&mut self, header: &BlockHeader) {
        let plain = u64::from(header.plain_length);
        self.blocks += 1;
        self.plain_bytes += plain;
        self.stored_bytes += u64::from(header.stored_length);
        match header.kind {
            BlockKind::EVENTS | BlockKind::EVENT_COLUMNS => self.event_bytes += plain,
            BlockKind::MOVES | BlockKind::SURVIVORS => self.move_bytes += plain,
            BlockKind::SYNC => self.sync_bytes += plain,
            _ => {}
        }
    }
}
