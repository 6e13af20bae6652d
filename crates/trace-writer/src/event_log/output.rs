//! Keeps blocks in order, from the pipeline through the packers to the thread that writes the files.
//!
//! ```text
//! pipeline --content--> packers (any order)
//!     \--------"a block comes"-------> writer: waits for packed contents in the pipeline's order, appends them
//! ```
//!
//! Appended bytes may wait in memory until their file has a whole chunk (see `storage`), but only for a moment. Blocks are
//! sent in batches; the batch is flushed before the pipeline waits and before it asks the writer for something else.
//!
//! The pipeline sees the file sizes through [`Gauge`]: written bytes, and the uncompressed bytes still under way, which are
//! an upper bound of what will be written for them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use ducktrack_trace_format::{
    BlockHeader, BlockKind, Compression, End, EventColumnsEncoder, EventFile, PackedContent,
};

use super::buffer_words::Durable;
use super::event_files::EventFiles;
use super::options::EventHost;
use super::packing::{Content, Packers, Packing};
use super::standstill::Standstill;
use super::stats::EventStats;
use crate::WriteError;

/// A batch is sent when it has this many blocks, or this many bytes.
const BATCH: usize = 16;
const BATCH_BYTES: u64 = 256 << 10;

/// Most batches under way to the files.
const UNDER_WAY: usize = 8;

/// Waking the writer for every block would interrupt the program's threads each time. So when everything is written, the writer lets blocks
/// gather for this time.
const GATHER_TIME: Duration = Duration::from_millis(4);

/// Bytes written longer ago than this survive `kill -9`. Every such write is a small one more.
const LONGEST_UNWRITTEN: Duration = Duration::from_millis(100);

/// A content for a block, its size before compression, and the durable copy to keep until it is in its file.
struct QueuedBlock {
    plain: u64,
    durable: Option<Box<dyn Durable>>,
}

enum Job {
    Blocks {
        blocks: Vec<QueuedBlock>,
        packing: Packing,
    },
    Begin {
        start: EventFile,
        done: Sender<Result<(), String>>,
    },
    MakeRoom {
        room: u64,
        max: u64,
    },
    Barrier(Sender<()>),
    Settle,
    End(End, Sender<()>),
}

/// File sizes and block counts, for the pipeline and for [`EventStats`].
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    current: AtomicU64,
    total: AtomicU64,
    under_way: AtomicU64,
    torn: AtomicBool,
    blocks: AtomicU64,
    compressed_blocks: AtomicU64,
    plain_bytes: AtomicU64,
    written_bytes: AtomicU64,
    files: AtomicU64,
    removed: AtomicU64,
    lost_blocks: AtomicU64,
    lost_bytes: AtomicU64,
}

impl Gauge {
    /// Upper bounds in bytes of the current file and of all files; blocks under way count uncompressed.
    pub(crate) fn at_most(&self) -> (u64, u64) {
        let under_way = self.under_way.load(Ordering::Acquire);
        let current = self.current.load(Ordering::Acquire) + under_way;
        (current, self.total.load(Ordering::Acquire) + under_way)
    }

    /// True while blocks are lost because no file could be begun.
    pub(crate) fn is_torn(&self) -> bool {
        self.torn.load(Ordering::Acquire)
    }

    pub(crate) fn add_to(&self, stats: &mut EventStats) {
        let get = |number: &AtomicU64| number.load(Ordering::Acquire);
        stats.blocks = get(&self.blocks);
        stats.compressed_blocks = get(&self.compressed_blocks);
        stats.plain_bytes = get(&self.plain_bytes);
        stats.written_bytes = get(&self.written_bytes);
        stats.file_bytes = get(&self.total);
        stats.files = get(&self.files);
        stats.rotations = get(&self.removed);
        stats.lost_blocks = get(&self.lost_blocks);
        stats.lost_bytes = get(&self.lost_bytes);
    }
}

/// Pieces that become one block with columns.
#[derive(Default)]
pub(crate) struct OpenColumns {
    pub(crate) encoder: EventColumnsEncoder,
    pieces: Vec<QueuedBlock>,
}

