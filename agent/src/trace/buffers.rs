//! The buffers of all threads, and the log that takes their contents.
//!
//! Nothing here calls the VM while it holds a lock, because the VM thread takes the same locks while the world is stopped.
//!
//! Under a concurrent collector, whose pauses are short, it takes none that a thread of the program or of the agent
//! may hold: a thread in native code goes on beside a pause, and may wait for a core with the lock in its hands.
//!
//! | a pause uses | locks |
//! |---|---|
//! | the list of buffers, their marks ([`buffer_list`], [`cut_marks`]) | none |
//! | the queue of pauses ([`cut_pauses`]) | none, unless no driver has taken [`cut_pauses::MOST_PAUSES`] pauses: then those of the buffers |
//! | the state of the pause under way, the log of its own work | two that only the VM thread takes |
//! | the state of cycles, the clocks of uses and records | none: single words |
//! | the time, its CPU time (with `log=info`) | none of ours: calls of the kernel |
//!
//! Collectors that do their work in the pause take the locks of buffers and of the log there (`take_cuts`,
//! `collection`): for moments, while all other threads of the program stand still, in pauses of milliseconds.

pub(crate) mod buffer_list;
pub(crate) mod called_sites;
pub(crate) mod cut_marks;
pub(crate) mod cut_pauses;
pub(crate) mod event_buffer;
pub(crate) mod event_tables;
pub(crate) mod event_tally;
pub(crate) mod handover;
pub(crate) mod live_events;
pub(crate) mod live_file;
pub(crate) mod live_words;
pub(crate) mod log_host;
pub(crate) mod record_clock;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ducktrack_hotspot::{Address, AllocationFrontier, ThreadLayout};
use ducktrack_trace_format::{Collection, End, EventFlags, ThreadCut, ThreadId};
use ducktrack_trace_writer::{
    CompressStrategy, Durable, EventHost, EventLog, EventOptions, EventStats, FlushOutcome, OnFull,
    Survivors, WriteError,
};

use crate::options::{BUFFER_DEVIATION, Compress, EventChoices, TRACE_DEVIATION};
use crate::process::clock::{nanos_since, unix_micros};
use crate::process::memory;
use crate::threads::counter_block::{CounterBlock, EVENTS_BYTES, EVENTS_OFFSET};
use crate::threads::thread_table::BlockFinder;
use crate::trace::buffers::buffer_list::BufferList;
use crate::trace::buffers::called_sites::CalledSites;
use crate::trace::buffers::cut_pauses::{CutPause, CutPauses, PutCollection};
use crate::trace::buffers::event_buffer::{BufferSizes, EventBuffer, owner};
use crate::trace::buffers::event_tables::{EventTables, SeenClasses};
use crate::trace::buffers::event_tally::EventTally;
use crate::trace::buffers::handover::{Handover, ThreadBuffer};
use crate::trace::buffers::live_events::LiveEvents;
use crate::trace::collections::kept_collections::KeptCollections;
use crate::trace::collections::pause_work::PauseWork;
use crate::trace::site_facts::SiteTable;

/// How long a thread sleeps that finds its buffer cut in a pause that goes on.
const PAUSE_STEP: Duration = Duration::from_micros(20);

/// The buffers of all threads.
pub(crate) struct ThreadBuffers {
    log: EventLog,
    buffers: BufferList<ThreadBuffer>,
    sizes: BufferSizes,
    /// Where events are kept so that they survive the process, if possible.
    live: Option<Arc<LiveEvents>>,
    /// The same for collections.
    kept: Option<KeptCollections>,
    work: PauseWork,
    /// Pauses of a concurrent collector.
    pauses: CutPauses,
    ended: AtomicBool,
    tables: &'static EventTables,
    /// Where threads report the fill level of their TLABs.
    frontier: Option<Arc<AllocationFrontier>>,
    /// For tests.
    slow_handover: Duration,
}

