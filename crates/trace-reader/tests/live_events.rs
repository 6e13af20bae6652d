//! The memory of a killed process: each word is read exactly once, wherever it was at that moment.

use std::fs;
use std::path::Path;

use ducktrack_trace_format::{
    BlockKind, Collection, Compression, EventBlock, EventBlockHeader, EventFile, EventFlags,
    FileHeader, KEPT_SURVIVOR_WORDS, KeptCollection, LIVE_EVENTS_FILE_NAME, LivePiece, ThreadId,
    encode_block, live, live_place,
};
use ducktrack_trace_reader::{BufferDecoding, EventFiles, EventStep, RecoveredEvents};

const START: u64 = 0x7000_0000;
/// A process number that no process has, so no process has the file mapped.
const PROCESS: u32 = u32::MAX;

fn header(thread: u32, epoch: u32) -> EventBlockHeader {
    EventBlockHeader {
        thread: ThreadId(thread),
        epoch,
        begun: 10,
        handed_over: 20,
        flags: EventFlags::NONE,
        last_top: 0x1000,
    }
}

/// Words that can be distinguished by their numbers.
fn words(numbers: std::ops::Range<u32>) -> Vec<u8> {
    numbers.flat_map(u32::to_le_bytes).collect()
}

/// An event file with the first words of thread 1, and no end.
fn write_event_file(directory: &Path) {
    let mut file = FileHeader::current().encode().to_vec();
    let mut content = Vec::new();
    EventFile {
        pid: PROCESS,
        start_unix_millis: 77,
        ..EventFile::default()
    }
    .encode(&mut content);
    encode_block(
        BlockKind::EVENT_FILE,
        0,
        &content,
        Compression::Off,
        &mut file,
    )
    .unwrap();
    let mut content = Vec::new();
    header(1, 0).encode(&mut content);
    content.extend(words(100..103));
    encode_block(BlockKind::EVENTS, 1, &content, Compression::Off, &mut file).unwrap();
    fs::write(directory.join(EventFile::name(0)), file).unwrap();
}

fn set(page: &mut [u8], word: usize, value: u64) {
    page[word * 8..word * 8 + 8].copy_from_slice(&value.to_le_bytes());
}

fn file_header(epoch: u32) -> Vec<u8> {
    let mut page = vec![0; live::PAGE];
    set(&mut page, 0, live::MAGIC);
    set(&mut page, 1, live::VERSION);
    set(&mut page, live::PROCESS, PROCESS.into());
    set(&mut page, live::START, 77);
    set(&mut page, live::EPOCH, epoch.into());
    set(&mut page, live::PRIVATE_THREADS, 2);
    page
}

/// The buffer of a thread with these words, of which the first `taken` were handed over; `position` words were handed
/// over before.
fn thread_area(thread: u32, position: u64, all: &[u8], taken: u64) -> Vec<u8> {
    let mut area = vec![0; 2 * live::PAGE];
    set(&mut area, live::KIND, live::THREAD);
    set(&mut area, live::AREA_BYTES, 2 * live::PAGE as u64);
    set(&mut area, live::BUFFER_START, START);
    set(&mut area, live::TAKEN, START + taken * 4);
    set(&mut area, live::CURSOR, START + all.len() as u64);
    set(&mut area, live::POSITION, position);
    set(&mut area, live::OWNER, thread.into());
    area[live::PAGE..live::PAGE + all.len()].copy_from_slice(all);
    area
}

struct Slot {
    sequence: u64,
    place: u64,
    thread: u32,
    epoch: u32,
    position: u64,
    words: Vec<u8>,
}

fn pieces_area(slots: &[Slot]) -> Vec<u8> {
    let mut area = vec![0; 2 * live::PAGE];
    set(&mut area, live::KIND, live::PIECES);
    set(&mut area, live::AREA_BYTES, 2 * live::PAGE as u64);
    set(&mut area, live::SLOT_BYTES, 512);
    for (slot, room) in slots.iter().zip(area[live::PAGE..].chunks_mut(512)) {
        let piece = LivePiece {
            header: header(slot.thread, slot.epoch),
            after_cut: true,
            cut: (0x8000 + u64::from(slot.epoch), 0x7FE0),
            position: slot.position,
            bytes: slot.words.len() as u32,
        };
        set(room, live::SEQUENCE, slot.sequence);
        set(room, live::PLACE, slot.place);
        for (index, word) in (2..).zip(piece.encode()) {
            set(room, index, word);
        }
        room[live::SLOT_HEADER_BYTES..live::SLOT_HEADER_BYTES + slot.words.len()]
            .copy_from_slice(&slot.words);
    }
    area
}

