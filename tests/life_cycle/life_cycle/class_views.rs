//! Everything that a program can ask of its classes is as before: while the agent records, after `stop`, and again.
//!
//! Constant pools are as large after several recordings as after one.
//!
//! `ClassViews` asks: of classes of java.base, of itself, and of `Viewed` and `ViewedLater`, which have of everything that a
//! class file can tell and are compiled with `-parameters` (HotSpot before JDK 20 loses these when it hands a class out again).

use std::path::Path;

use ducktrack_tests::{Jdk, checked, compile_java_with_parameters};

use crate::control::{attach, done};
use crate::tracked_jvm::{RunningJvm, TrackedJvm, jdks_in_turn};

/// Pools that grow with each retransformation, by whichever agent: NaN is no constant that HotSpot
/// finds again (`Double`, `Float`, `Math`, `FdLibm`), nor are some call sites of `ClassViews`.
const MOST_GROWN: usize = 8;

/// How many classes of java.base (all are about 7,000), and how many recordings. JDK 11 takes much longer to exchange a class.
fn size_of_test(jdk: &Jdk) -> (&'static str, usize) {
    match jdk.version {
        ..17 => ("300", 2),
        _ => ("1500", 3),
    }
}

/// For the sizes of constant pools.
const OPENED: [&str; 2] = [
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/jdk.internal.reflect=ALL-UNNAMED",
];

/// Compiles the program and the classes it asks about.
fn compile(jdk: &Jdk, folder: &Path) {
    let (release, programs): (u32, &[&str]) = match jdk.version {
        ..17 => (11, &["ClassViews", "Viewed"]),
        _ => (17, &["ClassViews", "Viewed", "ViewedLater"]),
    };
    compile_java_with_parameters(programs, release, folder);
}

/// What the program says of its classes: `view` or `pools`.
fn told(jvm: &mut RunningJvm, what: &str, file: &Path) -> Vec<String> {
    jvm.ask(&format!("{what} {}", file.display()), "DONE");
    let text = std::fs::read_to_string(file).expect("the views");
    text.lines().map(str::to_owned).collect()
}

fn compare(before: &[String], now: &[String], when: &str) {
    assert_eq!(before.len(), now.len(), "{when}");
    let differ: Vec<_> = before.iter().zip(now).filter(|(a, b)| a != b).collect();
    assert!(
        differ.is_empty(),
        "{when}, {} lines: {:#?}",
        differ.len(),
        &differ[..differ.len().min(3)]
    );
}

/// Names of the classes whose pools have another size now.
fn grown<'l>(before: &[String], now: &'l [String]) -> Vec<&'l str> {
    let differ = before.iter().zip(now).filter(|(before, now)| before != now);
    differ
        .filter_map(|(_, now)| now.split(' ').next())
        .collect()
}

#[test]
fn no_view_of_a_class_changes() {
    // JDK 17: before JDK 20 the VM loses most.
    for jdk in jdks_in_turn(11, 1) {
        let place = tempfile::tempdir().expect("temporary folder");
        let (classes, file) = (place.path().join("classes"), place.path().join("views"));
        std::fs::create_dir(&classes).expect("folder");
        compile(&jdk, &classes);
        let folder = classes.display().to_string();
        let jvm = TrackedJvm::bare(&jdk).vm(&["-cp", &folder]).vm(&OPENED);
        let (classes, rounds) = size_of_test(&jdk);
        let mut jvm = jvm.start_program("ClassViews", &[classes, &folder]);
        let before = told(&mut jvm, "view", &file);
        let has = |text: &str| before.iter().any(|line| line.contains(text));
        assert!(has("final java.lang.String onetrue16") && has("Part("));
        let version = jdk.version;
        let mut pools = Vec::new();
        for round in 1..=rounds {
            let output = place.path().join(format!("out{round}"));
            attach(&jvm, &output, &[]);
            let when = format!("JDK {version}, recording {round}");
            compare(&before, &told(&mut jvm, "view", &file), &when);
            done(&["stop", &jvm.pid().to_string()]);
            let when = format!("JDK {version}, after stop {round}");
            compare(&before, &told(&mut jvm, "view", &file), &when);
            pools.push(told(&mut jvm, "pools", &file));
        }
        assert!(
            pools[0]
                .iter()
                .any(|line| line.starts_with("Viewed pool: "))
        );
        let grown = grown(&pools[0], &pools[pools.len() - 1]);
        assert!(
            grown.len() <= MOST_GROWN && !grown.iter().any(|class| class.starts_with("Viewed")),
            "JDK {version}: {grown:?}"
        );
        checked(&format!(
            "JDK {version}: {} views of classes, before and in {rounds} recordings",
            before.len()
        ));
        jvm.ask("end", "END");
        jvm.end_well();
    }
}
