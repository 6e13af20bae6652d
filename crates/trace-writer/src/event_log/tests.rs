//! The log on disks that fill up or refuse, with access to its private parts.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ducktrack_trace_format::{
    AddressRange, BlockHeader, BlockKind, Collection, EventBlock, EventBlockHeader, EventColumns,
    EventFlags, EventWords, FileHeader, HeapClassId, MovesLevel, SiteFacts, SiteId, Survivor,
    SyncDecoder, SyncObject, ThreadId, decode_content,
};

use super::event_files::MakeFile;
use super::*;
use crate::memory_disk::MemoryDisk;
use crate::storage::Storage;

pub(super) struct Facts;

impl SiteFacts for Facts {
    fn fixed_bytes(&self, _site: SiteId) -> Option<u32> {
        Some(16)
    }

    fn is_measured(&self, _site: SiteId) -> bool {
        false
    }
}

#[derive(Default)]
pub(super) struct Host {
    lines: Mutex<Vec<String>>,
}

impl EventHost for Host {
    fn want_collection(&self) {}

    fn say(&self, line: &str) {
        self.lines.lock().unwrap().push(line.to_owned());
    }
}

/// The files of a run in memory; new ones get the current capacity.
#[derive(Clone, Default)]
struct Disks {
    files: Arc<Mutex<Vec<MemoryDisk>>>,
    capacity: Arc<Mutex<Option<usize>>>,
}

impl Disks {
    fn files(&self) -> EventFiles {
        let disks = self.clone();
        let make: MakeFile = Box::new(move |_| {
            let disk = MemoryDisk::default();
            let capacity = *disks.capacity.lock().unwrap();
            disk.set(|state| state.capacity = capacity);
            disks.files.lock().unwrap().push(disk.clone());
            Ok(Box::new(disk) as Box<dyn Storage>)
        });
        EventFiles::new(PathBuf::from("memory"), make)
    }

    /// The bytes of a file.
    fn bytes(&self, index: usize) -> Vec<u8> {
        self.files.lock().unwrap()[index].bytes()
    }

    /// Lets the current file grow to this many bytes; new files then have room for a header only.
    fn set_capacity(&self, capacity: Option<usize>) {
        *self.capacity.lock().unwrap() = capacity.map(|_| 20);
        if let Some(disk) = self.files.lock().unwrap().last() {
            disk.set(|state| state.capacity = capacity);
        }
    }
}

fn start(disks: &Disks, moves: bool) -> (EventLog, Arc<Host>) {
    let options = EventOptions {
        moves,
        compress: CompressStrategy::Off,
        ..EventOptions::default()
    };
    start_with(disks, options)
}

fn start_with(disks: &Disks, options: EventOptions) -> (EventLog, Arc<Host>) {
    let host = Arc::new(Host::default());
    let log = EventLog::start_with(
        disks.files(),
        options,
        Arc::new(Facts),
        Box::new(()),
        Arc::clone(&host) as Arc<dyn EventHost>,
    );
    (log.unwrap(), host)
}

const EDEN: AddressRange = AddressRange {
    start: 0x1000_0000,
    end: 0x1100_0000,
};

/// A piece with 100 objects from the start of eden on.
fn piece(epoch: u32) -> Buffer {
    piece_of(epoch, 100)
}

pub(super) fn piece_of(epoch: u32, objects: u32) -> Buffer {
    let first = EventWords::new().cut(epoch).at(SiteId(20), EDEN.start + 16);
    let words = (1..objects).fold(first, |words, _| words.site(SiteId(20), 2));
    let header = EventBlockHeader {
        thread: ThreadId(1),
        epoch,
        begun: 0,
        handed_over: 0,
        flags: EventFlags::CUT,
        last_top: EDEN.start,
    };
    Buffer {
        header,
        words: words.into_bytes().into(),
    }
}

/// A collection in which the first ten objects of an epoch move.
fn collection(number: u32) -> (Collection, Vec<Survivor>) {
    let to = 0x2000_0000 + u64::from(number) * 0x1000;
    let survivors = (0..10)
        .map(|n| Survivor::new(EDEN.start + n * 16, to + n * 16, 16, HeapClassId(3)))
        .collect();
    let collection = Collection {
        number,
        level: MovesLevel::Exact,
        collected: vec![EDEN],
        ..Collection::default()
    };
    (collection, survivors)
}

