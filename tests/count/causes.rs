//! Objects that calls of application code cause, exactly: at the end of each line
//! of `tests/count/Causes.java` stand those of its call, inclusive and charged.

use std::collections::BTreeMap;
use std::path::Path;

use ducktrack_reports::Document;
use ducktrack_tests::{
    Finished, Jdk, agent_argument, checked, compiled, count_report, ducktrack_command, is_full_run,
    matrix_jdks, printed_by, skipped, trace_command,
};

const PROGRAM: &str = include_str!("Causes.java");
const TIMES: i64 = 20_000;
/// Objects, bytes, and the same charged.
type Caused = [i64; 4];

#[test]
fn every_call_says_what_it_causes() {
    let programs = compiled(&["Causes"], 11);
    let expected = expected();
    assert_eq!(expected.len(), 25);
    let mut runs = 0;
    for (number, jdk) in matrix_jdks().iter().enumerate() {
        for options in [&[][..], &["-Xint"], &["-XX:TieredStopAtLevel=1"]] {
            // Each JDK once with its compilers, one of them in the interpreter.
            if !(is_full_run() || options.is_empty() || (number == 0 && options == ["-Xint"])) {
                continue;
            }
            let report = report(jdk, options, "app=Causes*", programs.path(), "Causes");
            let run = format!("{jdk} {options:?}");
            let found: BTreeMap<u16, Caused> = report
                .causes
                .iter()
                .filter(|cause| cause.target.starts_with("Library"))
                .filter_map(|cause| {
                    let caused = [
                        cause.objects,
                        cause.bytes,
                        cause.charged_objects,
                        cause.charged_bytes,
                    ];
                    Some((cause.line?, caused))
                })
                .collect();
            assert_eq!(found, expected, "{run}");
            check_sums(&report, &run);
            runs += 1;
        }
    }
    checked(&format!(
        "causes with known counts, {runs} runs, every line exact"
    ));
}

/// A name is a pattern, as for `--only`: the class with those nested in it, or the package. One that no class fits is said.
#[test]
fn a_name_is_a_pattern_and_one_without_a_class_is_said() {
    let programs = compiled(&["Causes"], 11);
    let jdk = matrix_jdks().remove(0);
    let own = |agent: &str| {
        let report = report(&jdk, &["-Xint"], agent, programs.path(), "Causes");
        let own = report.caused.as_ref().expect("causes").own.count;
        let notes = report.notes.into_iter();
        let said: Vec<String> = notes.filter(|note| note.contains(" fits ")).collect();
        (own, said)
    };
    let pattern = own("app=Causes*");
    assert!(pattern.0 > 0 && pattern.1.is_empty(), "{pattern:?}");
    assert_eq!(own("app=Causes"), pattern);
    let said = |agent: &str| {
        let (objects, notes) = own(agent);
        assert_eq!(objects, 0, "{agent}");
        let words = notes.iter().map(|note| note.rsplit(' ').next());
        let words: Vec<String> = words.flatten().map(str::to_owned).collect();
        words
    };
    assert_eq!(said("app=org.nothing"), ["app=org.nothing."]);
    let choices =
        "app=org.nothing,classes=org.no,classes=Causes,classes=not:no.Class,classes=not:Library";
    let all = [
        "classes=org.no.",
        "classes=not:no.Class.",
        "app=org.nothing.",
    ];
    assert_eq!(said(choices), all);
    let folder = tempfile::tempdir().expect("temporary folder");
    let words = |app: &str| {
        let output = folder.path().join(app).display().to_string();
        let java = jdk.tool("java");
        let java = java.get_program().to_str().expect("a path");
        let classes = programs.path().to_str().expect("a path");
        let run = ["run", "--summary=off", "--app", app, "--output", &output];
        let program = ["--", java, "-cp", classes, "Causes"];
        let ended = ducktrack(&[&run[..], &program[..]].concat());
        ended.errors
    };
    assert!(words("org.nothing").contains("fits app=org.nothing"));
    assert!(!words("Causes").contains(" fits "));
}

