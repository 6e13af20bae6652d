//! `ducktrack leaks` on programs whose true culprit is known: those of `java-harness/leaks`, which name it at their top.
//!
//! Those of `java-harness/leaks/libraries` have the leaks of released libraries. Each runs twice: with the version that leaks, and as a control with one that
//! does not (or, told by a property, without what makes it leak).
//!
//! Prints a table: the rank of the true culprit, the collections until it was named first, and alarms that are none. `DUCKTRACK_FULL` takes all JDKs and
//! collectors, and shorter runs too; else the oldest JDK and one collector. To look at a few only: `DUCKTRACK_LEAKS=SwapLeak,DualLeak`.

use std::path::{Path, PathBuf};

use ducktrack_tests::{
    Jdk, TracedRun, checked, compile_java_with, harness_folder, is_full_run, trace_command,
    traced_jdks,
};
use serde_json::Value;

const COLLECTORS: [&str; 3] = ["-XX:+UseParallelGC", "-XX:+UseSerialGC", "-XX:+UseG1GC"];
/// Steps of a run; the last is the whole.
const STEPS: [u32; 4] = [600, 1000, 2000, 3000];
/// Programs that only staleness can tell: two kinds of objects that grow alike, and a table that grows and is used.
const NEED_STALENESS: [&str; 2] = ["DualLeak", "HotGrowingTable"];
/// Steps of a program with a library, which do more.
const LIBRARY_STEPS: u32 = 1500;
/// In so many programs with libraries the culprit may be second or third.
const MOST_LATER: usize = 2;
/// Most false alarms over all controls.
const MOST_FALSE_ALARMS: u64 = 2;

/// Whether a program runs with the stamps of uses. (DUCKTRACK_STALENESS: all do.)
fn needs_staleness(program: &str) -> bool {
    NEED_STALENESS.contains(&program) || std::env::var_os("DUCKTRACK_STALENESS").is_some()
}

/// What the top of a program says.
struct Program {
    name: String,
    /// The type, the place that makes it, and what holds it. Empty: nothing leaks.
    culprits: Vec<[String; 3]>,
    /// The library that it uses.
    library: Option<String>,
    is_control: bool,
}

impl Program {
    /// The same without its leak.
    fn repaired(&self) -> Self {
        Self {
            name: self.name.clone(),
            culprits: Vec::new(),
            library: self.library.clone(),
            is_control: true,
        }
    }

    /// What it is called in the table.
    fn row_name(&self) -> String {
        match (&self.library, self.is_control) {
            (Some(_), true) => format!("{}, repaired", self.name),
            _ => self.name.clone(),
        }
    }

    fn class_path(&self) -> Vec<PathBuf> {
        let Some(library) = &self.library else {
            return Vec::new();
        };
        let folder = harness_folder().join("lib/leaks");
        let (leaking, fixed) = (
            folder.join(format!("{library}-leaking")),
            folder.join(format!("{library}-fixed")),
        );
        assert!(
            leaking.exists(),
            "{} is not there: run scripts/harness-build first",
            leaking.display()
        );
        let version = match self.is_control && fixed.exists() {
            true => fixed,
            false => leaking,
        };
        vec![version.join("*"), folder.join(library).join("*")]
    }
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../java-harness/leaks/src/ducktrack/leaks")
}

/// All source files, those with libraries last.
fn files() -> Vec<PathBuf> {
    let libraries = sources().join("../../../libraries/ducktrack/leaks");
    let mut all = Vec::new();
    for folder in [sources(), libraries] {
        let files = std::fs::read_dir(folder).expect("java-harness/leaks");
        let start = all.len();
        all.extend(files.map(|file| file.expect("a file").path()));
        all[start..].sort();
    }
    all
}

fn all_programs() -> Vec<Program> {
    let mut programs: Vec<Program> = Vec::new();
    for program in files().into_iter().filter_map(|file| program(&file)) {
        let repaired = program.library.is_some().then(|| program.repaired());
        programs.push(program);
        programs.extend(repaired);
    }
    programs
}

/// Those that are to run.
fn programs() -> Vec<Program> {
    let mut programs = all_programs();
    if let Ok(only) = std::env::var("DUCKTRACK_LEAKS") {
        programs.retain(|program| only.split(',').any(|wanted| wanted == program.name));
    }
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
    let after = |at: usize, word: &str| words[at..].iter().position(|other| *other == word);
    let culprit = |at: usize| -> Option<[String; 3]> {
        let (made, held) = (at + after(at, "in")?, at + after(at, "by")?);
        let mut holder: Vec<&str> = words[held + 1..].to_vec();
        holder.truncate(after(held + 1, "CULPRIT").unwrap_or(holder.len()));
        Some([
            words[at + 1].to_owned(),
            words[made + 1].to_owned(),
            holder.join(" "),
        ])
    };
    let culprits: Vec<[String; 3]> = (0..words.len())
        .filter(|at| words[*at] == "CULPRIT")
        .filter_map(culprit)
        .collect();
    let is_control = words.contains(&"CONTROL");
    let library = after(0, "LIBRARY").map(|at| words[at + 1].to_owned());
    (is_control || !culprits.is_empty()).then_some(Program {
        name,
        culprits,
        library,
        is_control,
    })
}

