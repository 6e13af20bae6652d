//! The event files of a trace directory, as one sequence of steps.
//!
//! ```text
//! let (mut files, mut decoding) = (EventFiles::open(dir)?, BufferDecoding::default());
//! while let Some(step) = files.next_step() {
//!     match step {
//!         EventStep::Epoch(epoch) => decoding.decode(&epoch.buffers, &mut workers, |worker, content, again| ..),
//!         ..
//!     }
//! }
//! files.note(&mut decoding);
//! for (file, damage) in files.damage() { .. }
//! ```
//!
//! Files are read in the order of their indices; the oldest may be missing because the agent rotated them away. Reading is sequential and
//! verifies the checksums. Much of the work is expanding and decoding event blocks, which
//! [`BufferDecoding::decode`](crate::BufferDecoding::decode) does with one thread per worker; [`EventFiles::read_ahead`] reads beside it.

mod matched_collections;

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{Read, Take};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ducktrack_trace_format::{
    BlockKind, Collection, CollectionKind, Damage, EventFile, HeapClass, KeptCollection, SiteFacts,
};

use crate::ReadError;
use crate::block_reader::{BlockReader, StoredBlock};
use crate::damage_log::DamageLog;
use crate::event_buffers::{EventBuffers, FileNumber, MOST_KEPT};
use crate::event_file_list::{event_files, first_block, is_of_event_files, is_rotation, name_of};
use crate::event_following::Following;
use crate::event_sizes::EventSizes;
use crate::event_step::{Epoch, EventContent, EventStep};
use crate::live_events::{FoundPiece, LiveEvents, RecoveredEvents, read_live_events};
use crate::open_collection::OpenCollection;
use crate::survivor_matching::{Facts, SurvivorMatching};

/// Reads all event files of a trace.
#[derive(Debug)]
pub struct EventFiles {
    pub(crate) paths: Arc<Vec<PathBuf>>,
    /// Their lengths when they were listed. Bytes that a running process has appended since are not read, because the definitions that they
    /// refer to have not been read.
    pub(crate) lengths: Vec<u64>,
    /// Findings by file; the reader of the current file holds that file's findings.
    pub(crate) logs: Vec<DamageLog>,
    /// Intact blocks by file.
    pub(crate) blocks: Vec<u64>,
    /// For findings about files that do not exist; never used.
    other_log: DamageLog,
    pub(crate) current: Option<(FileNumber, BlockReader<Take<File>>)>,
    pub(crate) next_file: usize,
    /// Process id and start time of the run that wrote the files.
    run: Option<(u32, u64)>,
    /// A file of the run was begun.
    has_begun: bool,
    steps: VecDeque<EventStep>,
    /// Steps that follow once the events before them are matched.
    waiting: Vec<EventStep>,
    buffers: EventBuffers,
    /// A collection whose moves are being read.
    open: Option<OpenCollection>,
    matching: SurvivorMatching,
    sizes: EventSizes,
    most_kept: usize,
    pub(crate) total_bytes: u64,
    bytes_of_ended_files: u64,
    ended: bool,
    /// Number of collections so far.
    epoch: u32,
    /// Number of blocks of each file, by the file's index in the run.
    block_counts: Vec<(u32, u32)>,
    /// The end record of the run was read.
    pub(crate) has_end: bool,
    /// Events that a killed process had in memory.
    pub(crate) live: Option<LiveEvents>,
    recovered: RecoveredEvents,
    /// The files grow while they are read.
    pub(crate) following: Option<Following>,
}

impl EventFiles {
    /// Lists the event files of a trace directory with their current lengths. For a running process, call this before its definitions are
    /// read. A directory without event files is not an error (a trace of `mode=count` has none); for a single file the result is a trace
    /// without events.
    pub fn open(directory: &Path) -> Result<Self, ReadError> {
        let mut files = event_files(directory).map_err(|source| ReadError::Open {
            path: directory.to_owned(),
            source,
        })?;
        files.sort();
        let paths: Vec<PathBuf> = files.into_iter().map(|(_, path)| path).collect();
        let length = |path: &PathBuf| fs::metadata(path).map_or(0, |data| data.len());
        let lengths: Vec<u64> = paths.iter().map(length).collect();
        Ok(Self {
            total_bytes: lengths.iter().sum(),
            lengths,
            logs: vec![DamageLog::default(); paths.len()],
            blocks: vec![0; paths.len()],
            paths: Arc::new(paths),
            other_log: DamageLog::default(),
            run: None,
            has_begun: false,
            current: None,
            next_file: 0,
            steps: VecDeque::new(),
            waiting: Vec::new(),
            buffers: EventBuffers::default(),
            open: None,
            matching: SurvivorMatching::default(),
            sizes: EventSizes::default(),
            most_kept: MOST_KEPT,
            bytes_of_ended_files: 0,
            ended: false,
            epoch: 0,
            block_counts: Vec::new(),
            has_end: false,
            live: read_live_events(directory),
            recovered: RecoveredEvents::default(),
            following: None,
        })
    }

