//! A trace that is cut anywhere is readable up to its last whole block, and the reader reports where it was cut.

use crate::small_trace::{records_of, small_trace};
use ducktrack_trace_format::{Damage, Record};
use ducktrack_trace_reader::{RecordReader, StartError};

fn read(bytes: &[u8]) -> Result<(Vec<Record>, Vec<Damage>, bool), StartError> {
    let mut reader = RecordReader::start(bytes)?;
    let records = reader.by_ref().collect();
    Ok((records, reader.damage(), reader.ended_properly()))
}

#[test]
fn every_byte_offset() {
    let trace = small_trace();
    let blocks = records_of(&trace);
    for length in 0..=trace.bytes.len() {
        let cut = &trace.bytes[..length];
        let Some(whole) = trace.ends.iter().rposition(|end| *end <= length) else {
            match read(cut) {
                Err(StartError::Empty) => assert_eq!(length, 0),
                Err(StartError::Cut { present }) => assert_eq!(present, length),
                other => panic!("{length}: {other:?}"),
            }
            continue;
        };
        let (records, damage, ended) = read(cut).unwrap();
        assert_eq!(
            records,
            blocks[..whole].concat(),
            "records before byte {length}"
        );
        let (at, present) = (
            trace.ends[whole] as u64,
            (length - trace.ends[whole]) as u64,
        );
        let expected = match (length == trace.bytes.len(), present) {
            (true, _) => vec![],
            (false, 0) => vec![Damage::NoEnd { at }],
            (false, present) => vec![Damage::Cut { at, present }],
        };
        assert_eq!(damage, expected, "damage at byte {length}");
        assert_eq!(ended, length == trace.bytes.len());
    }
}

/// A reader that returns its bytes in small, uneven pieces.
struct Trickle<'a>(&'a [u8], usize);

impl std::io::Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 = self.1 % 7 + 1;
        let length = self.1.min(self.0.len()).min(buffer.len());
        let (now, later) = self.0.split_at(length);
        buffer[..length].copy_from_slice(now);
        self.0 = later;
        Ok(length)
    }
}

#[test]
fn pieces_make_no_difference() {
    let trace = small_trace();
    let mut reader = RecordReader::start(Trickle(&trace.bytes, 0)).unwrap();
    let records: Vec<Record> = reader.by_ref().collect();
    assert_eq!(records, records_of(&trace).concat());
    assert_eq!(reader.damage(), []);
    assert_eq!(reader.bytes_read(), trace.bytes.len() as u64);
}

/// A disk that fails after some bytes.
struct BadDisk<'a>(&'a [u8]);

impl std::io::Read for BadDisk<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.0.is_empty() {
            return Err(std::io::Error::other("sector gone"));
        }
        std::io::Read::read(&mut self.0, buffer)
    }
}

#[test]
fn a_disk_that_fails_is_named_and_what_was_read_counts() {
    let trace = small_trace();
    for length in trace.ends[0]..trace.bytes.len() {
        let mut reader = RecordReader::start(BadDisk(&trace.bytes[..length])).unwrap();
        let records = reader.by_ref().count();
        let damage = reader.damage();
        let whole = trace.ends.iter().rposition(|end| *end <= length).unwrap();
        assert_eq!(records, records_of(&trace)[..whole].concat().len());
        let reason = "sector gone".to_owned();
        let unreadable = Damage::Unreadable {
            at: length as u64,
            reason,
        };
        assert!(damage.contains(&unreadable), "byte {length}: {damage:?}");
    }
}
