//! `ducktrack bisect` finds a seeded regression among 64 commits with at most seven builds; commits that do not build are skipped.

use std::fs;
use std::path::Path;
use std::process::Command;

use ducktrack_tests::{
    agent_library, checked, ducktrack_command, has_program, installed_jdks, printed_by, skipped,
};

const COMMITS: usize = 64;
/// From this commit on, each operation makes one more object.
const CULPRIT: usize = 37;
/// This one does not compile.
const BROKEN: usize = 20;

#[test]
fn the_commit_that_allocates_more_is_found() {
    let mut jdks = installed_jdks().into_iter();
    let jdk = jdks.find(|jdk| jdk.has("javac"));
    let Some(jdk) = jdk.filter(|_| has_program("git")) else {
        skipped("bisect: no git, or no JDK with javac");
        return;
    };
    let folder = tempfile::tempdir().expect("temporary folder");
    let repository = folder.path().join("program");
    fs::create_dir(&repository).expect("a folder");
    let commits = seed(&repository);
    let builds = folder.path().join("builds.txt");
    let mut command = ducktrack_command();
    command
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
        .arg(agent_library())
        .arg("--build")
        .arg(format!(
            "echo build >> {} && {} -d classes Program.java",
            builds.display(),
            jdk.home.join("bin/javac").display()
        ))
        .arg("--")
        .arg(jdk.home.join("bin/java"))
        .args(["-cp", "classes", "Program"]);
    let text = printed_by(&mut command);
    assert!(text.contains(&format!("commit {CULPRIT}")), "{text}");
    let builds = fs::read_to_string(&builds).expect("the builds");
    let builds = builds.lines().count();
    assert!(builds <= 7, "{builds} builds");
    let branch = git_in(&repository, &["rev-parse", "--abbrev-ref", "HEAD"]);
    assert_eq!(branch.trim(), "main");
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
        name.trim().to_owned()
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

fn git_in(repository: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.current_dir(repository);
    git.args(["-c", "user.name=Test", "-c", "user.email=test@example.org"]);
    printed_by(git.args(arguments))
}