/// Thread and words of each buffer, in order, with epochs by number.
fn read(directory: &Path) -> (Vec<String>, RecoveredEvents) {
    let mut files = EventFiles::open(directory).unwrap();
    let mut steps = Vec::new();
    while let Some(step) = files.next_step() {
        let (what, buffers) = match step {
            EventStep::Epoch(epoch) => (
                format!(
                    "{}{} {:?} {:x?}",
                    epoch.collection.number,
                    epoch.kept.as_ref().map_or(String::new(), |kept| format!(
                        " kept {}",
                        kept.survivors.len()
                    )),
                    epoch.collection.fault.is_some(),
                    epoch
                        .collection
                        .cuts
                        .iter()
                        .map(|cut| (cut.thread.0, cut.top, cut.last))
                        .collect::<Vec<_>>()
                ),
                epoch.buffers,
            ),
            EventStep::End(buffers) => ("end".to_owned(), buffers),
            _ => continue,
        };
        let mut worker = [Vec::new()];
        BufferDecoding::default().decode(&buffers, &mut worker, |found, content, _| {
            let block = EventBlock::decode(content)?;
            let (words, _) = block.words.as_chunks();
            let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
            let flags = block.header.flags.0;
            found.push(format!("{}:{words:?}/{flags}", block.header.thread.0));
            Ok(())
        });
        steps.push(format!("{what} {}", worker[0].join(" ")));
    }
    (steps, files.recovered())
}

#[test]
fn each_word_is_read_once() {
    let directory = tempfile::tempdir().unwrap();
    write_event_file(directory.path());
    let slot = |sequence, place, thread, epoch, position, words| Slot {
        sequence,
        place,
        thread,
        epoch,
        position,
        words,
    };
    let mut file = file_header(2);
    // Two of three words were handed over and are also in slots; for the second, the thread had not noted that yet.
    file.extend(thread_area(1, 3, &words(103..106), 1));
    // Nothing was written after the last hand-over: the buffer starts again at its beginning.
    file.extend(thread_area(2, 9, &[], 5));
    file.extend(pieces_area(&[
        slot(3, 0, 1, 0, 4, words(104..105)),
        slot(1, live_place(0, 1), 1, 0, 0, words(100..103)),
        slot(0, 0, 9, 0, 0, words(0..9)),
        slot(2, live_place(0, 2), 1, 0, 3, words(103..104)),
        slot(4, 0, 2, 1, 0, words(200..202)),
    ]));
    fs::write(directory.path().join(LIVE_EVENTS_FILE_NAME), &file).unwrap();
    let (steps, recovered) = read(directory.path());
    let expected = [
        "1 true [(2, 8001, 7fe0)] 1:[100, 101, 102]/0 1:[103]/0 1:[104]/0",
        "2 true [] 2:[200, 201]/4",
        "end 1:[105]/0",
    ];
    assert_eq!(steps, expected);
    let all = RecoveredEvents {
        pieces: 4,
        bytes: 4 * (1 + 1 + 2 + 1),
        collections: 2,
        kept_collections: 0,
        private_threads: 2,
        is_running: false,
    };
    assert_eq!(recovered, all);
}

fn collection_area(number: u64, kept: u32) -> Vec<u8> {
    let mut area = vec![0; 2 * live::PAGE];
    set(&mut area, live::KIND, live::COLLECTION);
    set(&mut area, live::AREA_BYTES, 2 * live::PAGE as u64);
    set(&mut area, live::NUMBER, number);
    set(&mut area, live::SURVIVORS, kept.into());
    let collection = Collection {
        number: number as u32,
        ..Collection::default()
    };
    let mut content = KeptCollection::encode_head(&collection, &[]).unwrap();
    content.resize(content.len() + kept as usize * KEPT_SURVIVOR_WORDS * 8, 0);
    area[live::PAGE..live::PAGE + content.len()].copy_from_slice(&content);
    area
}

