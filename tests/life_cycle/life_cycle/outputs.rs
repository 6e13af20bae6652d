//! Where recordings go.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

use ducktrack_tests::{Finished, ducktrack_command, skipped};

use crate::recording::Recording;
use crate::tracked_jvm::{TrackedJvm, jdks, jdks_in_turn};

#[test]
fn the_default_is_named_by_the_process() {
    for jdk in jdks_in_turn(17, 0) {
        let place = tempfile::tempdir().expect("temporary folder");
        let mut jvm = TrackedJvm::new(&jdk, "summary=off")
            .directory(place.path())
            .start(&["wait"]);
        let output = place.path().join(format!("ducktrack-{}", jvm.pid()));
        jvm.go_on();
        jvm.end_well();
        Recording::of(&output).check(1, Some("exit"));
    }
}

#[test]
fn patterns_name_process_and_time() {
    for jdk in jdks_in_turn(17, 1) {
        let place = tempfile::tempdir().expect("temporary folder");
        let mut jvm =
            TrackedJvm::recording(&jdk, "", &place.path().join("a/%p/%t%%")).start(&["wait"]);
        let parent = place.path().join("a").join(jvm.pid().to_string());
        jvm.go_on();
        jvm.end();
        let names: Vec<String> = fs::read_dir(&parent)
            .expect("the directory of the process")
            .map(|entry| {
                entry
                    .expect("entry")
                    .file_name()
                    .into_string()
                    .expect("UTF-8")
            })
            .collect();
        assert_eq!(names.len(), 1);
        let seconds: u64 = names[0]
            .strip_suffix('%')
            .expect("a percent sign")
            .parse()
            .expect("a time");
        let recording = Recording::of(&parent.join(&names[0]));
        assert_eq!(recording.report.run.start_unix_millis / 1000, seconds);
    }
}

#[test]
fn a_directory_that_exists_is_used_and_its_files_stay() {
    for jdk in jdks_in_turn(17, 2) {
        let place = tempfile::tempdir().expect("temporary folder");
        fs::write(place.path().join("mine"), "untouched").expect("file");
        TrackedJvm::recording(&jdk, "", place.path()).run_well(&["return"]);
        Recording::of(place.path()).check(1, Some("exit"));
        assert_eq!(
            fs::read_to_string(place.path().join("mine")).expect("file"),
            "untouched"
        );
    }
}

#[test]
fn only_the_owner_can_look_into_a_recording() {
    for jdk in jdks_in_turn(17, 3) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let log = place.path().join("log");
        TrackedJvm::recording(
            &jdk,
            &format!("mode=trace,log=info:{}", log.display()),
            &output,
        )
        .run_well(&["return"]);
        let mode = |path: &Path| {
            let permissions = fs::symlink_metadata(path)
                .expect("it is there")
                .permissions();
            permissions.mode() & 0o777
        };
        assert_eq!(mode(&output), 0o700);
        let files = fs::read_dir(&output).expect("the recording");
        let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        files.push(log);
        assert!(files.len() > 2, "{files:?}");
        for file in files {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
    }
}

#[test]
fn a_link_in_a_public_folder_is_refused() {
    for jdk in jdks_in_turn(17, 4) {
        let place = tempfile::tempdir().expect("temporary folder");
        let public = place.path().join("public");
        fs::create_dir(&public).expect("folder");
        fs::set_permissions(&public, fs::Permissions::from_mode(0o1777)).expect("permissions");
        symlink(place.path(), public.join("out")).expect("link");
        let options = format!("output={}", public.join("out").display());
        let outcome = TrackedJvm::new(&jdk, &options).run(&["return"]);
        assert!(!outcome.status.success());
        let lines = outcome.agent_lines();
        assert!(
            lines.len() == 1 && lines[0].contains("it is a link"),
            "{lines:?}"
        );
    }
}