    /// Limits the bytes of an epoch's blocks that are kept in memory; the other blocks are read twice.
    pub fn keep_at_most(mut self, bytes: usize) -> Self {
        self.most_kept = bytes;
        self
    }

    /// Takes sites and classes on the heap, from the definitions of the trace. Without it, the heap of a trace whose survivors are to be
    /// matched with events is not known. For files that grow: again when there are more definitions.
    pub fn know(&mut self, sites: Arc<dyn SiteFacts + Send + Sync>, classes: Vec<HeapClass>) {
        self.matching.know(Facts::new(sites, classes));
    }

    /// Refuses files of any other run than that of the definitions. Else the first file says of which run they are.
    pub fn are_of_run(&mut self, pid: u32, start_unix_millis: u64) {
        self.run.get_or_insert((pid, start_unix_millis));
    }

    /// The paths of the files, in order.
    pub fn files(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Bytes of all files together.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// Bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        let of_current = self
            .current
            .as_ref()
            .map_or(0, |(_, reader)| reader.position());
        self.bytes_of_ended_files + of_current
    }

    /// Sizes of the blocks read so far.
    pub fn sizes(&self) -> EventSizes {
        self.sizes
    }

    /// Events that were recovered of a killed process in addition to the files. Complete after the last step.
    pub fn recovered(&self) -> RecoveredEvents {
        self.recovered
    }

    /// Number of intact blocks of each file that was read to its end.
    pub fn blocks(&self) -> impl Iterator<Item = (&Path, u64)> {
        self.paths
            .iter()
            .map(PathBuf::as_path)
            .zip(self.blocks.iter().copied())
    }

    /// The damage found, by file. Complete after the last step has been processed.
    pub fn damage(&self) -> Vec<(PathBuf, Damage)> {
        let findings = |(path, log): (&PathBuf, &DamageLog)| {
            let path = path.clone();
            log.findings()
                .into_iter()
                .map(move |damage| (path.clone(), damage))
                .collect::<Vec<_>>()
        };
        self.paths
            .iter()
            .zip(&self.logs)
            .flat_map(findings)
            .collect()
    }

    /// The next step; `None` after [`EventStep::End`], and where files are followed that have no more by now.
    pub fn next_step(&mut self) -> Option<EventStep> {
        while self.steps.is_empty() && !self.ended && !self.waits() {
            self.advance();
        }
        self.steps.pop_front()
    }

    pub(crate) fn log(&mut self, file: FileNumber) -> &mut DamageLog {
        match &mut self.current {
            Some((number, reader)) if *number == file => &mut reader.damage,
            _ => self.logs.get_mut(file.0).unwrap_or(&mut self.other_log),
        }
    }

    /// Reads one block, or opens the next file.
    fn advance(&mut self) {
        let Some((number, mut reader)) = self.current.take() else {
            return self.open_next();
        };
        let damage_before = reader.damage.len();
        let block = reader.next_stored();
        if reader.damage.len() != damage_before {
            self.close_collection();
            self.damaged();
        }
        match block {
            Some(block) => {
                self.sizes.add(&block.header);
                self.current = Some((number, reader));
                self.take_block(number, block);
            }
            None => self.close_file(number, reader),
        }
    }

    fn open_next(&mut self) {
        let number = FileNumber(self.next_file);
        let Some(path) = self.paths.get(number.0).cloned() else {
            self.recover();
            return self.end();
        };
        self.next_file += 1;
        self.close_collection();
        let length = self.lengths.get(number.0).copied().unwrap_or(0);
        match self.start_file(&path, length) {
            Ok((reader, header)) => {
                let is_first = number.0 == 0;
                self.match_events(None);
                self.matching.start_file(header.as_ref(), is_first);
                self.steps.push_back(EventStep::File {
                    name: name_of(&path),
                    bytes: length,
                    header,
                });
                self.current = Some((number, reader));
            }
            Err(damage) => {
                self.log(number).add(damage);
                self.damaged();
            }
        }
    }

    /// Opens a file and reads the block that identifies it.
    fn start_file(
        &mut self,
        path: &Path,
        length: u64,
    ) -> Result<(BlockReader<Take<File>>, Option<EventFile>), Damage> {
        let not_a_trace = |reason: String| Damage::NotATrace { reason };
        let file = File::open(path).map_err(|error| not_a_trace(error.to_string()))?;
        let mut reader = BlockReader::start(file.take(length), is_of_event_files)
            .map_err(|error| not_a_trace(error.to_string()))?;
        let header = first_block(&mut reader, &mut self.sizes);
        if let Some(header) = &header {
            let run = (header.pid, header.start_unix_millis);
            if *self.run.get_or_insert(run) != run {
                return Err(Damage::OfAnotherRun { pid: header.pid });
            }
            if !std::mem::replace(&mut self.has_begun, true) {
                self.epoch = header.epoch;
            }
        }
        Ok((reader, header))
    }

