//! Fuzz target: traces whose blocks say anything. They are read to their end, damage is a value, nothing panics.
//!
//! The content of blocks is changed and their checksums are made anew, so that each decoder and the replay see the changes. `cargo test`
//! takes about a second; `DUCKTRACK_FULL` takes 60 times as many cases.

use std::path::Path;

use ducktrack_analyses::{
    HeapMoments, JudgedSpan, LifetimeTallies, StalenessAt, SurvivorsBuilder, TimelineCourse,
};
use ducktrack_count_model::CountModelBuilder;
use ducktrack_heap_replay::{CollectionNumber, Moment};
use ducktrack_trace_format::{
    BlockHeader, BlockKind, Compression, FileHeader, decode_content, encode_block,
};
use ducktrack_trace_reader::TraceReader;
use proptest::prelude::*;

use ducktrack_test_support::replay_files;

const RECORDS: &[u8] = include_bytes!("../../../trace-format/tests/golden/trace-records.trace");
const COUNTS: &[u8] = include_bytes!("../../../trace-format/tests/golden/count.trace");
const EVENTS: &[u8] = include_bytes!("../../../trace-format/tests/golden/events.trace");

/// As many as a build without optimization does in about a second.
const CASES: u32 = 400;

type Block = (BlockKind, Vec<u8>);

/// One change of a block; blocks and places are taken modulo their number.
#[derive(Clone, Debug)]
enum Change {
    Set(u8, u16, u8),
    Add(u8, u16, u8),
    Insert(u8, u16, u8),
    Remove(u8, u16, u8),
    Cut(u8, u16),
    Repeat(u8),
    Drop(u8),
    Swap(u8, u8),
    Kind(u8, u8),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        any::<(u8, u16, u8)>().prop_map(|(block, at, value)| Change::Set(block, at, value)),
        any::<(u8, u16, u8)>().prop_map(|(block, at, value)| Change::Add(block, at, value)),
        any::<(u8, u16, u8)>().prop_map(|(block, at, value)| Change::Insert(block, at, value)),
        any::<(u8, u16, u8)>().prop_map(|(block, at, bytes)| Change::Remove(block, at, bytes)),
        any::<(u8, u16)>().prop_map(|(block, at)| Change::Cut(block, at)),
        any::<u8>().prop_map(Change::Repeat),
        any::<u8>().prop_map(Change::Drop),
        any::<(u8, u8)>().prop_map(|(one, other)| Change::Swap(one, other)),
        any::<(u8, u8)>().prop_map(|(block, kind)| Change::Kind(block, kind)),
    ]
}

fn blocks_of(file: &[u8]) -> Vec<Block> {
    let header = FileHeader::decode(file).expect("a header");
    let mut rest = &file[usize::from(header.length)..];
    let mut blocks = Vec::new();
    while !rest.is_empty() {
        let header = BlockHeader::decode(rest).expect("a block");
        let end = BlockHeader::LENGTH + header.stored_length as usize;
        let content = decode_content(&header, &rest[BlockHeader::LENGTH..end]).expect("content");
        blocks.push((header.kind, content.into_owned()));
        rest = &rest[end..];
    }
    blocks
}

fn file_of(blocks: &[Block]) -> Vec<u8> {
    let mut file = FileHeader::current().encode().to_vec();
    for (sequence, (kind, content)) in (0..).zip(blocks) {
        encode_block(*kind, sequence, content, Compression::Off, &mut file).expect("a block");
    }
    file
}

fn change_content(change: &Change, content: &mut Vec<u8>) {
    let length = content.len();
    let place = |at: u16| usize::from(at) % length.max(1);
    match *change {
        Change::Set(_, at, value) if length > 0 => content[place(at)] = value,
        Change::Add(_, at, value) if length > 0 => {
            content[place(at)] = content[place(at)].wrapping_add(value);
        }
        Change::Insert(_, at, value) => content.insert(place(at), value),
        Change::Remove(_, at, bytes) => {
            let at = place(at);
            content.drain(at..(at + usize::from(bytes)).min(length));
        }
        Change::Cut(_, at) => content.truncate(place(at)),
        _ => {}
    }
}

fn apply(change: &Change, blocks: &mut Vec<Block>) {
    if blocks.is_empty() {
        return;
    }
    let count = blocks.len();
    let number = |block: u8| usize::from(block) % count;
    match *change {
        Change::Set(block, ..)
        | Change::Add(block, ..)
        | Change::Insert(block, ..)
        | Change::Remove(block, ..)
        | Change::Cut(block, _) => change_content(change, &mut blocks[number(block)].1),
        Change::Repeat(block) => blocks.push(blocks[number(block)].clone()),
        Change::Drop(block) => drop(blocks.remove(number(block))),
        Change::Swap(one, other) => blocks.swap(number(one), number(other)),
        Change::Kind(block, kind) => blocks[number(block)].0 = BlockKind(kind),
    }
}

/// Reads all that is in the directory, as the command does.
fn read_all(directory: &Path) {
    let mut builder = CountModelBuilder::new();
    let mut reader = TraceReader::open(directory).expect("the file's own header stands");
    reader.by_ref().for_each(|record| builder.fold(record));
    let question = (
        HeapMoments::new(vec![Moment::After(CollectionNumber(1)), Moment::End]),
        LifetimeTallies::default(),
        TimelineCourse::with_parts(),
        SurvivorsBuilder::new(JudgedSpan::default()),
        StalenessAt::new(Moment::Last),
    );
    let (_, (heaps, ..)) = replay_files(directory, builder.finish_trace(), question, 1, 1 << 20);
    assert_eq!(
        heaps.len(),
        2,
        "an answer for each moment, also where it is none"
    );
}

fn write(directory: &Path, [records, events]: [&[Block]; 2]) {
    std::fs::write(directory.join("ducktrack.trace"), file_of(records)).expect("written");
    std::fs::write(directory.join("events-00000000.trace"), file_of(events)).expect("written");
}

fn cases() -> ProptestConfig {
    let is_full = std::env::var_os("DUCKTRACK_FULL").is_some_and(|value| !value.is_empty());
    ProptestConfig::with_cases(if is_full { 60 * CASES } else { CASES })
}

#[test]
fn the_seeds_are_read_to_their_end() {
    let directory = tempfile::tempdir().expect("a directory");
    for records in [RECORDS, COUNTS] {
        write(directory.path(), [&blocks_of(records), &blocks_of(EVENTS)]);
        read_all(directory.path());
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_trace_is_read_to_its_end(
        records in prop::sample::select(&[RECORDS, COUNTS][..]),
        changes in prop::collection::vec((any::<bool>(), change()), 1..=4),
    ) {
        let directory = tempfile::tempdir().expect("a directory");
        let (mut records, mut events) = (blocks_of(records), blocks_of(EVENTS));
        for (in_events, change) in &changes {
            apply(change, if *in_events { &mut events } else { &mut records });
        }
        write(directory.path(), [&records, &events]);
        read_all(directory.path());
    }
}
