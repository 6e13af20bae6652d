//! For any bytes: no panic, no invented record, and damage is reported if something is missing.

use crate::small_trace::{TraceBytes, records_of, small_trace};
use ducktrack_trace_format::{Damage, MAGIC, Record};
use ducktrack_trace_reader::RecordReader;
use proptest::prelude::*;

fn read(bytes: &[u8]) -> Option<(Vec<Record>, Vec<Damage>)> {
    let mut reader = RecordReader::start(bytes).ok()?;
    let records = reader.by_ref().collect();
    Some((records, reader.damage()))
}

/// One change of a file.
#[derive(Clone, Debug)]
enum Mutation {
    Set(prop::sample::Index, u8),
    Remove(prop::sample::Index, usize),
    Insert(prop::sample::Index, Vec<u8>),
    Repeat(prop::sample::Index, usize),
    Cut(prop::sample::Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        (index(), any::<u8>()).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        (index(), 1_usize..100).prop_map(|(at, length)| Mutation::Remove(at, length)),
        (index(), prop::collection::vec(any::<u8>(), 1..50))
            .prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        (index(), 1_usize..300).prop_map(|(at, length)| Mutation::Repeat(at, length)),
        index().prop_map(Mutation::Cut),
    ]
}

fn apply(mutation: &Mutation, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    match mutation {
        Mutation::Set(at, byte) => {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        Mutation::Remove(at, length) => {
            let at = at.index(bytes.len());
            bytes.drain(at..(at + length).min(bytes.len()));
        }
        Mutation::Insert(at, new) => {
            let at = at.index(bytes.len());
            bytes.splice(at..at, new.iter().copied());
        }
        Mutation::Repeat(at, length) => {
            let at = at.index(bytes.len());
            let piece = bytes[at..(at + length).min(bytes.len())].to_vec();
            bytes.splice(at..at, piece);
        }
        Mutation::Cut(at) => bytes.truncate(at.index(bytes.len())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn mutated(mutations in prop::collection::vec(mutation(), 1..6)) {
        let trace = small_trace();
        let good = records_of(&trace).concat();
        let mut bytes = trace.bytes.clone();
        mutations.iter().for_each(|mutation| apply(mutation, &mut bytes));
        if let Some((records, damage)) = read(&bytes) {
            prop_assert!(records.iter().all(|record| good.contains(record)), "an invented record");
            prop_assert!(records == good || !damage.is_empty(), "silent loss");
        }
    }

    /// The checksums are right, so that the record decoder is reached.
    #[test]
    fn mutated_content(content in prop::collection::vec(any::<u8>(), 0..400), kind in 1_u8..5) {
        let trace = TraceBytes::new().raw_block(ducktrack_trace_format::BlockKind(kind), &content);
        let (records, damage) = read(&trace.bytes).unwrap();
        let ended = records.iter().any(|record| matches!(record, Record::End(_)));
        let said_so = damage.iter().any(|damage| matches!(damage, Damage::NoEnd { .. }));
        prop_assert_ne!(ended, said_so);
    }

    /// Real records with a few changed bytes, but right checksums.
    #[test]
    fn mutated_records(mutations in prop::collection::vec(mutation(), 1..4), block in 0_usize..5) {
        let trace = small_trace();
        let mut content = Vec::new();
        for record in &records_of(&trace)[block] {
            ducktrack_trace_format::push_record(record, &mut content).unwrap();
        }
        mutations.iter().for_each(|mutation| apply(mutation, &mut content));
        let kind = ducktrack_trace_format::BlockKind::VALUES;
        let trace = TraceBytes::new().raw_block(kind, &content);
        prop_assert!(read(&trace.bytes).is_some());
    }

    #[test]
    fn noise(bytes in prop::collection::vec(any::<u8>(), 0..300), with_magic: bool) {
        let bytes = if with_magic { [MAGIC.as_slice(), &bytes].concat() } else { bytes };
        prop_assert!(read(&bytes).is_none(), "noise is no trace");
    }
}
