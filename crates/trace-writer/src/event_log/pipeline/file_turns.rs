//! When the pipeline begins a new file, and when it must wait for one.

use std::time::Instant;

use ducktrack_heap_mirror::Moves;
use ducktrack_trace_format::{BlockKind, Collection, EventFile};

use super::Pipeline;
use super::holding::Holding;
use crate::event_log::limits::{Limits, Sizes};

impl Pipeline {
    /// Requests a collection near the upper limit, and stops writing just below it.
    pub(super) fn watch_limits(&mut self) {
        let Some(limits) = self.limits else {
            self.lose_deferred();
            self.restart_if_torn();
            return;
        };
        if !self.heap.is_known() {
            let full = self.check_drained(|sizes| sizes.current >= limits.share);
            if full {
                self.parts.output.make_room(limits.share, limits.max);
                self.begin_file(Vec::new());
            }
            self.restart_if_torn();
            return;
        }
        if !self.check_drained(|sizes| limits.is_urgent(sizes)) {
            return;
        }
        if !self.asked {
            self.asked = true;
            self.stats.emergency_collections += 1;
            self.parts.host.want_collection();
        }
        let mut sizes = self.sizes();
        sizes.current += self.parts.queue.waiting_bytes();
        sizes.total += self.parts.queue.waiting_bytes();
        if limits.is_at_the_end(sizes) {
            self.parts.queue.hold(true);
            self.holding = Some(Holding::begin());
        }
    }

    /// True when the file has its share and waits for a collection to end it. Requesting one costs the program more than compressing blocks
    /// until one comes by itself.
    pub(super) fn is_short_of_room(&self) -> bool {
        let is_full = |limits: Limits| limits.is_full(self.sizes());
        self.heap.is_known() && self.limits.is_some_and(is_full)
    }

    /// Upper bounds of the file sizes.
    fn sizes(&self) -> Sizes {
        let (current, total) = self.parts.output.gauge().at_most();
        Sizes {
            current,
            sync: self.sync_bytes,
            total,
        }
    }

    /// Answers a question about sizes; a yes is checked again with exact sizes.
    fn check_drained(&mut self, is_so: impl Fn(Sizes) -> bool) -> bool {
        if !is_so(self.sizes()) {
            return false;
        }
        self.parts.output.drain();
        is_so(self.sizes())
    }

    /// If no synchronization point is possible, a torn file is followed by the next at once.
    fn restart_if_torn(&mut self) {
        if !self.heap.is_known() && self.parts.output.gauge().is_torn() {
            self.begin_file(Vec::new());
        }
    }

    /// While buffers are held: requests again, or loses patience.
    pub(super) fn ask_again(&mut self) {
        let Some(holding) = &mut self.holding else {
            return;
        };
        if holding.is_patient() {
            if holding.may_ask_again() {
                self.parts.host.want_collection();
            }
            return;
        }
        if self.stats.rotations_without_sync == 0 {
            self.parts.host.say(
                "no collection came although the event files are full: the oldest is removed, and the next begins without a synchronization point",
            );
        }
        self.stats.rotations_without_sync += 1;
        if let Some(limits) = self.limits {
            self.parts.output.make_room(limits.share, limits.max);
        }
        self.begin_file(Vec::new());
        self.write_held();
    }

    /// The synchronization point to write after this collection, if a new file begins there; old files are removed
    /// now.
    pub(super) fn rotation(
        &mut self,
        collection: &Collection,
        moves: &Moves,
    ) -> Option<Vec<Vec<u8>>> {
        let torn = self.parts.output.gauge().is_torn() && Instant::now() >= self.try_again;
        let moves = moves.bytes();
        let with_moves = |sizes: Sizes| Sizes {
            current: sizes.current + moves,
            total: sizes.total + moves,
            ..sizes
        };
        let full = self
            .limits
            .is_some_and(|limits| self.check_drained(|sizes| limits.is_full(with_moves(sizes))));
        if !torn && !full && !self.is_anew() {
            return None;
        }
        let mirror = self.heap.known().filter(|mirror| mirror.is_settled())?;
        let start = Instant::now();
        let parts = mirror.sync_point(collection.number);
        // While files cannot be written, points are made in vain: they may take at most a tenth of the time.
        self.try_again = Instant::now() + start.elapsed() * 10;
        let bytes: usize = parts.iter().map(Vec::len).sum();
        self.make_room_for(bytes as u64 + moves);
        Some(parts)
    }

    /// Removes old files until there is room for a share, or for `bytes` if that is more.
    pub(super) fn make_room_for(&mut self, bytes: u64) {
        if let Some(limits) = self.limits {
            self.parts
                .output
                .make_room(limits.share.max(bytes), limits.max);
        }
    }

    /// Begins a file, with a synchronization point unless `parts` is empty.
    pub(super) fn begin_file(&mut self, parts: Vec<Vec<u8>>) {
        let options = &self.parts.options;
        let start = EventFile {
            epoch: self.epoch,
            has_sync_point: !parts.is_empty(),
            without_moves: !self.heap.is_known(),
            unmatched: options.match_later,
            pid: options.pid,
            start_unix_millis: options.start_unix_millis,
            ..EventFile::default()
        };
        self.asked = false;
        self.sync_bytes = 0;
        if self.parts.output.begin(start).is_err() {
            return;
        }
        self.stats.sync_points += u64::from(!parts.is_empty());
        for part in parts {
            self.stats.sync_bytes += part.len() as u64;
            self.block(BlockKind::SYNC, part);
        }
        if let Some(limits) = self.limits {
            self.parts.output.drain();
            self.sync_bytes = self.parts.output.gauge().at_most().0;
            self.stats.large_sync_points += u64::from(self.sync_bytes > limits.share);
        }
    }
}
