//! `ducktrack attach`, `info --state`, `snapshot` and `stop`, on a program that goes on meanwhile.
//!
//! `ControlProbe` tells at which bytecode a method asks where it is: probes move that
//! place, so the program itself says whether its code is the one that it was loaded with.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use ducktrack_tests::{Finished, agent_library, ducktrack_command, printed_by, skipped};

use crate::recording::Recording;
use crate::tracked_jvm::{RunningJvm, TrackedJvm, jdks, jdks_in_turn};

/// `nobody`, on every Linux.
const NOBODY: u32 = 65534;

/// The command with these words; standard output and error, and whether it worked.
pub(crate) fn ducktrack(words: &[&str]) -> (bool, String) {
    said(ducktrack_command().args(words))
}

fn said(command: &mut Command) -> (bool, String) {
    let finished = Finished::of(command);
    (finished.status.success(), finished.text())
}

/// The same where it must work.
pub(crate) fn done(words: &[&str]) -> String {
    Finished::well(ducktrack_command().args(words)).text()
}

pub(crate) fn attach(jvm: &RunningJvm, output: &Path, more: &[&str]) -> String {
    Finished::well(&mut attaching(jvm, output, more)).text()
}

/// The command that attaches.
pub(crate) fn attaching(jvm: &RunningJvm, output: &Path, more: &[&str]) -> Command {
    let (pid, library) = (jvm.pid().to_string(), agent_library());
    let mut attach = ducktrack_command();
    attach.args(["attach", &pid, "--summary=off", "--library"]);
    attach
        .args([path(&library), "--output", path(output)])
        .args(more);
    attach
}

fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Where the probe's method asks.
fn place(jvm: &mut RunningJvm) -> String {
    jvm.ask("where", "WHERE")
}

/// Objects of the probe that `work` made, by its recording.
pub(crate) fn work_counted(recording: &Recording) -> (i64, i64) {
    let count = |ty| {
        let sites = recording.report.sites.iter();
        sites
            .filter(|site| site.class == "ControlProbe" && site.method == "work")
            .filter(|site| site.ty.as_deref() == Some(ty))
            .map(|site| site.count)
            .sum()
    };
    (count("ControlProbe$Marked"), count("int[]"))
}

fn check(output: &Path, objects: i64) -> Recording {
    let recording = Recording::of(output);
    assert_eq!(work_counted(&recording), (objects, objects));
    assert!(
        recording.report.damage.is_empty(),
        "{:?}",
        recording.report.damage
    );
    assert!(
        recording.report.losses.is_empty(),
        "{:?}",
        recording.report.losses
    );
    assert_eq!(recording.report.run.ended.as_deref(), Some("stop"));
    assert!(recording.report.run.attached);
    recording
}

/// Attached, stopped, attached again in `modes`: counts are exact, and the code is the program's own in between.
fn runs_one_after_another(jvm: &mut RunningJvm, folder: &Path, modes: &[&str]) {
    let own = place(jvm);
    for (number, mode) in modes.iter().enumerate() {
        let output = folder.join(format!("out-{number}"));
        attach(jvm, &output, &["--mode", mode]);
        assert_ne!(place(jvm), own, "probes move the place");
        jvm.ask("work 1000", "DONE");
        jvm.ask("thread 500", "DONE");
        let stopped = done(&["stop", &jvm.pid().to_string()]);
        assert!(stopped.contains("classes are as they were"), "{stopped}");
        assert!(!output.join("control").exists(), "the socket is gone");
        assert_eq!(place(jvm), own, "the code is the program's own again");
        jvm.ask("work 700", "DONE");
        let recording = check(&output, 1500);
        assert_eq!(recording.report.run.mode, *mode);
    }
}

#[test]
fn counts_are_exact_from_attach_to_stop_again_and_again() {
    for jdk in jdks_in_turn(11, 5) {
        let place = tempfile::tempdir().expect("temporary folder");
        let mut jvm = TrackedJvm::bare(&jdk).start_program("ControlProbe", &[]);
        let modes: &[&str] = match jdk.can_be_traced() {
            true => &["count", "trace", "count", "trace"],
            false => &["count", "count"],
        };
        runs_one_after_another(&mut jvm, place.path(), modes);
        jvm.ask("end", "END");
        let outcome = jvm.end_well();
        assert_eq!(outcome.agent_lines(), Vec::<&str>::new());
    }
}

