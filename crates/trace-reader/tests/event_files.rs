//! Event files, step by step: order, damage, and buffers decoded on several threads and read from disk.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use ducktrack_trace_format::{
    BlockKind, CallSiteId, Collection, Compression, Damage, End, EventBlock, EventBlockHeader,
    EventColumnsEncoder, EventFile, EventFlags, EventWords, Explained, FileHeader, FormatError,
    MoveEncoder, Record, SiteId, SyncEncoder, ThreadId, encode_block, encode_explained,
    push_record,
};
use ducktrack_trace_reader::{BufferDecoding, EventBuffers, EventFiles, EventStep};

type Block = (BlockKind, Vec<u8>);

fn header(index: u32) -> Block {
    let mut content = Vec::new();
    EventFile {
        index,
        pid: 3,
        ..EventFile::default()
    }
    .encode(&mut content);
    (BlockKind::EVENT_FILE, content)
}

/// A buffer of one event, identified by its thread.
fn events(thread: u32) -> Block {
    let mut content = Vec::new();
    EventBlockHeader {
        thread: ThreadId(thread),
        epoch: 0,
        begun: 1,
        handed_over: 2,
        flags: EventFlags::NONE,
        last_top: 0,
    }
    .encode(&mut content);
    content.extend(EventWords::new().at(SiteId(16), 64).into_bytes());
    (BlockKind::EVENTS, content)
}

fn collection(number: u32) -> Block {
    let mut content = Vec::new();
    Collection {
        number,
        ..Collection::default()
    }
    .encode(&mut content)
    .unwrap();
    (BlockKind::COLLECTION, content)
}

fn moves(from: u64) -> Block {
    let mut encoder = MoveEncoder::new();
    encoder.push(from, from + 800, 16, None);
    (BlockKind::MOVES, encoder.finish())
}

fn end() -> Block {
    ended_by("exit")
}

/// As `end`, with more in the next file.
fn rotated() -> Block {
    ended_by("rotated")
}

fn ended_by(cause: &str) -> Block {
    let mut content = Vec::new();
    let end = End {
        unix_millis: 1,
        cause: cause.into(),
        losses: Vec::new(),
    };
    push_record(&Record::End(end), &mut content).unwrap();
    (BlockKind::END, content)
}

fn write(directory: &Path, index: u32, blocks: &[Block]) {
    let mut file = FileHeader::current().encode().to_vec();
    for (sequence, (kind, content)) in blocks.iter().enumerate() {
        encode_block(*kind, sequence as u32, content, Compression::Lz4, &mut file).unwrap();
    }
    fs::write(directory.join(EventFile::name(index)), file).unwrap();
}

/// The threads of the buffers, in order.
fn threads(files: &mut EventFiles, buffers: &EventBuffers, workers: usize) -> Vec<u32> {
    let mut workers: Vec<Vec<u32>> = vec![Vec::new(); workers];
    let mut decoding = BufferDecoding::default();
    decoding.decode(buffers, &mut workers, |worker, content, _| {
        worker.push(EventBlock::decode(content)?.header.thread.0);
        Ok(())
    });
    files.note(&mut decoding);
    let mut all: Vec<u32> = workers.into_iter().flatten().collect();
    all.sort_unstable();
    all
}

/// Every step, as a short description.
fn outline(directory: &Path) -> (Vec<String>, Vec<&'static str>) {
    let mut files = EventFiles::open(directory).unwrap();
    let steps = described(&mut files);
    let damage = files
        .damage()
        .iter()
        .map(|(_, damage)| damage.name())
        .collect();
    (steps, damage)
}

/// The steps up to where there is none.
fn described(files: &mut EventFiles) -> Vec<String> {
    let mut steps = Vec::new();
    while let Some(step) = files.next_step() {
        steps.push(match step {
            EventStep::File { header, .. } => {
                format!("file {:?}", header.map(|header| header.index))
            }
            EventStep::Sync(_) => "sync".to_owned(),
            EventStep::Epoch(epoch) => {
                let threads = threads(files, &epoch.buffers, 2);
                let from: Vec<u64> = epoch.runs.iter().map(|run| run.from).collect();
                let whole = if epoch.complete { "" } else { " incomplete" };
                format!(
                    "epoch {} of {threads:?} moves {from:?}{whole}",
                    epoch.collection.number
                )
            }
            EventStep::Explained(_) => "explained".to_owned(),
            EventStep::Damaged => "damaged".to_owned(),
            EventStep::End(buffers) => format!("end of {:?}", threads(files, &buffers, 3)),
            _ => "?".to_owned(),
        });
    }
    steps
}

