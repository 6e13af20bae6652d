//! `ducktrack leaks` on programs that it was not made with: published leaks of released
//! libraries and of the JDK, each with its control, and controls with real caches and pools.
//!
//! Half of the leaks were there while the theory was written (`build`), half run only at the end (`held-out`): each
//! program says which, and that was written once, by a hash of its name. Prints a table by name: the verdict, and the
//! place of the true culprit, which is the holder or the site that the fixing commit changed; then the command of each
//! row. The heap dump is in the folder. Runs as `scripts/bench leaks` does. `DUCKTRACK_LEAKS` names some programs,
//! whose shares are printed and not judged, or a half; `DUCKTRACK_COLLECTORS` the collectors, each program with all of
//! them; `DUCKTRACK_ROWS` a file for the rows in JSON. A program that fails is a row of its own, and the rest runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

use ducktrack_tests::{
    Jdk, JudgedProgram, TracedRun, checked, ducktrack_command, harness_folder,
    has_judged_libraries, is_full_run, judged_programs, skipped, trace_command, traced_jdks,
};
use serde_json::{Value, json};

/// Of all leaks, and of those held out: the culprit must be among the first two.
const FIRST: usize = 2;
const MUST: [(&str, f64); 2] = [("", 0.90), ("held-out", 0.85)];
/// Alarms in so many of the controls at most.
const ALARMS: f64 = 0.05;

/// The judgement of one run.
struct Row {
    program: JudgedProgram,
    /// The JDK and the collector.
    on: String,
    /// The command line, with words for folders.
    command: String,
    /// What `ducktrack leaks` said, or why there is no answer.
    judgement: Result<Judgement, String>,
}

/// What the answer says of the culprit.
struct Judgement {
    /// The place of the culprit.
    rank: Option<usize>,
    alarms: u64,
    sentence: String,
}

impl Row {
    fn is_found(&self) -> bool {
        let rank = self.judgement.as_ref().ok().and_then(|it| it.rank);
        rank.is_some_and(|rank| rank <= FIRST)
    }

    fn has_alarm(&self) -> bool {
        self.judgement.as_ref().is_ok_and(|it| it.alarms > 0)
    }

    /// The line of the table.
    fn print(&self) {
        let program = &self.program;
        let (rank, alarms, sentence) = match &self.judgement {
            Ok(it) => (
                it.rank
                    .map_or_else(|| "-".to_owned(), |rank| rank.to_string()),
                it.alarms.to_string(),
                it.sentence.as_str(),
            ),
            Err(error) => ("-".to_owned(), "-".to_owned(), error.as_str()),
        };
        println!(
            "{:<32} {:<36} {:<8} {:<11} {:>5} {:>6}  {}",
            program.row_name(),
            program.kind,
            program.half,
            self.on,
            if program.is_control { "" } else { &rank },
            alarms,
            short(sentence),
        );
    }

    fn json(&self) -> Value {
        let it = self.judgement.as_ref().ok();
        json!({
            "row": self.program.row_name(),
            "kind": self.program.kind,
            "half": self.program.half,
            "on": self.on,
            "rank": it.and_then(|it| it.rank),
            "alarms": it.map(|it| it.alarms),
            "verdict": it.map(|it| it.sentence.as_str()),
            "failed": self.judgement.as_ref().err(),
            "command": self.command,
        })
    }
}

#[test]
fn the_culprit_is_among_the_first_two_and_controls_are_silent() {
    if !has_judged_libraries() || !(is_full_run() || std::env::var_os("DUCKTRACK_JUDGED").is_some())
    {
        skipped("programs that leaks was not made with: scripts/bench leaks runs them");
        return;
    }
    let jdks = traced_jdks();
    println!(
        "{:<32} {:<36} {:<8} {:<11} {:>5} {:>6}  verdict",
        "program", "kind", "half", "JDK", "rank", "alarms"
    );
    let mut rows = Vec::new();
    let named = std::env::var("DUCKTRACK_COLLECTORS").ok();
    for program in judged_programs() {
        let Some(jdk) = program.jdk(&jdks) else {
            skipped(&format!("{}: no JDK {}", program.name, program.java));
            continue;
        };
        let collectors: Vec<&str> = match &named {
            Some(names) => names.split(',').collect(),
            None => vec![program.collector],
        };
        for collector in collectors {
            let row = judged(&program, jdk, collector);
            row.print();
            rows.push(row);
            write(&rows);
        }
    }
    print_commands(&rows);
    judge(&rows);
}

/// The rows so far, as JSON: a run that is stopped leaves what it had.
fn write(rows: &[Row]) {
    if let Some(file) = std::env::var_os("DUCKTRACK_ROWS") {
        let rows: Vec<Value> = rows.iter().map(Row::json).collect();
        let text = serde_json::to_string_pretty(&rows).expect("JSON");
        std::fs::write(file, text + "\n").expect("DUCKTRACK_ROWS can be written");
    }
}

fn print_commands(rows: &[Row]) {
    println!(
        "\ncommands: CLASSES has the program beside DumpAtExit, compiled against its libraries; LIBRARIES is java-harness/target/published-leaks"
    );
    let ducktrack = ducktrack_command();
    let ducktrack = std::path::Path::new(ducktrack.get_program());
    for row in rows {
        println!(
            "{}: {} && {} leaks DIR",
            row.program.row_name(),
            row.command,
            ducktrack.display()
        );
    }
    println!();
}

