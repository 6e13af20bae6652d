//! `mode=trace`: buffers of all threads, and the log that takes them.
//!
//! ```text
//! thread: probe ── buffer ──full──> flush ──┐
//! VM thread: collection starts ── cut ──────┼──> EventLog ── tally (blocks), mirror, files
//!            collection ends ── moves ──────┘
//! ```
//!
//! Nothing here calls the VM while it holds a lock: the VM's thread takes the same locks while the world is stopped.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use ducktrack_hotspot::{Address, AllocationFrontier, Reservation, ThreadLayout};
use ducktrack_trace_format::{End, EventFlags, ThreadCut, ThreadId};
use ducktrack_trace_writer::{
    CompressStrategy, EventHost, EventLog, EventOptions, EventStats, Flushed, OnFull, WriteError,
};
use parking_lot::{Mutex, RwLock};

use crate::called_sites::CalledSites;
use crate::counter_block::CounterBlock;
use crate::event_buffer::{BufferSizes, EventBuffer, owner};
use crate::event_tally::EventTally;
use crate::options::{Compress, EventChoices};
use crate::site_facts::SiteTable;
use crate::thread_table::BlockFinder;

/// Bytes of the table of classes whose names are known; a power of two.
const SEEN_BYTES: usize = 64 << 10;

/// A buffer that its thread and the VM's thread empty.
type SharedBuffer = Arc<Mutex<EventBuffer>>;

/// The recording of events.
pub(crate) struct Tracing {
    log: EventLog,
    buffers: RwLock<Vec<SharedBuffer>>,
    sizes: BufferSizes,
    epoch: AtomicU32,
    ended: AtomicBool,
    seen: SeenClasses,
    called: CalledSites,
    /// Where threads tell how far they have filled their allocation buffers.
    frontier: Option<Arc<AllocationFrontier>>,
    /// Addresses of objects can be read: only a stopped world moves them.
    pub(crate) knows_addresses: bool,
}

/// Where a run begins.
pub(crate) struct Start<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) choices: &'a EventChoices,
    pub(crate) moves: bool,
    pub(crate) frontier: Option<Arc<AllocationFrontier>>,
    pub(crate) knows_addresses: bool,
    pub(crate) start_unix_millis: u64,
    pub(crate) sites: Arc<SiteTable>,
    pub(crate) blocks: BlockFinder,
    pub(crate) host: Arc<dyn EventHost>,
}

impl Tracing {
    /// Begins the files and the threads that write them.
    ///
    /// # Errors
    /// Why there can be no event files: one line.
    pub(crate) fn start(start: Start<'_>) -> Result<Self, String> {
        let seen = SeenClasses::new().map_err(|error| error.to_string())?;
        let called = CalledSites::new().map_err(|error| error.to_string())?;
        let tally = EventTally::new(Arc::clone(&start.sites), start.blocks);
        let options = event_options(start.choices, start.moves, start.start_unix_millis);
        let log = EventLog::start(
            start.directory,
            options,
            start.sites,
            Box::new(tally),
            start.host,
        )
        .map_err(|error: WriteError| error.to_string())?;
        Ok(Self {
            log,
            buffers: RwLock::default(),
            sizes: BufferSizes {
                bytes: start.choices.buffer_size,
                deviation: start.choices.buffer_deviation,
            },
            epoch: AtomicU32::new(0),
            ended: AtomicBool::new(false),
            seen,
            called,
            frontier: start.frontier,
            knows_addresses: start.knows_addresses,
        })
    }

    /// A thread begins to write into its block, of which `told` bytes are of no interest. Before its slot is set.
    pub(crate) fn begin_thread(
        &self,
        block: CounterBlock,
        thread: ThreadId,
        native: Option<usize>,
        told: u64,
    ) {
        let buffer = self.buffer(block).unwrap_or_else(|| {
            let mut buffers = self.buffers.write();
            let buffer = EventBuffer::new(block, thread, buffers.len(), self.sizes);
            let buffer = Arc::new(Mutex::new(buffer));
            buffers.push(Arc::clone(&buffer));
            buffer
        });
        buffer.lock().begin(native, told);
    }

    /// A thread that took its block by itself has been announced.
    pub(crate) fn confirm_thread(&self, block: CounterBlock, native: usize) {
        if let Some(buffer) = self.buffer(block) {
            buffer.lock().confirm(native);
        }
    }

    /// A thread ends.
    pub(crate) fn end_thread(&self, block: CounterBlock, layout: &ThreadLayout) {
        if let Some(buffer) = self.buffer(block) {
            let mut buffer = buffer.lock();
            if let Some(piece) = buffer.end(self.epoch(), layout) {
                let _ = self.log.buffer(piece);
            }
            buffer.rewind();
        }
    }

