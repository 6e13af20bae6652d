//! `ducktrack bisect` finds a seeded regression among 64 commits with at most seven builds; commits that do not build are skipped.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use ducktrack_tests::{agent_library, checked, ducktrack_command, installed_jdks, skipped};

const COMMITS: usize = 64;
/// From this commit on, each operation makes one more object.
const CULPRIT: usize = 37;
/// This one does not compile.
const BROKEN: usize = 20;

#[test]
fn the_commit_that_allocates_more_is_found() {
    let git = Command::new("git").arg("--version").output();
    let mut jdks = installed_jdks().into_iter();
    let jdk = jdks.find(|jdk| jdk.has("javac"));
    let Some(jdk) = jdk.filter(|_| git.is_ok_and(|git| git.status.success())) else {
        skipped("bisect: no git, or no JDK with javac");
        return;
    };
    let folder = tempfile::tempdir().expect("temporary folder");
    let repository = folder.path().join("program");
    fs::create_dir(&repository).expect("a folder");
    let commits = seed(&repository);
    let builds = folder.path().join("builds.txt");
    let run = Command::new(ducktrack_command().expect("the command"))
        .current_dir(&repository)
        .args([
            "bisect",
            "--good",
            &commits[0],
            "--options",
            "app=Program",
            "--fail-on",
            "count[Program]>+0",
        ])
        .arg("--library")
        .arg(agent_library().expect("agent"))
        .arg("--build")
        .arg(format!(
            "echo build >> {} && {} -d classes Program.java",
            builds.display(),
            jdk.home.join("bin/javac").display()
        ))
        .arg("--")
        .arg(jdk.home.join("bin/java"))
        .args(["-cp", "classes", "Program"])
        .output()
        .expect("ducktrack");
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{run:?}");
    assert!(text.contains(&format!("commit {CULPRIT}")), "{text}");
    let builds = fs::read_to_string(&builds).expect("the builds");
    let builds = builds.lines().count();
    assert!(builds <= 7, "{builds} builds");
    let branch = git_in(&repository, &["rev-parse", "--abbrev-ref", "HEAD"]);
    assert_eq!(String::from_utf8_lossy(&branch.stdout).trim(), "main");
    checked(&format!(
        "a regression among {COMMITS} commits, {builds} builds"
    ));
}

/// Commits 0 to 64; gives their names.
fn seed(repository: &Path) -> Vec<String> {
    git_in(repository, &["init", "-q", "-b", "main"]);
    let commit = |number: usize| {
        fs::write(repository.join("Program.java"), program(number)).expect("a source");
        git_in(repository, &["add", "Program.java"]);
        let message = format!("commit {number}");
        git_in(repository, &["commit", "-q", "-m", &message]);
        let name = git_in(repository, &["rev-parse", "HEAD"]);
        String::from_utf8_lossy(&name.stdout).trim().to_owned()
    };
    (0..=COMMITS).map(commit).collect()
}

fn program(number: usize) -> String {
    let more = match number >= CULPRIT {
        true => "kept = new int[3];",
        false => "",
    };
    let broken = match number == BROKEN {
        true => "this does not compile",
        false => "",
    };
    format!(
        "public class Program {{
    static Object kept;
    // {number}
    public static void main(String[] arguments) {{
        for (int n = 0; n < 1000; n++) {{ kept = new Object(); {more} }}
        {broken}
    }}
}}
"
    )
}

fn git_in(repository: &Path, arguments: &[&str]) -> Output {
    let run = Command::new("git")
        .current_dir(repository)
        .args(["-c", "user.name=Test", "-c", "user.email=test@example.org"])
        .args(arguments)
        .output()
        .expect("git");
    assert!(run.status.success(), "git {arguments:?}: {run:?}");
    run
}
