//! The facts about a run's end that only a heap dump has: the objects that filled the heap
//! at an `OutOfMemoryError`, class loaders with their holders, memory outside of the heap.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use ducktrack_tests::{
    Finished, Jdk, TracedRun, checked, compiled, printed_by, trace_command, traced_jdks,
};
use serde_json::Value;

const MEGABYTE: i64 = 1 << 20;

fn number(value: &Value) -> i64 {
    value.as_i64().expect("a number")
}

/// The array is in a local variable, which is gone when the program ends: no dump of the end has it.
#[test]
fn what_filled_the_heap_is_in_the_dump_of_the_error() {
    let programs = compiled(&["Exhaustion"], 17);
    let mut runs = 0;
    for jdk in &traced_jdks() {
        for collector in ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"] {
            let run = TracedRun::new(jdk, &format!("exhaustion {collector}"));
            let mut command = run.command("dump=on", &[programs.path()]);
            let ended = Finished::of(command.args(["-Xmx48m", collector, "Exhaustion"]));
            assert_eq!(ended.status.code(), Some(1));
            check_exhaustion(run.name(), &run.trace());
            runs += 1;
        }
    }
    checked(&format!("dumps at an OutOfMemoryError, {runs} runs"));
}

fn check_exhaustion(name: &str, folder: &Path) {
    let leaks = trace_command("leaks", folder, &[]);
    let dump = Path::new(leaks["dump"].as_str().expect("a dump"));
    assert_eq!(dump.file_name(), Some("oom.hprof".as_ref()), "{name}");
    let facts = std::fs::metadata(dump).expect("the dump");
    assert_eq!(
        facts.permissions().mode() & 0o077,
        0,
        "{name}: others may read it"
    );
    assert_eq!(leaks["verdict"], "leaks", "{name}: {leaks}");
    let first = &leaks["candidates"][0];
    assert_eq!(
        (&first["class"], &first["method"]),
        (&"Exhaustion".into(), &"fill".into()),
        "{name}: {first}"
    );
    assert_eq!(first["root"]["kind"], "frame", "{name}: {first}");
    let (retained, live) = (number(&first["retained"]), number(&leaks["liveBytes"]));
    assert!(
        (30 * MEGABYTE..=48 * MEGABYTE).contains(&retained),
        "{name}: {first}"
    );
    assert!(
        retained <= live && live <= 48 * MEGABYTE,
        "{name}: {retained} of {live}"
    );
}

#[test]
fn loaders_and_direct_memory_with_what_keeps_them() {
    let programs = compiled(&["KeptLoaders"], 17);
    let mut runs = 0;
    for jdk in &traced_jdks() {
        check_loaders(jdk, programs.path());
        runs += 1;
    }
    checked(&format!(
        "class loaders and direct memory of dumps, {runs} runs"
    ));
}

fn check_loaders(jdk: &Jdk, programs: &Path) {
    let java = ["-Xmx128m", "-XX:+UseSerialGC", "KeptLoaders"];
    let mut bare = jdk.java(programs);
    let printed = printed_by(bare.args(java).arg("free"));
    let freed: i64 = printed.trim().parse().expect("a number");
    let run = TracedRun::new(jdk, "loaders");
    let name = run.name();
    let mut command = run.command("dump=on", &[programs]);
    run.finish(command.args(java));
    let leaks = trace_command("leaks", &run.trace(), &[]);
    let loaders = leaks["loaders"].as_array().expect("loaders");
    let of_type = |ty: &str| {
        loaders.iter().find(|row| {
            let last = row["steps"].as_array().and_then(|steps| steps.last());
            last.is_some_and(|step| step["type"] == ty)
        })
    };
    let row = of_type("KeptLoaders$PluginLoader");
    let row = row.unwrap_or_else(|| panic!("{name}: {loaders:#?}"));
    assert!(of_type("KeptLoaders$LeftLoader").is_some(), "{name}");
    // The one that a thread works with is the running program's own.
    assert!(of_type("KeptLoaders$OwnLoader").is_none(), "{name}");
    assert_eq!(
        (number(&row["count"]), number(&row["classes"])),
        (40, 40),
        "{name}: {row}"
    );
    assert_eq!(
        row["root"]["name"], "static KeptLoaders.KEPT",
        "{name}: {row}"
    );
    let retained = number(&row["retained"]);
    println!("{name}: the JVM frees {freed}, the dump shows {retained}");
    // Forty caches of a hundred arrays of 120 bytes are in the dump; mirrors of reflection are not.
    assert!(
        (40 * 100 * 120..=freed).contains(&retained),
        "{name}: {retained} of {freed}"
    );
    let selected = trace_command("holders", &run.trace(), &["--type", "KeptLoaders$Plugin"]);
    let selected = &selected["selected"];
    assert_eq!(selected["freesClasses"], true, "{name}: {selected}");
    assert!(
        (retained..=freed).contains(&number(&selected["exactlyRetained"])),
        "{name}: {selected}"
    );
    let memory = &leaks["directMemory"][0];
    assert_eq!(
        number(&memory["capacity"]),
        48 * MEGABYTE,
        "{name}: {memory}"
    );
    assert_eq!(number(&memory["count"]), 12, "{name}: {memory}");
    assert_eq!(
        memory["root"]["name"], "static KeptLoaders.BUFFERS",
        "{name}: {memory}"
    );
}