    /// The current thread's buffer is full.
    pub(crate) fn flush(&self, block: CounterBlock) {
        let Some(buffer) = self.buffer(block) else {
            return;
        };
        let mut buffer = buffer.lock();
        let piece = buffer.take(self.epoch(), EventFlags::NONE);
        if let (Some(frontier), Some(top)) = (&self.frontier, buffer.top_of_this_epoch()) {
            frontier.note(Address(top as usize));
        }
        buffer.rewind();
        if self.ended.load(Ordering::Acquire) {
            return;
        }
        // Under the lock: a collection that cuts this buffer comes behind what was taken of it.
        let flushed = piece.map(|piece| self.log.buffer(piece));
        if let Some(Flushed::Dropped { events }) = flushed {
            buffer.add_dropped(events);
        }
        drop(buffer);
        if flushed == Some(Flushed::Full) {
            self.log.wait_for_room();
        }
    }

    /// A collection begins: all buffers are cut. The world is stopped.
    pub(crate) fn cut(&self, layout: &ThreadLayout) -> Vec<ThreadCut> {
        let epoch = self.epoch();
        let buffers = self.buffers.read();
        let mut cuts = Vec::with_capacity(buffers.len());
        for buffer in buffers.iter() {
            let (piece, cut) = buffer.lock().cut(epoch, layout);
            if let Some(piece) = piece {
                let _ = self.log.buffer(piece);
            }
            cuts.push(cut);
        }
        cuts
    }

    /// A collection is over.
    pub(crate) fn next_epoch(&self) -> u32 {
        self.epoch.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Where threads read the epoch.
    pub(crate) fn epoch_address(&self) -> usize {
        self.epoch.as_ptr() as usize
    }

    fn epoch(&self) -> u32 {
        self.epoch.load(Ordering::Acquire)
    }

    pub(crate) fn log(&self) -> &EventLog {
        &self.log
    }

    pub(crate) fn seen(&self) -> &SeenClasses {
        &self.seen
    }

    pub(crate) fn called_sites(&self) -> &CalledSites {
        &self.called
    }

    /// The program ends: takes what is in all buffers, and waits until everything is decoded and written.
    pub(crate) fn finish(&self, layout: &ThreadLayout, end: End) -> EventStats {
        self.ended.store(true, Ordering::Release);
        for buffer in self.buffers.read().iter() {
            if let Some(piece) = buffer.lock().end(self.epoch(), layout) {
                let _ = self.log.buffer(piece);
            }
        }
        self.log.finish(end)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    fn buffer(&self, block: CounterBlock) -> Option<SharedBuffer> {
        let index = owner(block)?;
        let buffers = self.buffers.read();
        buffers
            .get(index)
            .filter(|buffer| buffer.lock().block() == block)
            .cloned()
    }
}

fn event_options(choices: &EventChoices, moves: bool, start_unix_millis: u64) -> EventOptions {
    EventOptions {
        compress: match choices.compress {
            Compress::Full => CompressStrategy::Full,
            Compress::Partial(threshold) => CompressStrategy::Partial(threshold),
            Compress::Off => CompressStrategy::Off,
        },
        max_trace_size: choices.max_trace_size,
        max_deviation: choices.max_deviation,
        queue_length: choices.queue,
        on_full: if choices.drop_on_full {
            OnFull::Drop
        } else {
            OnFull::Wait
        },
        moves,
        pid: std::process::id(),
        start_unix_millis,
        ..EventOptions::default()
    }
}

/// Classes whose names the agent knows, by address, for the helper class: it asks here before it calls the agent. Emptied by every collection,
/// because one may have unloaded classes and given their addresses free.
pub(crate) struct SeenClasses {
    address: usize,
}

impl SeenClasses {
    fn new() -> Result<Self, ducktrack_hotspot::Error> {
        let reservation = Reservation::anywhere(SEEN_BYTES)?;
        let address = reservation.address().0;
        let _ = reservation.keep();
        Ok(Self { address })
    }

    pub(crate) fn address(&self) -> usize {
        self.address
    }

    /// What of a class's hash is its place, in bytes.
    pub(crate) const MASK: usize = SEEN_BYTES - 8;

    fn word(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the table is mapped for good, and every offset used here is below its size and a multiple of 8.
        unsafe { &*std::ptr::with_exposed_provenance(self.address + (offset & Self::MASK)) }
    }

    pub(crate) fn insert(&self, klass: usize) {
        self.word(klass ^ klass >> 7)
            .store(klass as u64, Ordering::Release);
    }

    pub(crate) fn clear(&self) {
        for offset in (0..SEEN_BYTES).step_by(8) {
            self.word(offset).store(0, Ordering::Relaxed);
        }
    }
}
