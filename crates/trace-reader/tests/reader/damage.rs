//! Each kind of damage is found, named and located, and intact data after it is still read.

use crate::small_trace::{TraceBytes, end, records_of, refusal, run, size, small_trace, snapshot};
use ducktrack_trace_format::{BlockHeader, BlockKind, Damage, Record};
use ducktrack_trace_reader::RecordReader;

fn read(bytes: &[u8]) -> (Vec<Record>, Vec<Damage>) {
    let mut reader = RecordReader::start(bytes).unwrap();
    let records = reader.by_ref().collect();
    (records, reader.damage())
}

#[test]
fn a_flipped_bit_costs_one_block_and_no_more() {
    let trace = small_trace();
    let blocks = records_of(&trace);
    for at in trace.ends[0]..trace.bytes.len() {
        let mut bytes = trace.bytes.clone();
        bytes[at] ^= 1 << (at % 8);
        let hit = trace.ends.iter().rposition(|end| *end <= at).unwrap();
        let last = hit == blocks.len() - 1;
        let mut expected = blocks.clone();
        expected.remove(hit);
        let (records, damage) = read(&bytes);
        assert_eq!(records, expected.concat(), "byte {at}");
        let [found] = &damage[..] else {
            panic!("byte {at}: {damage:?}");
        };
        let from = trace.ends[hit] as u64;
        match found {
            Damage::CorruptBlock { at, skipped, .. } => {
                assert_eq!((*at, *skipped), (from, trace.block_bytes(hit).len() as u64));
            }
            // A length that leads past the end of the last block looks like a cut.
            Damage::Cut { at, .. } if last => assert_eq!(*at, from),
            other => panic!("byte {at}: {other:?}"),
        }
    }
}

#[test]
fn a_missing_block_is_a_gap() {
    let trace = small_trace();
    let mut bytes = trace.bytes.clone();
    bytes.drain(trace.ends[1]..trace.ends[2]);
    let (records, damage) = read(&bytes);
    assert_eq!(records.len(), records_of(&trace).concat().len() - 1);
    let at = trace.ends[1] as u64;
    let (expected, found) = (1, 2);
    assert_eq!(
        damage,
        [Damage::SequenceGap {
            at,
            expected,
            found
        }]
    );
}

#[test]
fn junk_between_blocks_is_skipped() {
    let trace = small_trace();
    let mut bytes = trace.bytes.clone();
    let junk = vec![0xDB; 200_000];
    let at = trace.ends[2];
    bytes.splice(at..at, junk);
    let (records, damage) = read(&bytes);
    assert_eq!(records, records_of(&trace).concat());
    let [Damage::CorruptBlock { skipped, index, .. }] = &damage[..] else {
        panic!("{damage:?}");
    };
    assert_eq!((*skipped, *index), (200_000, 2));
}

#[test]
fn unknown_kinds_flags_and_records_are_counted() {
    let trace = TraceBytes::new()
        .block(BlockKind::DEFINITIONS, &[run()])
        .raw_block(BlockKind(17), b"events of a later version")
        .raw_block(BlockKind(18), b"more")
        .raw_block(BlockKind::DEFINITIONS, &[2, 99, 1, 2, 100, 1])
        .block(BlockKind::END, &[end()]);
    let (records, damage) = read(&trace.bytes);
    assert_eq!(records, [run(), end()]);
    let expected = [
        Damage::UnknownBlocks {
            count: 2,
            first_kind: 17,
            at: trace.ends[1] as u64,
        },
        Damage::UnknownRecords {
            count: 2,
            at: trace.ends[3] as u64,
        },
    ];
    assert_eq!(damage, expected);
}

#[test]
fn a_block_with_unknown_flags_is_skipped_but_not_corrupt() {
    let mut trace = TraceBytes::new().block(BlockKind::DEFINITIONS, &[run()]);
    let header = BlockHeader {
        kind: BlockKind::DEFINITIONS,
        flags: 0x40,
        reserved: 0,
        sequence: 1,
        plain_length: 9,
        stored_length: 3,
        crc: 0,
    };
    trace.bytes.extend(header.encode(b"zip"));
    trace.bytes.extend(b"zip");
    trace.next_sequence = 2;
    let trace = trace.block(BlockKind::END, &[end()]);
    let (records, damage) = read(&trace.bytes);
    assert_eq!(records, [run(), end()]);
    assert!(matches!(
        damage[..],
        [Damage::UnknownBlocks { count: 1, .. }]
    ));
}

#[test]
fn a_record_that_does_not_decode_costs_only_itself() {
    let mut content = Vec::new();
    ducktrack_trace_format::push_record(&size(4), &mut content).unwrap();
    let good = content.clone();
    content.extend([3, 0, 0xFF, 0xFF]);
    content.extend(&good);
    let trace = TraceBytes::new()
        .raw_block(BlockKind::DEFINITIONS, &content)
        .block(BlockKind::END, &[end()]);
    let (records, damage) = read(&trace.bytes);
    assert_eq!(records, [size(4), size(4), end()]);
    assert!(matches!(
        damage[..],
        [Damage::BadRecords { count: 1, at: 16 }]
    ));
}

#[test]
fn nothing_is_read_after_the_end() {
    let trace = small_trace().block(BlockKind::VALUES, &[snapshot(9, 1)]);
    let (records, damage) = read(&trace.bytes);
    assert_eq!(records.last(), Some(&end()));
    let at = trace.ends[5] as u64;
    assert_eq!(damage, [Damage::AfterEnd { at }]);
}

#[test]
fn a_file_full_of_damage_gives_a_short_report() {
    let mut bytes = TraceBytes::new().bytes;
    for _ in 0..1_000 {
        bytes.extend_from_slice(b"junk");
        bytes.extend_from_slice(
            TraceBytes::new()
                .block(BlockKind::DEFINITIONS, &[refusal("x")])
                .block_bytes(0),
        );
    }
    let (records, damage) = read(&bytes);
    assert_eq!(records.len(), 1_000);
    assert_eq!(damage.len(), 101);
    assert!(matches!(damage.last(), Some(Damage::Further { count }) if *count > 800));
}

/// Each false mark states a block of the maximal length; checking all of them completely would take hours.
#[test]
fn false_marks_do_not_cost_quadratic_time() {
    let header = BlockHeader {
        kind: BlockKind::VALUES,
        flags: 0,
        reserved: 0,
        sequence: 0,
        plain_length: 4 << 20,
        stored_length: 4 << 20,
        crc: 0,
    };
    let mut bytes = TraceBytes::new().bytes;
    let lie = header.encode(b"");
    (0..400_000).for_each(|_| bytes.extend_from_slice(&lie));
    let started = std::time::Instant::now();
    let (records, damage) = read(&bytes);
    assert_eq!((records.len(), damage.len()), (0, 1));
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
