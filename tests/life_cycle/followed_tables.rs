//! `ducktrack export PID --follow --to parquet`: the files of a program that was followed to its end are
//! those of an export of its recording, and hold everything that the report has; also where it was killed.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ducktrack_test_support::{Ended, files_below};
use ducktrack_tests::{
    agent_argument, checked, compiled, ducktrack_command, installed_jdks, printed_by, skipped,
};

const TABLES: [&str; 7] = [
    "--to=parquet",
    "--service=orders",
    "--version=1",
    "--host=web-1",
    "--every=1",
    "--label=zone=b",
    "-o",
];

#[test]
fn a_followed_program_has_the_tables_of_its_recording() {
    followed("ended", |program| {
        wait(program, "the program ends");
    });
}

#[test]
fn a_program_that_is_killed_while_it_is_followed_has_them_too() {
    followed("killed", |program| {
        std::thread::sleep(Duration::from_secs(3));
        program.kill().expect("a process");
        wait(program, "the program is dead");
    });
}

fn followed(how: &str, end: impl FnOnce(&mut Child)) {
    let Some(jdk) = installed_jdks().into_iter().find(|jdk| jdk.version == 17) else {
        skipped("followed tables: no JDK 17");
        return;
    };
    let folder = compiled(&["NamespaceProgram"], 17);
    let recording = folder.path().join("recording");
    let program = jdk
        .java(folder.path())
        .arg(agent_argument("", &recording))
        .args(["NamespaceProgram", "20000", "6"])
        .stdout(Stdio::null())
        .spawn();
    let mut program = Ended(program.expect("java"));
    let start = Instant::now();
    while !recording.join("ducktrack.trace").exists() {
        assert!(start.elapsed().as_secs() < 60, "no recording");
        std::thread::sleep(Duration::from_millis(20));
    }
    let followed = folder.path().join("followed");
    let follower = export(&program.0.id().to_string(), &followed)
        .arg("--follow")
        .spawn();
    let mut follower = Ended(follower.expect("the command"));
    end(&mut program.0);
    let ending = wait(&mut follower.0, "the export ends");
    assert!(ending.success(), "{how}: {ending}");

    let at_once = folder.path().join("at-once");
    printed_by(&mut export(&recording.display().to_string(), &at_once));
    let (followed, at_once) = (files_below(&followed), files_below(&at_once));
    assert!(followed.len() >= 3, "{how}: {:?}", followed.keys());
    assert!(
        followed.keys().eq(at_once.keys()),
        "{how}: {:?} {:?}",
        followed.keys(),
        at_once.keys()
    );
    for (name, content) in &followed {
        assert!(at_once[name] == *content, "{how}: {}", name.display());
    }
    checked("the tables of a followed program are those of its recording");
}

fn export(what: &str, root: &Path) -> Command {
    let mut command = ducktrack_command();
    command.args(["export", what]).args(TABLES).arg(root);
    command.stderr(Stdio::null());
    command
}

fn wait(child: &mut Child, what: &str) -> std::process::ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a process") {
            return status;
        }
        assert!(start.elapsed().as_secs() < 60, "not in a minute: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
