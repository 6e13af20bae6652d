//! A trace of each version is checked in. Old bytes must decode to what was written; the current version must write the same bytes. To
//! create the files of a new version, name it here: `BLESS=1 cargo test -p ducktrack-trace-format --test format`.

use std::path::PathBuf;

use ducktrack_trace_format::{
    AllocationKind, BlockHeader, BlockKind, Collection, Compression, EventBlock, EventDecoder,
    EventFile, FileHeader, HeapClassId, MoveDecoder, Record, RecordStream, SiteFacts, SiteId,
    SyncDecoder, decode_content, decode_explained,
};

use crate::event_recipe::{blocks_of_version_1, blocks_of_version_2, event_blocks, event_trace};
use crate::recipe::{KINDS, blocks, file, file_of};
use crate::trace_records;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn read_or_bless(name: &str, recipe: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    let path = golden(name);
    // Files of older versions are no longer created.
    if std::env::var_os("BLESS").is_some() && name.contains("-v3") {
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
fn plain_files_are_read_and_the_last_version_is_written_byte_by_byte() {
    for name in ["count-v1.trace", "count-v2.trace", "count-v3.trace"] {
        let bytes = read_or_bless(name, || file(Compression::Off));
        assert_eq!(decode(&bytes), blocks(), "{name}");
    }
    let bytes = read_or_bless("count-v3.trace", || file(Compression::Off));
    assert!(
        bytes == file(Compression::Off),
        "the bytes of version 3 have changed"
    );
}

/// Compressors may produce other bytes in other versions, so only reading is compared.
#[test]
fn compressed_files_are_read() {
    for name in [
        "count-v1-lz4.trace",
        "count-v2-lz4.trace",
        "count-v3-lz4.trace",
    ] {
        let bytes = read_or_bless(name, || file(Compression::Lz4));
        assert!(bytes.len() < file(Compression::Off).len());
        assert_eq!(decode(&bytes), blocks(), "{name}");
    }
}

#[test]
fn records_of_tracing_are_read_and_the_last_version_is_written_byte_by_byte() {
    let blocks = trace_records::blocks();
    let written = file_of(&blocks, Compression::Off);
    for name in [
        "trace-records-v1.trace",
        "trace-records-v2.trace",
        "trace-records-v3.trace",
    ] {
        let bytes = read_or_bless(name, || written.clone());
        assert_eq!(decode(&bytes), blocks, "{name}");
    }
    let bytes = read_or_bless("trace-records-v3.trace", || written.clone());
    assert!(bytes == written, "the bytes of version 3 have changed");
}

/// Contents are compared as bytes, so this test does not depend on their decoders, which have their own tests.
#[test]
fn event_files_are_read_and_the_last_version_is_written_byte_by_byte() {
    let written = event_trace(Compression::Off);
    for (name, blocks) in [
        ("events-v1.trace", blocks_of_version_1()),
        ("events-v2.trace", blocks_of_version_2()),
    ] {
        let old = read_or_bless(name, || written.clone());
        assert_eq!(contents(&old), blocks, "{name}");
    }
    let blocks = event_blocks();
    let bytes = read_or_bless("events-v3.trace", || written.clone());
    assert_eq!(contents(&bytes), blocks);
    assert!(bytes == written, "the bytes of version 3 have changed");
}

#[test]
fn compressed_event_files_are_read() {
    let versions = [
        ("events-v1-lz4.trace", blocks_of_version_1()),
        ("events-v2-lz4.trace", blocks_of_version_2()),
        ("events-v3-lz4.trace", event_blocks()),
    ];
    for (name, blocks) in versions {
        let bytes = read_or_bless(name, || event_trace(Compression::Lz4));
        assert!(bytes.len() < event_trace(Compression::Off).len());
        assert_eq!(contents(&bytes), blocks, "{name}");
    }
}

/// The checked-in bytes still have the same meaning.
#[test]
fn the_golden_event_file_decodes() {
    let bytes = std::fs::read(golden("events-v1.trace")).unwrap();
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