fn epoch(log: &EventLog, number: u32) {
    assert_eq!(log.buffer(piece(number - 1)), FlushOutcome::Taken);
    let (collection, survivors) = collection(number);
    log.collection(collection, survivors);
}

fn wait_while(lasts: impl Fn() -> bool) {
    let start = Instant::now();
    while lasts() {
        assert!(start.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until the pipeline has seen this many collections.
fn wait_for(log: &EventLog, collections: u64) {
    wait_while(|| log.stats().collections < collections);
}

pub(super) fn end() -> End {
    End {
        unix_millis: 1,
        cause: "exit".into(),
        losses: vec![],
    }
}

fn blocks(bytes: &[u8]) -> Vec<(BlockKind, Vec<u8>)> {
    let (blocks, rest) = whole_blocks(bytes);
    assert!(rest.is_empty());
    blocks
}

/// The blocks that are written whole, and what stands after them: a file that is being written
/// ends anywhere.
fn whole_blocks(bytes: &[u8]) -> (Vec<(BlockKind, Vec<u8>)>, &[u8]) {
    let mut rest = bytes.get(FileHeader::LENGTH..).unwrap_or_default();
    let mut blocks = Vec::new();
    while rest.len() >= BlockHeader::LENGTH {
        let header = BlockHeader::decode(rest).unwrap();
        let length = BlockHeader::LENGTH + header.stored_length as usize;
        let Some((block, after)) = rest.split_at_checked(length) else {
            break;
        };
        let content = decode_content(&header, &block[BlockHeader::LENGTH..]).unwrap();
        blocks.push((header.kind, content.into_owned()));
        rest = after;
    }
    (blocks, rest)
}

fn kinds(bytes: &[u8]) -> Vec<BlockKind> {
    blocks(bytes).into_iter().map(|(kind, _)| kind).collect()
}

fn kinds_so_far(bytes: &[u8]) -> Vec<BlockKind> {
    let (blocks, _) = whole_blocks(bytes);
    blocks.into_iter().map(|(kind, _)| kind).collect()
}

#[test]
fn after_a_full_disk_the_next_file_knows_everything_that_lives() {
    let disks = Disks::default();
    let (log, host) = start(&disks, true);
    epoch(&log, 1);
    wait_for(&log, 1);
    let before = disks.bytes(0);
    disks.set_capacity(Some(before.len() + 100));
    for number in 2..5 {
        epoch(&log, number);
        wait_for(&log, number.into());
    }
    // The thread of the files lags after the pipeline.
    wait_while(|| log.stats().lost_blocks < 3);
    disks.set_capacity(None);
    epoch(&log, 5);
    wait_for(&log, 5);
    epoch(&log, 6);
    let stats = log.finish(end());
    assert_eq!((stats.mirror_objects, stats.found), (60, 0));
    // The blocks written before are untouched.
    assert_eq!(disks.bytes(0)[..before.len()], before);
    let last = disks.files.lock().unwrap().len() - 1;
    let bytes = disks.bytes(last);
    let expected = [
        BlockKind::EVENT_FILE,
        BlockKind::SYNC,
        BlockKind::EVENTS,
        BlockKind::COLLECTION,
        BlockKind::MOVES,
        BlockKind::END,
    ];
    assert_eq!(kinds(&bytes), expected);
    let blocks = blocks(&bytes);
    let file = EventFile::decode(&blocks[0].1).unwrap();
    assert_eq!(file.lost_blocks, stats.lost_blocks);
    assert!(file.has_sync_point && file.epoch == 5);
    let live: Result<Vec<SyncObject>, _> = SyncDecoder::new(&blocks[1].1).unwrap().collect();
    let births: Vec<u32> = live.unwrap().iter().map(|object| object.birth).collect();
    assert_eq!(births.len(), 50);
    assert_eq!((births[0], births[49]), (0, 4));
    let lines = host.lines.lock().unwrap();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(log.losses()[0].contains("could not be written"));
}

#[test]
fn without_moves_the_next_block_begins_a_new_file_that_reports_what_was_lost_before_it() {
    let disks = Disks::default();
    let (log, host) = start(&disks, false);
    for full in 1..=2 {
        disks.set_capacity(Some(disks.bytes(full - 1).len() + 100));
        assert_eq!(log.buffer(piece(0)), FlushOutcome::Taken);
        wait_while(|| log.stats().lost_blocks < full as u64);
        disks.set_capacity(None);
        assert_eq!(log.buffer(piece(0)), FlushOutcome::Taken);
        wait_while(|| {
            disks.files.lock().unwrap().len() <= full || kinds_so_far(&disks.bytes(full)).len() < 2
        });
    }
    let stats = log.finish(end());
    assert_eq!((stats.lost_blocks, stats.files), (2, 3));
    for file in 1..=2 {
        let bytes = disks.bytes(file);
        let start = EventFile::decode(&blocks(&bytes)[0].1).unwrap();
        assert_eq!(start.lost_blocks, 1, "{file}");
        assert_eq!(start.lost_bytes, stats.lost_bytes / 2, "{file}");
    }
    let expected = [BlockKind::EVENT_FILE, BlockKind::EVENTS, BlockKind::END];
    assert_eq!(kinds(&disks.bytes(2)), expected);
    assert_eq!(host.lines.lock().unwrap().len(), 1);
}

#[test]
fn what_was_handed_over_is_in_the_file_a_moment_later() {
    let place = tempfile::tempdir().unwrap();
    let options = EventOptions {
        compress: CompressStrategy::Off,
        ..EventOptions::default()
    };
    let host = Arc::new(Host::default());
    let log = EventLog::start(
        place.path(),
        options,
        Arc::new(Facts),
        Box::new(()),
        Arc::clone(&host) as Arc<dyn EventHost>,
    )
    .unwrap();
    let file = place.path().join(EventFile::name(0));
    let mut expected = vec![BlockKind::EVENT_FILE];
    assert_eq!(kinds(&std::fs::read(&file).unwrap()), expected);
    for _ in 0..3 {
        assert_eq!(log.buffer(piece(0)), FlushOutcome::Taken);
        expected.push(BlockKind::EVENTS);
        wait_while(|| kinds_so_far(&std::fs::read(&file).unwrap()) != expected);
    }
    log.finish(end());
    expected.push(BlockKind::END);
    assert_eq!(kinds(&std::fs::read(&file).unwrap()), expected);
}

/// A durable copy that notes where it is written.
#[derive(Debug)]
struct Copy {
    words: Vec<u8>,
    place: Arc<Mutex<Vec<(u32, u32)>>>,
}

impl Durable for Copy {
    fn will_be(&self, file: u32, block: u32) {
        self.place.lock().unwrap().push((file, block));
    }
}

impl DurableWords for Copy {
    fn bytes(&self) -> &[u8] {
        &self.words
    }
}

#[test]
fn pieces_share_a_block_with_columns_and_their_copies_know_it() {
    let disks = Disks::default();
    let options = EventOptions {
        columns: true,
        ..EventOptions::default()
    };
    let (log, _host) = start_with(&disks, options);
    let places = Arc::new(Mutex::new(Vec::new()));
    let pieces = 50;
    for _ in 0..pieces {
        let plain = piece(0);
        let words = BufferWords::Durable(Box::new(Copy {
            words: plain.words.to_vec(),
            place: Arc::clone(&places),
        }));
        let _ = log.buffer(Buffer { words, ..plain });
    }
    let (collection, survivors) = collection(1);
    log.collection(collection, survivors);
    let stats = log.finish(end());
    assert_eq!((stats.events, stats.lost_blocks), (pieces * 100, 0));
    let mut expected = Vec::new();
    for (block, (kind, content)) in blocks(&disks.bytes(0)).iter().enumerate() {
        if *kind == BlockKind::EVENT_COLUMNS {
            let columns = EventColumns::decode(content).unwrap();
            expected.extend(columns.pieces().map(|_| (0, block as u32)));
        }
    }
    assert_eq!(expected.len() as u64, pieces);
    assert_eq!(*places.lock().unwrap(), expected);
    let columns = kinds(&disks.bytes(0));
    assert!(!columns.contains(&BlockKind::EVENTS));
    let shared = columns
        .iter()
        .filter(|kind| **kind == BlockKind::EVENT_COLUMNS);
    assert!(shared.count() < pieces as usize / 2);
}

#[test]
fn a_piece_that_ends_inside_an_event_is_a_block_of_its_own() {
    let disks = Disks::default();
    let options = EventOptions {
        columns: true,
        ..EventOptions::default()
    };
    let (log, _host) = start_with(&disks, options);
    let words = |buffer: &Buffer| buffer.words.to_vec();
    let whole = piece(0);
    // An entry and an update.
    let enter = EventWords::new().extended(0x8007, &[0x1000_0203]);
    let update = EventWords::new().extended(0x0200, &[3, 0x20, 0, 0x40]);
    let with_records = [words(&whole), enter.into_bytes()].concat();
    let cut = [with_records.as_slice(), &update.as_bytes()[..12]].concat();
    let expected = [with_records.clone(), cut, with_records];
    for words in expected.clone() {
        let _ = log.buffer(Buffer {
            words: words.into(),
            ..piece(0)
        });
    }
    let stats = log.finish(end());
    assert_eq!((stats.broken_buffers, stats.lost_blocks), (1, 0));
    let mut pieces = Vec::new();
    let mut kinds = Vec::new();
    for (kind, content) in blocks(&disks.bytes(0)) {
        match kind {
            BlockKind::EVENT_COLUMNS => {
                let columns = EventColumns::decode(&content).unwrap();
                pieces.extend(columns.pieces().map(<[u8]>::to_vec));
            }
            BlockKind::EVENTS => pieces.push(content),
            _ => continue,
        }
        kinds.push(kind);
    }
    let columns = BlockKind::EVENT_COLUMNS;
    assert_eq!(kinds, [columns, BlockKind::EVENTS, columns]);
    let found = pieces
        .iter()
        .map(|piece| EventBlock::decode(piece).unwrap().words);
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn a_fault_ends_the_mirror_and_events_go_on() {
    let disks = Disks::default();
    let (log, _host) = start(&disks, true);
    epoch(&log, 1);
    let _ = log.buffer(piece(1));
    let (mut failed, _) = collection(2);
    failed.fault = Some("a region does not parse".into());
    log.collection(failed, vec![]);
    epoch(&log, 3);
    let stats = log.finish(end());
    assert_eq!((stats.events, stats.collections), (300, 3));
    assert_eq!((stats.mirror_objects, stats.retained_bytes), (0, 0));
    let expected = [
        BlockKind::EVENT_FILE,
        BlockKind::EVENTS,
        BlockKind::COLLECTION,
        BlockKind::MOVES,
        BlockKind::EVENTS,
        BlockKind::COLLECTION,
        BlockKind::EVENTS,
        BlockKind::COLLECTION,
        BlockKind::END,
    ];
    assert_eq!(kinds(&disks.bytes(0)), expected);
}

#[test]
fn a_mirror_that_takes_more_than_it_may_ends_for_good_and_events_go_on() {
    let disks = Disks::default();
    let options = EventOptions {
        compress: CompressStrategy::Off,
        most_mirror_bytes: Some(1 << 20),
        ..EventOptions::default()
    };
    let (log, _host) = start_with(&disks, options);
    epoch(&log, 1);
    wait_for(&log, 1);
    assert!(log.stats().mirror_objects > 0);
    for _ in 0..100 {
        let _ = log.buffer(piece_of(1, 4_000));
    }
    for number in 2..=3 {
        let (known, survivors) = collection(number);
        log.collection(known, survivors);
    }
    let stats = log.finish(end());
    assert_eq!((stats.events, stats.collections), (400_100, 3));
    assert_eq!((stats.mirror_objects, stats.retained_bytes), (0, 0));
    let blocks = blocks(&disks.bytes(0));
    let collections = blocks
        .iter()
        .filter(|(kind, _)| *kind == BlockKind::COLLECTION);
    let faults: Vec<_> = collections
        .map(|(_, content)| Collection::decode(content).unwrap().fault)
        .collect();
    let is_bound =
        |fault: &Option<String>| fault.as_ref().is_some_and(|why| why.contains("memory"));
    assert_eq!(
        faults.iter().map(is_bound).collect::<Vec<_>>(),
        [false, true, true]
    );
}

#[test]
fn survivors_that_overlap_are_a_fault_of_their_collection() {
    let disks = Disks::default();
    let (log, _host) = start(&disks, true);
    let _ = log.buffer(piece(0));
    let (bad, mut survivors) = collection(1);
    survivors[3].from = survivors[2].from + 8;
    log.collection(bad, survivors);
    log.finish(end());
    let blocks = blocks(&disks.bytes(0));
    let (kind, content) = &blocks[2];
    assert_eq!(*kind, BlockKind::COLLECTION);
    let fault = Collection::decode(content).unwrap().fault;
    assert_eq!(
        fault.as_deref(),
        Some("survivors of the collection overlap")
    );
}

#[test]
fn a_late_piece_is_flagged_and_its_survivors_are_explained() {
    let disks = Disks::default();
    let (log, _host) = start(&disks, true);
    let (first, survivors) = collection(1);
    log.collection(first, survivors);
    let _ = log.buffer(piece(0));
    epoch(&log, 2);
    let stats = log.finish(end());
    assert_eq!(stats.late_buffers, 1);
    assert!(kinds(&disks.bytes(0)).contains(&BlockKind::EXPLAINED));
    assert_eq!((stats.found, stats.mirror_objects), (10, 20));
    assert!(log.losses()[0].contains("came after"));
}

struct Failing;

impl Tally for Failing {
    fn add(&mut self, _thread: ThreadId, _event: &ducktrack_trace_format::Event) {
        panic!("a tally that fails");
    }

    fn add_sum(&mut self, _thread: ThreadId, _common: &EqualEvents, _sum: &EventSum) {
        panic!("a tally that fails");
    }
}

#[test]
fn a_pipeline_that_fails_lets_the_program_go_on_and_is_a_loss() {
    let host = Arc::new(Host::default());
    let disks = Disks::default();
    let options = EventOptions {
        queue_length: 1,
        ..EventOptions::default()
    };
    let log = EventLog::start_with(
        disks.files(),
        options,
        Arc::new(Facts),
        Box::new(Failing),
        Arc::clone(&host) as Arc<dyn EventHost>,
    )
    .unwrap();
    for _ in 0..50 {
        let _ = log.buffer(piece(0));
        log.wait_for_room();
    }
    let stats = log.finish(end());
    assert!(stats.broken && stats.dropped_buffers > 0);
    assert_eq!(host.lines.lock().unwrap().len(), 1);
    assert!(log.losses()[0].contains("failed"));
}

#[test]
fn what_comes_to_a_full_file_is_compressed_so_that_no_collection_must_be_caused() {
    const EPOCHS: u32 = 4;
    /// Pieces in an epoch; uncompressed they are twice what a file may have before a collection is requested.
    const PIECES: u32 = 40;
    let disks = Disks::default();
    let options = EventOptions {
        compress: CompressStrategy::Off,
        max_trace_size: Some(800_000),
        ..EventOptions::default()
    };
    let (log, _host) = start_with(&disks, options);
    for number in 1..=EPOCHS {
        for _ in 0..PIECES {
            let piece = piece_of(number - 1, 4_000);
            assert_eq!(log.buffer(piece), FlushOutcome::Taken);
        }
        let (collection, _) = collection(number);
        log.collection(collection, Vec::new());
        wait_for(&log, number.into());
    }
    let stats = log.finish(end());
    assert_eq!(stats.emergency_collections, 0, "{stats:?}");
    assert_eq!(stats.sync_points, u64::from(EPOCHS));
    // Blocks within a file's share are not compressed.
    let (all, compressed) = (stats.blocks, stats.compressed_blocks);
    assert!(
        compressed > all / 2 && compressed < all * 3 / 4,
        "{stats:?}"
    );
}
