//! `ducktrack leaks` on programs that it was not made with: published leaks of released libraries and of the JDK, each with its control, and controls with real caches and pools.
//!
//! Half of the leaks were there while the theory was written (`build`), half run only at the end (`held-out`): each program says which, and that was written once, by a hash of its
//! name. Prints a table by name: the verdict, and the place of the true culprit, which is the holder or the site that the fixing commit changed. The heap dump is in the folder.
//! Runs as `scripts/bench leaks` does. `DUCKTRACK_LEAKS` names some programs or a half; `DUCKTRACK_COLLECTORS` the collectors, each program with all of them.

use std::process::Command;

use ducktrack_tests::{
    Jdk, JudgedProgram, TracedRun, agent_library, checked, ducktrack_command, has_judged_libraries,
    is_full_run, judged_programs, skipped, trace_command, traced_jdks,
};
use serde_json::Value;

/// Taken in turn, so that each has its share of programs and of controls.
const COLLECTORS: [&str; 3] = ["G1", "Parallel", "Serial"];
/// Of all leaks, and of those held out: the culprit must be among the first two.
const FIRST: usize = 2;
const MUST: [(&str, f64); 2] = [("", 0.90), ("held-out", 0.85)];
/// Alarms in so many of the controls at most.
const ALARMS: f64 = 0.05;

/// The judgement of one run.
struct Row {
    program: JudgedProgram,
    /// The place of the culprit.
    rank: Option<usize>,
    alarms: u64,
}

impl Row {
    fn is_found(&self) -> bool {
        self.rank.is_some_and(|rank| rank <= FIRST)
    }
}

#[test]
fn the_culprit_is_among_the_first_two_and_controls_are_silent() {
    if !has_judged_libraries() || !(is_full_run() || std::env::var_os("DUCKTRACK_JUDGED").is_some())
    {
        skipped("programs that leaks was not made with: scripts/bench leaks runs them");
        return;
    }
    let jdks = traced_jdks().expect("JDKs");
    print_commands();
    println!(
        "{:<32} {:<34} {:<8} {:<11} {:>5} {:>6}  verdict",
        "program", "kind", "half", "JDK", "rank", "alarms"
    );
    let mut rows = Vec::new();
    let named = std::env::var("DUCKTRACK_COLLECTORS").ok();
    let (mut name, mut at) = (String::new(), 0);
    for program in judged_programs() {
        // A leak and its control have the same collector.
        if program.name != name {
            (name, at) = (program.name.clone(), at + 1);
        }
        let Some(jdk) = program.jdk(&jdks) else {
            skipped(&format!("{}: no JDK {}", program.name, program.java));
            continue;
        };
        let collectors: Vec<&str> = match &named {
            Some(names) => names.split(',').collect(),
            None => vec![COLLECTORS[at % COLLECTORS.len()]],
        };
        rows.extend(
            collectors
                .iter()
                .map(|collector| judged(&program, jdk, collector)),
        );
    }
    judge(&rows);
}

fn print_commands() {
    let (agent, command) = (
        agent_library().expect("agent"),
        ducktrack_command().expect("ducktrack"),
    );
    println!(
        "java -agentpath:{}=mode=trace,dump=end,output=DIR ... (dump=shutdown where the program says so)",
        agent.display()
    );
    println!("{} leaks DIR\n", command.display());
}

fn judge(rows: &[Row]) {
    let leaks: Vec<&Row> = rows.iter().filter(|row| !row.program.is_control).collect();
    let mut misses = Vec::new();
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
        if (found as f64) < must * of_half.len() as f64 {
            misses.push(format!("{what}: {found} of {}", of_half.len()));
        }
    }
    let controls = rows.iter().filter(|row| row.program.is_control);
    let (count, alarmed) = (
        controls.clone().count(),
        controls.filter(|row| row.alarms > 0).count(),
    );
    println!("controls: alarms in {alarmed} of {count}");
    if alarmed as f64 > (ALARMS * count as f64).max(0.0) {
        misses.push(format!("alarms in {alarmed} of {count} controls"));
    }
    assert!(misses.is_empty(), "{}", misses.join("; "));
    checked(&format!(
        "leaks that it was not made with: {} leaks, {count} controls",
        leaks.len()
    ));
}

fn judged(program: &JudgedProgram, jdk: &Jdk, collector: &str) -> Row {
    let run = traced(program, jdk, collector);
    let report = trace_command("leaks", &run.trace(), &[])
        .unwrap_or_else(|error| panic!("{}: {error:#}", run.name()));
    let row = Row {
        program: program.clone(),
        rank: rank(&report, &program.culprits),
        alarms: report["alarms"].as_u64().expect("a number"),
    };
    let rank = row
        .rank
        .map_or_else(|| "-".to_owned(), |rank| rank.to_string());
    println!(
        "{:<32} {:<34} {:<8} {:<11} {:>5} {:>6}  {}",
        program.row_name(),
        program.kind,
        program.half,
        format!("{} {collector}", jdk.version),
        if program.is_control { "" } else { &rank },
        row.alarms,
        short(report["sentence"].as_str().unwrap_or_default()),
    );
    row
}

/// The first words of a sentence.
fn short(sentence: &str) -> String {
    sentence.chars().take(100).collect()
}

fn traced(program: &JudgedProgram, jdk: &Jdk, collector: &str) -> TracedRun {
    let run = TracedRun::new(jdk, &program.row_name()).expect("folder");
    let classes = run.file("classes");
    program.compile(&classes);
    let libraries = program
        .class_path()
        .unwrap_or_else(|| panic!("no library of {}", program.name));
    let mut class_path = vec![classes.as_path()];
    class_path.extend(libraries.iter().map(std::path::PathBuf::as_path));
    let mut command: Command = run
        .command(&format!("dump={}", program.dump), &class_path)
        .expect("the agent");
    command
        .arg(format!("-Xmx{}m", program.heap))
        .arg(format!("-XX:+Use{collector}GC"));
    command.arg(format!("-Dducktrack.leaks.repaired={}", program.is_control));
    command.args(&program.options).arg(program.main_class());
    run.finish(&mut command).expect("java");
    run
}

/// The place of the first candidate that names a culprit, from 1.
fn rank(report: &Value, culprits: &[String]) -> Option<usize> {
    let mut candidates = report["candidates"].as_array().into_iter().flatten();
    let names = |row: &Value| culprits.iter().any(|culprit| is_named(row, culprit));
    Some(1 + candidates.position(names)?)
}

/// A candidate names a culprit by the line that makes its objects (or what calls the library's line), or by a field on its path. A field may be inherited: its class is known as far as
/// its package.
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
