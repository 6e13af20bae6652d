//! Survivors that are written as they are and matched by the reader: it gets what it gets from a log with a mirror.

use std::path::Path;

use ducktrack_test_support::naive_vm::heap_classes;
use ducktrack_trace_format::decode_explained;
use ducktrack_trace_reader::{EventFiles, EventStep};
use ducktrack_trace_writer::EventOptions;
use proptest::prelude::*;

use crate::round_trip::run;
use crate::test_host::facts;

/// What the reader says of collections and objects, in its order.
fn steps(directory: &Path) -> Vec<String> {
    let mut files = EventFiles::open(directory).unwrap();
    files.know(facts(), heap_classes());
    let mut steps = Vec::new();
    while let Some(step) = files.next_step() {
        steps.push(match step {
            EventStep::Epoch(epoch) => format!(
                "{:?}, {:x?}, {}",
                epoch.collection, epoch.runs, epoch.complete
            ),
            EventStep::Explained(found) => {
                format!("{:?}", decode_explained(&found.content).collect::<Vec<_>>())
            }
            EventStep::End(_) => "end".to_owned(),
            EventStep::File { .. } => "file".to_owned(),
            other => format!("{other:?}"),
        });
    }
    assert_eq!(files.damage(), []);
    steps
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn it_makes_no_difference_who_matches(seed: u64, columns: bool, steps_of_epoch in 1_u64..600, collections in 1_u64..12) {
        let said = [false, true].map(|match_later| {
            let directory = tempfile::tempdir().unwrap();
            let options = EventOptions { match_later, columns, queue_length: 4, ..EventOptions::default() };
            let (_, stats, _) = run(seed, options, directory.path(), steps_of_epoch, collections);
            assert_eq!(stats.mirror_objects == 0, match_later || stats.survivors == 0);
            steps(directory.path())
        });
        let [by_writer, by_reader] = said;
        prop_assert!(by_writer.len() > collections as usize);
        for (writer, reader) in by_writer.iter().zip(&by_reader) {
            prop_assert_eq!(writer, reader);
        }
        prop_assert_eq!(by_writer.len(), by_reader.len());
    }
}