/// The pipeline's side of the output.
pub(crate) struct Output {
    packers: Packers,
    /// The open block with columns, if pieces are written so.
    columns: Option<OpenColumns>,
    /// Memory of such blocks that are written, and of pieces that were blocks of their own.
    spare: Receiver<Vec<u8>>,
    spare_pieces: Receiver<Vec<u8>>,
    jobs: Sender<Job>,
    gauge: Arc<Gauge>,
    /// The open batch: its blocks and their contents.
    blocks: Vec<QueuedBlock>,
    contents: Vec<Content>,
    bytes: u64,
}

impl Output {
    /// Begins the first file and starts the threads.
    pub(crate) fn start(
        mut files: EventFiles,
        first: EventFile,
        (packers, columns): (Packers, bool),
        host: &Arc<dyn EventHost>,
        standstill: &Arc<Standstill>,
    ) -> Result<Self, WriteError> {
        files.begin(first)?;
        let gauge = Arc::new(Gauge::default());
        let (jobs, receiver) = bounded(UNDER_WAY);
        let (put_back, spare) = bounded(UNDER_WAY);
        let (put_back_piece, spare_pieces) = bounded(UNDER_WAY * BATCH);
        let mut writer = FileWriter {
            files,
            gauge: Arc::clone(&gauge),
            host: Arc::clone(host),
            standstill: Arc::clone(standstill),
            warned: false,
            unsettled: VecDeque::new(),
            spare: put_back,
            spare_pieces: put_back_piece,
        };
        writer.show();
        host.spawn("ducktrack-files", Box::new(move || writer.work(&receiver)))
            .map_err(|source| WriteError::Thread { source })?;
        Ok(Self {
            packers,
            columns: columns.then(OpenColumns::default),
            spare,
            spare_pieces,
            jobs,
            gauge,
            blocks: Vec::new(),
            contents: Vec::new(),
            bytes: 0,
        })
    }

    /// Memory of a piece that is written; its contents are arbitrary.
    pub(crate) fn spare_piece(&self) -> Option<Vec<u8>> {
        self.spare_pieces.try_recv().ok()
    }

    pub(crate) fn gauge(&self) -> &Arc<Gauge> {
        &self.gauge
    }

    /// Adds a block to the batch, and sends the batch if it is full.
    pub(crate) fn block(
        &mut self,
        kind: BlockKind,
        bytes: Vec<u8>,
        compression: Compression,
        durable: Option<Box<dyn Durable>>,
    ) {
        self.close_columns();
        let block = self.queued(bytes.len(), durable);
        self.blocks.push(block);
        self.contents.push(Content {
            kind,
            bytes,
            compression,
            parts: 1,
        });
        self.flush_if_full();
    }

    /// The block with columns, to add a piece to it; the caller gives it back. `None` if pieces are blocks of their own.
    pub(crate) fn take_columns(&mut self) -> Option<OpenColumns> {
        self.columns.take()
    }

    /// Takes the block with columns back, with one more piece that would have `length` bytes by itself.
    pub(crate) fn piece(
        &mut self,
        mut columns: OpenColumns,
        length: usize,
        durable: Option<Box<dyn Durable>>,
    ) {
        columns.pieces.push(self.queued(length, durable));
        self.columns = Some(columns);
        self.flush_if_full();
    }

    /// Takes the block with columns back without the piece that was begun.
    pub(crate) fn without_piece(&mut self, columns: OpenColumns) {
        self.columns = Some(columns);
        self.close_columns();
    }

    /// Ends the block with columns.
    fn close_columns(&mut self) {
        let Some(columns) = &mut self.columns else {
            return;
        };
        if columns.pieces.is_empty() {
            columns.encoder.clear();
            return;
        }
        let mut bytes = self.spare.try_recv().unwrap_or_default();
        bytes.clear();
        columns.encoder.finish(&mut bytes);
        self.contents.push(Content {
            kind: BlockKind::EVENT_COLUMNS,
            bytes,
            compression: Compression::Lz4,
            parts: columns.pieces.len(),
        });
        self.blocks.append(&mut columns.pieces);
    }

    /// Counts a block of this length as under way.
    fn queued(&mut self, length: usize, durable: Option<Box<dyn Durable>>) -> QueuedBlock {
        let plain = (length + BlockHeader::LENGTH) as u64;
        self.gauge.under_way.fetch_add(plain, Ordering::AcqRel);
        self.bytes += plain;
        QueuedBlock { plain, durable }
    }