    fn close_file(&mut self, number: FileNumber, mut reader: BlockReader<Take<File>>) {
        // If the next file should continue the trace but does not exist, the end of the run is missing too.
        let is_last = self.next_file >= self.paths.len();
        let has_end = reader.has_end && !(is_last && reader.goes_on);
        self.has_end = has_end;
        let name = self.paths.get(number.0).map(|path| name_of(path));
        if let Some(index) = name.and_then(|name| EventFile::index_of_name(&name)) {
            self.block_counts.push((index, reader.next_sequence()));
        }
        if reader.ended_whole() && !has_end {
            let at = reader.position();
            reader.damage.add(Damage::NoEnd { at });
        }
        self.bytes_of_ended_files += reader.position();
        if let Some(blocks) = self.blocks.get_mut(number.0) {
            *blocks = reader.count();
        }
        if let Some(log) = self.logs.get_mut(number.0) {
            *log = reader.damage;
        }
    }

    /// After the last file of a killed process: adds what was in its memory.
    fn recover(&mut self) {
        self.close_collection();
        let Some(mut live) = self.live.take() else {
            return;
        };
        if self.has_end || !self.is_of_this_run(&live) {
            return;
        }
        self.recovered.private_threads = live.private_threads;
        if live.is_running {
            // Events that it has in memory move to the files while they are being read.
            self.recovered.is_running = true;
            return;
        }
        for index in 0..live.pieces.len() {
            let Some(piece) = live.pieces.get(index).cloned() else {
                break;
            };
            if !self.is_in_a_file(piece.place) {
                self.recover_collections(piece.header.epoch, &mut live);
                self.add_recovered(&piece);
            }
        }
        self.recover_collections(live.epoch, &mut live);
    }

    fn is_of_this_run(&self, live: &LiveEvents) -> bool {
        self.run.is_some_and(|run| run == live.run)
    }

    /// The agent's copy of a collection that is not whole in its file.
    fn kept(&mut self, open: &OpenCollection) -> Option<KeptCollection> {
        if open.is_whole() {
            return None;
        }
        let (run, live) = (self.run?, self.live.as_mut()?);
        let is_left = run == live.run && !live.is_running;
        let collections = &mut live.collections;
        is_left
            .then(|| collections.remove(&open.number()))
            .flatten()
    }

    /// Whether the block for this piece is in its file, or was while the file existed.
    fn is_in_a_file(&self, place: Option<(u32, u32)>) -> bool {
        let Some((file, block)) = place else {
            return false;
        };
        match self.block_counts.iter().find(|(index, _)| *index == file) {
            Some((_, count)) => block < *count,
            None => self
                .block_counts
                .last()
                .is_some_and(|(last, _)| file < *last),
        }
    }

    fn add_recovered(&mut self, piece: &FoundPiece) {
        let Some(block) = piece.block(self.epoch) else {
            return;
        };
        self.recovered.pieces += 1;
        self.recovered.bytes += piece.words.len() as u64;
        // It cannot be read again from any file.
        let file = FileNumber(self.paths.len());
        self.buffers.push(file, block, usize::MAX);
    }

    /// Adds the collections up to `until` that were not written: from the agent's copies, or as lost.
    fn recover_collections(&mut self, until: u32, live: &mut LiveEvents) {
        while self.epoch < until {
            if let Some(kept) = live.collections.remove(&(self.epoch + 1)) {
                self.add_kept(kept);
                continue;
            }
            let after = live.collections.range(self.epoch + 1..=until).next();
            let known = after.map_or(until, |(number, _)| number - 1);
            self.lose_collections(known, &live.pieces);
        }
    }

    /// Adds a collection from the agent's copy.
    fn add_kept(&mut self, kept: KeptCollection) {
        self.match_before_waiting();
        let buffers = self.buffers.take(&self.paths);
        self.recovered.kept_collections += 1;
        self.matching.lose();
        self.epoch = kept.collection.number;
        for content in &kept.uses {
            let content = EventContent {
                file: FileNumber(self.paths.len()),
                at: 0,
                content: content.clone(),
            };
            let step = EventStep::Extension(BlockKind::USES, content);
            self.steps.push_back(step);
        }
        let collection = Collection {
            cuts: kept.collection.cuts.clone(),
            ..unwritten(self.epoch)
        };
        self.steps.push_back(EventStep::Epoch(Box::new(Epoch {
            buffers,
            collection,
            runs: Vec::new(),
            complete: true,
            kept: Some(kept),
        })));
    }