#[test]
fn a_folder_of_another_user_is_refused() {
    const ANOTHER: u32 = 12_345;
    for jdk in jdks_in_turn(17, 5) {
        let place = tempfile::tempdir().expect("temporary folder");
        let theirs = place.path().join("theirs");
        fs::create_dir(&theirs).expect("folder");
        if chown(&theirs, Some(ANOTHER), None).is_err() {
            skipped("life cycle: only root can give a folder to another user");
            return;
        }
        let options = format!("output={}", theirs.display());
        let outcome = TrackedJvm::new(&jdk, &options).run(&["return"]);
        assert!(!outcome.status.success());
        let lines = outcome.agent_lines();
        assert!(
            lines.len() == 1
                && lines[0].contains("belongs to another user (number 12345")
                && lines[0].contains("theirs"),
            "{lines:?}"
        );
        assert_eq!(fs::read_dir(&theirs).expect("folder").count(), 0);
    }
}

#[test]
fn two_jvms_share_a_place() {
    for jdk in jdks_in_turn(17, 6) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let options = format!("summary=off,output={}", output.display());
        let mut first = TrackedJvm::new(&jdk, &options).start(&["wait"]);
        let mut second = TrackedJvm::new(&jdk, &options).start(&["twice"]);
        let (first_pid, second_pid) = (first.pid(), second.pid());
        first.go_on();
        second.go_on();
        let outcomes = [first.end(), second.end()];
        assert!(outcomes.iter().all(|outcome| outcome.status.success()));
        let lines = outcomes[1].agent_lines();
        assert!(
            lines.len() == 1 && lines[0].contains("out.1"),
            "the second one says where it goes: {lines:?}"
        );
        let (first, second) = (
            Recording::of(&output),
            Recording::of(&place.path().join("out.1")),
        );
        first.check(1, Some("exit"));
        second.check(2, Some("exit"));
        let said = Finished::of(ducktrack_command().arg("report").arg(&output)).errors;
        assert!(
            said.contains("a newer recording stands beside this one"),
            "{said}"
        );
        assert_eq!(
            (first.report.run.pid, second.report.run.pid),
            (first_pid, second_pid)
        );
    }
}

/// `LinkedHashMap` makes nearly all objects of the program, so that its callers are tracked from the agent's first look on, long after the
/// first snapshot.
#[test]
fn what_is_noted_after_the_first_snapshot_is_reported() {
    for jdk in jdks(17).into_iter().take(1) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        TrackedJvm::recording(&jdk, "interval=1", &output).run_well(&["library", "12"]);
        let recording = Recording::of(&output);
        let expected = "became a tracked class when it was found hot";
        let notes = &recording.report.notes;
        let found = notes.iter().filter(|note| note.contains(expected)).count();
        assert!(found >= 1, "{notes:?}");
        assert_eq!(recording.text().matches(expected).count(), found);
        let of_library = recording.report.sites.iter();
        let callers = of_library
            .filter(|site| site.class == "java.util.LinkedHashMap")
            .flat_map(|site| &site.context)
            .filter(|part| part.caller.class.as_deref() == Some("LifeCycleProbe"));
        let objects: i64 = callers.map(|part| part.count).sum();
        assert!(objects > 100_000, "{objects} objects have their caller");
    }
}

/// `HeapByteBufferR` makes nearly all objects of the program, but its methods
/// are called as those of `ByteBuffer`: notes by its name would find no caller.
#[test]
fn a_class_that_nobody_names_is_not_tracked() {
    nothing_becomes_tracked("views", "java.nio.HeapByteBufferR");
}

/// The entries of `LinkedHashSet` are made in `LinkedHashMap`, for `HashMap`, for `HashSet`: that these are to blame is no news.
#[test]
fn a_class_that_only_the_library_calls_is_not_tracked() {
    nothing_becomes_tracked("sets", "java.util.LinkedHashMap");
}

fn nothing_becomes_tracked(what_makes_objects: &str, hot: &str) {
    for jdk in jdks(17).into_iter().take(1) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        TrackedJvm::recording(&jdk, "", &output).run_well(&[what_makes_objects, "4"]);
        let recording = Recording::of(&output);
        assert_eq!(recording.report.notes, Vec::<String>::new());
        let mut sites = recording.report.sites.iter();
        let site = sites.find(|site| site.class == hot && site.count > 1_000_000);
        assert!(site.is_some(), "no hot site");
    }
}
