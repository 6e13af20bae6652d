//! Takes events from the program's threads to rotating files, without stopping the program.
//!
//! ```text
//! program's threads --buffers--+
//!                              +--> queue --> pipeline: tally, mirror --> packers (LZ4) --> writer: event files
//! VM thread ----collections----+
//! ```
//!
//! One thread decodes all events and counts them. Where files may have to begin anew, it also mirrors the live objects, so that a file can
//! begin with a synchronization point that holds everything known about each. Else ([`EventOptions::match_later`]) survivors are written as
//! the agent read them, and readers keep the mirror.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::bounded;
use ducktrack_heap_mirror::SiteCache;
use ducktrack_trace_format::{
    BlockKind, Collection, End, Event, EventBlock, EventDecoder, EventFile, EventFlags, HeapClass,
    SiteFacts,
};
use parking_lot::Mutex;

use crate::WriteError;
use event_files::EventFiles;
use flush_queue::{FlushQueue, Message};
use output::{Gauge, Output};
use packing::Packers;
use pipeline::{Parts, Pipeline};
use standstill::Standstill;

pub use awaited_collection::CollectionPlace;
pub use buffer_words::{BufferWords, Durable, DurableWords};
pub use ducktrack_heap_mirror::CLASS_OF_SITE;
pub use flush_queue::Buffer;
pub use options::{CompressStrategy, EventHost, EventOptions, OnFull};
pub use stats::{Dropped, EventStats};
pub use survivor::Survivors;
pub use tally::{EqualEvents, EventSum, Tally};

mod awaited_collection;
mod buffer_words;
mod event_files;
mod flush_queue;
mod limits;
mod noted_sums;
mod options;
mod outbox;
mod output;
mod packing;
mod pair_sums;
mod piece_sums;
mod pipeline;
mod standstill;
mod stats;
mod survivor;
mod tally;
mod thread_sums;
mod typed_sums;
mod word_block;
mod word_counts;

/// What happened to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum FlushOutcome {
    /// It was taken.
    Taken,
    /// It was taken, but the queue is full: call [`EventLog::wait_for_room`] without holding any lock.
    Full,
    /// It was dropped: the queue is full (`on-full=drop`), no memory is left, or the log has ended.
    Dropped {
        /// The number of its events.
        events: u64,
    },
}

/// Why a buffer is dropped.
#[derive(Clone, Copy)]
enum DropReason {
    QueueFull,
    NoMemory,
    /// The pipeline has failed, which is a loss of its own.
    Broken,
    /// The log has ended: its events are not of the recording.
    Ended,
}

/// The buffers that were dropped while the log took buffers.
#[derive(Default)]
struct AllDropped {
    all: Dropped,
    queue_full: Dropped,
    no_memory: Dropped,
}

/// Takes buffers and collections, writes event files. All methods may be called from any thread.
pub struct EventLog {
    queue: Arc<FlushQueue>,
    on_full: OnFull,
    takes_no_more: AtomicBool,
    facts: Arc<dyn SiteFacts + Send + Sync>,
    stats: Arc<Mutex<EventStats>>,
    standstill: Arc<Standstill>,
    gauge: Arc<Gauge>,
    dropped: Mutex<AllDropped>,
}

impl EventLog {
    /// Begins the first event file in the trace's directory and starts the threads.
    ///
    /// `facts` is asked on the pipeline's thread. Known answers are cached; "not known" is asked again.
    pub fn start(
        directory: &Path,
        options: EventOptions,
        facts: Arc<dyn SiteFacts + Send + Sync>,
        tally: Box<dyn Tally + Send>,
        host: Arc<dyn EventHost>,
    ) -> Result<Self, WriteError> {
        Self::start_with(EventFiles::on_disk(directory), options, facts, tally, host)
    }

