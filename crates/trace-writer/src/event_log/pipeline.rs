//! The one thread that decodes all events: it counts them, maintains the mirror, and sends blocks to the files.
//!
//! ```text
//! buffer     -> flags; callers shortened; events to the tally; objects kept for the mirror; block EVENTS
//! collection -> mirror; rotate?; blocks EXPLAINED, USES, STAMPS, COLLECTION, MOVES, EXPLAINED; new file with SYNC
//! ```
//!
//! *Holding.* When the files are so large that old ones must go first, which only a collection allows, buffers wait here. The
//! queue fills, the program's threads wait, and the emergency collection that was requested comes. If none comes for [`PATIENCE`],
//! a file without a synchronization point is begun.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use ducktrack_heap_mirror::{Mirror, Moves, PieceObjects, SiteCache, Threads};
use ducktrack_trace_format::{
    BlockKind, Collection, CollectionKind, Compression, End, EventShortener, Explained, HeapClass,
    MovesLevel, encode_explained,
};
use parking_lot::Mutex;

use super::buffer_words::Durable;
use super::flush_queue::{Buffer, FlushQueue, Message};
use super::limits::Limits;
use super::options::{CompressStrategy, EventHost, EventOptions};
use super::output::Output;
use super::piece_sums::PieceSums;
use super::standstill::Standstill;
use super::stats::EventStats;
use super::survivor::Survivors;
use super::tally::Tally;
use super::thread_sums::{EVERY, SumsByThread};
use awaiting::Later;
use deferred::survivors_as_they_are;
use holding::{ASK_AGAIN, Holding};
use lost_heap::Heap;
use spare_memory::SpareMemory;

mod awaiting;
mod deferred;
mod file_turns;
mod handing_out;
mod holding;
mod lost_heap;
mod new_beginning;
mod piece_reading;
mod pieces;
mod spare_memory;

/// Waking this thread for every buffer would cost the program's threads more than the buffers themselves, and this thread finds its
/// tables in no cache. So when all buffers are read, more of them gather for a moment before it waits, unless the queue is short.
const GATHER_TIME: Duration = Duration::from_millis(8);

/// Fault of the collections after the mirror exceeded its memory limit.
const OVER_BOUND: &str = "the heap has more objects than the agent may remember (option `memory`)";

/// The parts that the pipeline is made of.
pub(crate) struct Parts {
    pub(crate) options: EventOptions,
    pub(crate) facts: SiteCache,
    pub(crate) tally: Box<dyn Tally + Send>,
    pub(crate) host: Arc<dyn EventHost>,
    pub(crate) queue: Arc<FlushQueue>,
    pub(crate) output: Output,
    pub(crate) stats: Arc<Mutex<EventStats>>,
    pub(crate) standstill: Arc<Standstill>,
}

/// State of the pipeline between two messages.
pub(crate) struct Pipeline {
    parts: Parts,
    limits: Option<Limits>,
    epoch: u32,
    threads: Threads,
    heap: Heap,
    sites: PieceSums,
    sums: SumsByThread,
    shortener: EventShortener,
    objects: PieceObjects,
    spare: SpareMemory,
    /// The encoded header of the piece being read.
    head: Vec<u8>,
    /// Found objects that were explained since the last collection.
    explained: Vec<Explained>,
    /// Blocks that precede the next collection.
    ahead: Vec<(BlockKind, Vec<u8>)>,
    /// Since when buffers are held, and the held buffers.
    holding: Option<Holding>,
    /// A buffer was read since this thread last let buffers gather.
    has_read: bool,
    held: VecDeque<Buffer>,
    /// What came while a collection was awaited.
    later: Later,
    /// An emergency collection was requested for this file.
    asked: bool,
    /// Bytes of the current file's synchronization point.
    sync_bytes: u64,
    /// When the next file may be tried after a torn one.
    try_again: Instant,
    /// Ids of the classes so far are smaller.
    known_classes: u32,
    /// Contradictions of the mirror, kept after the mirror has ended.
    mirror_contradictions: u64,
    /// The mirror exceeded its memory limit.
    is_over_bound: bool,
    /// The current collection went on while the program ran.
    is_awaited: bool,
    stats: EventStats,
}