#[test]
fn slots_in_other_places_are_given_back_too() {
    for (jdk, slot) in jdks_in_turn(11, 6)
        .into_iter()
        .flat_map(|jdk| ["padding", "hash"].map(|slot| (jdk.clone(), slot)))
    {
        let place = tempfile::tempdir().expect("temporary folder");
        let mut jvm = TrackedJvm::bare(&jdk)
            .env("DUCKTRACK_SLOT", slot)
            .start_program("ControlProbe", &[]);
        runs_one_after_another(&mut jvm, place.path(), &["count", "count"]);
        jvm.ask("end", "END");
        jvm.end_well();
    }
}

#[test]
fn a_run_says_where_it_stands_and_takes_snapshots_and_marks() {
    for jdk in jdks_in_turn(17, 1) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let mut jvm = TrackedJvm::recording(&jdk, "", &output).start_program("ControlProbe", &[]);
        let pid = jvm.pid().to_string();
        for target in [pid.as_str(), path(&output)] {
            let status = done(&["info", "--state", target]);
            assert!(
                status.contains(&format!("process {pid} is recording: mode count")),
                "{status}"
            );
            assert!(status.contains("next: ducktrack snapshot"), "{status}");
        }
        let mode = output
            .join("control")
            .metadata()
            .expect("socket")
            .permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
        jvm.ask("work 1000", "DONE");
        let answer = done(&["snapshot", &pid, "--json"]);
        assert!(answer.contains("\"snapshot\":0"), "{answer}");
        let recording = Recording::of(&output);
        assert_eq!(work_counted(&recording), (1000, 1000));
        assert_eq!(recording.report.run.ended, None);
        assert_eq!(
            done(&["snapshot", &pid, "--mark", "warm"]),
            "marked: warm\n"
        );
        let dump = place.path().join("now.hprof");
        let said = done(&["snapshot", path(&output), "--dump", "-o", path(&dump)]);
        assert!(said.contains("all live objects"), "{said}");
        let dumped = fs::read(&dump).expect("the dump");
        assert!(dumped.starts_with(b"JAVA PROFILE 1.0."));
        jvm.ask("end", "END");
        jvm.end_well();
        let text = Recording::of(&output).text();
        assert!(text.contains("snapshot 2 (exit)"), "{text}");
        let (worked, refused) = ducktrack(&["info", "--state", path(&output)]);
        assert!(
            !worked && refused.contains("no program writes this recording"),
            "{refused}"
        );
    }
}

#[test]
fn without_a_socket_commands_go_through_the_vm() {
    for jdk in jdks_in_turn(17, 2) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let mut jvm =
            TrackedJvm::recording(&jdk, "control=off", &output).start_program("ControlProbe", &[]);
        let pid = jvm.pid().to_string();
        assert!(!output.join("control").exists());
        let (worked, refused) = ducktrack(&["info", "--state", path(&output)]);
        assert!(!worked && refused.contains("control=off"), "{refused}");
        assert!(done(&["info", "--state", &pid]).contains("is recording: mode count"));
        jvm.ask("work 900", "DONE");
        assert!(done(&["snapshot", &pid]).contains("asked its agents"));
        done(&["stop", &pid]);
        jvm.ask("work 100", "DONE");
        let recording = Recording::of(&output);
        assert_eq!(work_counted(&recording), (900, 900));
        jvm.ask("end", "END");
        jvm.end_well();
    }
}

#[test]
fn methods_that_run_at_the_arrival_are_named_and_the_stops_are_told() {
    for jdk in jdks_in_turn(17, 7) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let mut jvm = TrackedJvm::bare(&jdk).start_program("ControlProbe", &[]);
        attach(&jvm, &output, &[]);
        done(&["stop", &jvm.pid().to_string()]);
        let notes = Recording::of(&output).report.notes.join("\n");
        let named = notes
            .lines()
            .find(|line| line.starts_with("Running when the agent arrived"))
            .unwrap_or_else(|| panic!("{notes}"));
        assert!(named.contains("ControlProbe.loop"), "{named}");
        assert!(!named.contains("ControlProbe.work"), "{named}");
        assert!(
            notes.contains("The arrival of the agent stopped the program"),
            "{notes}"
        );
        jvm.ask("end", "END");
        jvm.end_well();
    }
}

