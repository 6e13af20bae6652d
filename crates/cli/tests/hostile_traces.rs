//! Any content of a file under a right checksum gives a report or one clear line, never a panic.
//!
//! The contents of some blocks of a real trace are changed and sealed again, so that the changes reach
//! the decoders, the models and all reports. (Changes that the checksum finds are the reader's tests.)
//! The largest numbers that fit are as likely as any others: sums of them must stop at a limit.
//!
//! `PROPTEST_CASES` is the number of such traces.

use std::fs;
use std::path::{Path, PathBuf};

use ducktrack_test_support::{Place, sample_events};
use ducktrack_trace_format::{BlockHeader, Compression, FileHeader, decode_content, encode_block};
use proptest::prelude::*;
use proptest::sample::Index;

/// Every sort of report, and every format.
const COMMANDS: [&str; 12] = [
    "info t",
    "info t --format json",
    "heap t --at 1",
    "heap t --format html",
    "lifetimes t",
    "lifetimes t --deaths",
    "lifetimes t --objects",
    "timeline t",
    "timeline t --format csv",
    "leaks t --sites",
    "cost t",
    "report t",
];

/// The command's own exit codes: fine, a gate was crossed, bad input.
const EXPECTED: [Option<i32>; 3] = [Some(0), Some(1), Some(2)];

/// A change of a block's content.
#[derive(Clone, Debug)]
enum Change {
    /// Other bytes.
    Set(Vec<u8>),
    /// How many bytes are not there.
    Remove(usize),
    /// How many bytes are there twice.
    Repeat(usize),
}

/// The largest number of 8 bytes, of a `varint`, and of 4 bytes.
fn largest() -> impl Strategy<Value = Vec<u8>> {
    let varint = [[0xFF; 9].as_slice(), &[1]].concat();
    prop::sample::select(vec![vec![0xFF; 8], varint, vec![0xFF; 4]])
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        any::<u8>().prop_map(|byte| Change::Set(vec![byte])),
        largest().prop_map(Change::Set),
        (1_usize..40).prop_map(Change::Remove),
        (1_usize..200).prop_map(Change::Repeat),
    ]
}

/// Which file, which of its blocks, where in its content, and what.
type Fault = (Index, Index, Index, Change);

fn faults() -> impl Strategy<Value = Vec<Fault>> {
    let fault = (any::<Index>(), any::<Index>(), any::<Index>(), change());
    prop::collection::vec(fault, 1..5)
}

/// A file, taken apart.
struct File {
    path: PathBuf,
    head: Vec<u8>,
    blocks: Vec<(BlockHeader, Vec<u8>)>,
}

impl File {
    fn read(path: PathBuf) -> Self {
        let bytes = fs::read(&path).expect("a file of the trace");
        let (head, mut rest) = bytes.split_at(FileHeader::LENGTH);
        let mut blocks = Vec::new();
        while !rest.is_empty() {
            let header = BlockHeader::decode(rest).expect("a block");
            let end = BlockHeader::LENGTH + header.stored_length as usize;
            let content = decode_content(&header, &rest[BlockHeader::LENGTH..end]);
            blocks.push((header, content.expect("its content").into_owned()));
            rest = &rest[end..];
        }
        Self {
            path,
            head: head.to_vec(),
            blocks,
        }
    }

    fn write(&self) {
        let mut bytes = self.head.clone();
        for (header, content) in &self.blocks {
            encode_block(
                header.kind,
                header.sequence,
                content,
                Compression::Off,
                &mut bytes,
            )
            .expect("a block");
        }
        fs::write(&self.path, bytes).expect("a file of the trace");
    }
}

fn files(trace: &Path) -> Vec<File> {
    let entries = fs::read_dir(trace).expect("the trace");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_trace = |path: &PathBuf| path.extension().is_some_and(|end| end == "trace");
    let mut paths: Vec<PathBuf> = paths.filter(is_trace).collect();
    paths.sort();
    paths.into_iter().map(File::read).collect()
}

fn apply(change: &Change, place: Index, content: &mut Vec<u8>) {
    if content.is_empty() {
        return;
    }
    let at = place.index(content.len());
    let up_to = |length: usize| at..(at + length).min(content.len());
    match change {
        Change::Set(bytes) => {
            for (old, new) in content[at..].iter_mut().zip(bytes) {
                *old = *new;
            }
        }
        Change::Remove(length) => drop(content.drain(up_to(*length))),
        Change::Repeat(length) => {
            let again = content[up_to(*length)].to_vec();
            content.splice(at..at, again);
        }
    }
}

fn damage(trace: &Path, faults: &[Fault]) {
    let mut files = files(trace);
    for (file, block, place, change) in faults {
        let at = file.index(files.len());
        let blocks = &mut files[at].blocks;
        if !blocks.is_empty() {
            let block = block.index(blocks.len());
            apply(change, *place, &mut blocks[block].1);
        }
    }
    files.iter().for_each(File::write);
}

/// The number of cases, unless `PROPTEST_CASES` has another.
fn cases() -> ProptestConfig {
    match std::env::var("PROPTEST_CASES") {
        Ok(_) => ProptestConfig::default(),
        Err(_) => ProptestConfig::with_cases(48),
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn no_content_makes_a_command_panic(faults in faults(), has_moves: bool) {
        let place = Place::new(env!("CARGO_BIN_EXE_ducktrack"));
        let trace = place.path("t");
        match has_moves {
            true => sample_events::write(&trace),
            false => sample_events::write_without_moves(&trace),
        }
        damage(&trace, &faults);
        for words in COMMANDS {
            let finished = place.run(words);
            let has_code = EXPECTED.contains(&finished.status.code());
            prop_assert!(has_code && !finished.errors.contains("panicked"), "{words}: {finished}");
        }
    }
}
