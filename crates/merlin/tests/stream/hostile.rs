//! Bytes that no writer wrote: never a panic, one error with its place.

use ducktrack_merlin::{BlockReader, Checker, StreamError, StreamWriter};
use proptest::prelude::*;

use crate::records::record;

/// Reads as the command does; the error if there is one.
fn read(bytes: &[u8]) -> Result<u64, StreamError> {
    let mut reader = BlockReader::new(bytes)?;
    let mut checker = Checker::default();
    while let Some(block) = reader.next_block()? {
        checker.block(&block.decode()?);
    }
    Ok(checker.finish(reader.records_by_end()).records)
}

fn checksum(kind: u32, payload: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&kind.to_le_bytes());
    hasher.update(&(payload.len() as u32).to_le_bytes());
    hasher.update(payload);
    hasher.finalize().to_le_bytes()
}

fn with_payload(kind: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x89MERLIN\n\x01\0\0\0".to_vec();
    bytes.extend(kind.to_le_bytes());
    bytes.extend((payload.len() as u32).to_le_bytes());
    bytes.extend(checksum(kind, payload));
    bytes.extend(payload);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// A right checksum around anything.
    #[test]
    fn any_records_are_read_or_refused(time in any::<u64>(), latest in any::<u64>(), records in prop::collection::vec(prop_oneof![0..0x12_u8, 0x80..0x86_u8, any::<u8>()], 0..300)) {
        let mut payload = time.to_le_bytes().to_vec();
        payload.extend(latest.to_le_bytes());
        payload.extend([0; 4]);
        payload.extend(records);
        let _ = read(&with_payload(1, &payload));
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(read(&bytes).is_err());
        let mut stream = b"\x89MERLIN\n\x01\0\0\0".to_vec();
        stream.extend(bytes);
        let _ = read(&stream);
    }

    /// A stream cut anywhere is read up to its last whole block and said to be cut.
    #[test]
    fn a_cut_is_named(records in prop::collection::vec(record(), 1..40), at in any::<prop::sample::Index>()) {
        let mut writer = StreamWriter::new(Vec::new()).expect("memory");
        for record in &records {
            let _ = writer.write(record);
            writer.end_block().expect("memory");
        }
        let bytes = writer.finish().expect("memory");
        prop_assert!(read(&bytes).is_ok());
        let cut = &bytes[..at.index(bytes.len())];
        let error = read(cut).expect_err("cut");
        prop_assert!(matches!(error, StreamError::Cut { .. } | StreamError::NoEnd { .. } | StreamError::NotAStream), "{}", error);
    }

    /// One bit is wrong somewhere after the header.
    #[test]
    fn a_wrong_bit_is_found(records in prop::collection::vec(record(), 1..20), at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let mut writer = StreamWriter::new(Vec::new()).expect("memory");
        for record in &records {
            let _ = writer.write(record);
        }
        let mut bytes = writer.finish().expect("memory");
        let at = 12 + at.index(bytes.len() - 12);
        bytes[at] ^= 1 << bit;
        prop_assert!(read(&bytes).is_err());
    }
}

#[test]
fn a_claimed_length_is_not_believed() {
    let mut bytes = b"\x89MERLIN\n\x01\0\0\0".to_vec();
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(u32::MAX.to_le_bytes());
    bytes.extend([0; 4]);
    let error = read(&bytes).expect_err("too long");
    assert_eq!(
        error.to_string(),
        "the block at byte 12 claims 4294967295 bytes; blocks have at most 1048576"
    );
}

#[test]
fn other_versions_and_files_are_refused_by_name() {
    let error = read(b"\x89MERLIN\n\x02\0\0\0").expect_err("a later version");
    assert_eq!(
        error.to_string(),
        "stream version 2 is not known; this program reads version 1"
    );
    assert!(matches!(
        read(b"N 1 2 3 4 0 5\n"),
        Err(StreamError::NotAStream)
    ));
}

#[test]
fn unknown_blocks_and_unknown_records_with_a_length_are_stepped_over() {
    let mut bytes = with_payload(77, b"of a later version");
    let mut payload = vec![0; 20];
    payload.extend([0xf0, 3, 1, 2, 3]);
    // `thread 5`
    payload.extend([0x09, 5]);
    bytes.extend(&with_payload(1, &payload)[12..]);
    bytes.extend(&with_payload(2, &1_u64.to_le_bytes())[12..]);
    assert_eq!(read(&bytes).expect("known"), 1);
    payload.extend([0x70, 0]);
    let error = read(&with_payload(1, &payload)).expect_err("no length");
    assert_eq!(
        error.to_string(),
        "record 1 of the block at byte 12: tag 0x70 is not known"
    );
}
