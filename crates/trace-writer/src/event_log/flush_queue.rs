//! The queue between the program's threads and the pipeline.
//!
//! Handing over never blocks, so that messages keep the order of the calls and a pause never gets longer. The bound is on the number
//! of waiting buffers: a thread that finds the queue full hands its buffer over first and waits *afterwards*, holding no lock. So the
//! queue exceeds its limit by at most one buffer per thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use ducktrack_trace_format::{BlockKind, Collection, End, EventBlockHeader, HeapClass};
use parking_lot::{Condvar, Mutex};

use super::buffer_words::{BufferWords, Durable};
use super::outbox::Outbox;
use super::stats::EventStats;
use super::survivor::Survivors;

/// A piece of a thread's event buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Thread, epoch and flags of the piece.
    pub header: EventBlockHeader,
    /// Its words, little-endian.
    pub words: BufferWords,
}

impl Buffer {
    /// Upper bound of the bytes of its block.
    pub(crate) fn bytes(&self) -> u64 {
        self.words.len() as u64 + 96
    }
}

/// What the pipeline receives.
pub(crate) enum Message {
    Buffer(Buffer),
    Collection(Box<Collection>, Survivors, Option<Box<dyn Durable>>),
    /// A collection that is not over yet: what comes later waits for it.
    Awaited(Receiver<AwaitedCollection>),
    Classes(Arc<[HeapClass]>),
    /// The content of a block that precedes the next collection.
    Ahead(BlockKind, Vec<u8>),
    Finish(End, Sender<EventStats>),
}

/// A collection that was awaited.
pub(crate) struct AwaitedCollection {
    /// Classes that it met first.
    pub(crate) classes: Arc<[HeapClass]>,
    pub(crate) collection: Box<Collection>,
    pub(crate) survivors: Survivors,
    /// Contents of blocks of uses before it.
    pub(crate) uses: Vec<Vec<u8>>,
    pub(crate) copy: Option<Box<dyn Durable>>,
}

/// When survivors of this many bytes wait, the pipeline is too slow for the program: its threads wait as for a full queue.
const MOST_SURVIVOR_BYTES: u64 = 256 << 20;

/// A queue with room for fewer buffers is short.
const SHORT: usize = 128;

/// A waiting thread checks again after this time, even if the pipeline has failed.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

pub(crate) struct FlushQueue {
    outbox: Outbox<Message>,
    limit: usize,
    /// The pipeline holds buffers back: each thread waits after handing over one buffer.
    held: AtomicBool,
    waiting: AtomicUsize,
    waiting_bytes: AtomicU64,
    /// Bytes of waiting survivors.
    survivor_bytes: AtomicU64,
    peak: AtomicUsize,
    closed: AtomicBool,
    broken: AtomicBool,
    waits: AtomicU64,
    wait_nanos: AtomicU64,
    gate: Mutex<()>,
    room: Condvar,
}

impl FlushQueue {
    pub(crate) fn new(limit: usize) -> (Self, Receiver<Message>) {
        let (sender, receiver) = unbounded();
        let queue = Self {
            outbox: Outbox::new(sender),
            limit: limit.max(1),
            held: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            waiting_bytes: AtomicU64::new(0),
            survivor_bytes: AtomicU64::new(0),
            peak: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            broken: AtomicBool::new(false),
            waits: AtomicU64::new(0),
            wait_nanos: AtomicU64::new(0),
            gate: Mutex::new(()),
            room: Condvar::new(),
        };
        (queue, receiver)
    }

    pub(crate) fn is_full(&self) -> bool {
        let limit = match self.held.load(Ordering::Acquire) {
            true => 1,
            false => self.limit,
        };
        self.waiting.load(Ordering::Acquire) >= limit
            || self.survivor_bytes.load(Ordering::Acquire) >= MOST_SURVIVOR_BYTES
    }

    /// Whether the program's threads would soon wait if nobody took their buffers.
    pub(crate) fn is_short(&self) -> bool {
        self.limit < SHORT
    }

