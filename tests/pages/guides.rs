//! Each command of README and of the guides (`crates/cli/guide`) is run as a reader would, and its output is what the page shows.
//!
//! In a block of kind `console`, a line after `$ ` is a command, and the lines after it are its output.
//! `...` stands for any lines. Numbers, and what is aligned by them, may differ. All commands of a page
//! run in one shell, in a folder with `Orders.java` and `h2.jar`. Each command must end with exit code 0.
//!
//! `DUCKTRACK_PAGES` names another folder with the pages: that of an unpacked release.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ducktrack_tests::{
    agent_library, checked, ducktrack_command, harness_folder, installed_jdks, skipped,
};

/// Printed after each command, with its exit code.
const MARK: &str = "@end-of-command ";
/// No page has less; so a page whose blocks are not found is noticed.
const FEWEST_COMMANDS: usize = 3;

/// A command and the lines that the page shows below it.
struct Shown {
    command: String,
    output: Vec<String>,
}

#[test]
fn every_command_of_every_page_prints_what_the_page_shows() {
    let Some(h2) = h2_jar() else {
        skipped("guides: no h2.jar; scripts/harness-build fetches it");
        return;
    };
    let mut commands = 0;
    for page in pages() {
        let shown = blocks(&fs::read_to_string(&page).expect("a page"));
        // An index, a page whose commands need a cluster, and one of an API, whose code `embedded` runs.
        let without = ["troubleshooting.md", "in-kubernetes.md", "embed-it.md"];
        let has_none = page
            .file_name()
            .is_some_and(|name| without.iter().any(|page| name == *page));
        assert!(
            has_none || shown.len() >= FEWEST_COMMANDS,
            "{}: {} commands",
            page.display(),
            shown.len()
        );
        if !shown.is_empty() {
            run_page(&page, &shown, &h2);
        }
        commands += shown.len();
    }
    checked(&format!("{commands} commands of README and the guides"));
}

fn root() -> PathBuf {
    match std::env::var_os("DUCKTRACK_PAGES") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join(".."),
    }
}

/// Only the page that `DUCKTRACK_GUIDE` names, or all.
fn pages() -> Vec<PathBuf> {
    let only = std::env::var("DUCKTRACK_GUIDE").ok();
    let guides = fs::read_dir(root().join("crates/cli/guide")).expect("the guides");
    let guides = guides.map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<PathBuf> = guides.chain([root().join("README.md")]).collect();
    pages.retain(|path| {
        let is_page = path.extension().is_some_and(|ending| ending == "md");
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        is_page && only.as_deref().is_none_or(|only| stem == Some(only))
    });
    pages.sort();
    pages
}

fn h2_jar() -> Option<PathBuf> {
    let folder = harness_folder().join("lib/database");
    let jars = fs::read_dir(folder).ok()?.flatten();
    let mut jars = jars.map(|entry| entry.path());
    jars.find(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("h2-"))
    })
}

/// The commands of all blocks of kind `console`.
fn blocks(page: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut is_inside = false;
    for line in page.lines() {
        match line.strip_prefix("$ ") {
            _ if line.starts_with("```") => is_inside = line == "```console",
            _ if !is_inside => {}
            Some(command) => shown.push(Shown {
                command: command.to_owned(),
                output: Vec::new(),
            }),
            None => {
                let last = shown.last_mut().expect("a command before its output");
                last.output.push(line.to_owned());
            }
        }
    }
    shown
}