/// What was run, with words for the folders that were made for it.
fn readable(command: &Command, run: &TracedRun) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let libraries = harness_folder().join("published-leaks");
    words
        .join(" ")
        .replace(&run.trace().display().to_string(), "DIR")
        .replace(&run.file("classes").display().to_string(), "CLASSES")
        .replace(&libraries.display().to_string(), "LIBRARIES")
}

fn judge(rows: &[Row]) {
    let leaks: Vec<&Row> = rows.iter().filter(|row| !row.program.is_control).collect();
    let mut misses = failures(rows);
    for (half, must) in MUST {
        let of_half: Vec<&&Row> = leaks
            .iter()
            .filter(|row| half.is_empty() || row.program.half == half)
            .collect();
        let found = of_half.iter().filter(|row| row.is_found()).count();
        let what = if half.is_empty() { "all leaks" } else { half };
        println!(
            "{what}: the culprit is among the first {FIRST} in {found} of {}",
            of_half.len()
        );
        if are_all_judged() && (found as f64) < must * of_half.len() as f64 {
            misses.push(format!("{what}: {found} of {}", of_half.len()));
        }
    }
    let controls = rows.iter().filter(|row| row.program.is_control);
    let (count, alarmed) = (
        controls.clone().count(),
        controls.filter(|row| row.has_alarm()).count(),
    );
    println!("controls: alarms in {alarmed} of {count}");
    if are_all_judged() && alarmed as f64 > ALARMS * count as f64 {
        misses.push(format!("alarms in {alarmed} of {count} controls"));
    }
    assert!(misses.is_empty(), "{}", misses.join("; "));
    checked(&format!(
        "leaks that it was not made with: {} leaks, {count} controls",
        leaks.len()
    ));
}

/// The shares of a few named programs say nothing.
fn are_all_judged() -> bool {
    let only = std::env::var("DUCKTRACK_LEAKS");
    only.map_or(true, |only| ["build", "held-out"].contains(&only.as_str()))
}

fn failures(rows: &[Row]) -> Vec<String> {
    let failed = rows.iter().filter(|row| row.judgement.is_err());
    failed
        .map(|row| format!("{} failed", row.program.row_name()))
        .collect()
}

/// A run that panics is a row that says so.
fn judged(program: &JudgedProgram, jdk: &Jdk, collector: &str) -> Row {
    let run = TracedRun::new(jdk, &program.row_name());
    let mut command = command(program, &run, collector);
    let judgement = catch_unwind(AssertUnwindSafe(|| answer(program, &run, &mut command)));
    Row {
        program: program.clone(),
        on: format!("{} {collector}", jdk.version),
        command: readable(&command, &run),
        judgement: match judgement {
            Ok(Ok(judgement)) => Ok(judgement),
            Ok(Err(error)) => Err(format!("FAILED: {error:#}")),
            Err(_) => Err("FAILED: see the message on standard error".to_owned()),
        },
    }
}

fn answer(
    program: &JudgedProgram,
    run: &TracedRun,
    command: &mut Command,
) -> anyhow::Result<Judgement> {
    program.compile(&run.file("classes"));
    run.finish(command);
    let report = trace_command("leaks", &run.trace(), &[]);
    Ok(Judgement {
        rank: rank(&report, &program.culprits),
        alarms: report["alarms"].as_u64().expect("a number"),
        sentence: report["sentence"].as_str().unwrap_or_default().to_owned(),
    })
}

/// The first words of a sentence.
fn short(sentence: &str) -> String {
    sentence.chars().take(100).collect()
}

fn command(program: &JudgedProgram, run: &TracedRun, collector: &str) -> Command {
    let classes = run.file("classes");
    let libraries = program
        .class_path()
        .unwrap_or_else(|| panic!("no library of {}", program.name));
    let mut class_path = vec![classes.as_path()];
    class_path.extend(libraries.iter().map(std::path::PathBuf::as_path));
    let mut command: Command = run.command("dump=on", &class_path);
    command
        .arg(format!("-Xmx{}m", program.heap))
        .arg(format!("-XX:+Use{collector}GC"));
    command.arg(format!("-Dducktrack.leaks.repaired={}", program.is_control));
    command.args(&program.options).arg(program.main_class());
    command
}

/// The place of the first candidate that names a culprit, from 1.
fn rank(report: &Value, culprits: &[String]) -> Option<usize> {
    let mut candidates = report["candidates"].as_array().into_iter().flatten();
    let names = |row: &Value| culprits.iter().any(|culprit| is_named(row, culprit));
    Some(1 + candidates.position(names)?)
}

/// A candidate names a culprit by the line that makes its objects (or what calls the library's line),
/// or by a field on its path. A field may be inherited: its class is known as far as its package.
fn is_named(row: &Value, culprit: &str) -> bool {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let site = format!("{}.{}", text(&row["class"]), text(&row["method"]));
    let is_site = |place: &str| match culprit.ends_with('.') {
        true => place.starts_with(culprit),
        false => place == culprit || place.starts_with(&format!("{culprit}(")),
    };
    if is_site(&site) || is_site(&text(&row["caller"])) {
        return true;
    }
    let (class, field) = culprit.rsplit_once('.').expect("a class and a name");
    let root = text(&row["root"]["name"]);
    let root = root.trim_start_matches("static ").rsplit_once('.');
    let mut holder = root.map_or(String::new(), |(class, _)| class.to_owned());
    let mut steps = row["path"].as_array().into_iter().flatten();
    steps.any(|step| {
        let by = text(&step["by"]);
        let is_it = match field.is_empty() {
            true => holder == class || text(&step["type"]) == class,
            false => {
                by.trim_start_matches("static ") == field && package(&holder) == package(class)
            }
        };
        holder = text(&step["type"]);
        is_it
    })
}

fn package(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}
