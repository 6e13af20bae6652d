//! The neutral stream of a trace, as a file: `ducktrack info` must find it whole and possible, and it has the moments of collections.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Output;

use ducktrack_merlin::{BlockReader, Record};
use ducktrack_tests::{TracedRun, deaths_command, ducktrack_command};

/// A collection, by the moment of the stream at which it was.
pub(crate) struct StreamCollection {
    pub(crate) time: u64,
    /// Every object that it does not name dead was reachable.
    pub(crate) complete: bool,
}

/// Writes the stream of a run's trace beside it.
pub(crate) fn write_stream(run: &TracedRun) -> PathBuf {
    let file = run.file("stream");
    let name = file.to_str().expect("a name");
    deaths_command(&run.trace(), &["--format", "stream", "--output", name]);
    file
}

/// `ducktrack info`
pub(crate) fn check(stream: &Path) -> Output {
    let mut command = ducktrack_command();

    command.arg("info").arg(stream).output().expect("ducktrack")
}

/// The collections of a stream that is whole.
pub(crate) fn collections(stream: &Path) -> Vec<StreamCollection> {
    let file = BufReader::new(File::open(stream).expect("a file"));
    let mut blocks = BlockReader::new(file).expect("a stream");
    let mut collections = Vec::new();
    while let Some(block) = blocks.next_block().expect("a block") {
        let block = block.decode().expect("records");
        let mut time = block.time;
        for record in &block.records {
            match record {
                Record::Collection { complete, .. } => collections.push(StreamCollection {
                    time,
                    complete: *complete,
                }),
                Record::Tick { advance, .. } => time += advance,
                event if event.is_event() => time += 1,
                _ => {}
            }
        }
        assert_eq!(time, block.end_time, "moments of a block");
    }
    collections
}
