//! Traces of the current version are checked in. They must decode to what was written, and the same bytes
//! must be written. To create them anew: `BLESS=1 cargo test -p ducktrack-trace-format --test format`.

use std::path::PathBuf;

use ducktrack_trace_format::{
    AllocationKind, BlockHeader, BlockKind, Collection, Compression, EventBlock, EventDecoder,
    EventFile, FileHeader, HeapClassId, MoveDecoder, Record, RecordStream, SiteFacts, SiteId,
    SyncDecoder, decode_content, decode_explained,
};

use crate::event_recipe::{event_blocks, event_trace};
use crate::recipe::{KINDS, blocks, file, file_of};
use crate::trace_records;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn read_or_bless(name: &str, recipe: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    let path = golden(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, recipe()).unwrap();
    }
    std::fs::read(&path).unwrap()
}

fn contents(bytes: &[u8]) -> Vec<(BlockKind, Vec<u8>)> {
    let header = FileHeader::decode(bytes).unwrap();
    let mut rest = &bytes[usize::from(header.length)..];
    let mut blocks = Vec::new();
    while !rest.is_empty() {
        let header = BlockHeader::decode(rest).unwrap();
        let end = BlockHeader::LENGTH + header.stored_length as usize;
        let content = decode_content(&header, &rest[BlockHeader::LENGTH..end]).unwrap();
        blocks.push((header.kind, content.into_owned()));
        rest = &rest[end..];
    }
    blocks
}

fn decode(bytes: &[u8]) -> Vec<(BlockKind, Vec<Record>)> {
    let records = |content: &[u8]| RecordStream::new(content).map(Result::unwrap).collect();
    let contents = contents(bytes).into_iter();
    contents
        .map(|(kind, content)| (kind, records(&content)))
        .collect()
}

#[test]
fn plain_files_are_read_and_written_byte_by_byte() {
    let written = file(Compression::Off);
    let bytes = read_or_bless("count.trace", || written.clone());
    assert_eq!(decode(&bytes), blocks());
    assert!(bytes == written, "the bytes of counts have changed");
}

/// Compressors may produce other bytes in other versions, so only reading is compared.
#[test]
fn compressed_files_are_read() {
    let bytes = read_or_bless("count-lz4.trace", || file(Compression::Lz4));
    assert!(bytes.len() < file(Compression::Off).len());
    assert_eq!(decode(&bytes), blocks());
}

#[test]
fn records_of_tracing_are_read_and_written_byte_by_byte() {
    let blocks = trace_records::blocks();
    let written = file_of(&blocks, Compression::Off);
    let bytes = read_or_bless("trace-records.trace", || written.clone());
    assert_eq!(decode(&bytes), blocks);
    assert!(bytes == written, "the bytes of records have changed");
}

/// Contents are compared as bytes, so this test does not depend on their decoders, which have their own tests.
#[test]
fn event_files_are_read_and_written_byte_by_byte() {
    let written = event_trace(Compression::Off);
    let bytes = read_or_bless("events.trace", || written.clone());
    assert_eq!(contents(&bytes), event_blocks());
    assert!(bytes == written, "the bytes of events have changed");
}

#[test]
fn compressed_event_files_are_read() {
    let bytes = read_or_bless("events-lz4.trace", || event_trace(Compression::Lz4));
    assert!(bytes.len() < event_trace(Compression::Off).len());
    assert_eq!(contents(&bytes), event_blocks());
}

/// The checked-in bytes still have the same meaning.
#[test]
fn the_golden_event_file_decodes() {
    let bytes = std::fs::read(golden("events.trace")).unwrap();
    let blocks = contents(&bytes);
    let file = EventFile::decode(&blocks[0].1).unwrap();
    assert_eq!((file.index, file.epoch, file.lost_blocks), (300, 9, 2));
    let live: Vec<_> = SyncDecoder::new(&blocks[2].1)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(
        (live.len(), live[39].address, live[39].birth),
        (40, 0x8000_09C0, 6)
    );
    let mut events = 0;
    let piece = EventBlock::decode(&blocks[3].1).unwrap();
    let decoded = EventDecoder::new(&AllOf24).decode(&piece, |_| events += 1);
    assert_eq!((decoded.unwrap().last_top, events), (0x9020_0000, 19));
    let explained: Vec<_> = decode_explained(&blocks[4].1).map(Result::unwrap).collect();
    assert_eq!(explained[1].address, 0x8000_0040);
    let collection = Collection::decode(&blocks[5].1).unwrap();
    assert_eq!(
        (
            collection.number,
            collection.before.len(),
            collection.counts.live_bytes
        ),
        (10, 9, 10)
    );
    let runs: Vec<_> = MoveDecoder::new(&blocks[6].1)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let objects: Vec<u64> = runs.iter().map(|run| run.objects).collect();
    assert_eq!(objects, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 5, 1]);
    assert_eq!(runs[11].to, (6 << 32) + 24);
    assert_eq!(runs[12].to, runs[12].from);
    assert_eq!(runs[14].from - runs[14].to, 0x800);
    assert_eq!(runs[15].found, Some(HeapClassId(70_000)));
}

struct AllOf24;

impl SiteFacts for AllOf24 {
    fn fixed_bytes(&self, site: SiteId) -> Option<u32> {
        (site.0 == 16).then_some(24)
    }

    fn is_measured(&self, site: SiteId) -> bool {
        site.0 != 16
    }
}

#[test]
fn the_recipe_has_every_kind_of_allocation() {
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name()).collect();
    let distinct: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(distinct.len(), KINDS.len());
    assert_eq!(KINDS.last(), Some(&AllocationKind::Other));
}