/// Each object is own, charged once, or made outside of any call.
fn check_sums(report: &Document, run: &str) {
    let caused = report.caused.as_ref().expect("causes");
    assert_eq!(caused.application, ["Causes*"], "{run}");
    let charged: i64 = report
        .causes
        .iter()
        .map(|cause| cause.charged_objects)
        .sum();
    assert_eq!(caused.charged.count, charged, "{run}");
    let own = report
        .sites
        .iter()
        .filter(|site| site.class.starts_with("Causes"));
    assert_eq!(
        caused.own.count,
        own.map(|site| site.count).sum::<i64>(),
        "{run}"
    );
    let sum = caused.own.count + caused.charged.count + caused.no_call.count;
    assert_eq!(sum, report.totals.count, "{run}");
    let sum = caused.own.bytes + caused.charged.bytes + caused.no_call.bytes;
    assert_eq!(sum, report.totals.bytes, "{run}");
    // The JVM itself allocates little around such a program.
    assert!(
        (0..TIMES).contains(&caused.no_call.count),
        "{run}: {caused:?}"
    );
}

/// By line, for the whole run.
fn expected() -> BTreeMap<u16, Caused> {
    let lines = PROGRAM.lines().zip(1u16..);
    let said = lines.filter_map(|(line, number)| Some((number, line.split_once("; //> ")?.1)));
    said.map(|(number, said)| {
        let (each, once) = said.split_once(" once ").unwrap_or((said, "0 0 0 0"));
        let numbers = |text: &str| -> Vec<i64> {
            let words = text.split_whitespace();
            words.map(|word| word.parse().expect("a number")).collect()
        };
        let (each, once) = (numbers(each), numbers(once));
        (
            number,
            std::array::from_fn(|at| each[at] * TIMES + once[at]),
        )
    })
    .collect()
}

/// A virtual thread that waits in the middle of a call takes nothing of those that run meanwhile on its carrier.
#[test]
fn virtual_threads_take_nothing_of_each_other() {
    let programs = compiled(&["CausesOfVirtualThreads"], 21);
    let mut runs = 0;
    for jdk in matrix_jdks().iter().filter(|jdk| jdk.version >= 21) {
        let report = report(
            jdk,
            &["-Djdk.virtualThreadScheduler.parallelism=2"],
            "app=CausesOfVirtualThreads*",
            programs.path(),
            "CausesOfVirtualThreads",
        );
        let caused = |target: &str| {
            let cause = report.causes.iter().find(|cause| cause.target == target);
            let cause = cause.unwrap_or_else(|| panic!("{target}: {:?}", report.causes));
            (cause.objects, cause.bytes, cause.charged_objects)
        };
        let (rounds, threads) = (200, 50);
        // Arrays of 24 bytes, two in each round, and what the JDK makes to let a thread wait.
        let (objects, bytes, charged) = caused("Waiting.small");
        let known = 2 * rounds * threads;
        assert!((known..known * 12).contains(&objects), "{jdk}: {objects}");
        assert_eq!(objects, charged);
        // One array of the other kind has 100 times the bytes of a round.
        assert!(bytes < 24 * 12 * known, "{jdk}: {bytes}");
        let (_, bytes, _) = caused("Waiting.large");
        let known = 100_016 * rounds * threads;
        assert!(
            (known..known + known / 50).contains(&bytes),
            "{jdk}: {bytes}"
        );
        runs += 1;
    }
    checked(&format!("causes of virtual threads, {runs} runs"));
}