fn run_page(page: &Path, shown: &[Shown], h2: &Path) {
    let place = tempfile::tempdir().expect("temporary folder");
    let program = root().join("crates/cli/guide/Orders.java");
    fs::copy(program, place.path().join("Orders.java")).expect("the program");
    fs::copy(h2, place.path().join("h2.jar")).expect("its library");
    let script: String = shown
        .iter()
        .map(|shown| format!("{}\nprintf '\\n{MARK}%d\\n' $?\n", shown.command))
        .collect();
    let out = place.path().join("page.out");
    let file = fs::File::create(&out).expect("a file");
    let status = Command::new("bash")
        .arg("-c")
        .arg(format!("exec 2>&1\n{script}"))
        .current_dir(place.path())
        .env("PATH", search_path())
        .env("DUCKTRACK_LIBRARY", agent_library())
        .env("COLUMNS", "100")
        .stdin(Stdio::null())
        .stdout(file)
        .status()
        .expect("bash");
    assert!(status.success(), "{}", page.display());
    let printed = fs::read_to_string(&out).expect("its output");
    let mut parts = printed.split(MARK);
    let mut output = parts.next().unwrap_or_default();
    for (shown, part) in shown.iter().zip(parts) {
        let (code, rest) = part.split_once('\n').unwrap_or((part, ""));
        let place = format!("{}: $ {}\n{output}", page.display(), shown.command);
        assert_eq!(code, "0", "exit code of {place}");
        compare(&shown.output, output, &place);
        output = rest;
    }
}

/// Each line of the page is in the output, in the same order; without `...` between them, directly one after the other.
fn compare(expected: &[String], output: &str, place: &str) {
    let lines: Vec<String> = output.lines().map(masked).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let lines = trimmed(&lines);
    let (mut at, mut may_skip) = (0, false);
    for line in expected {
        if line == "..." {
            may_skip = true;
            continue;
        }
        let wanted = masked(line);
        let rest = lines.get(at..).unwrap_or_default();
        let found = match may_skip {
            true => rest.iter().position(|line| fits(line, &wanted)),
            false => rest
                .first()
                .is_some_and(|line| fits(line, &wanted))
                .then_some(0),
        };
        let Some(found) = found else {
            panic!("this line is not there: {line}\n{place}");
        };
        at += found + 1;
        may_skip = wanted.ends_with("...");
    }
    assert!(
        may_skip || at == lines.len() || expected.is_empty(),
        "more lines than the page shows: {:?}\n{place}",
        &lines[at..]
    );
}

/// `...` at the end of a line stands for the rest of it, and for the lines into which it is broken.
fn fits(line: &str, wanted: &str) -> bool {
    match wanted.strip_suffix("...") {
        Some(start) => line.starts_with(start.trim_end()),
        None => line == wanted,
    }
}

/// The empty lines at both ends are those of the mark.
fn trimmed<'a, 'b>(lines: &'a [&'b str]) -> &'a [&'b str] {
    let is_text = |line: &&str| !line.is_empty();
    let first = lines.iter().position(is_text).unwrap_or(lines.len());
    let last = lines
        .iter()
        .rposition(is_text)
        .map_or(first, |last| last + 1);
    &lines[first..last]
}

/// A line without what differs between machines: numbers with their units, and the spaces that align them.
fn masked(line: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        let mut masked = String::new();
        for letter in word.chars() {
            match letter {
                '0'..='9' if !masked.ends_with('#') => masked.push('#'),
                '0'..='9' => {}
                ',' | '.' if masked.ends_with('#') => {}
                _ => masked.push(letter),
            }
        }
        let is_unit = matches!(word, "B" | "kB" | "MB" | "GB" | "us" | "ms" | "s");
        if is_unit && words.last().is_some_and(|last| last.ends_with('#')) {
            continue;
        }
        words.push(masked.replace("<#", "#"));
    }
    words.join(" ")
}

/// The command, a JDK with a compiler, and the rest.
fn search_path() -> std::ffi::OsString {
    let command = ducktrack_command();
    let command = Path::new(command.get_program());
    let jdk = installed_jdks()
        .into_iter()
        .find(|jdk| jdk.version == 17)
        .expect("a JDK 17");
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let folders = [
        command.parent().expect("its folder").to_owned(),
        jdk.home.join("bin"),
    ];
    let folders = folders.into_iter().chain(std::env::split_paths(&rest));
    std::env::join_paths(folders).expect("folders")
}