fn compiled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut names = vec!["DumpAtExit".to_owned()];
    for file in files() {
        let path = file.with_extension("");
        names.push(path.to_str().expect("a path in UTF-8").to_owned());
    }
    let libraries: Vec<PathBuf> = all_programs()
        .iter()
        .flat_map(Program::class_path)
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert!(compile_java_with(&names, 17, folder.path(), &libraries).expect("compile"));
    folder
}

/// `ducktrack leaks` after a run of this many steps.
fn leaks(jdk: &Jdk, collector: &str, classes: &Path, program: &Program, steps: u32) -> Value {
    let run = TracedRun::new(jdk, &program.name).expect("folder");
    let dump = run.file("heap.hprof");
    let options = match needs_staleness(&program.name) {
        true => "staleness=on",
        false => "",
    };
    let libraries = program.class_path();
    let mut class_path = vec![classes];
    class_path.extend(libraries.iter().map(PathBuf::as_path));
    let mut command = run.command(options, &class_path).expect("the agent");
    command.arg(format!("-Dducktrack.leaks.repaired={}", program.is_control));
    command.args(["-Xmx64m", "-Xmn12m", collector]);
    command.arg(format!("-Dducktrack.leaks.steps={steps}"));
    command.arg("DumpAtExit").arg(&dump);
    command.arg(format!("ducktrack.leaks.{}", program.name));
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
            || row["path"].as_array().into_iter().flatten().any(|step| {
                let is_last = |key: &str| last.is_some_and(|last| text(&step[key]).contains(last));
                is_last("by") || is_last("type")
            });
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
        "program                       JDK  collector      rank  collections until named  alarms"
    );
    let (mut runs, mut missed, mut later, mut false_alarms) = (0, Vec::new(), Vec::new(), 0);
    for jdk in jdks {
        for collector in collectors {
            for program in programs() {
                // The libraries are older than later JDKs.
                if program.library.is_some() && jdk.version > jdks[0].version {
                    continue;
                }
                let row = judged(jdk, collector, classes.path(), &program);
                runs += 1;
                match row.rank {
                    _ if program.is_control => false_alarms += row.alarms,
                    Some(1) => {}
                    Some(rank @ 2..=3) if program.library.is_some() => {
                        later.push(format!("{} {collector}: {rank}", program.name));
                    }
                    rank => missed.push(format!("{} {collector}: {rank:?}", program.name)),
                }
            }
        }
    }
    let rounds = (jdks.len() * collectors.len()) as u64;
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    let later_places = later.join(", ");
    assert!(
        later.len() <= MOST_LATER * rounds as usize,
        "the culprit is not first: {later_places}"
    );
    assert!(
        false_alarms <= MOST_FALSE_ALARMS * rounds,
        "{false_alarms} false alarms"
    );
    checked(&format!(
        "leaks with known culprits, {runs} runs, {false_alarms} false alarms, culprit not first in {} ({later_places})",
        later.len()
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
    let steps = match (is_full_run(), &program.library) {
        (true, _) => &STEPS[..],
        (false, None) => &STEPS[3..],
        (false, Some(_)) => &[LIBRARY_STEPS],
    };
    let mut named_after = None;
    let mut row = Row {
        rank: None,
        alarms: 0,
    };
    for steps in steps {
        let report = leaks(jdk, collector, classes, program, *steps);
        let culprits = program.culprits.iter();
        row.rank = culprits.filter_map(|culprit| rank(&report, culprit)).min();
        check_uses(&report, &program.name);
        row.alarms = report["alarms"].as_u64().expect("a number");
        let is_named = row.rank == Some(1) && row.alarms > 0;
        named_after = match is_named {
            true => named_after.or(report["collections"].as_u64()),
            false => None,
        };
        if !program.is_control && row.rank.is_none() {
            println!("{}: {}", program.name, report["candidates"]);
        }
    }
    let show = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    println!(
        "{:<29} {:>3}  {:<13} {:>5}  {:>23}  {:>6}",
        program.row_name(),
        jdk.version,
        collector.trim_start_matches("-XX:+"),
        show(row.rank.map(|rank| rank as u64)),
        show(named_after),
        row.alarms
    );
    row
}