/// A program marks its requests: each window has what was made in it.
#[test]
fn the_program_marks_windows() {
    let programs = compiled(&["Marks"], 11);
    let mut runs = 0;
    for jdk in matrix_jdks() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let output = folder.path().join("run");
        recorded(&jdk, &[], "interval=off", programs.path(), "Marks", &output);
        let report = count_report(&output, &[]);
        check_chosen_windows(&output, &report);
        let names = report.windows.iter().map(|window| window.name.as_deref());
        let names: Vec<Option<&str>> = names.collect();
        let mut expected = vec![None];
        expected.extend([Some("request"), Some("idle")].repeat(5));
        assert_eq!(names, expected, "{jdk}");
        for window in &report.windows {
            let known = match window.name.as_deref() {
                Some("request") => 100_000,
                _ => 0,
            };
            let is_first = window.name.is_none();
            // The JDK makes few objects for the call of the mark.
            let is_known = (known..known + 1_500).contains(&window.objects);
            assert!(is_first || is_known, "{jdk}: {window:?}");
            let bytes = 24 * known..24 * known + 150_000;
            assert!(
                is_first || bytes.contains(&window.bytes),
                "{jdk}: {window:?}"
            );
        }
        let sum: i64 = report.windows.iter().map(|window| window.objects).sum();
        assert_eq!(sum, report.totals.count, "{jdk}");
        runs += 1;
    }
    checked(&format!(
        "windows between marks of the program, {runs} runs"
    ));
}

/// The agreed keys of `causes[]`, with figures that fit together.
fn check_keys(run: &str) {
    let report = trace_command("report", Path::new(run), &[]);
    let causes = report["causes"].as_array().expect("a list");
    assert!(!causes.is_empty());
    for cause in causes {
        let number = |key: &str| {
            cause[key]
                .as_i64()
                .unwrap_or_else(|| panic!("{key}: {cause}"))
        };
        for key in ["class", "method", "target"] {
            assert!(cause[key].is_string(), "{key}: {cause}");
        }
        assert!(number("line") > 0, "{cause}");
        assert!(number("chargedObjects") <= number("objects"), "{cause}");
        assert!(number("chargedBytes") <= number("bytes"), "{cause}");
    }
}

/// A report of some windows only: sites without the start, objects per request.
fn check_chosen_windows(output: &Path, whole: &Document) {
    let arrays = |report: &Document| -> i64 {
        let sites = report.sites.iter().filter(|site| site.class == "Marks");
        let arrays = sites.filter(|site| site.ty.as_deref() == Some("byte[]"));
        arrays.map(|site| site.count).sum()
    };
    let made = |name: &str| -> i64 {
        let windows = whole.windows.iter();
        let named = windows.filter(|window| window.name.as_deref() == Some(name));
        named.map(|window| window.objects).sum()
    };
    let requests = count_report(output, &["--window", "request"]);
    assert_eq!(arrays(&requests), 500_000);
    assert_eq!(requests.totals.count, made("request"));
    let chosen = requests.chosen_windows.as_ref().expect("windows");
    assert_eq!(
        (chosen.windows, chosen.window.as_deref()),
        (5, Some("request"))
    );
    let idle = count_report(output, &["--window", "idle"]);
    assert_eq!((arrays(&idle), idle.totals.count), (0, made("idle")));
    let first = count_report(output, &["--from", "request", "--until", "idle"]);
    assert_eq!(arrays(&first), 100_000);
    // Without the start of the program.
    let later = count_report(output, &["--from", "request"]);
    let start = whole.windows.first().map_or(0, |window| window.objects);
    assert_eq!(later.totals.count, whole.totals.count - start);
    let screen = ducktrack(&[
        "report",
        &output.display().to_string(),
        "--window",
        "request",
    ]);
    let screen = &screen.out;
    assert!(
        screen.contains("5 x request") && screen.contains("objects and"),
        "{screen}"
    );
    let none = ducktrack(&["report", &output.display().to_string(), "--from", "warm"]);
    let said = &none.errors;
    assert_eq!(none.status.code(), Some(2), "{said}");
    assert!(
        said.lines().count() == 1
            && said.contains("no mark `warm`")
            && said.contains("request, idle"),
        "{said}"
    );
}

