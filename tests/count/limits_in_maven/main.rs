//! `project`, a user's Maven project, tested by Maven: with JUnit 5 and 6, in two forks, its tests beside each other,
//! some nested, parameterized, repeated, or on virtual threads. Limits that hold hold, and each broken one has its message.

mod project;

use ducktrack_tests::{
    Jdk, checked, has_program, install_java_artifacts, installed_jdks, is_full_run, skipped,
};

use project::{Outcome, Project};

const JUNIT_5: &str = "5.14.4";
const JUNIT_6: &str = "6.1.3";
/// Tests of `HoldingTest`, with each repetition and parameter.
const HOLDING: usize = 113;
/// Each test of `BrokenTest`, and lines of its message.
const BROKEN: &[(&str, &[&str])] = &[
    (
        "ten",
        &[
            "acme.BrokenTest.ten allocated 22 objects",
            "the limit is 21",
            "10 acme.Orders$Session (",
            "at acme.Orders.some:",
            "To accept: @MaxObjects(22)",
        ],
    ),
    (
        "tenInBytes",
        &[
            "bytes (22 objects), the limit is 1024",
            "To accept: @MaxBytes(",
        ],
    ),
    (
        "there",
        &[
            "acme.BrokenTest.there allocated 3 objects",
            "in acme.Orders, the limit is none",
        ],
    ),
    ("noBaseline", &["has no baseline in", "-Dducktrack.update"]),
    (
        "leaks",
        &[
            "acme.BrokenTest.leaks leaks: objects of 20 of its 20 repetitions stay",
            "20 java.util.HashMap$Nodes (",
            "with 40 objects more (",
            "acme.Orders$Session, byte[]",
            "called by acme.Orders.open:",
            "held by  static acme.Orders.SESSIONS -> java.util.HashMap.table -> java.util.HashMap$Node[]",
            "to fix:  remove it from static acme.Orders.SESSIONS when it is no longer used, or give that a bound",
        ],
    ),
    (
        "stays",
        &[
            "acme.BrokenTest.stays leaves 1 acme.Orders$Session, the limit is 0",
            "made at  acme.BrokenTest.stays:",
            "held by  static acme.BrokenTest.kept",
            "To accept: @MaxSurvivors(type = Session.class, value = 1)",
        ],
    ),
    (
        "budget",
        &["the limit is 21", "To accept: objects = 22 in "],
    ),
    (
        "site",
        &[
            "acme.BrokenTest.site: acme.BrokenTest.two allocated 2 objects",
            "the limit is 1",
            "To accept: objects = 2 in ",
        ],
    ),
    (
        "hot",
        &[
            "acme.BrokenTest.hot: acme.BrokenTest$Hot allocated 2 objects",
            "called by acme.BrokenTest$Hot.text:",
        ],
    ),
];

#[test]
fn limits_hold_and_break_in_a_project_of_maven() {
    let compiler = installed_jdks()
        .into_iter()
        .find(|jdk| jdk.version >= 17 && jdk.has("javac"));
    let Some(compiler) = compiler.filter(|_| has_program("mvn")) else {
        skipped("limits_in_maven: no Maven, or no JDK 17 with javac");
        return;
    };
    install_java_artifacts(&compiler);
    let mut runs = 0;
    for jdk in installed_jdks() {
        let junit = match jdk.version {
            25 => JUNIT_6,
            17 => JUNIT_5,
            _ if is_full_run() => JUNIT_5,
            _ => continue,
        };
        let project = Project::new(&compiler, &jdk, junit);
        holds_and_breaks(&project, &jdk);
        runs += 1;
    }
    let jdk = &compiler;
    let project = Project::new(&compiler, jdk, JUNIT_5);
    without_the_agent(&project);
    baselines(&project);
    checked(&format!(
        "a project of Maven with JUnit 5 and 6, {runs} JDKs, {} limits that hold and {} that break",
        HOLDING,
        BROKEN.len()
    ));
}

fn holds_and_breaks(project: &Project, jdk: &Jdk) {
    let outcomes = project.test(&[]);
    let holding = outcomes.of("acme.HoldingTest");
    for (name, outcome, text) in &holding {
        assert_eq!(*outcome, Outcome::Passed, "{jdk}: {name}: {text}");
    }
    assert_eq!(holding.len(), HOLDING, "{jdk}: {}", project.log());
    let virtual_threads = outcomes.of("acme.VirtualThreadTest");
    let expected = match jdk.version {
        21.. => Outcome::Passed,
        _ => Outcome::Skipped,
    };
    let found: Vec<Outcome> = virtual_threads.iter().map(|test| test.1).collect();
    assert_eq!(found, [expected], "{jdk}: {virtual_threads:?}");
    let broken = outcomes.of("acme.BrokenTest");
    for (name, lines) in BROKEN {
        let test = broken.iter().find(|test| test.0 == *name);
        let (_, outcome, text) = test.expect("a test");
        assert_eq!(*outcome, Outcome::Failed, "{jdk}: {name}");
        for line in *lines {
            assert!(text.contains(line), "{jdk}: {name} has no {line:?}: {text}");
        }
    }
    assert_eq!(broken.len(), BROKEN.len());
}

/// Tests with limits are skipped, or fail where the agent is required; others run.
fn without_the_agent(project: &Project) {
    let only = "-Dtest=HoldingTest#ten+none,BrokenTest#leaks";
    let outcomes = project.test(&["-Dducktrack.skip", only]);
    let mut tests = outcomes.of("acme.HoldingTest");
    tests.extend(outcomes.of("acme.BrokenTest"));
    assert_eq!(tests.len(), 3, "{}", project.log());
    for (name, outcome, text) in tests {
        assert_eq!(outcome, Outcome::Skipped, "{name}: {text}");
        assert!(text.contains("ducktrack-maven-plugin"), "{name}: {text}");
    }
    let required = "-Dducktrack.required=true";
    let outcomes = project.test(&["-Dducktrack.skip", required, "-Dtest=HoldingTest#ten"]);
    let tests = outcomes.of("acme.HoldingTest");
    assert_eq!(tests.len(), 1, "{}", project.log());
    assert_eq!(tests[0].1, Outcome::Failed, "{}", tests[0].2);
}

/// A baseline is written on request; with it the test passes, and fails again for one object less.
fn baselines(project: &Project) {
    let only = "-Dtest=BrokenTest#noBaseline";
    let update = "-Dducktrack.update";
    for options in [&[only, update][..], &[only]] {
        let outcomes = project.test(options);
        let tests = outcomes.of("acme.BrokenTest");
        let found: Vec<Outcome> = tests.iter().map(|test| test.1).collect();
        assert_eq!(
            found,
            [Outcome::Passed],
            "{options:?}: {tests:?}{}",
            project.log()
        );
    }
    let accepted = project.baseline("acme.BrokenTest");
    let session = "noBaseline: acme.Orders$Session at acme.Orders.some = 1 objects";
    assert!(accepted.contains(session), "{accepted}");
    project.set_baseline(
        "acme.BrokenTest",
        &accepted.replace(
            session,
            "noBaseline: acme.Orders$Session at acme.Orders.some = 0 objects",
        ),
    );
    let outcomes = project.test(&[only]);
    assert_eq!(outcomes.of("acme.BrokenTest")[0].1, Outcome::Failed);
}