    fn start_with(
        files: EventFiles,
        options: EventOptions,
        facts: Arc<dyn SiteFacts + Send + Sync>,
        tally: Box<dyn Tally + Send>,
        host: Arc<dyn EventHost>,
    ) -> Result<Self, WriteError> {
        let (queue, messages) = FlushQueue::new(options.queue_length);
        let queue = Arc::new(queue);
        let standstill = Arc::new(Standstill::default());
        let packers = Packers::start(packer_threads(&options), &host, &standstill);
        let first = EventFile {
            without_moves: !options.moves,
            unmatched: options.moves && options.match_later,
            pid: options.pid,
            start_unix_millis: options.start_unix_millis,
            ..EventFile::default()
        };
        let output = Output::start(files, first, (packers, options.columns), &host, &standstill)?;
        let log = Self {
            queue: Arc::clone(&queue),
            on_full: options.on_full,
            takes_no_more: AtomicBool::new(false),
            facts: Arc::clone(&facts),
            stats: Arc::default(),
            standstill: Arc::clone(&standstill),
            gauge: Arc::clone(output.gauge()),
            dropped: Mutex::default(),
        };
        let stats = Arc::clone(&log.stats);
        let spawner = Arc::clone(&host);
        let body = move || {
            let parts = Parts {
                options,
                facts: SiteCache::new(facts),
                tally,
                host,
                queue,
                output,
                stats,
                standstill,
            };
            Pipeline::new(parts).run(&messages);
        };
        spawner
            .spawn("ducktrack-events", Box::new(body))
            .map_err(|source| WriteError::Thread { source })?;
        Ok(log)
    }

    /// Like [`EventLog::put_buffer`], and delivers it.
    pub fn buffer(&self, buffer: Buffer) -> FlushOutcome {
        let outcome = self.put_buffer(buffer);
        self.deliver();
        outcome
    }

    /// Hands a buffer over. Never blocks; [`EventLog::deliver`] passes it on. The order of calls is the order of the trace. All buffers
    /// of an epoch must be handed over before the collection that ends it. A piece that was cut off for a collection is never dropped.
    pub fn put_buffer(&self, buffer: Buffer) -> FlushOutcome {
        let is_cut = buffer.header.flags.has(EventFlags::CUT);
        if self.takes_no_more.load(Ordering::Relaxed) && !is_cut {
            return self.drop_buffer(&buffer, DropReason::NoMemory);
        }
        let full = self.queue.is_full();
        let may_drop = self.on_full == OnFull::Drop && !is_cut;
        if full && may_drop {
            return self.drop_buffer(&buffer, DropReason::QueueFull);
        }
        match self.queue.put_buffer(buffer) {
            Ok(()) if full && !may_drop => FlushOutcome::Full,
            Ok(()) => FlushOutcome::Taken,
            Err(buffer) if self.queue.is_broken() => self.drop_buffer(&buffer, DropReason::Broken),
            Err(buffer) => self.drop_buffer(&buffer, DropReason::Ended),
        }
    }

    fn drop_buffer(&self, buffer: &Buffer, reason: DropReason) -> FlushOutcome {
        let mut events = 0;
        let block = EventBlock {
            header: buffer.header,
            words: &buffer.words,
        };
        // Events that do not decode are not counted.
        let _ = EventDecoder::new(&*self.facts).decode(&block, |event| {
            events += match event {
                Event::Allocation(_) => 1,
                // Dropped earlier: the word that reports them is lost with this buffer.
                Event::Dropped { count } => count,
                _ => 0,
            };
        });
        let mut dropped = self.dropped.lock();
        match reason {
            DropReason::QueueFull => dropped.queue_full.add(events),
            DropReason::NoMemory => dropped.no_memory.add(events),
            DropReason::Broken => {}
            DropReason::Ended => return FlushOutcome::Dropped { events },
        }
        dropped.all.add(events);
        FlushOutcome::Dropped { events }
    }

    /// From now on every buffer is dropped and counted, because no memory is left for it.
    pub fn take_no_more(&self) {
        self.takes_no_more.store(true, Ordering::Relaxed);
    }

    /// Passes on what was handed over, and wakes the log's threads, which may
    /// cost the caller its core: call it in no pause, and without holding a lock.
    pub fn deliver(&self) {
        self.queue.deliver();
    }

    /// Waits until the queue is below its limit. For the program's threads; never call it inside a pause.
    pub fn wait_for_room(&self) {
        self.queue.deliver();
        self.queue.wait_for_room();
    }

    /// Tells the log that the world has stopped. Until [`EventLog::world_goes_on`], but for at most a tenth of a second, the log's threads
    /// leave the cores to the collector. Never blocks.
    pub fn world_stands_still(&self) {
        self.standstill.begin();
    }

    /// Tells the log that the world continues, and passes on what was handed over meanwhile.
    pub fn world_goes_on(&self) {
        self.queue.deliver();
        self.standstill.end();
    }