    fn flush_if_full(&mut self) {
        let pieces = self
            .columns
            .as_ref()
            .map_or(0, |columns| columns.pieces.len());
        if self.blocks.len() + pieces >= BATCH || self.bytes >= BATCH_BYTES {
            self.flush();
        }
    }

    /// Sends the open batch.
    pub(crate) fn flush(&mut self) {
        self.close_columns();
        self.bytes = 0;
        let blocks = std::mem::take(&mut self.blocks);
        let contents = std::mem::take(&mut self.contents);
        if !blocks.is_empty() {
            let packing = self.packers.pack(contents);
            // Fails only after the writer has ended, and the writer ends after this sender is dropped.
            let _ = self.jobs.send(Job::Blocks { blocks, packing });
        }
    }

    /// Removes old files until `room` bytes more fit into `max`.
    pub(crate) fn make_room(&mut self, room: u64, max: u64) {
        self.send(Job::MakeRoom { room, max });
    }

    /// Begins a file. The error is the reason; blocks are lost until a file can be begun.
    pub(crate) fn begin(&mut self, start: EventFile) -> Result<(), String> {
        let (done, answer) = bounded(1);
        self.send(Job::Begin { start, done });
        answer
            .recv()
            .unwrap_or_else(|_| Err("the thread that writes the files has ended".to_owned()))
    }

    /// Waits until all blocks are in the files, so that their sizes are exact.
    pub(crate) fn drain(&mut self) {
        let (done, answer) = bounded(1);
        self.send(Job::Barrier(done));
        let _ = answer.recv();
    }

    /// Makes all blocks survive the process soon, without waiting for it.
    pub(crate) fn settle(&mut self) {
        self.send(Job::Settle);
    }

    /// Writes the last block and waits for it.
    pub(crate) fn end(&mut self, end: End) {
        let (done, answer) = bounded(1);
        self.send(Job::End(end, done));
        let _ = answer.recv();
    }

    fn send(&mut self, job: Job) {
        self.flush();
        let _ = self.jobs.send(job);
    }
}

/// The open batch is sent even if the pipeline has failed.
impl Drop for Output {
    fn drop(&mut self) {
        self.flush();
    }
}

/// The next job, or a timeout at `until`; without `until` it waits without limit.
fn next(jobs: &Receiver<Job>, until: Option<Instant>) -> Result<Job, RecvTimeoutError> {
    jobs.try_recv().or_else(|_| {
        std::thread::sleep(GATHER_TIME);
        match until {
            Some(until) => jobs.recv_deadline(until),
            None => Ok(jobs.recv()?),
        }
    })
}

/// The thread that writes the files.
struct FileWriter {
    files: EventFiles,
    gauge: Arc<Gauge>,
    host: Arc<dyn EventHost>,
    standstill: Arc<Standstill>,
    /// The user has been warned that something cannot be written.
    warned: bool,
    /// Durable copies of blocks that would be lost with the process, with the end offset of each block in the current
    /// file.
    unsettled: VecDeque<(u64, Box<dyn Durable>)>,
    /// Takes the memory of large blocks back.
    spare: Sender<Vec<u8>>,
    /// Takes the memory of pieces back.
    spare_pieces: Sender<Vec<u8>>,
}

impl FileWriter {
    fn work(&mut self, jobs: &Receiver<Job>) {
        loop {
            let until = self.must_settle();
            let job = match until {
                Some(until) if until <= Instant::now() => Err(RecvTimeoutError::Timeout),
                _ => next(jobs, until),
            };
            self.standstill.wait();
            match job {
                Ok(job) => self.run(job),
                Err(RecvTimeoutError::Timeout) => self.settle(),
                // All senders are gone, so no job can come.
                Err(RecvTimeoutError::Disconnected) => return self.settle(),
            }
        }
    }

    /// The time at which bytes waiting in memory must be written.
    fn must_settle(&self) -> Option<Instant> {
        let unwritten = self.files.unwritten()?;
        Some(unwritten.since + LONGEST_UNWRITTEN)
    }

    fn settle(&mut self) {
        if let Err(error) = self.files.settle() {
            self.tell(&error);
            self.show();
        }
        self.let_go();
    }

    /// Drops the durable copies of blocks that survive the process by now.
    fn let_go(&mut self) {
        let settled = self.files.settled_bytes();
        while self
            .unsettled
            .front()
            .is_some_and(|(end, _)| *end <= settled)
        {
            self.unsettled.pop_front();
        }
    }

