//! `ducktrack leaks` on programs whose true culprit is known: those of `java-harness/leaks`, which name it at their top.
//!
//! Prints a table: the rank of the true culprit, the collections until it was named first, and alarms that are none. `DUCKTRACK_FULL` takes all JDKs and
//! collectors, and shorter runs too; else the oldest JDK and one collector. To look at a few only: `DUCKTRACK_LEAKS=SwapLeak,DualLeak`.

use std::path::{Path, PathBuf};

use ducktrack_tests::{
    Jdk, TracedRun, checked, compile_java, is_full_run, trace_command, traced_jdks,
};
use serde_json::Value;

const COLLECTORS: [&str; 3] = ["-XX:+UseParallelGC", "-XX:+UseSerialGC", "-XX:+UseG1GC"];
/// Steps of a run; the last is the whole.
const STEPS: [u32; 4] = [600, 1000, 2000, 3000];
/// Programs that only staleness can tell: two kinds of objects that grow alike, and a table that grows and is used.
const NEED_STALENESS: [&str; 2] = ["DualLeak", "HotGrowingTable"];
/// Most false alarms over all controls.
const MOST_FALSE_ALARMS: u64 = 2;

/// Whether a program runs with the stamps of uses. (DUCKTRACK_STALENESS: all do.)
fn needs_staleness(program: &str) -> bool {
    NEED_STALENESS.contains(&program) || std::env::var_os("DUCKTRACK_STALENESS").is_some()
}

/// What the top of a program says.
struct Program {
    name: String,
    /// The type, the place that makes it, and what holds it; `None`: nothing leaks.
    culprit: Option<[String; 3]>,
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../java-harness/leaks/src/ducktrack/leaks")
}

fn programs() -> Vec<Program> {
    let only = std::env::var("DUCKTRACK_LEAKS").ok();
    let is_wanted = |name: &str| {
        only.as_ref()
            .is_none_or(|only| only.split(',').any(|wanted| wanted == name))
    };
    let files = std::fs::read_dir(sources()).expect("java-harness/leaks");
    let mut programs: Vec<Program> = files
        .filter_map(|file| program(&file.expect("a file").path()))
        .filter(|program| is_wanted(&program.name))
        .collect();
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    programs
}

/// `None`: it has no such words, so it is no program.
fn program(source: &Path) -> Option<Program> {
    let name = source.file_stem()?.to_str()?.to_owned();
    let text = std::fs::read_to_string(source).ok()?;
    let comment = text.split("/**").nth(1)?.split("*/").next()?;
    let words: Vec<&str> = comment
        .split_whitespace()
        .filter(|word| *word != "*")
        .map(|word| word.trim_start_matches("<p>"))
        .collect();
    if words.contains(&"CONTROL") {
        return Some(Program {
            name,
            culprit: None,
        });
    }
    let at = words.iter().position(|word| *word == "CULPRIT")?;
    let after = |word: &str| words[at..].iter().position(|other| *other == word);
    let (made, held) = (at + after("in")?, at + after("by")?);
    let holder = words[held + 1..].join(" ");
    let culprit = [words[at + 1].to_owned(), words[made + 1].to_owned(), holder];
    Some(Program {
        name,
        culprit: Some(culprit),
    })
}

fn compiled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    let files = std::fs::read_dir(sources()).expect("java-harness/leaks");
    let mut names = vec!["DumpAtExit".to_owned()];
    for file in files {
        let path = file.expect("a file").path().with_extension("");
        names.push(path.to_str().expect("a path in UTF-8").to_owned());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert!(compile_java(&names, 17, folder.path()).expect("compile"));
    folder
}

/// `ducktrack leaks` after a run of this many steps.
fn leaks(jdk: &Jdk, collector: &str, classes: &Path, program: &str, steps: u32) -> Value {
    let run = TracedRun::new(jdk, program).expect("folder");
    let dump = run.file("heap.hprof");
    let options = match needs_staleness(program) {
        true => "staleness=on",
        false => "",
    };
    let mut command = run.command(options, &[classes]).expect("the agent");
    command.args(["-Xmx64m", "-Xmn12m", collector]);
    command.arg(format!("-Dducktrack.leaks.steps={steps}"));
    command.arg("DumpAtExit").arg(&dump);
    command.arg(format!("ducktrack.leaks.{program}"));
    run.finish(&mut command).expect("java");
    let dump = dump.to_str().expect("a path in UTF-8");
    trace_command("leaks", &run.trace(), &["--dump", dump])
        .unwrap_or_else(|error| panic!("{}: {error:#}", run.name()))
}