/// Of three collections, the second one is lost.
#[test]
fn collections_that_were_kept_end_their_epochs() {
    let directory = tempfile::tempdir().unwrap();
    write_event_file(directory.path());
    let slot = |sequence, thread, epoch, words| Slot {
        sequence,
        place: 0,
        thread,
        epoch,
        position: 9,
        words,
    };
    let mut file = file_header(3);
    file.extend(collection_area(3, 0));
    file.extend(collection_area(0, 5));
    file.extend(pieces_area(&[
        slot(1, 1, 0, words(103..104)),
        slot(2, 2, 1, words(200..202)),
    ]));
    file.extend(collection_area(1, 4));
    fs::write(directory.path().join(LIVE_EVENTS_FILE_NAME), &file).unwrap();
    let (steps, recovered) = read(directory.path());
    let expected = [
        "1 kept 4 true [] 1:[100, 101, 102]/0 1:[103]/0",
        "2 true [] 2:[200, 201]/4",
        "3 kept 0 true [] ",
        "end ",
    ];
    assert_eq!(steps, expected);
    assert_eq!((recovered.collections, recovered.kept_collections), (1, 2));
}

/// The collection's block is in the file, but its moves are not.
#[test]
fn a_collection_whose_moves_are_missing_is_the_one_that_was_kept() {
    let directory = tempfile::tempdir().unwrap();
    write_event_file(directory.path());
    let path = directory.path().join(EventFile::name(0));
    let mut content = Vec::new();
    let mut collection = Collection {
        number: 1,
        ..Collection::default()
    };
    collection.counts.moved = 4;
    collection.encode(&mut content).unwrap();
    let mut events = fs::read(&path).unwrap();
    encode_block(
        BlockKind::COLLECTION,
        2,
        &content,
        Compression::Off,
        &mut events,
    )
    .unwrap();
    // With or without the beginning of another block.
    for cut in [0, 7] {
        let torn = [&events[..], &[0; 7][..cut]].concat();
        fs::write(&path, &torn).unwrap();
        let mut file = file_header(1);
        file.extend(collection_area(1, 4));
        fs::write(directory.path().join(LIVE_EVENTS_FILE_NAME), &file).unwrap();
        let (steps, recovered) = read(directory.path());
        assert_eq!(steps, ["1 kept 4 true [] 1:[100, 101, 102]/0", "end "]);
        assert_eq!((recovered.collections, recovered.kept_collections), (0, 1));
    }
}

#[test]
fn a_file_of_another_run_and_one_that_is_cut_add_nothing() {
    let directory = tempfile::tempdir().unwrap();
    write_event_file(directory.path());
    let path = directory.path().join(LIVE_EVENTS_FILE_NAME);
    let mut file = file_header(0);
    file.extend(thread_area(1, 3, &words(103..106), 0));
    let mut of_another = file.clone();
    set(&mut of_another, live::START, 78);
    for bytes in [
        &of_another[..],
        &file[..live::PAGE + 4000],
        &file[..100],
        b"",
        b"nothing",
    ] {
        fs::write(&path, bytes).unwrap();
        let (steps, recovered) = read(directory.path());
        assert_eq!(steps, ["end 1:[100, 101, 102]/0"]);
        assert_eq!((recovered.pieces, recovered.collections), (0, 0));
    }
}

#[test]
fn any_change_of_the_file_ends_in_steps() {
    let directory = tempfile::tempdir().unwrap();
    write_event_file(directory.path());
    let path = directory.path().join(LIVE_EVENTS_FILE_NAME);
    let mut file = file_header(1);
    file.extend(thread_area(1, 3, &words(103..106), 0));
    for word in 1..2 * live::PAGE / 8 {
        for value in [1, u64::MAX, 1 << 40] {
            if word > 60 && !(512..560).contains(&word) {
                continue;
            }
            let mut changed = file.clone();
            set(&mut changed, word, value);
            fs::write(&path, changed).unwrap();
            let (steps, _) = read(directory.path());
            assert!(steps.len() <= 3, "{word} {value} {steps:?}");
        }
    }
}
