//! The queue between the program's threads and the pipeline.
//!
//! Handing over never blocks, so that the order of messages is the order of the calls and a pause is never made longer. What is
//! bounded is the number of buffers that wait: a thread that finds the queue full waits *after* it has handed its buffer over, holding
//! nothing. So at most one buffer per thread more than the limit waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use ducktrack_trace_format::{BlockKind, Collection, End, EventBlockHeader, HeapClass};
use parking_lot::{Condvar, Mutex};

use super::buffer_words::{BufferWords, Durable};
use super::stats::EventStats;
use super::survivor::Survivors;

/// A piece of a thread's event buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// What is said of it.
    pub header: EventBlockHeader,
    /// Its words, little-endian.
    pub words: BufferWords,
}

impl Buffer {
    /// Bytes that its block will have at most.
    pub(crate) fn bytes(&self) -> u64 {
        self.words.len() as u64 + 96
    }
}

/// What comes to the pipeline.
pub(crate) enum Message {
    Buffer(Buffer),
    Collection(Box<Collection>, Survivors, Option<Box<dyn Durable>>),
    Classes(Arc<[HeapClass]>),
    /// What is said of the collection that comes next: a block ahead of it.
    Ahead(BlockKind, Vec<u8>),
    Finish(End, Sender<EventStats>),
}

/// When survivors of this many bytes wait, the program is faster than the pipeline, and its threads wait as for a full queue.
const MOST_SURVIVOR_BYTES: u64 = 256 << 20;

/// A waiting thread looks again after this time, whatever happens to the pipeline.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

pub(crate) struct FlushQueue {
    sender: Sender<Message>,
    limit: usize,
    /// The pipeline holds buffers back: a thread that has handed one over waits.
    held: AtomicBool,
    waiting: AtomicUsize,
    waiting_bytes: AtomicU64,
    /// Bytes of survivors that wait.
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
            sender,
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

    /// Bytes of the buffers that wait.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes.load(Ordering::Acquire)
    }

    /// Makes threads wait with their first buffer, or with as many as the limit allows.
    pub(crate) fn hold(&self, held: bool) {
        self.held.store(held, Ordering::Release);
        let _gate = self.gate.lock();
        self.room.notify_all();
    }

    /// The part of the limit that waits.
    pub(crate) fn fill(&self) -> f64 {
        self.waiting.load(Ordering::Acquire) as f64 / self.limit as f64
    }

    /// Hands a buffer over; gives it back when buffers are no longer taken.
    pub(crate) fn send_buffer(&self, buffer: Buffer) -> Result<(), Buffer> {
        if self.closed.load(Ordering::Acquire) {
            return Err(buffer);
        }
        let bytes = buffer.bytes();
        self.waiting_bytes.fetch_add(bytes, Ordering::AcqRel);
        let waiting = self.waiting.fetch_add(1, Ordering::AcqRel) + 1;
        self.peak.fetch_max(waiting, Ordering::Relaxed);
        let Err(refused) = self.sender.send(Message::Buffer(buffer)) else {
            return Ok(());
        };
        self.buffer_done(bytes);
        match refused.into_inner() {
            Message::Buffer(buffer) => Err(buffer),
            // What is refused is what was sent.
            _ => Ok(()),
        }
    }

    /// Hands a collection over; what comes after the end is left out.
    pub(crate) fn send_collection(
        &self,
        collection: Box<Collection>,
        survivors: Survivors,
        copy: Option<Box<dyn Durable>>,
    ) {
        let bytes = survivors.memory();
        self.survivor_bytes.fetch_add(bytes, Ordering::AcqRel);
        if !self.send(Message::Collection(collection, survivors, copy)) {
            self.survivor_bytes.fetch_sub(bytes, Ordering::AcqRel);
        }
    }

    /// The pipeline has done with a collection's survivors, which had this many bytes.
    pub(crate) fn survivors_done(&self, bytes: u64) {
        self.survivor_bytes.fetch_sub(bytes, Ordering::AcqRel);
        let _gate = self.gate.lock();
        self.room.notify_all();
    }

    /// Hands anything else over; false when messages are no longer taken.
    pub(crate) fn send(&self, message: Message) -> bool {
        !self.closed.load(Ordering::Acquire) && self.sender.send(message).is_ok()
    }

    /// The pipeline has done with a buffer.
    pub(crate) fn buffer_done(&self, bytes: u64) {
        self.waiting_bytes.fetch_sub(bytes, Ordering::AcqRel);
        let before = self.waiting.fetch_sub(1, Ordering::AcqRel);
        if before <= self.limit {
            let _gate = self.gate.lock();
            self.room.notify_all();
        }
    }

    /// The pipeline has ended: no thread waits any more, nothing is taken any more.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        let _gate = self.gate.lock();
        self.room.notify_all();
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

    /// Adds what the queue knows.
    pub(crate) fn add_to(&self, stats: &mut EventStats) {
        stats.waits = self.waits.load(Ordering::Relaxed);
        stats.wait_nanos = self.wait_nanos.load(Ordering::Relaxed);
        stats.broken = self.broken.load(Ordering::Acquire);
        stats.queue_peak = self.peak.load(Ordering::Relaxed) as u64;
    }
}