/// The state at the start of a run.
pub(crate) struct Start<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) choices: &'a EventChoices,
    /// Updates and calls are recorded, which are written in columns.
    pub(crate) columns: bool,
    /// Maximum number of queued full buffers.
    pub(crate) queue: usize,
    /// Maximum size of the heap mirror in bytes.
    pub(crate) most_mirror_bytes: Option<u64>,
    pub(crate) moves: bool,
    pub(crate) frontier: Option<Arc<AllocationFrontier>>,
    pub(crate) start_unix_millis: u64,
    pub(crate) sites: Arc<SiteTable>,
    pub(crate) blocks: BlockFinder,
    pub(crate) host: Arc<dyn EventHost>,
    pub(crate) tables: &'static EventTables,
    /// Where events are kept so that they survive the process, if possible.
    pub(crate) live: Option<Arc<LiveEvents>>,
}

impl ThreadBuffers {
    /// Starts the event files, and the threads that write them.
    ///
    /// # Errors
    /// One line that says why there can be no event files.
    pub(crate) fn start(start: Start<'_>) -> Result<Self, String> {
        let options = event_options(&start);
        let tally = EventTally::new(Arc::clone(&start.sites), start.blocks);
        let log = EventLog::start(
            start.directory,
            options,
            start.sites,
            Box::new(tally),
            start.host,
        )
        .map_err(|error: WriteError| error.to_string())?;
        // The rest is needed for pieces of threads.
        let kept = |live: &Arc<LiveEvents>| {
            let most = usize::try_from(live.most() / 2).unwrap_or(usize::MAX);
            KeptCollections::new(Arc::clone(live), most)
        };
        Ok(Self {
            kept: start.live.as_ref().map(kept),
            work: PauseWork::default(),
            pauses: CutPauses::default(),
            log,
            buffers: BufferList::default(),
            sizes: BufferSizes {
                bytes: start.choices.buffer_size,
                deviation: BUFFER_DEVIATION,
            },
            live: start.live,
            ended: AtomicBool::new(false),
            tables: start.tables,
            frontier: start.frontier,
            slow_handover: start.choices.slow_handover,
        })
    }

    /// A thread begins to write into its block. `unreported`: bytes it allocated before recording began. Called before its slot is set.
    pub(crate) fn begin_thread(
        &self,
        block: CounterBlock,
        thread: ThreadId,
        native: Option<usize>,
        unreported: u64,
    ) {
        let buffer = self.buffer(block).or_else(|| {
            let live = self.live_for(block);
            self.buffers.add(|number| {
                let words = EventBuffer::new(block, thread, number, self.sizes, live);
                ThreadBuffer::new(words)
            })
        });
        if let Some(buffer) = buffer {
            self.hand_over(buffer).begin(native, unreported);
        }
    }

    /// Where pieces of a new block survive the process. The block's buffer is put there as well, if possible.
    fn live_for(&self, block: CounterBlock) -> Option<Arc<LiveEvents>> {
        let live = self.live.as_ref()?;
        // SAFETY: the block is new: no slot leads to it yet, and nothing was counted in it.
        let held = unsafe {
            live.hold_buffer(
                block.address(),
                block.address() + EVENTS_OFFSET,
                EVENTS_BYTES,
            )
        };
        if held.is_err() {
            live.note_private_thread();
        }
        Some(Arc::clone(live))
    }

    /// Handles the announcement of a thread that took its block itself.
    pub(crate) fn confirm_thread(&self, block: CounterBlock, native: usize) {
        if let Some(buffer) = self.buffer(block) {
            buffer.confirm(native);
        }
    }

    /// Ends a thread's events.
    pub(crate) fn end_thread(&self, block: CounterBlock, layout: &ThreadLayout) {
        if let Some(buffer) = self.buffer(block) {
            let mut buffer = self.hand_over(buffer);
            if let Some(piece) = buffer.end(layout) {
                let _ = self.log.put_buffer(piece);
            }
            buffer.rewind();
            drop(buffer);
            self.log.deliver();
        }
    }

