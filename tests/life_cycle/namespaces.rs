//! The places where containers run programs: a read-only root, another user, namespaces of processes and mounts. Only what the image
//! and the manifests of `crates/cli/deploy` give is there: a volume with the library, a volume for recordings, `JAVA_TOOL_OPTIONS`.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ducktrack_test_support::Ended;
use ducktrack_tests::{
    Jdk, agent_library, checked, compiled, ducktrack_command, installed_jdks, json_by, printed_by,
    skipped, trace_command,
};

/// Makes the root read-only in a mount namespace of its own, and runs a program as nobody. Only `$VOLUME` can be written.
const READ_ONLY: &str = r#"
set -e
mount -t tmpfs none "$VOLUME"
mkdir "$VOLUME/recordings" "$VOLUME/ducktrack"
cp "$LIBRARY" "$VOLUME/ducktrack/libducktrack.so"
cp -r "$CLASSES" "$VOLUME/classes"
chmod -R a+rX "$VOLUME"
chmod a+rwx "$VOLUME/recordings"
mount -o remount,ro,bind /
! touch /root/written 2>/dev/null
export JAVA_TOOL_OPTIONS="-Xmx64m -agentpath:$VOLUME/ducktrack/libducktrack.so=output=$VOLUME/recordings/run,summary=off"
setpriv --reuid 65534 --regid 65534 --clear-groups "$JAVA" -cp "$VOLUME/classes" NamespaceProgram 20000 0 >&2
"$COMMAND" report "$VOLUME/recordings/run" --format json
"#;

#[test]
fn a_program_with_a_read_only_root_is_recorded_by_nobody() {
    let Some((classes, jdk)) = program_and_jdk() else {
        return;
    };
    let volume = tempfile::tempdir().expect("temporary folder");
    let mut unshare = Command::new("unshare");
    unshare
        .args(["-m", "bash", "-c", READ_ONLY])
        .env("VOLUME", volume.path())
        .env("LIBRARY", agent_library())
        .env("COMMAND", ducktrack_command().get_program())
        .env("CLASSES", classes.path())
        .env("JAVA", jdk.home.join("bin/java"));
    assert_eq!(markers(&json_by(&mut unshare)), 20_000);
    checked("a program with a read-only root, as nobody, recorded into a volume");
}

#[test]
fn attach_reaches_a_program_in_other_namespaces() {
    let Some((classes, jdk)) = program_and_jdk() else {
        return;
    };
    let program = Command::new("unshare")
        .args(["-m", "-p", "--fork", "--kill-child", "--mount-proc"])
        .arg(jdk.home.join("bin/java"))
        .arg("-cp")
        .arg(classes.path())
        .args(["NamespaceProgram", "20000", "20"])
        .stdout(Stdio::null())
        .spawn();
    let mut program = Ended(program.expect("unshare"));
    let pid = child_of(program.0.id());
    std::thread::sleep(Duration::from_secs(1));
    let folder = classes.path().join("attached");
    let recording = folder.display().to_string();
    for words in [
        &["attach", &pid, "--output", &recording][..],
        &["snapshot", &pid],
    ] {
        printed_by(ducktrack_command().args(words));
    }
    // It runs 20 rounds of a second each, of 20,000 objects.
    let end = Instant::now() + Duration::from_secs(60);
    while program.0.try_wait().expect("a process").is_none() {
        assert!(Instant::now() < end, "the program does not end");
        std::thread::sleep(Duration::from_millis(200));
    }
    let found = markers(&trace_command("report", &folder, &[]));
    assert!(found > 0 && found % 20_000 == 0, "{found}");
    checked("a program in namespaces of its own reached by attach");
}

/// The process id, seen from here, of the program that `unshare` has started.
fn child_of(parent: u32) -> String {
    let children = format!("/proc/{parent}/task/{parent}/children");
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let text = fs::read_to_string(&children).unwrap_or_default();
        if let Some(child) = text.split_whitespace().next() {
            return child.to_owned();
        }
        assert!(Instant::now() < end, "unshare starts no program");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn markers(report: &serde_json::Value) -> i64 {
    let sites = report["sites"].as_array().expect("sites").iter();
    let ours = sites.filter(|site| site["type"] == "NamespaceProgram");
    ours.filter_map(|site| site["count"].as_i64()).sum()
}

fn program_and_jdk() -> Option<(tempfile::TempDir, Jdk)> {
    let may = Command::new("unshare")
        .args([
            "-m",
            "-p",
            "--fork",
            "--mount-proc",
            "setpriv",
            "--reuid",
            "65534",
            "true",
        ])
        .output();
    if !may.is_ok_and(|output| output.status.success()) {
        skipped("namespaces: no unshare, no setpriv, or not allowed here");
        return None;
    }
    let classes = compiled(&["NamespaceProgram"], 11);
    let jdk = installed_jdks().into_iter().find(is_seen_by_nobody);
    if jdk.is_none() {
        skipped("namespaces: no JDK that another user can run");
    }
    Some((classes, jdk?))
}

/// Folders of the checkout may be closed to others.
fn is_seen_by_nobody(jdk: &Jdk) -> bool {
    let run = Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(jdk.home.join("bin/java"))
        .arg("-version")
        .output();
    run.is_ok_and(|output| output.status.success())
}
