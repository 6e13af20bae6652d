//! Writer, reader and model together, on a real file system and in processes that end badly.
//!
//! The test program starts itself again as the writing process: `DUCKTRACK_TEST_WRITE_TO` names the directory.

mod written_trace;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use ducktrack_count_model::{CountModel, CountModelBuilder};
use ducktrack_trace_format::Damage;
use ducktrack_trace_reader::TraceReader;
use ducktrack_trace_writer::{TraceDirectory, WriterOptions};
use written_trace::{define_all, expected_objects, finish, values};

const WRITE_TO: &str = "DUCKTRACK_TEST_WRITE_TO";

fn model_of(path: &Path) -> CountModel {
    let mut reader = TraceReader::open(path).expect("a trace");
    let mut builder = CountModelBuilder::new();
    reader.by_ref().for_each(|record| builder.fold(record));
    for (file, damage) in reader.damage() {
        builder.damage(file.display().to_string(), damage.clone());
    }
    builder.finish()
}

#[test]
fn a_trace_that_ends_properly_is_sound() {
    let place = tempfile::tempdir().expect("a directory");
    let directory = TraceDirectory::create(&place.path().join("out")).expect("a trace");
    let path = directory.path().to_owned();
    let mut writer = directory.into_count_writer(WriterOptions::default());
    define_all(&mut writer).expect("definitions");
    for round in 0..20 {
        writer.snapshot(&values(round)).expect("a snapshot");
        let model = model_of(&path);
        assert_eq!(model.total.count, expected_objects(round));
        assert!(matches!(model.damage[0].damage, Damage::NoEnd { .. }));
    }
    finish(&mut writer).expect("the end");
    let model = model_of(&path);
    assert!(
        model.is_sound(),
        "{:?} {:?}",
        model.damage,
        model.inconsistencies
    );
    assert_eq!(model.total.count, expected_objects(19));
    assert_eq!(model.total.bytes, expected_objects(19) * 24);
    assert_eq!(model.snapshots.len(), 20);
}

/// Not a test of its own: the writing process. It prints the number of each snapshot once that is written.
#[test]
fn write_until_stopped() {
    let Some(place) = std::env::var_os(WRITE_TO) else {
        return;
    };
    let directory = TraceDirectory::create(Path::new(&place)).expect("a trace");
    let mut writer = directory.into_count_writer(WriterOptions::default());
    let _ = define_all(&mut writer);
    for round in 0..1_000_000 {
        match writer.snapshot(&values(round)) {
            Ok(()) => eprintln!("\nwritten {round}"),
            Err(error) => {
                eprintln!("\nfailed {round} {error}");
                // A kill in the middle of a second attempt would leave that attempt's first bytes.
                loop {
                    std::thread::park();
                }
            }
        }
    }
}

fn start_writing(place: &Path, shell_prefix: &str) -> Child {
    let program = std::env::current_exe().expect("the name of this program");
    Command::new("sh")
        .args([
            "-c",
            &format!("{shell_prefix} exec \"$0\" write_until_stopped --nocapture"),
            program.to_str().expect("UTF-8"),
        ])
        .env(WRITE_TO, place)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process")
}

/// Reads the output of the process until `enough`; kills it; gives the last snapshot that it had written.
fn kill_when(child: &mut Child, enough: impl Fn(&str) -> bool) -> u32 {
    let mut last = None;
    let said = BufReader::new(child.stderr.take().expect("a pipe"));
    for line in said.lines().map_while(Result::ok) {
        if let Some(round) = line.strip_prefix("written ") {
            last = round.parse().ok();
        }
        if enough(&line) {
            break;
        }
    }
    child.kill().expect("kill -9");
    child.wait().expect("its end");
    last.expect("a snapshot was written")
}

#[test]
fn after_kill_9_the_last_snapshot_is_readable() {
    for round in [0, 1, 7, 50] {
        let place = tempfile::tempdir().expect("a directory");
        let mut child = start_writing(place.path(), "");
        let last = kill_when(&mut child, |line| line == format!("written {round}"));
        let model = model_of(place.path());
        let snapshot = model.snapshots.last().expect("a snapshot");
        assert!(
            snapshot.sequence >= last,
            "{} after {last}",
            snapshot.sequence
        );
        assert_eq!(model.total.count, expected_objects(snapshot.sequence));
        assert!(model.inconsistencies.is_empty());
        let damage: Vec<&str> = model
            .damage
            .iter()
            .map(|found| found.damage.name())
            .collect();
        assert!(damage == ["no-end"] || damage == ["cut"], "{damage:?}");
    }
}

/// The system refuses to let the file grow, as a full disk does.
#[test]
fn a_file_that_may_not_grow_ends_with_a_whole_snapshot() {
    let place = tempfile::tempdir().expect("a directory");
    let mut child = start_writing(place.path(), "trap '' XFSZ; ulimit -f 128;");
    let last = kill_when(&mut child, |line| line.starts_with("failed "));
    let model = model_of(place.path());
    assert_eq!(model.snapshots.last().map(|row| row.sequence), Some(last));
    assert_eq!(model.total.count, expected_objects(last));
    let damage: Vec<&str> = model
        .damage
        .iter()
        .map(|found| found.damage.name())
        .collect();
    assert_eq!(damage, ["no-end"]);
}
