//! The clocks of a trace.

use crate::deaths::bridge::output::BridgeOutput;

/// Bytes allocated, and microseconds since the first event.
#[derive(Debug, Default)]
pub(crate) struct BridgeClock {
    start_micros: u64,
    /// The last time that was read, since 1970.
    last_micros: u64,
    bytes: u64,
    /// Bytes without an object.
    gap_bytes: u64,
}

impl BridgeClock {
    pub(crate) fn allocate(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    pub(crate) fn skip(&mut self, bytes: u64) {
        self.gap_bytes = self.gap_bytes.saturating_add(bytes);
    }

    /// Events come at this time or later. Those of several threads can be out of order by a little: then the clock stays.
    #[inline]
    pub(crate) fn events_at(&mut self, unix_micros: u64, out: &mut BridgeOutput<'_>) {
        if unix_micros > self.last_micros {
            self.read(unix_micros);
            out.tick(0, None, Some(self.micros()));
        }
    }

    /// A collection reads all clocks.
    pub(crate) fn collection_at(&mut self, unix_micros: u64, out: &mut BridgeOutput<'_>) {
        self.bytes = self
            .bytes
            .saturating_add(std::mem::take(&mut self.gap_bytes));
        self.read(unix_micros);
        out.tick(0, Some(self.bytes), Some(self.micros()));
    }

    fn read(&mut self, unix_micros: u64) {
        if self.start_micros == 0 {
            self.start_micros = unix_micros;
        }
        self.last_micros = self.last_micros.max(unix_micros);
    }

    fn micros(&self) -> u64 {
        self.last_micros.saturating_sub(self.start_micros)
    }
}