    /// Bytes of all waiting buffers.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes.load(Ordering::Acquire)
    }

    /// Makes threads wait after their first buffer (true), or only at the limit (false).
    pub(crate) fn hold(&self, held: bool) {
        self.held.store(held, Ordering::Release);
        let _gate = self.gate.lock();
        self.room.notify_all();
    }

    /// The fill level: waiting buffers as a share of the limit.
    pub(crate) fn fill(&self) -> f64 {
        self.waiting.load(Ordering::Acquire) as f64 / self.limit as f64
    }

    /// Takes a buffer, which [`FlushQueue::deliver`] passes on; gives it back after the queue was closed.
    pub(crate) fn put_buffer(&self, buffer: Buffer) -> Result<(), Buffer> {
        if self.closed.load(Ordering::Acquire) {
            return Err(buffer);
        }
        self.waiting_bytes
            .fetch_add(buffer.bytes(), Ordering::AcqRel);
        let waiting = self.waiting.fetch_add(1, Ordering::AcqRel) + 1;
        self.peak.fetch_max(waiting, Ordering::Relaxed);
        self.outbox.put(Message::Buffer(buffer));
        Ok(())
    }

    /// Takes a collection, which [`FlushQueue::deliver`] passes on; drops it after the queue was closed.
    pub(crate) fn put_collection(
        &self,
        collection: Box<Collection>,
        survivors: Survivors,
        copy: Option<Box<dyn Durable>>,
    ) {
        self.survivors_wait(survivors.memory());
        self.put(Message::Collection(collection, survivors, copy));
    }

    /// Takes any other message, which [`FlushQueue::deliver`] passes on.
    pub(crate) fn put(&self, message: Message) {
        match self.closed.load(Ordering::Acquire) {
            true => self.refused(message),
            false => self.outbox.put(message),
        }
    }

    /// Passes on what was taken.
    pub(crate) fn deliver(&self) {
        self.outbox.deliver(|message| self.refused(message));
    }

    fn refused(&self, message: Message) {
        match message {
            Message::Buffer(buffer) => self.buffer_done(buffer.bytes()),
            Message::Collection(_, survivors, _) => self.survivors_done(survivors.memory()),
            _ => {}
        }
    }

    /// Counts survivors that wait, of a collection that was awaited.
    pub(crate) fn survivors_wait(&self, bytes: u64) {
        self.survivor_bytes.fetch_add(bytes, Ordering::AcqRel);
    }

    /// The pipeline has finished with a collection's survivors, which took this many bytes.
    pub(crate) fn survivors_done(&self, bytes: u64) {
        self.survivor_bytes.fetch_sub(bytes, Ordering::AcqRel);
        let _gate = self.gate.lock();
        self.room.notify_all();
    }

    /// A buffer that was put off waits again.
    pub(crate) fn buffer_waits(&self, bytes: u64) {
        self.waiting_bytes.fetch_add(bytes, Ordering::AcqRel);
        self.waiting.fetch_add(1, Ordering::AcqRel);
    }

    /// The pipeline has finished with a buffer.
    pub(crate) fn buffer_done(&self, bytes: u64) {
        self.waiting_bytes.fetch_sub(bytes, Ordering::AcqRel);
        let before = self.waiting.fetch_sub(1, Ordering::AcqRel);
        if before <= self.limit {
            let _gate = self.gate.lock();
            self.room.notify_all();
        }
    }

    /// Closes the queue when the pipeline has ended: no thread waits any more, and nothing is accepted any more.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        let _gate = self.gate.lock();
        self.room.notify_all();
    }

    /// Whether the pipeline has failed.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }

    /// The pipeline has failed.
    pub(crate) fn note_broken(&self) {
        self.broken.store(true, Ordering::Release);
    }

    /// Waits until there is room.
    pub(crate) fn wait_for_room(&self) {
        let must_wait = || self.is_full() && !self.closed.load(Ordering::Acquire);
        if !must_wait() {
            return;
        }
        let start = Instant::now();
        let mut gate = self.gate.lock();
        while must_wait() {
            self.room.wait_for(&mut gate, LOOK_AGAIN);
        }
        drop(gate);
        let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.waits.fetch_add(1, Ordering::Relaxed);
        self.wait_nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    /// Adds the queue's numbers to the statistics.
    pub(crate) fn add_to(&self, stats: &mut EventStats) {
        stats.waits = self.waits.load(Ordering::Relaxed);
        stats.wait_nanos = self.wait_nanos.load(Ordering::Relaxed);
        stats.broken = self.broken.load(Ordering::Acquire);
        stats.queue_peak = self.peak.load(Ordering::Relaxed) as u64;
    }
}
