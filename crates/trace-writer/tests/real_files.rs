//! The writer on a real file system: ownership of directories, and deleted or unwritable places.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use ducktrack_trace_format::{End, FileHeader, Record, Run, Snapshot};
use ducktrack_trace_writer::{
    CountWriter, TRACE_FILE_NAME, TraceDirectory, WriteError, WriterOptions,
};

fn writer_in(directory: &Path) -> CountWriter {
    TraceDirectory::create(directory)
        .unwrap()
        .into_count_writer(WriterOptions::default())
}

fn end() -> End {
    End {
        unix_millis: 1,
        cause: "exit".into(),
        losses: vec![],
    }
}

fn run() -> Record {
    Record::Run(Run {
        pid: 1,
        ..Run::default()
    })
}

#[test]
fn a_finished_trace_is_never_overwritten() {
    let place = tempfile::tempdir().unwrap();
    let wanted = place.path().join("deep/er/out");
    let mut first = writer_in(&wanted);
    first.define(&run()).unwrap();
    first.finish(end()).unwrap();
    let bytes = fs::read(wanted.join(TRACE_FILE_NAME)).unwrap();
    let second = TraceDirectory::create(&wanted).unwrap();
    assert!(second.is_renamed());
    assert_eq!(second.path(), place.path().join("deep/er/out.1"));
    let third = TraceDirectory::create(&wanted).unwrap();
    assert_eq!(
        third.file(),
        place.path().join("deep/er/out.2").join(TRACE_FILE_NAME)
    );
    assert_eq!(fs::read(wanted.join(TRACE_FILE_NAME)).unwrap(), bytes);
}

#[test]
fn writers_that_start_together_get_a_directory_each() {
    let place = tempfile::tempdir().unwrap();
    let wanted = place.path().join("out");
    let create = || TraceDirectory::create(&wanted).unwrap().path().to_owned();
    let paths: HashSet<PathBuf> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
        started
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(paths.len(), 8);
}

#[test]
fn an_existing_directory_is_used_and_holds_one_file_more() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("readme"), "mine").unwrap();
    let directory = TraceDirectory::create(place.path()).unwrap();
    assert!(!directory.is_renamed());
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
    let header = fs::read(place.path().join(TRACE_FILE_NAME)).unwrap();
    assert_eq!(header, FileHeader::current().encode());
}

#[test]
fn places_that_cannot_be_written_are_errors_of_one_line() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file");
    fs::write(&file, "x").unwrap();
    for wanted in [file.join("out"), file, PathBuf::from("/proc/ducktrack")] {
        let error = TraceDirectory::create(&wanted).map(|_| ()).unwrap_err();
        let text = error.to_string();
        assert!(
            matches!(error, WriteError::CreateDirectory { .. }),
            "{text}"
        );
        assert!(!text.contains('\n') && text.contains("`output`"), "{text}");
    }
}

#[test]
fn a_read_only_directory_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    let locked = place.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write anywhere, so there is nothing to check then.
    if fs::write(locked.join("probe"), "").is_err() {
        let error = TraceDirectory::create(&locked).map(|_| ()).unwrap_err();
        assert!(matches!(error, WriteError::CreateFile { .. }));
    }
}

#[test]
fn a_deleted_directory_is_restored_with_all_that_was_written() {
    let place = tempfile::tempdir().unwrap();
    let wanted = place.path().join("out");
    let mut kept = writer_in(&place.path().join("kept"));
    let mut deleted = writer_in(&wanted);
    for step in 0..3 {
        for writer in [&mut kept, &mut deleted] {
            writer.define(&run()).unwrap();
            let sequence = step;
            writer
                .snapshot(&Snapshot {
                    sequence,
                    ..Snapshot::default()
                })
                .unwrap();
        }
        fs::remove_dir_all(&wanted).unwrap();
    }
    kept.finish(end()).unwrap();
    deleted.finish(end()).unwrap();
    assert_eq!(
        fs::read(deleted.file()).unwrap(),
        fs::read(kept.file()).unwrap()
    );
    assert_eq!(deleted.losses(), Vec::<String>::new());
}

#[test]
fn a_file_put_in_the_place_of_the_trace_is_not_touched() {
    let place = tempfile::tempdir().unwrap();
    let mut writer = writer_in(place.path());
    let file = writer.file().to_owned();
    fs::remove_file(&file).unwrap();
    fs::write(&file, "somebody else's").unwrap();
    let error = writer.snapshot(&Snapshot::default()).unwrap_err();
    assert!(matches!(error, WriteError::Restore { .. }), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "somebody else's");
    fs::remove_file(&file).unwrap();
    writer.snapshot(&Snapshot::default()).unwrap();
    assert!(fs::read(&file).unwrap().len() > FileHeader::LENGTH);
}

#[test]
fn a_long_file_is_replaced_in_place() {
    let place = tempfile::tempdir().unwrap();
    let options = WriterOptions {
        compact_over: 2_000,
        ..WriterOptions::default()
    };
    let mut writer = TraceDirectory::create(place.path())
        .unwrap()
        .into_count_writer(options);
    writer.define(&run()).unwrap();
    for sequence in 0..300 {
        writer
            .snapshot(&Snapshot {
                sequence,
                ..Snapshot::default()
            })
            .unwrap();
        assert!(writer.bytes_written() < 3_000);
    }
    writer.finish(end()).unwrap();
    assert_eq!(
        fs::metadata(writer.file()).unwrap().len(),
        writer.bytes_written()
    );
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}