fn recorded(jdk: &Jdk, options: &[&str], agent: &str, programs: &Path, main: &str, output: &Path) {
    printed_by(
        jdk.java(programs)
            .args(["-Xmx256m", "-Xverify:all"])
            .args(options)
            .arg(agent_argument(&format!("stacks=off,{agent}"), output))
            .arg(main),
    );
}

fn report(jdk: &Jdk, options: &[&str], agent: &str, programs: &Path, main: &str) -> Document {
    let folder = tempfile::tempdir().expect("temporary folder");
    let output = folder.path().join("run");
    recorded(jdk, options, agent, programs, main, &output);
    count_report(&output, &[])
}

fn ducktrack(arguments: &[&str]) -> Finished {
    Finished::of(ducktrack_command().args(arguments))
}

/// The same work with a formatter made once, and with one made in each round: the gate on the package names the call.
#[test]
fn the_gate_names_the_call_that_makes_a_formatter_in_the_loop() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../java-harness/gate/src/acme");
    let jdks = matrix_jdks();
    let Some(compiler) = jdks.iter().find(|jdk| jdk.has("javac")) else {
        skipped("causes: no JDK with javac, nothing is checked");
        return;
    };
    let folder = tempfile::tempdir().expect("temporary folder");
    for program in ["FormatterOnce", "FormatterInLoop"] {
        let classes = folder.path().join(program);
        let source = sources.join(format!("{program}/Invoices.java"));
        printed_by(
            compiler
                .tool("javac")
                .args(["-nowarn", "-g", "-d"])
                .arg(&classes)
                .arg(&source),
        );
        for (options, run) in [("app=auto", "run"), ("", "plain")] {
            let output = folder.path().join(format!("{program}.{run}"));
            recorded(compiler, &[], options, &classes, "acme.Invoices", &output);
        }
    }
    let path = |program: &str| {
        folder
            .path()
            .join(format!("{program}.run"))
            .display()
            .to_string()
    };
    let (once, in_loop) = (path("FormatterOnce"), path("FormatterInLoop"));
    let gate = ["--fail-on", "count[acme]>+0"];
    let failed = ducktrack(&["diff", &once, &in_loop, gate[0], gate[1]]);
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    let text = &failed.out;
    let first = text.lines().next().unwrap_or_default();
    assert!(
        first.starts_with("FAILED  count[acme]>+0")
            && first.contains(
                "acme.Invoices.line(Invoices.java:21) calls java.text.SimpleDateFormat.<init>"
            ),
        "{text}"
    );
    assert!(
        text.contains("CALLS of the application that changed"),
        "{text}"
    );
    // Without the totals of calls the regression is either seen on sampled stacks, or not known; it never passes.
    for (before, after) in [
        (
            once.replace(".run", ".plain"),
            in_loop.replace(".run", ".plain"),
        ),
        (once.clone(), in_loop.replace(".run", ".plain")),
    ] {
        let judged = ducktrack(&["diff", &before, &after, gate[0], gate[1]]);
        assert!(matches!(judged.status.code(), Some(1 | 2)), "{judged:?}");
    }
    let screen = ducktrack(&["report", &in_loop]);
    let screen = &screen.out;
    assert!(
        screen.contains("CALLS of acme.* that cause most")
            && screen.contains("acme.Invoices.line(Invoices.java:21)")
            && screen.contains("calls java.text.SimpleDateFormat.<init>"),
        "{screen}"
    );
    assert!(screen.lines().count() < 50, "{screen}");
    assert!(
        screen.lines().all(|line| line.chars().count() <= 100),
        "{screen}"
    );
    check_keys(&in_loop);
    let same = ducktrack(&["diff", &once, &once, gate[0], gate[1]]);
    assert_eq!(same.status.code(), Some(0), "{same:?}");
    checked("a gate on what a package causes names the call");
}