#[test]
fn files_in_the_order_of_their_numbers_and_blocks_in_the_order_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let mut explained = Vec::new();
    let found = Explained {
        address: 8,
        site: SiteId(16),
        thread: ThreadId(0),
        caller: CallSiteId(0),
        birth: 0,
    };
    encode_explained(&[found], &mut explained);
    let sync = (BlockKind::SYNC, SyncEncoder::new(2).finish(true));
    write(
        directory.path(),
        9,
        &[
            header(9),
            events(1),
            collection(2),
            moves(64),
            moves(32),
            (BlockKind::EXPLAINED, explained),
            end(),
        ],
    );
    write(
        directory.path(),
        10,
        &[header(10), sync, events(3), events(2), events(4), end()],
    );
    fs::write(
        directory.path().join("ducktrack.trace"),
        b"not an event file",
    )
    .unwrap();
    fs::write(
        directory.path().join("events-00000011.trace.old"),
        b"neither",
    )
    .unwrap();
    let (steps, damage) = outline(directory.path());
    let expected = [
        "file Some(9)",
        "epoch 2 of [1] moves [32, 64]",
        "explained",
        "file Some(10)",
        "sync",
        "end of [2, 3, 4]",
    ];
    assert_eq!(steps, expected);
    assert_eq!(damage, [""; 0]);
}

#[test]
fn a_file_that_a_killed_process_left() {
    let directory = tempfile::tempdir().unwrap();
    write(
        directory.path(),
        0,
        &[header(0), events(1), collection(1), moves(8), events(2)],
    );
    assert_eq!(outline(directory.path()).1, ["no-end"]);
    let path = directory.path().join(EventFile::name(0));
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 5]).unwrap();
    let (steps, damage) = outline(directory.path());
    assert_eq!(
        steps,
        [
            "file Some(0)",
            "epoch 1 of [1] moves [8]",
            "damaged",
            "end of []"
        ]
    );
    assert_eq!(damage, ["cut"]);
}

#[test]
fn damage_is_a_step_at_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let blocks = vec![
        header(0),
        events(1),
        events(2),
        collection(1),
        moves(8),
        collection(2),
        end(),
    ];
    let path = directory.path().join(EventFile::name(0));
    let start_of = |block: usize| {
        write(directory.path(), 0, &blocks[..block]);
        fs::metadata(&path).unwrap().len() as usize
    };
    let starts: Vec<usize> = (0..blocks.len()).map(start_of).collect();
    let change = |block: usize| {
        write(directory.path(), 0, &blocks);
        let mut bytes = fs::read(&path).unwrap();
        bytes[starts[block] + 26] ^= 0x55;
        fs::write(&path, bytes).unwrap();
        outline(directory.path())
    };
    for (block, expected) in [
        (
            0,
            vec![
                "damaged",
                "file None",
                "epoch 1 of [1, 2] moves [8]",
                "epoch 2 of [] moves []",
                "end of []",
            ],
        ),
        (
            2,
            vec![
                "file Some(0)",
                "damaged",
                "epoch 1 of [1] moves [8]",
                "epoch 2 of [] moves []",
                "end of []",
            ],
        ),
        (
            3,
            vec![
                "file Some(0)",
                "damaged",
                "epoch 2 of [1, 2] moves []",
                "end of []",
            ],
        ),
        (
            4,
            vec![
                "file Some(0)",
                "epoch 1 of [1, 2] moves []",
                "damaged",
                "epoch 2 of [] moves []",
                "end of []",
            ],
        ),
    ] {
        let (steps, damage) = change(block);
        let mut steps: Vec<&str> = steps.iter().map(String::as_str).collect();
        if block == 0 {
            // The file may be named before or after its first block is reported missing.
            steps.sort_by_key(|step| {
                (
                    step.starts_with("end"),
                    step.starts_with("epoch 2"),
                    step.starts_with("epoch"),
                    step.starts_with("file"),
                )
            });
        }
        assert_eq!(steps, expected, "block {block}");
        assert!(damage.contains(&"corrupt-block"), "{damage:?}");
    }
}