/// A folder that every user may enter, and the command where every user can run it.
fn open_folder() -> (tempfile::TempDir, std::path::PathBuf) {
    let place = tempfile::tempdir().expect("temporary folder");
    let open = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(place.path(), open).expect("permissions");
    let copy = place.path().join("ducktrack");
    std::fs::copy(ducktrack_command().get_program(), &copy).expect("a copy");
    std::fs::copy(agent_library(), place.path().join("libducktrack.so")).expect("a copy");
    (place, copy)
}

fn is_root() -> bool {
    let root = printed_by(Command::new("id").arg("-u"))
        == "0
";
    if !root {
        skipped("foreign users: only root can act as another user");
    }
    root
}

fn as_nobody(program: &Path, words: &[&str]) -> (bool, String) {
    let nobody = NOBODY.to_string();
    let mut setpriv = Command::new("setpriv");
    setpriv
        .args(["--clear-groups", "--regid", &nobody, "--reuid", &nobody])
        .arg(program)
        .args(words)
        .env_remove("DUCKTRACK_LIBRARY");
    said(&mut setpriv)
}

#[test]
fn other_users_are_refused_whatever_the_permissions() {
    if !is_root() {
        return;
    }
    for jdk in jdks(17).into_iter().take(1) {
        let (place, command) = open_folder();
        let output = place.path().join("out");
        let mut jvm = TrackedJvm::recording(&jdk, "", &output).start_program("ControlProbe", &[]);
        let pid = jvm.pid().to_string();
        for words in [["stop", pid.as_str()], ["attach", pid.as_str()]] {
            let (worked, text) = as_nobody(&command, &words);
            assert!(
                !worked && text.contains("run as that user or as root")
                    || text.contains("run this command as that user or as root"),
                "{text}"
            );
        }
        std::fs::set_permissions(&output, std::fs::Permissions::from_mode(0o755)).expect("open");
        let (worked, text) = as_nobody(&command, &["stop", path(&output)]);
        assert!(
            !worked && text.contains("belongs to another user"),
            "{text}"
        );
        // The agent itself looks who it is, too.
        let socket = output.join("control");
        std::fs::set_permissions(&socket, std::fs::Permissions::from_mode(0o666)).expect("open");
        let (worked, text) = as_nobody(&command, &["stop", path(&output)]);
        assert!(
            !worked && text.contains("the agent refuses: the program belongs to another user"),
            "{text}"
        );
        jvm.ask("work 100", "DONE");
        jvm.ask("end", "END");
        jvm.end_well();
        assert_eq!(work_counted(&Recording::of(&output)), (100, 100));
    }
}

#[test]
fn root_attaches_to_the_program_of_another_user() {
    if !is_root() {
        return;
    }
    for jdk in jdks_in_turn(17, 4) {
        let (place, command) = open_folder();
        if !as_nobody(&jdk.home.join("bin/java"), &["-version"]).0 {
            skipped(&format!(
                "{jdk}: another user cannot read it where it is installed"
            ));
            continue;
        }
        let mut jvm = TrackedJvm::bare(&jdk)
            .run_by(NOBODY)
            .start_program("ControlProbe", &[]);
        let pid = jvm.pid().to_string();
        let output = place.path().join("out");
        let text = said(
            Command::new(&command)
                .args(["attach", &pid, "--summary=off", "--output", path(&output)])
                .env_remove("DUCKTRACK_LIBRARY"),
        );
        assert!(text.0, "{}", text.1);
        jvm.ask("work 100", "DONE");
        done(&["stop", &pid]);
        check(&output, 100);
        jvm.ask("end", "END");
        jvm.end_well();
    }
}

#[test]
fn a_jvm_that_cannot_be_asked_is_left_alone_and_the_reason_named() {
    let cases = [
        ("-XX:+DisableAttachMechanism", 17, "no JDK can attach"),
        (
            "-XX:-EnableDynamicAgentLoading",
            21,
            "-XX:+EnableDynamicAgentLoading",
        ),
    ];
    for jdk in jdks_in_turn(17, 5) {
        for (option, _, reason) in cases.iter().filter(|case| jdk.version >= case.1) {
            let mut jvm = TrackedJvm::bare(&jdk)
                .vm(&[option])
                .start_program("ControlProbe", &[]);
            let (pid, library) = (jvm.pid().to_string(), agent_library());
            let (worked, text) = ducktrack(&["attach", &pid, "--library", path(&library)]);
            assert!(!worked && text.contains(reason), "{jdk} {option}: {text}");
            assert_eq!(text.lines().count(), 1, "{text}");
            jvm.ask("end", "END");
            assert!(jvm.end().status.success(), "{jdk} {option}");
        }
    }
}

