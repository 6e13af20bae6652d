//! `ducktrack leaks` on programs whose true culprit is known: those of `java-harness/leaks`, which name it at their top.
//!
//! Those of `java-harness/leaks/libraries` have the leaks of released libraries. Each runs twice: with the version
//! that leaks, and as a control with one that does not (or, told by a property, without what makes it leak).
//!
//! Prints a table: the rank of the true culprit, the collections until it was named first, and
//! alarms that are none. `DUCKTRACK_FULL` takes all JDKs and collectors, and shorter runs too; else
//! the oldest JDK and one collector. To look at a few only: `DUCKTRACK_LEAKS=SwapLeak,DualLeak`.

use std::path::{Path, PathBuf};

use ducktrack_tests::{
    Jdk, LeakyProgram, TracedRun, checked, compiled_leaky_programs, is_full_run, leaky_programs,
    trace_command, traced_jdks,
};
use serde_json::Value;

const COLLECTORS: [&str; 3] = ["-XX:+UseParallelGC", "-XX:+UseSerialGC", "-XX:+UseG1GC"];
/// Steps of a run; the last is the whole.
const STEPS: [u32; 4] = [600, 1000, 2000, 3000];
/// Programs that only staleness can judge: two kinds of objects that grow alike, and a table that grows and is used.
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

/// `ducktrack leaks` after a run of this many steps.
fn leaks(jdk: &Jdk, collector: &str, classes: &Path, program: &LeakyProgram, steps: u32) -> Value {
    let run = TracedRun::new(jdk, &program.name);
    let dump = run.file("heap.hprof");
    let options = match needs_staleness(&program.name) {
        true => "staleness=on",
        false => "",
    };
    let libraries = program.class_path();
    let mut class_path = vec![classes];
    class_path.extend(libraries.iter().map(PathBuf::as_path));
    let mut command = run.command(options, &class_path);
    command.arg(format!("-Dducktrack.leaks.repaired={}", program.is_control));
    command.args(["-Xmx64m", "-Xmn12m", collector]);
    command.arg(format!("-Dducktrack.leaks.steps={steps}"));
    command.arg("DumpAtExit").arg(&dump);
    command.arg(format!("ducktrack.leaks.{}", program.name));
    run.finish(&mut command);
    let dump = dump.to_str().expect("a path in UTF-8");
    trace_command("leaks", &run.trace(), &["--dump", dump])
}

/// The static field that the path begins with, or a field or a class on it: by its whole name.
fn is_held(row: &Value, holder: &str) -> bool {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let root = text(&row["root"]["name"]);
    if let Some(field) = holder.strip_prefix("static ") {
        return root == holder || text(&row["structure"]["field"]) == field;
    }
    let mut steps = row["path"].as_array().into_iter().flatten();
    steps.any(|step| {
        let (by, ty) = (text(&step["by"]), text(&step["type"]));
        let is_field = by.trim_start_matches("static ") == holder;
        is_field || ty.rsplit(['.', '$']).next() == Some(holder)
    }) || root.rsplit('.').next() == Some(holder)
}

/// The place of the culprit among the candidates, from 1.
fn rank(report: &Value, [ty, made, holder]: &[String; 3]) -> Option<usize> {
    let candidates = report["candidates"].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let is_culprit = |row: &Value| {
        let place = format!("{}.{}", text(&row["class"]), text(&row["method"]));
        let held = is_held(row, holder);
        let follows = |with: &Value| {
            let is_made = text(&with["made"]).starts_with(&format!("{made}("));
            text(&with["target"]) == *ty && is_made
        };
        let mut with = row["with"].as_array().into_iter().flatten();
        let is_it = text(&row["target"]) == *ty && place == *made;
        (is_it || with.any(follows)) && held
    };
    Some(1 + candidates.clone().position(is_culprit)?)
}

#[test]
fn the_true_culprit_ranks_first_and_controls_raise_no_alarm() {
    let classes = compiled_leaky_programs();
    let jdks = traced_jdks();
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
            for program in leaky_programs() {
                // The libraries are older than later JDKs.
                if program.library.is_some() && jdk.version > jdks[0].version {
                    continue;
                }
                let row = judged(jdk, collector, classes.path(), &program);
                runs += 1;
                match row.rank {
                    _ if program.is_control => false_alarms += row.alarms,
                    Some(1) => {}
                    Some(rank @ 2..=3) if rank == 2 || program.library.is_some() => {
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

/// Uses are there if they were recorded, of each candidate and of each step
/// to it, and not else; the first of a leak has not been used for long.
fn check_uses(report: &Value, program: &str) {
    let is_recorded = needs_staleness(program);
    for row in report["candidates"].as_array().expect("candidates") {
        let levels = row["staleness"].as_array().expect("levels").iter();
        let sum: u64 = levels.map(|count| count.as_u64().expect("a count")).sum();
        let is_alive = row["objects"].as_i64() > Some(0);
        assert!(sum == 0 || is_recorded, "{program}: {row}");
        assert!(sum > 0 || !is_recorded || !is_alive, "{program}: {row}");
        let steps = row["path"].as_array().expect("steps");
        let knows_uses = |step: &&Value| step["staleness"].is_u64();
        let known = steps.iter().filter(knows_uses).count();
        let expected = if is_recorded { steps.len() } else { 0 };
        assert_eq!(known, expected, "{program}: {row}");
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

fn judged(jdk: &Jdk, collector: &str, classes: &Path, program: &LeakyProgram) -> Row {
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
            true => named_after.or(report["span"]["collections"].as_u64()),
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