#[test]
fn contents_that_do_not_decode() {
    let directory = tempfile::tempdir().unwrap();
    let bad_moves = (BlockKind::MOVES, vec![1, 0x07, 0xFF]);
    let bad_events = (BlockKind::EVENTS, vec![0x80]);
    let bad_collection = (BlockKind::COLLECTION, vec![0x80]);
    write(
        directory.path(),
        0,
        &[
            header(0),
            bad_events,
            collection(1),
            moves(8),
            bad_moves,
            bad_collection,
            moves(8),
            end(),
        ],
    );
    let (steps, damage) = outline(directory.path());
    assert_eq!(
        steps,
        [
            "file Some(0)",
            "epoch 1 of [] moves [8] incomplete",
            "damaged",
            "end of []"
        ]
    );
    assert_eq!(damage, ["bad-records"]);
}

#[test]
fn pieces_in_columns_are_read_one_by_one() {
    let directory = tempfile::tempdir().unwrap();
    let pieces: Vec<Vec<u8>> = (2..5).map(|thread| events(thread).1).collect();
    let columns = |pieces: &[&[u8]]| {
        let (mut encoder, mut content) = (EventColumnsEncoder::default(), Vec::new());
        for piece in pieces {
            if !encoder.add(piece) {
                encoder.begin_piece(0);
                encoder.end_piece(piece, 0, &[]);
            }
        }
        encoder.finish(&mut content);
        (BlockKind::EVENT_COLUMNS, content)
    };
    let three = columns(&[&pieces[0], &pieces[1], &pieces[2]]);
    let none = columns(&[]);
    let with_bad = columns(&[&pieces[0], &[0x80], &pieces[2]]);
    let broken = (BlockKind::EVENT_COLUMNS, vec![2, 9]);
    let blocks = [
        header(0),
        events(1),
        three,
        none,
        collection(1),
        with_bad,
        broken,
        end(),
    ];
    write(directory.path(), 0, &blocks);
    let (steps, damage) = outline(directory.path());
    let expected = [
        "file Some(0)",
        "epoch 1 of [1, 2, 3, 4] moves []",
        "end of [2, 4]",
    ];
    assert_eq!(steps, expected);
    assert_eq!(damage, ["bad-records", "corrupt-block"]);
}

#[test]
fn buffers_that_are_not_kept_are_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let mut blocks = vec![header(0)];
    blocks.extend((0..200).map(events));
    blocks.push(end());
    write(directory.path(), 0, &blocks);
    for kept in [0, 1_000, usize::MAX] {
        let mut files = EventFiles::open(directory.path())
            .unwrap()
            .keep_at_most(kept);
        let buffers = loop {
            if let Some(EventStep::End(buffers)) = files.next_step() {
                break buffers;
            }
        };
        assert_eq!((buffers.len(), buffers.is_empty()), (200, false));
        for workers in [1, 2, 5] {
            assert_eq!(
                threads(&mut files, &buffers, workers),
                (0..200).collect::<Vec<_>>()
            );
        }
        assert!(files.damage().is_empty());
        if kept == 0 {
            fs::remove_file(directory.path().join(EventFile::name(0))).unwrap();
            assert_eq!(threads(&mut files, &buffers, 2), []);
            assert!(files.damage().iter().all(|(_, damage)| matches!(
                damage,
                Damage::Unreadable { .. } | Damage::Further { .. }
            )));
            write(directory.path(), 0, &blocks);
        }
    }
}

/// Sites of these events would be read with definitions of other sites.
#[test]
fn events_of_another_run_than_the_definitions_are_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    write(
        directory.path(),
        0,
        &[header(0), events(1), collection(1), end()],
    );
    let mut files = EventFiles::open(directory.path()).unwrap();
    files.are_of_run(1, 2);
    let epochs = std::iter::from_fn(|| files.next_step())
        .filter(|step| matches!(step, EventStep::Epoch(_)))
        .count();
    assert_eq!(epochs, 0);
    let damage = files.damage();
    assert!(
        damage
            .iter()
            .any(|(_, damage)| matches!(damage, Damage::OfAnotherRun { .. })),
        "{damage:?}"
    );
}

