//! The crate writes the bytes that `FORMAT.md` documents.

use ducktrack_trace_format::{
    BlockKind, Compression, End, EventBlockHeader, EventFlags, EventWords, FileHeader, Record,
    SiteId, ThreadId, encode_block, push_record,
};

/// The hex digits of an example, without the comments (which start two columns after the last byte).
fn documented_bytes(example: usize) -> Vec<u8> {
    let source = include_str!("../../FORMAT.md");
    let example = source
        .split("# Example")
        .nth(example)
        .unwrap()
        .split("```")
        .nth(1)
        .unwrap();
    example.lines().skip(1).flat_map(bytes_of_line).collect()
}

fn bytes_of_line(line: &str) -> Vec<u8> {
    let hex = line.get(..43).unwrap_or(line);
    hex.split_whitespace()
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect()
}

#[test]
fn the_documented_bytes_are_written() {
    let mut file = FileHeader::current().encode().to_vec();
    let size = Record::SiteSize {
        site: SiteId(300),
        bytes: 24,
    };
    let end = Record::End(End {
        unix_millis: 5,
        cause: "exit".into(),
        losses: vec![],
    });
    for (sequence, kind, record) in [(0, BlockKind::DEFINITIONS, size), (1, BlockKind::END, end)] {
        let mut content = Vec::new();
        push_record(&record, &mut content).unwrap();
        encode_block(kind, sequence, &content, Compression::Lz4, &mut file).unwrap();
    }
    assert_eq!(hex(&file), hex(&documented_bytes(1)));
    assert_eq!(file.len(), 78);
}

#[test]
fn the_documented_events_are_written() {
    let header = EventBlockHeader {
        thread: ThreadId(1),
        epoch: 0,
        begun: 5,
        handed_over: 7,
        flags: EventFlags::CUT,
        last_top: 0x8000_1000,
    };
    let words = EventWords::new()
        .site(SiteId(16), 3)
        .site(SiteId(16), 5)
        .site(SiteId(16), 0)
        .array(SiteId(17), 40_000, 0x8001_0000);
    let mut content = Vec::new();
    header.encode(&mut content);
    content.extend_from_slice(words.as_bytes());
    let mut block = Vec::new();
    encode_block(BlockKind::EVENTS, 1, &content, Compression::Off, &mut block).unwrap();
    assert_eq!(hex(&block), hex(&documented_bytes(2)));
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x} ")).collect()
}