impl Pipeline {
    pub(crate) fn new(parts: Parts) -> Self {
        let options = &parts.options;
        let limits = options
            .max_trace_size
            .map(|max| Limits::new(max, options.max_deviation));
        Self {
            limits,
            epoch: 0,
            threads: Threads::default(),
            heap: match options.moves {
                true if options.match_later => Heap::Deferred(Mirror::new()),
                true => Heap::Known(Mirror::new()),
                false => Heap::Unknown,
            },
            sites: PieceSums::default(),
            sums: SumsByThread::default(),
            shortener: EventShortener::default(),
            objects: PieceObjects::default(),
            spare: SpareMemory::default(),
            head: Vec::new(),
            explained: Vec::new(),
            ahead: Vec::new(),
            holding: None,
            has_read: false,
            held: VecDeque::new(),
            later: Later::default(),
            asked: false,
            sync_bytes: 0,
            try_again: Instant::now(),
            known_classes: 0,
            mirror_contradictions: 0,
            is_over_bound: false,
            is_awaited: false,
            stats: EventStats::default(),
            parts,
        }
    }

    /// Works until the end is requested, or all senders are gone.
    pub(crate) fn run(mut self, messages: &Receiver<Message>) {
        let _close = CloseOnDrop {
            queue: Arc::clone(&self.parts.queue),
            host: Arc::clone(&self.parts.host),
        };
        loop {
            let next = self.next(messages);
            self.parts.standstill.wait();
            match next {
                Some(Message::Buffer(buffer)) => self.buffer(buffer),
                Some(Message::Collection(collection, survivors, copy)) => {
                    self.collection(*collection, survivors, copy);
                }
                Some(Message::Awaited(place)) => self.awaited(&place, messages),
                Some(Message::Classes(classes)) => self.classes(&classes),
                Some(Message::Ahead(kind, content)) => self.ahead.push((kind, content)),
                Some(Message::Finish(end, done)) => return self.finish(messages, end, &done),
                None if self.holding.is_some() => self.ask_again(),
                None => return self.write_held(),
            }
        }
    }