#[test]
fn buffers_that_are_put_back_come_first_and_are_marked() {
    let directory = tempfile::tempdir().unwrap();
    write(
        directory.path(),
        0,
        &[header(0), events(1), collection(1), events(2), end()],
    );
    let mut files = EventFiles::open(directory.path()).unwrap();
    let mut decoding = BufferDecoding::default();
    let marked = Mutex::new(Vec::new());
    while let Some(step) = files.next_step() {
        match step {
            EventStep::Epoch(epoch) => decoding.put_back(epoch.buffers),
            EventStep::End(buffers) => {
                let buffers = decoding.with_put_back(buffers);
                decoding.decode(&buffers, &mut [()], |(), content, again| {
                    let thread = EventBlock::decode(content)?.header.thread.0;
                    marked.lock().unwrap().push((thread, again));
                    Ok::<(), FormatError>(())
                });
            }
            _ => {}
        }
    }
    assert_eq!(*marked.lock().unwrap(), [(1, true), (2, false)]);
}

#[test]
fn steps_that_are_read_ahead_are_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let mut blocks = vec![header(0)];
    for number in 1..200 {
        blocks.extend([events(number), collection(number), moves(64)]);
    }
    blocks.push(end());
    write(directory.path(), 0, &blocks);
    let mut files = EventFiles::open(directory.path()).unwrap();
    let expected: Vec<String> = std::iter::from_fn(|| files.next_step())
        .map(|step| format!("{step:?}"))
        .collect();
    let mut files = EventFiles::open(directory.path()).unwrap();
    let (mut steps, mut read) = (Vec::new(), Vec::new());
    files.read_ahead(|step, bytes_read| {
        steps.push(format!("{step:?}"));
        read.push(bytes_read);
    });
    assert_eq!(steps, expected);
    assert!(read.is_sorted() && read.last() == Some(&files.total_bytes()));
}

#[test]
fn sizes_and_blocks_are_counted() {
    let directory = tempfile::tempdir().unwrap();
    write(
        directory.path(),
        0,
        &[header(0), events(1), collection(1), moves(8), end()],
    );
    let mut files = EventFiles::open(directory.path()).unwrap();
    while files.next_step().is_some() {}
    let sizes = files.sizes();
    assert_eq!(sizes.blocks, 5);
    assert_eq!(sizes.event_bytes, events(1).1.len() as u64);
    assert_eq!(sizes.move_bytes, moves(8).1.len() as u64);
    assert!(sizes.stored_bytes <= sizes.plain_bytes);
    assert_eq!(files.bytes_read(), files.total_bytes());
    assert_eq!(
        files.blocks().map(|(_, blocks)| blocks).collect::<Vec<_>>(),
        [5]
    );
}

#[test]
fn files_that_grow_byte_by_byte_give_the_steps_of_whole_ones() {
    let whole = tempfile::tempdir().unwrap();
    let sync = (BlockKind::SYNC, SyncEncoder::new(2).finish(true));
    let first = [
        header(0),
        events(1),
        collection(1),
        moves(64),
        events(2),
        collection(2),
        moves(32),
        rotated(),
    ];
    write(whole.path(), 0, &first);
    write(whole.path(), 1, &[header(1), sync, events(3), end()]);
    let (expected, _) = outline(whole.path());

    let growing = tempfile::tempdir().unwrap();
    let mut files = EventFiles::follow(growing.path()).unwrap();
    let mut steps = Vec::new();
    for index in 0..2 {
        let bytes = fs::read(whole.path().join(EventFile::name(index))).unwrap();
        let path = growing.path().join(EventFile::name(index));
        for length in 0..=bytes.len() {
            // Blocks that are not written yet may stand there as zeros.
            let mut written = bytes[..length].to_vec();
            if length % 3 == 1 {
                written.resize(bytes.len(), 0);
            }
            fs::write(&path, written).unwrap();
            files.extend().unwrap();
            steps.extend(described(&mut files));
        }
    }
    assert_eq!(steps, expected);
    assert_eq!(files.damage(), []);
}

#[test]
fn followed_from_the_newest_file_on() {
    let directory = tempfile::tempdir().unwrap();
    let sync = (BlockKind::SYNC, SyncEncoder::new(1).finish(true));
    write(
        directory.path(),
        0,
        &[header(0), events(1), collection(1), rotated()],
    );
    write(directory.path(), 1, &[header(1), sync, events(3)]);
    let mut files = EventFiles::follow(directory.path()).unwrap();
    files.extend().unwrap();
    assert_eq!(described(&mut files), ["file Some(1)", "sync"]);
    write(
        directory.path(),
        2,
        &[header(2), events(4), collection(2), end()],
    );
    files.extend().unwrap();
    // The file before had no end: the gap is reported.
    let expected = ["file Some(2)", "epoch 2 of [3, 4] moves []", "end of []"];
    assert_eq!(described(&mut files), expected);
}