/// Such a JVM has its listener from the start.
#[test]
fn a_jvm_that_uses_no_signals_can_be_attached_to() {
    for jdk in jdks_in_turn(17, 6) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let mut jvm = TrackedJvm::bare(&jdk)
            .vm(&["-Xrs"])
            .start_program("ControlProbe", &[]);
        attach(&jvm, &output, &[]);
        jvm.ask("work 100", "DONE");
        done(&["stop", &jvm.pid().to_string()]);
        check(&output, 100);
        // Right after the end, a second stop gets the same answer as one at the same time; later there is nothing to stop.
        let (worked, text) = ducktrack(&["stop", &jvm.pid().to_string()]);
        let ended = worked && text.contains("the recording has ended");
        let nothing = !worked && text.contains("nothing is recorded in this JVM");
        assert!(ended || nothing, "{text}");
        jvm.ask("end", "END");
        jvm.end_well();
    }
}

#[test]
fn a_second_run_while_one_goes_on_is_refused_and_bad_options_are_answered() {
    for jdk in jdks_in_turn(17, 7) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let mut jvm = TrackedJvm::bare(&jdk).start_program("ControlProbe", &[]);
        let (pid, library) = (jvm.pid().to_string(), agent_library());
        let words = ["attach", &pid, "--library", path(&library)];
        let (worked, text) = ducktrack(&[&words[..], &["--options", "colour=red"]].concat());
        assert!(
            !worked && text.contains("unknown option `colour`"),
            "{text}"
        );
        let (worked, text) = ducktrack(&["stop", &pid]);
        assert!(!worked && text.contains("has no agent"), "{text}");
        attach(&jvm, &output, &[]);
        let (worked, text) = ducktrack(&words);
        assert!(!worked && text.contains("already being recorded"), "{text}");
        jvm.ask("work 100", "DONE");
        done(&["stop", path(&output)]);
        check(&output, 100);
        jvm.ask("end", "END");
        jvm.end_well();
    }
}

/// Frames that were entered with probes of a recording go on with them: what they make is known in the next one, too.
#[test]
fn frames_that_outlive_a_recording_of_events_are_known_to_the_next() {
    for jdk in jdks_in_turn(17, 8) {
        let place = tempfile::tempdir().expect("temporary folder");
        let [first, second] = ["out-1", "out-2"].map(|name| place.path().join(name));
        let mut jvm =
            TrackedJvm::recording(&jdk, "mode=trace", &first).start_program("ControlProbe", &[]);
        let pid = jvm.pid().to_string();
        done(&["stop", &pid]);
        attach(&jvm, &second, &["--mode", "trace"]);
        jvm.ask("work 1000", "DONE");
        std::thread::sleep(std::time::Duration::from_millis(300));
        done(&["stop", &pid]);
        jvm.ask("end", "END");
        jvm.end_well();
        let recording = check(&second, 1000);
        let looped = recording.report.sites.iter().find(|site| {
            site.class == "ControlProbe" && site.method == "loop" && site.count > 1000
        });
        assert!(looped.is_some(), "{jdk}: the loop is known");
        let heap = done(&["heap", path(&second)]);
        assert!(!heap.contains("without a known size"), "{heap}");
    }
}

#[test]
fn a_bound_of_memory_is_kept_by_doing_without_and_said() {
    for jdk in jdks_in_turn(17, 9) {
        for mode in ["count", "trace"] {
            let place = tempfile::tempdir().expect("temporary folder");
            let output = place.path().join("out");
            let mut jvm = TrackedJvm::recording(&jdk, &format!("mode={mode},memory=1m"), &output)
                .start_program("ControlProbe", &[]);
            std::thread::sleep(std::time::Duration::from_secs(2));
            jvm.ask("thread 500", "DONE");
            jvm.ask("end", "END");
            jvm.end_well();
            let report = Recording::of(&output).report;
            let losses = report.losses.join("\n");
            assert!(
                losses.contains("threads counted into the shared block") || mode == "trace",
                "{losses}"
            );
            assert!(
                report.notes.join("\n").contains("option `memory`"),
                "{:?}",
                report.notes
            );
        }
    }
}