    /// The next message; `None` if buffers are held and none comes, or if the senders are gone.
    fn next(&mut self, messages: &Receiver<Message>) -> Option<Message> {
        if let Some(message) = self.try_next(messages) {
            return Some(message);
        }
        if self.holding.is_none() {
            return self.gather(messages);
        }
        self.hand_out();
        match messages.recv_timeout(ASK_AGAIN) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            // All senders are gone, so no collection can come.
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Waits for the next message; after buffers, lets more of them gather.
    fn gather(&mut self, messages: &Receiver<Message>) -> Option<Message> {
        if std::mem::take(&mut self.has_read) && !self.parts.queue.is_short() {
            std::thread::sleep(GATHER_TIME);
            if let Some(message) = self.try_next(messages) {
                return Some(message);
            }
        }
        if self.sums.has_some() {
            match messages.recv_timeout(EVERY) {
                Err(RecvTimeoutError::Timeout) => {}
                result => return result.ok(),
            }
        }
        self.hand_out();
        messages.recv().ok()
    }

    /// Hands out sums, and sends the blocks so far to the files.
    fn hand_out(&mut self) {
        self.hand_out_sums();
        self.parts.output.flush();
    }

    fn classes(&mut self, classes: &[HeapClass]) {
        if let Some(mirror) = self.heap.mirror() {
            classes.iter().for_each(|class| mirror.class(class));
        }
        let ids = classes.iter().map(|class| class.id.0.saturating_add(1));
        self.known_classes = ids.fold(self.known_classes, u32::max);
    }

    /// Writes a buffer now, or holds it until there is room.
    fn buffer(&mut self, buffer: Buffer) {
        if self.holding.is_none() {
            self.watch_limits();
        }
        if self.holding.is_some() {
            self.held.push_back(buffer);
            return;
        }
        let bytes = buffer.bytes();
        self.write_buffer(buffer);
        self.parts.queue.buffer_done(bytes);
        self.has_read = true;
        if self.sums.are_due() {
            self.hand_out();
        }
    }

    fn write_held(&mut self) {
        self.holding = None;
        self.parts.queue.hold(false);
        while let Some(buffer) = self.held.pop_front() {
            let bytes = buffer.bytes();
            self.write_buffer(buffer);
            self.parts.queue.buffer_done(bytes);
        }
    }

    fn collection(
        &mut self,
        mut collection: Collection,
        mut survivors: Survivors,
        copy: Option<Box<dyn Durable>>,
    ) {
        let start = Instant::now();
        if self.holding.is_some() {
            // Old files must go before the held buffers and this collection can be written.
            self.parts.output.drain();
            self.make_room_for(self.held_bytes());
            self.write_held();
        }
        self.stats.collections += 1;
        self.stats.survivors += survivors.join().len() as u64;
        let moves = self.mirror_collection(&mut collection, &mut survivors);
        let memory = survivors.memory();
        drop(survivors);
        self.parts.queue.survivors_done(memory);
        self.write_explained();
        let rotation = self.rotation(&collection, &moves);
        if self.is_anew() && rotation.is_none() {
            // Readers could not begin anew here.
            collection.fault = Some("moves are not known".to_owned());
            self.lose_heap(collection.level);
        }
        self.parts.host.secure_definitions();
        self.write_collection(&collection, moves, copy);
        if let Some(parts) = rotation {
            self.begin_file(parts);
            self.defer();
        }
        self.stats.collection_nanos += nanos_since(start);
        self.publish();
    }

    fn held_bytes(&self) -> u64 {
        self.held.iter().map(Buffer::bytes).sum()
    }

    /// Brings the mirror to the state after the collection; ends it where moves are not known.
    fn mirror_collection(
        &mut self,
        collection: &mut Collection,
        survivors: &mut Survivors,
    ) -> Moves {
        self.epoch = collection.number;
        self.threads
            .cut_all(collection.number, &mut collection.cuts);
        let known = collection.fault.is_none()
            && collection.level != MovesLevel::Off
            && collection.kind != CollectionKind::Other;
        self.begin_anew(survivors.whole_heap && known);
        let is_deferred = self.heap.is_deferred();
        let result = match self.heap.known() {
            None if known && is_deferred => {
                survivors_as_they_are(collection, survivors.join(), self.known_classes)
            }
            Some(mirror) if known => {
                mirror.collect(collection, survivors.join(), &self.parts.facts)
            }
            _ if self.is_over_bound => Err(OVER_BOUND),
            _ => Err("moves are not known"),
        };
        let counts = collection.counts;
        self.stats.found += counts.found;
        self.stats.explained += counts.explained;
        self.stats.ambiguous += counts.ambiguous;
        self.measure_mirror();
        let result = result.map(|moves| self.began_anew(collection, moves));
        result.unwrap_or_else(|fault| {
            let begins = self.heap.is_known() || self.is_over_bound;
            if begins && collection.fault.is_none() {
                collection.fault = Some(fault.to_owned());
            }
            self.lose_heap(collection.level);
            let stats = &mut self.stats;
            (
                stats.mirror_objects,
                stats.mirror_bytes,
                stats.retained_bytes,
            ) = (0, 0, 0);
            Moves::default()
        })
    }

    fn measure_mirror(&mut self) {
        if let Some(mirror) = self.heap.known() {
            self.stats.mirror_objects = mirror.objects();
            self.stats.mirror_bytes = mirror.memory();
            self.mirror_contradictions = mirror.contradictions;
        }
    }

    /// Writes the collection's blocks; `copy` is dropped after the last of them is in the file.
    fn write_collection(
        &mut self,
        collection: &Collection,
        moves: Moves,
        copy: Option<Box<dyn Durable>>,
    ) {
        let mut content = Vec::new();
        if collection.encode(&mut content).is_err() {
            self.stats.broken_buffers += 1;
            return;
        }
        self.stats.move_bytes += moves
            .blocks
            .iter()
            .map(|part| part.len() as u64)
            .sum::<u64>();
        let parts = moves.blocks.into_iter();
        let mut blocks = std::mem::take(&mut self.ahead);
        blocks.push((BlockKind::COLLECTION, content));
        let kind = match self.heap.is_deferred() {
            true => BlockKind::SURVIVORS,
            false => BlockKind::MOVES,
        };
        blocks.extend(parts.map(|part| (kind, part)));
        blocks.extend(explained_blocks(&moves.explained));
        let last = blocks.pop();
        for (kind, content) in blocks {
            self.block(kind, content);
        }
        if let Some((kind, content)) = last {
            self.block_of(kind, content, copy);
        }
        // Most pieces have a durable copy until then; a collection may not.
        self.parts.output.settle();
    }

    /// Writes the objects explained since the last collection.
    fn write_explained(&mut self) {
        for (kind, content) in explained_blocks(&std::mem::take(&mut self.explained)) {
            self.block(kind, content);
        }
    }

    fn block(&mut self, kind: BlockKind, content: Vec<u8>) {
        self.block_of(kind, content, None);
    }

    /// Writes a block; `durable` is dropped after it is in its file.
    fn block_of(&mut self, kind: BlockKind, content: Vec<u8>, durable: Option<Box<dyn Durable>>) {
        let compression = self.compression();
        self.parts.output.block(kind, content, compression, durable);
    }

    fn compression(&self) -> Compression {
        let is_compressed = match self.parts.options.compress {
            CompressStrategy::Full => true,
            CompressStrategy::Partial(threshold) => self.parts.queue.fill() >= threshold,
            CompressStrategy::Off => false,
        };
        match is_compressed || self.is_short_of_room() {
            true => Compression::Lz4,
            false => Compression::Off,
        }
    }

    /// Writes what was handed over before the end, and ends the files.
    fn finish(mut self, messages: &Receiver<Message>, end: End, done: &Sender<EventStats>) {
        self.parts.queue.close();
        self.write_held();
        while let Some(message) = self.try_next(messages) {
            match message {
                Message::Buffer(buffer) => {
                    let bytes = buffer.bytes();
                    self.write_buffer(buffer);
                    self.parts.queue.buffer_done(bytes);
                }
                Message::Collection(collection, survivors, copy) => {
                    self.collection(*collection, survivors, copy);
                }
                Message::Awaited(place) => self.awaited(&place, messages),
                Message::Classes(classes) => self.classes(&classes),
                Message::Ahead(kind, content) => self.ahead.push((kind, content)),
                Message::Finish(_, also_done) => drop(also_done),
            }
        }
        self.hand_out_sums();
        self.write_explained();
        // Without a collection after them, only roots tell something.
        for (kind, content) in std::mem::take(&mut self.ahead) {
            if kind == BlockKind::ROOTS {
                self.block(kind, content);
            }
        }
        self.parts.output.end(end);
        self.publish();
        let stats = Arc::clone(&self.parts.stats);
        // Free the memory before answering.
        drop(self);
        let _ = done.send(*stats.lock());
    }

    /// Ends the mirror for good if it exceeds its memory limit: a new one would soon be as large.
    fn keep_to_bound(&mut self) {
        let most = self.parts.options.most_mirror_bytes;
        let (Some(most), Some(mirror)) = (most, self.heap.keeper()) else {
            return;
        };
        if self.stats.mirror_bytes + mirror.retained() > most {
            self.heap = Heap::Unknown;
            self.is_over_bound = true;
            let stats = &mut self.stats;
            (
                stats.mirror_objects,
                stats.mirror_bytes,
                stats.retained_bytes,
            ) = (0, 0, 0);
        }
    }

    /// Publishes the statistics.
    fn publish(&mut self) {
        self.keep_to_bound();
        if let Some(mirror) = self.heap.keeper() {
            self.stats.retained_bytes = mirror.retained();
        }
        let mut shown = self.stats;
        shown.contradictions += self.mirror_contradictions;
        *self.parts.stats.lock() = shown;
    }
}

/// Closes the queue however the pipeline ends, so that no thread waits for it.
struct CloseOnDrop {
    queue: Arc<FlushQueue>,
    host: Arc<dyn EventHost>,
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        // Report before closing: a caller that finds the queue closed must also find the reason.
        if std::thread::panicking() {
            self.queue.note_broken();
            self.host
                .say("the thread that takes events has failed: later events are not recorded");
        }
        self.queue.close();
    }
}

fn explained_blocks(explained: &[Explained]) -> Vec<(BlockKind, Vec<u8>)> {
    const PART: usize = 1 << 16;
    let blocks = explained.chunks(PART).map(|part| {
        let mut content = Vec::new();
        encode_explained(part, &mut content);
        (BlockKind::EXPLAINED, content)
    });
    blocks.collect()
}

fn nanos_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