    /// Records a collection; `survivors` are all live objects of its collected ranges, or of the whole heap. Never blocks, so it may be
    /// called inside the pause. The caller need not fill in `counts`.
    pub fn collection(&self, collection: Collection, survivors: impl Into<Survivors>) {
        self.kept_collection(collection, survivors, None);
    }

    /// Like [`EventLog::collection`], for a collection that has a copy which survives the process.
    pub fn kept_collection(
        &self,
        collection: Collection,
        survivors: impl Into<Survivors>,
        copy: Option<Box<dyn Durable>>,
    ) {
        self.queue
            .put_collection(Box::new(collection), survivors.into(), copy);
        self.deliver();
    }

    /// Records a collection of which nothing is known but that it was, with
    /// its copy that survives the process. [`EventLog::deliver`] passes it on.
    pub fn put_collection(&self, collection: Collection, copy: Option<Box<dyn Durable>>) {
        let nothing = Survivors::default();
        self.queue
            .put_collection(Box::new(collection), nothing, copy);
    }

    /// Keeps the place of a collection that begins now and ends while the program runs (ZGC): what is handed over
    /// later waits until it is [filled in](CollectionPlace::fill). Never blocks; [`EventLog::deliver`] passes it on.
    pub fn await_collection(&self) -> CollectionPlace {
        let (sender, receiver) = bounded(1);
        self.queue.put(Message::Awaited(receiver));
        CollectionPlace {
            sender,
            queue: Arc::clone(&self.queue),
        }
    }

    /// Announces classes with their addresses in the VM. (The agent writes the records themselves to the trace file.) Never blocks.
    pub fn classes(&self, classes: Arc<[HeapClass]>) {
        self.queue.put(Message::Classes(classes));
        self.deliver();
    }

    /// Adds the uses of objects before the collections that are handed over next: the content of a block (see
    /// [`UseEncoder`](ducktrack_trace_format::UseEncoder)). Never blocks.
    pub fn uses(&self, content: Vec<u8>) {
        self.queue.put(Message::Ahead(BlockKind::USES, content));
        self.deliver();
    }

    /// Adds the dead objects of the collection that is handed over next: the content of a block (see
    /// [`DeadEncoder`](ducktrack_trace_format::DeadEncoder)). Never blocks.
    pub fn stamps(&self, content: Vec<u8>) {
        self.queue.put(Message::Ahead(BlockKind::STAMPS, content));
        self.deliver();
    }

    /// Adds what holds objects at this moment: the content of a block (see [`encode_roots`](ducktrack_trace_format::encode_roots)).
    /// It is written before the next collection, or at the end. Never blocks.
    pub fn roots(&self, content: Vec<u8>) {
        self.queue.put(Message::Ahead(BlockKind::ROOTS, content));
        self.deliver();
    }

    /// The statistics so far.
    pub fn stats(&self) -> EventStats {
        let mut stats = *self.stats.lock();
        self.queue.add_to(&mut stats);
        self.gauge.add_to(&mut stats);
        let dropped = self.dropped.lock();
        (stats.dropped_buffers, stats.dropped_events) = (dropped.all.buffers, dropped.all.events);
        (stats.queue_full, stats.short_of_memory) = (dropped.queue_full, dropped.no_memory);
        drop(dropped);
        stats
    }

    /// What could not be recorded so far, one sentence for each kind of loss, for the end record.
    pub fn losses(&self) -> Vec<String> {
        losses::sentences(&self.stats())
    }

    /// Remarks on how the trace was recorded, one sentence for each kind, for the trace.
    pub fn remarks(&self) -> Vec<String> {
        remarks::sentences(&self.stats())
    }

    /// Writes everything that was handed over, and `end` as the last block. Later buffers are dropped: they are not of the recording.
    pub fn finish(&self, end: End) -> EventStats {
        let (done, answer) = bounded(1);
        self.queue.put(Message::Finish(end, done));
        self.queue.deliver();
        // An error: the pipeline has ended.
        let _ = answer.recv();
        self.stats()
    }
}

/// The number of cores, but at most two.
fn packer_threads(options: &EventOptions) -> usize {
    match (options.compress, options.compressors) {
        (CompressStrategy::Off, _) => 0,
        (_, 0) => std::thread::available_parallelism().map_or(1, |cores| cores.get().min(2)),
        (_, wanted) => wanted,
    }
}

mod losses;
mod remarks;

#[cfg(test)]
mod tests;