/// The place of the culprit among the candidates, from 1.
fn rank(report: &Value, [ty, made, holder]: &[String; 3]) -> Option<usize> {
    let candidates = report["candidates"].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let is_culprit = |row: &Value| {
        let place = format!("{}.{}", text(&row["class"]), text(&row["method"]));
        let (field, last) = (text(&row["root"]["name"]), holder.rsplit('.').next());
        let held = field.contains(holder.as_str())
            || row["path"]
                .as_array()
                .into_iter()
                .flatten()
                .any(|step| last.is_some_and(|last| text(&step["by"]).contains(last)));
        text(&row["target"]) == *ty && place == *made && held
    };
    Some(1 + candidates.clone().position(is_culprit)?)
}

#[test]
fn the_true_culprit_ranks_first_and_controls_raise_no_alarm() {
    let classes = compiled();
    let jdks = traced_jdks().expect("JDKs");
    let (jdks, collectors) = match is_full_run() {
        true => (jdks.as_slice(), &COLLECTORS[..]),
        false => (&jdks[..1], &COLLECTORS[..1]),
    };
    println!(
        "program                JDK  collector             rank  collections until named  alarms"
    );
    let (mut runs, mut missed, mut false_alarms) = (0, Vec::new(), 0);
    for jdk in jdks {
        for collector in collectors {
            for program in programs() {
                let row = judged(jdk, collector, classes.path(), &program);
                runs += 1;
                match row.rank {
                    _ if program.culprit.is_none() => false_alarms += row.alarms,
                    Some(1) => {}
                    rank => missed.push(format!("{} {collector}: {rank:?}", program.name)),
                }
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    let rounds = (jdks.len() * collectors.len()) as u64;
    assert!(
        false_alarms <= MOST_FALSE_ALARMS * rounds,
        "{false_alarms} false alarms"
    );
    checked(&format!(
        "leaks with known culprits, {runs} runs, {false_alarms} false alarms"
    ));
}

/// The levels of a candidate sum up to its objects, and the first of a leak has not been used for long.
fn check_uses(report: &Value, program: &str) {
    for row in report["candidates"].as_array().expect("candidates") {
        let levels = row["staleness"].as_array().expect("levels").iter();
        let sum: u64 = levels.map(|count| count.as_u64().expect("a count")).sum();
        let expected = match needs_staleness(program) {
            true => row["objects"].as_u64().expect("a count"),
            false => 0,
        };
        assert_eq!(sum, expected, "{program}: {row}");
        let steps = row["path"].as_array().expect("steps");
        let knows_uses = |step: &Value| step["staleness"].is_u64();
        assert_eq!(
            steps.iter().all(knows_uses),
            needs_staleness(program),
            "{program}: {row}"
        );
    }
    if program == "DualLeak" {
        let first = &report["candidates"][0];
        assert!(
            first["unusedFor"].as_u64() >= Some(16) && first["unusedSinceMicros"].is_u64(),
            "{first}"
        );
    }
}

struct Row {
    rank: Option<usize>,
    alarms: u64,
}

fn judged(jdk: &Jdk, collector: &str, classes: &Path, program: &Program) -> Row {
    let steps = if is_full_run() {
        &STEPS[..]
    } else {
        &STEPS[3..]
    };
    let mut named_after = None;
    let mut row = Row {
        rank: None,
        alarms: 0,
    };
    for steps in steps {
        let report = leaks(jdk, collector, classes, &program.name, *steps);
        let culprit = program.culprit.as_ref();
        row.rank = culprit.and_then(|culprit| rank(&report, culprit));
        check_uses(&report, &program.name);
        row.alarms = report["alarms"].as_u64().expect("a number");
        let is_named = row.rank == Some(1) && row.alarms > 0;
        named_after = match is_named {
            true => named_after.or(report["collections"].as_u64()),
            false => None,
        };
        if program.culprit.is_some() && row.rank.is_none() {
            println!("{}: {}", program.name, report["candidates"]);
        }
    }
    let show = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    println!(
        "{:<22} {:>3}  {:<20} {:>5}  {:>23}  {:>6}",
        program.name,
        jdk.version,
        collector.trim_start_matches("-XX:+"),
        show(row.rank.map(|rank| rank as u64)),
        show(named_after),
        row.alarms
    );
    row
}