    /// Adds one collection for all up to `until`, which are lost. The later pieces show where it cut the threads.
    fn lose_collections(&mut self, until: u32, pieces: &[FoundPiece]) {
        self.match_before_waiting();
        let buffers = self.buffers.take(&self.paths);
        self.recovered.collections += u64::from(until.saturating_sub(self.epoch));
        self.matching.lose();
        self.epoch = until;
        let collection = Collection {
            cuts: pieces
                .iter()
                .filter(|piece| piece.header.epoch == until)
                .filter_map(FoundPiece::cut)
                .collect(),
            ..unwritten(until)
        };
        self.steps.push_back(EventStep::Epoch(Box::new(Epoch {
            buffers,
            collection,
            runs: Vec::new(),
            complete: true,
            kept: None,
        })));
    }

    fn end(&mut self) {
        self.close_collection();
        self.match_events(None);
        let buffers = self.buffers.take(&self.paths);
        self.steps.push_back(EventStep::End(buffers));
        self.ended = true;
    }

    fn take_block(&mut self, file: FileNumber, block: StoredBlock) {
        let kind = block.header.kind;
        // Extensions may stand between a collection's moves; uses, stamps and roots stand before the next one.
        let is_of_collection =
            matches!(kind, BlockKind::MOVES | BlockKind::SURVIVORS) || kind.is_extension();
        if !is_of_collection
            || matches!(kind, BlockKind::USES | BlockKind::STAMPS | BlockKind::ROOTS)
        {
            self.close_collection();
        }
        if kind.holds_events() {
            return self.buffers.push(file, block, self.most_kept);
        }
        let Some((_, reader)) = &mut self.current else {
            return;
        };
        let at = block.at;
        let Some(content) = reader.content(&block) else {
            return self.lost_content(kind);
        };
        match kind {
            BlockKind::COLLECTION => self.open_collection(file, at, &content),
            BlockKind::MOVES | BlockKind::SURVIVORS => self.add_moves(file, at, kind, &content),
            BlockKind::SYNC => {
                self.matching.sync_part(&content);
                self.push_step(EventStep::Sync(EventContent { file, at, content }));
            }
            BlockKind::EXPLAINED => {
                self.push_step(EventStep::Explained(EventContent { file, at, content }));
            }
            kind if kind.is_extension() => {
                let content = EventContent { file, at, content };
                match kind {
                    BlockKind::USES => self.push_uses(content),
                    _ => self.push_step(EventStep::Extension(kind, content)),
                }
            }
            BlockKind::END => {
                reader.has_end = true;
                reader.goes_on = is_rotation(&content);
            }
            // A second first block: files glued together.
            _ => self.log(file).bad_record(at),
        }
    }

    /// Notes an intact block that cannot be expanded.
    fn lost_content(&mut self, kind: BlockKind) {
        match &mut self.open {
            Some(open) if matches!(kind, BlockKind::MOVES | BlockKind::SURVIVORS) => {
                open.is_complete = false;
            }
            _ => self.damaged(),
        }
    }

    fn damaged(&mut self) {
        self.matching.damaged();
        self.push_step(EventStep::Damaged);
    }

    fn open_collection(&mut self, file: FileNumber, at: u64, content: &[u8]) {
        self.open = OpenCollection::decode(content, self.matching.no_survivors());
        if self.open.is_none() {
            self.log(file).bad_record(at);
            self.damaged();
        }
    }

    fn add_moves(&mut self, file: FileNumber, at: u64, kind: BlockKind, content: &[u8]) {
        // Moves without a collection are useless.
        let is_good = self.open.as_mut().is_some_and(|open| match kind {
            BlockKind::MOVES => open.add_moves(content),
            _ => open.add_survivors(content),
        });
        if !is_good {
            self.log(file).bad_record(at);
        }
    }

    /// Ends the open collection: all its moves have been read.
    fn close_collection(&mut self) {
        if let Some(mut open) = self.open.take() {
            if let Some(kept) = self.kept(&open) {
                // The uses before it are in the file already.
                let uses = Vec::new();
                return self.add_kept(KeptCollection { uses, ..kept });
            }
            let following = self.match_collection(&mut open);
            let buffers = self.buffers.take(&self.paths);
            let epoch = Box::new(open.finish(buffers));
            self.epoch = epoch.collection.number;
            self.steps.push_back(EventStep::Epoch(epoch));
            self.steps.extend(following);
        }
    }
}

/// A collection of which only the number is known.
fn unwritten(number: u32) -> Collection {
    Collection {
        number,
        kind: CollectionKind::Other,
        fault: Some("the JVM was killed before the moves were written".to_owned()),
        ..Collection::default()
    }
}
