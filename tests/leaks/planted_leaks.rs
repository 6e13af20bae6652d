//! `ducktrack leaks DIR` names the field of the class that has the leak and a line of that class, where other classes make what leaks: a map, a list of listeners, the value of
//! a `ThreadLocal` in a pool, and a subclass of a collection (`tests/leaks/Planted.java`).

use ducktrack_tests::{TracedRun, checked, compile_java, trace_command, traced_jdks};

/// Shape and steps; the field; the class of the line that adds to it.
const SHAPES: [(&str, u32, &str, &str); 4] = [
    (
        "map",
        60_000,
        "PlantedSettings.PARSED",
        "PlantedSettings.add",
    ),
    (
        "listeners",
        4_000,
        "PlantedBus.listeners",
        "PlantedBus.add:",
    ),
    (
        "local",
        60_000,
        "PlantedScripts.ANSWERS",
        "PlantedScripts.run",
    ),
    ("subclass", 60_000, "Planted.ALL", "Planted.step"),
];

#[test]
fn field_and_line_of_what_other_classes_make() {
    let classes = tempfile::tempdir().expect("temporary folder");
    assert!(compile_java(&["Planted"], 17, classes.path()).expect("compile"));
    for jdk in &traced_jdks().expect("JDKs") {
        for (shape, steps, field, line) in SHAPES {
            let run = TracedRun::new(jdk, shape).expect("folder");
            let options = "stacks=on,dump=shutdown";
            let mut command = run.command(options, &[classes.path()]).expect("the agent");
            let steps = steps.to_string();
            let java = ["-Xmx96m", "-XX:+UseSerialGC", "Planted", shape, &steps];
            run.finish(command.args(java)).expect("the program");
            let leaks = trace_command("leaks", &run.trace(), &[]).expect("leaks");
            let first = &leaks["candidates"][0];
            let name = run.name();
            assert_eq!(leaks["verdict"], "leaks", "{name}: {leaks}");
            assert_eq!(first["structure"]["field"], field, "{name}: {first}");
            let added = first["addedBy"].as_str().expect("a line");
            assert!(added.contains(line), "{name}: {added}");
            let to_do = first["toDo"].as_str().expect("what to do");
            assert!(to_do.contains(field), "{name}: {to_do}");
            checked(&format!("{name}: {field}, {added}"));
        }
    }
}
