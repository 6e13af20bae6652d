//! `project`, a user's benchmarks with JMH: `-prof ducktrack` counts the
//! known objects of each operation, beside `-prof gc`. Bytes agree where every object reaches
//! the heap; of the others, `-prof gc` sees fewer. Budgets of `ducktrack.toml` break a run.

mod project;

use ducktrack_tests::{
    Jdk, checked, has_program, install_java_artifacts, installed_jdks, jdks_in_turn, skipped,
};

use project::{Operation, Project};

/// Benchmarks, objects of each operation, and whether all of them reach the heap.
const KNOWN: &[(&str, f64, bool)] = &[
    ("array", 1.0, true),
    ("box", 1.0, true),
    ("copy", 1.0, true),
    ("iterator", 1.0, false),
    ("list", 2.0, true),
    ("map", 3.0, true),
    ("optional", 2.0, false),
    ("point", 1.0, false),
    ("text", 2.0, true),
];
/// Its objects differ between JDKs.
const BUILDER: &str = "builder";
/// JMH's own work, in bytes for each operation, in a short run.
const HARNESS: f64 = 1.0;

#[test]
fn operations_have_the_objects_of_their_code() {
    let compiler = installed_jdks()
        .into_iter()
        .find(|jdk| jdk.version >= 17 && jdk.has("javac"));
    let Some(compiler) = compiler.filter(|_| has_program("mvn")) else {
        skipped("operations_in_jmh: no Maven, or no JDK 17 with javac");
        return;
    };
    install_java_artifacts(&compiler);
    let project = Project::new(&compiler);
    let mut jdks = installed_jdks();
    jdks.retain(|jdk| jdk.version == 17 || jdk.version == 25);
    for jdk in jdks_in_turn("benchmarks with JMH", &jdks, 0) {
        compare(&project.run(&jdk), &jdk);
    }
    breaks(&project, &compiler);
    checked(
        "ten benchmarks with -prof ducktrack and -prof gc, and budgets of an operation, a package and a method",
    );
}

fn compare(operations: &[Operation], jdk: &Jdk) {
    let find = |name: &str| {
        let found = operations.iter().find(|operation| operation.name == name);
        found.unwrap_or_else(|| panic!("{jdk}: no {name}"))
    };
    for operation in operations {
        println!("{jdk} {operation:?}");
    }
    for (name, objects, all_reach_the_heap) in KNOWN {
        let operation = find(name);
        assert_eq!(operation.objects, *objects, "{jdk}: {operation:?}");
        assert_eq!(operation.error, 0.0, "{jdk}: {operation:?}");
        let difference = operation.bytes - operation.bytes_of_the_heap;
        match all_reach_the_heap {
            true => assert!(difference.abs() < HARNESS, "{jdk}: {operation:?}"),
            false => assert!(difference > HARNESS, "{jdk}: {operation:?}"),
        }
    }
    let builder = find(BUILDER);
    assert!(
        builder.objects >= 3.0 && builder.bytes > builder.bytes_of_the_heap,
        "{builder:?}"
    );
    let site = "ducktrack.site: acme.Operations$Point at acme.Operations.point:";
    assert!(
        find("point")
            .sites
            .iter()
            .any(|name| name.starts_with(site)),
        "{:?}",
        find("point")
    );
}

/// Each kind of budget, broken.
fn breaks(project: &Project, jdk: &Jdk) {
    for (budget, message) in [
        (
            "[benchmark.\"acme.Operations.list\"]\nobjects = 1",
            "acme.Operations.list allocates 2.",
        ),
        (
            "[site.\"acme.Operations.list\"]\nobjects = 0",
            "acme.Operations.list: acme.Operations.list allocates 1.",
        ),
        (
            "[package.\"acme..\"]\nobjects = 0",
            "acme.Operations.list: acme.. allocates 1.",
        ),
        ("[site.\"acme.Operations.list\"]\nobjects = 2", ""),
    ] {
        let (is_good, text) = project.run_one("list", jdk, budget);
        assert_eq!(is_good, message.is_empty(), "{budget}: {text}");
        assert!(text.contains(message), "{budget}: {text}");
    }
}