    /// Empties the current thread's full buffer.
    pub(crate) fn flush(&self, block: CounterBlock) {
        let Some(buffer) = self.buffer(block) else {
            return;
        };
        // Before the lock, for which a pause might wait.
        if let Some(live) = &self.live {
            live.provide();
        }
        let mut buffer = self.hand_over(buffer);
        let piece = buffer.take(EventFlags::NONE);
        self.linger();
        if let (Some(frontier), Some(top)) = (&self.frontier, buffer.top_of_this_epoch()) {
            frontier.note(Address(top as usize));
        }
        buffer.rewind();
        if self.ended.load(Ordering::Acquire) {
            return;
        }
        if memory::is_short() {
            self.log.take_no_more();
        }
        // Under the lock: a collection that cuts this buffer must come after the words taken here.
        let flushed = piece.map(|piece| self.log.put_buffer(piece));
        if let Some(FlushOutcome::Dropped { events }) = flushed {
            buffer.add_dropped(events);
        }
        drop(buffer);
        self.log.deliver();
        if flushed == Some(FlushOutcome::Full) {
            self.log.wait_for_room();
        }
    }

    /// For tests: a thread sleeps while it hands over its buffer, as one that gets no core.
    fn linger(&self) {
        if !self.slow_handover.is_zero() {
            std::thread::sleep(self.slow_handover);
        }
    }

    /// Cuts all buffers at the start of a collection. The world is stopped; the log gets what was cut off when it goes on.
    pub(crate) fn cut(&self, layout: &ThreadLayout) -> Vec<ThreadCut> {
        let start = Instant::now();
        self.mark_cut(layout);
        let cuts = self.take_cuts(self.epoch());
        self.work.buffers.add_since(start);
        cuts
    }

    /// Marks all buffers as cut at the start of a pause after which the next epoch begins. The world is stopped.
    pub(crate) fn mark_cut(&self, layout: &ThreadLayout) {
        let (epoch, now) = (self.epoch(), unix_micros());
        record_clock::keep_up(now);
        self.pauses.make_room(self);
        for buffer in self.buffers.iter() {
            buffer.mark_cut(epoch, now, layout);
        }
    }

    /// Hands over the words that were cut off when this epoch ended.
    fn take_cuts(&self, epoch: u32) -> Vec<ThreadCut> {
        let mut cuts = Vec::with_capacity(self.buffers.len());
        for buffer in self.buffers.iter() {
            let Some((piece, cut)) = buffer.words().take_cut(epoch) else {
                continue;
            };
            if let Some(piece) = piece {
                let _ = self.log.put_buffer(piece);
            }
            cuts.push(cut);
        }
        cuts
    }

    /// The words that threads write from now on are of this epoch, for those who read them after a kill.
    pub(crate) fn epoch_begins(&self, epoch: u32) {
        if let Some(live) = &self.live {
            live.set_epoch(epoch);
        }
    }

    /// The buffers were marked as cut, and the pause is about to end: begins the next epoch.
    /// `pause` gets the number of the collection that ended the one before. The world is stopped.
    pub(crate) fn begin_epoch(&self, pause: impl FnOnce(u32) -> CutPause) {
        let number = self.next_epoch();
        self.pauses.add(pause(number));
    }

    /// Sets the writer of the collections of pauses. Called before the first pause.
    pub(crate) fn put_collections(&self, put: Arc<dyn PutCollection>) {
        self.pauses.put_by(put);
    }

    /// Hands over the words that pauses have cut off, and puts their collections into the log. In no pause.
    pub(crate) fn settle_cuts(&self) {
        self.pauses.settle(self);
    }