    fn run(&mut self, job: Job) {
        match job {
            Job::Blocks { blocks, packing } => self.blocks(blocks, packing),
            Job::Begin { start, done } => {
                let result = self.files.begin(start);
                // The previous file was settled.
                self.unsettled.clear();
                self.show();
                let result = result.inspect_err(|error| self.tell(error));
                let _ = done.send(result.map_err(|error| error.to_string()));
            }
            Job::MakeRoom { room, max } => {
                self.files.make_room(room, max);
                self.show();
            }
            Job::Barrier(done) => {
                let _ = done.send(());
            }
            Job::Settle => self.settle(),
            Job::End(end, done) => {
                self.end(end);
                let _ = done.send(());
            }
        }
    }

    fn blocks(&mut self, blocks: Vec<QueuedBlock>, packing: Packing) {
        let mut blocks = blocks.into_iter();
        for packed in packing.wait() {
            let parts = blocks.by_ref().take(packed.parts).collect();
            self.block(parts, packed.kind, packed.content);
        }
        // A thread that packs has failed.
        for block in blocks {
            self.block(vec![block], BlockKind::EVENTS, None);
        }
        self.let_go();
    }

    /// Writes what these contents became: one block.
    fn block(&mut self, parts: Vec<QueuedBlock>, kind: BlockKind, packed: Option<PackedContent>) {
        self.announce(&parts);
        let plain = parts.iter().map(|part| part.plain).sum();
        let written = packed.is_some_and(|packed| self.append(kind, packed));
        if written {
            let end = self.files.current_bytes();
            let copies = parts.into_iter().filter_map(|part| part.durable);
            self.unsettled.extend(copies.map(|durable| (end, durable)));
        } else {
            self.files.note_lost(plain);
        }
        self.show();
        self.gauge.under_way.fetch_sub(plain, Ordering::AcqRel);
    }

    /// Tells durable copies which block they are about to become.
    fn announce(&self, parts: &[QueuedBlock]) {
        let Some((file, number)) = self.files.next_block() else {
            return;
        };
        for durable in parts.iter().filter_map(|part| part.durable.as_ref()) {
            durable.will_be(file, number);
        }
    }

    /// Appends a block; false if it is not in the file.
    fn append(&mut self, kind: BlockKind, packed: PackedContent) -> bool {
        if self.files.is_torn() {
            return false;
        }
        let compressed = u64::from(packed.is_compressed());
        if let Err(error) = self.files.append(kind, &packed) {
            self.tell(&error);
            return false;
        }
        self.gauge.blocks.fetch_add(1, Ordering::Relaxed);
        let bytes = u64::from(packed.plain_length());
        self.gauge.plain_bytes.fetch_add(bytes, Ordering::Relaxed);
        let counter = &self.gauge.compressed_blocks;
        counter.fetch_add(compressed, Ordering::Relaxed);
        let taker = match kind {
            BlockKind::EVENT_COLUMNS => &self.spare,
            BlockKind::EVENTS => &self.spare_pieces,
            _ => return true,
        };
        // Refused where enough of it waits.
        let _ = taker.try_send(packed.into_memory());
        true
    }

    fn end(&mut self, end: End) {
        if !self.files.is_torn()
            && let Err(error) = self.files.end(end)
        {
            self.tell(&error);
        }
        self.show();
    }

    fn tell(&mut self, error: &WriteError) {
        if !self.warned {
            self.warned = true;
            self.host.say(&format!(
                "{error}; events are counted as lost until the files can be written again"
            ));
        }
    }

    /// Publishes the file sizes.
    fn show(&self) {
        let (gauge, files) = (&self.gauge, &self.files);
        gauge
            .current
            .store(files.current_bytes(), Ordering::Release);
        gauge.total.store(files.total_bytes(), Ordering::Release);
        gauge
            .written_bytes
            .store(files.written_bytes(), Ordering::Release);
        gauge.torn.store(files.is_torn(), Ordering::Release);
        gauge
            .files
            .store(u64::from(files.begun()), Ordering::Release);
        gauge.removed.store(files.removed, Ordering::Release);
        gauge
            .lost_blocks
            .store(files.lost_blocks, Ordering::Release);
        gauge.lost_bytes.store(files.lost_bytes, Ordering::Release);
    }
}
