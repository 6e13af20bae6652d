//! A trace of each version is checked in. Old bytes must read as what was written; the current version must
//! write the same bytes. To make the files of a new version: `BLESS=1 cargo test -p ducktrack-trace-format --test format`.

use std::path::PathBuf;

use ducktrack_trace_format::{
    AllocationKind, BlockHeader, BlockKind, Compression, FileHeader, Record, RecordStream,
    decode_content,
};

use crate::recipe::{KINDS, blocks, file};

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn read_or_bless(name: &str, compression: Compression) -> Vec<u8> {
    let path = golden(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, file(compression)).unwrap();
    }
    std::fs::read(&path).unwrap()
}

fn decode(bytes: &[u8]) -> Vec<(BlockKind, Vec<Record>)> {
    let header = FileHeader::decode(bytes).unwrap();
    let mut rest = &bytes[usize::from(header.length)..];
    let mut blocks = Vec::new();
    while !rest.is_empty() {
        let header = BlockHeader::decode(rest).unwrap();
        let end = BlockHeader::LENGTH + header.stored_length as usize;
        let content = decode_content(&header, &rest[BlockHeader::LENGTH..end]).unwrap();
        blocks.push((
            header.kind,
            RecordStream::new(&content).map(Result::unwrap).collect(),
        ));
        rest = &rest[end..];
    }
    blocks
}

#[test]
fn version_1_plain_is_read_and_written_byte_by_byte() {
    let bytes = read_or_bless("count-v1.trace", Compression::Off);
    assert_eq!(decode(&bytes), blocks());
    assert!(
        bytes == file(Compression::Off),
        "the bytes of version 1 have changed"
    );
}

/// Compressors may choose differently from version to version, so only reading is compared.
#[test]
fn version_1_compressed_is_read() {
    let bytes = read_or_bless("count-v1-lz4.trace", Compression::Lz4);
    assert!(bytes.len() < file(Compression::Off).len());
    assert_eq!(decode(&bytes), blocks());
}

#[test]
fn the_recipe_has_every_kind_of_allocation() {
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name()).collect();
    let distinct: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(distinct.len(), KINDS.len());
    assert_eq!(KINDS.last(), Some(&AllocationKind::Other));
}