    /// Begins to hand over a buffer whose cuts were handed over. In no pause, but one may go on beside it.
    fn hand_over<'a>(&self, buffer: &'a ThreadBuffer) -> Handover<'a> {
        loop {
            let mut handover = buffer.hand_over(&self.tables.epoch);
            if !handover.is_cut() && self.pauses.are_settled() {
                return handover;
            }
            drop(handover);
            self.settle_cuts();
            if buffer.words().is_cut() {
                // The pause goes on, and until it ends this thread has nothing else to do.
                std::thread::sleep(PAUSE_STEP);
            }
        }
    }

    /// The number of buffers, including those that wait for another thread.
    pub(crate) fn count(&self) -> usize {
        self.buffers.len()
    }

    /// The position of each thread in its stream, in words. The world is stopped.
    pub(crate) fn positions(&self) -> Vec<(ThreadId, u64)> {
        let buffers = self.buffers.iter();
        let positions = buffers.map(|buffer| buffer.words().thread_position());
        positions.flatten().collect()
    }

    /// Sets the number of the finished collection.
    pub(crate) fn next_epoch(&self) -> u32 {
        self.tables.epoch.fetch_add(1, Ordering::AcqRel) + 1
    }

    pub(crate) fn epoch(&self) -> u32 {
        self.tables.epoch.load(Ordering::Acquire)
    }

    /// Copies a collection that goes on while the program runs, with the uses before it, to where it survives the process.
    pub(crate) fn keep_collection(
        &self,
        collection: &Collection,
        uses: &[Vec<u8>],
        survivors: &Survivors,
    ) -> Option<Box<dyn Durable>> {
        let kept = self.kept.as_ref()?;
        kept.keep(collection, uses, &survivors.objects)
    }

    /// Passes a collection to the log, with the uses before it. The world is stopped.
    pub(crate) fn collection(
        &self,
        mut collection: Collection,
        uses: Vec<Vec<u8>>,
        survivors: Survivors,
    ) {
        let start = Instant::now();
        let kept = self.kept.as_ref();
        let copy = kept.and_then(|kept| kept.keep(&collection, &uses, &survivors.objects));
        if copy.is_some() {
            self.work.survivors.add_since(start);
        }
        // Only after the copy is complete: a JVM killed before that has not continued after this collection.
        if let Some(live) = &self.live {
            live.set_epoch(collection.number);
        }
        let nanos = nanos_since(start);
        collection.walk_nanos += nanos;
        collection.end_unix_micros += nanos / 1000;
        for content in uses {
            self.log.uses(content);
        }
        self.log.kept_collection(collection, survivors, copy);
    }

    /// Outside of pauses: memory for the next collection.
    pub(crate) fn prepare_for_collections(&self) {
        if let Some(kept) = &self.kept {
            kept.prepare();
        }
    }

    /// The time that copies have cost in pauses so far.
    pub(crate) fn work_in_pauses(&self) -> &PauseWork {
        &self.work
    }

    pub(crate) fn log(&self) -> &EventLog {
        &self.log
    }

    pub(crate) fn seen(&self) -> &SeenClasses {
        &self.tables.seen
    }

    pub(crate) fn called_sites(&self) -> &CalledSites {
        &self.tables.called
    }

    /// Ends the log when the program ends: takes the contents of all buffers, and waits until everything is decoded and written.
    pub(crate) fn finish(&self, layout: &ThreadLayout, end: End) -> EventStats {
        self.ended.store(true, Ordering::Release);
        for buffer in self.buffers.iter() {
            if let Some(piece) = self.hand_over(buffer).end(layout) {
                let _ = self.log.buffer(piece);
            }
        }
        let stats = self.log.finish(end);
        if let Some(live) = self.live.as_ref().filter(|_| !stats.broken) {
            live.remove();
        }
        stats
    }

    /// Gives back what a stopped run no longer needs.
    pub(crate) fn release(&self) {
        if let Some(live) = &self.live {
            live.release();
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    fn buffer(&self, block: CounterBlock) -> Option<&ThreadBuffer> {
        let buffer = self.buffers.get(owner(block)?)?;
        (buffer.block() == block).then_some(buffer)
    }
}

fn event_options(start: &Start<'_>) -> EventOptions {
    let choices = start.choices;
    EventOptions {
        compress: match choices.compress {
            Compress::Full => CompressStrategy::Full,
            Compress::Partial(threshold) => CompressStrategy::Partial(threshold),
            Compress::Off => CompressStrategy::Off,
        },
        columns: start.columns,
        max_trace_size: choices.max_trace_size,
        max_deviation: TRACE_DEVIATION,
        queue_length: start.queue,
        on_full: if choices.drop_on_full {
            OnFull::Drop
        } else {
            OnFull::Wait
        },
        moves: start.moves,
        match_later: start.moves && choices.max_trace_size.is_none(),
        most_mirror_bytes: start.most_mirror_bytes,
        pid: std::process::id(),
        start_unix_millis: start.start_unix_millis,
        ..EventOptions::default()
    }
}
