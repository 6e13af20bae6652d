//! `ducktrack leaks DIR` names the field of the class that has the leak and a line of that class, where other classes make what leaks:
//! a map, a list of listeners, the value of a `ThreadLocal` in a pool, and a subclass of a collection (`tests/leaks/Planted.java`).

use ducktrack_tests::{TracedRun, checked, compiled, trace_command, traced_jdks};
use serde_json::Value;

/// Shape and steps; the field; the class of the line that adds to it.
const SHAPES: [(&str, u32, &str, &str); 4] = [
    (
        "map",
        60_000,
        "PlantedSettings.PARSED",
        "PlantedSettings.add",
    ),
    ("listeners", 4_000, "PlantedBus.listeners", "PlantedBus.add"),
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
    let classes = compiled(&["Planted"], 17);
    for jdk in &traced_jdks() {
        for (shape, steps, field, line) in SHAPES {
            let run = TracedRun::new(jdk, shape);
            let options = "stacks=on,dump=on";
            let mut command = run.command(options, &[classes.path()]);
            let steps = steps.to_string();
            let java = ["-Xmx96m", "-XX:+UseSerialGC", "Planted", shape, &steps];
            run.finish(command.args(java));
            let leaks = trace_command("leaks", &run.trace(), &[]);
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

/// Where a library makes, adds and holds, the advice names the line of the program for which it does.
#[test]
fn the_call_of_a_program_whose_library_keeps() {
    let programs = ["PriceBook", "PriceAsker"];
    let classes = compiled(&programs, 17);
    for jdk in &traced_jdks() {
        let run = TracedRun::new(jdk, "library");
        let options = "stacks=on,dump=on";
        let mut command = run.command(options, &[classes.path()]);
        let java = ["-Xmx96m", "-XX:+UseSerialGC", "PriceAsker", "100000"];
        run.finish(command.args(java));
        let name = run.name();
        for (dump, field) in [(&[][..], "PriceBook.PRICES"), (&["--dump", "none"], "")] {
            let leaks = trace_command("leaks", &run.trace(), dump);
            assert_eq!(leaks["verdict"], "leaks", "{name}: {leaks}");
            let to_do = leaks["candidates"][0]["toDo"].as_str();
            let to_do = to_do.expect("what to do");
            let names_both = to_do.contains(field) && to_do.contains("PriceAsker.ask");
            assert!(names_both, "{name}: {to_do}");
            checked(&format!("{name}: {to_do}"));
        }
    }
}

/// The JVM clears soft references before a heap is full: what they alone hold fills, and what they hold of others' is judged as all else.
#[test]
fn what_only_soft_references_hold_fills() {
    let classes = compiled(&["Planted"], 17);
    for jdk in &traced_jdks() {
        for shape in ["soft", "both", "mixed"] {
            let run = TracedRun::new(jdk, shape);
            let mut command = run.command("dump=on", &[classes.path()]);
            let java = ["-Xmx256m", "-XX:+UseSerialGC", "Planted", shape, "20000"];
            run.finish(command.args(java));
            let leaks = trace_command("leaks", &run.trace(), &[]);
            let (name, sentence) = (run.name(), &leaks["sentence"]);
            println!("{name}: {sentence}");
            let images = |softly: bool| {
                let rows = leaks["candidates"].as_array().expect("candidates");
                let mut rows = rows.iter().filter(|row| {
                    row["method"] == "image" && row["target"] == "byte[]" && row["softly"] == softly
                });
                rows.next()
            };
            let per_mb = |row: &Value| row["bytesPerMb"]["value"].as_f64().expect("a rate");
            // Without the dump nobody knows how they are held.
            let alone = trace_command("leaks", &run.trace(), &["--dump", "none"]);
            assert_eq!(alone["verdict"], "leaks", "{name}: {alone}");
            let all = per_mb(&alone["candidates"][0]);
            match shape {
                "soft" => {
                    assert_eq!(leaks["verdict"], "fills", "{name}: {leaks}");
                    assert_eq!(leaks["alarms"], 0, "{name}: {leaks}");
                    let soft = images(true).expect("what is held softly");
                    assert_eq!(soft["verdict"], "fills", "{name}: {soft}");
                    assert!(images(false).is_none(), "{name}: {leaks}");
                }
                "both" => {
                    assert_eq!(leaks["verdict"], "leaks", "{name}: {leaks}");
                    assert!(images(true).is_none(), "{name}: {leaks}");
                    let field = &leaks["candidates"][0]["structure"]["field"];
                    assert_eq!(field, "PlantedImages.KEPT", "{name}: {leaks}");
                }
                _ => {
                    assert_eq!(leaks["verdict"], "leaks", "{name}: {leaks}");
                    let (firm, soft) = (images(false), images(true));
                    let (firm, soft) = (firm.expect("a leak"), soft.expect("what fills"));
                    assert_eq!(firm["alarm"], true, "{name}: {firm}");
                    assert_eq!(firm["structure"]["field"], "PlantedImages.KEPT", "{name}");
                    assert_eq!(soft["verdict"], "fills", "{name}: {soft}");
                    // A quarter of the images is in the list.
                    let part = per_mb(firm) / all;
                    assert!((0.22..0.28).contains(&part), "{name}: {part} of {all}");
                }
            }
            checked(&format!("{name}: {sentence}"));
        }
    }
}

/// Without sampled stacks a line is said to add only where it is the call that made the nodes.
#[test]
fn a_line_that_is_not_known_to_add_is_near() {
    let classes = compiled(&["Planted"], 17);
    let jdk = &traced_jdks()[0];
    for (shape, steps, _, line) in SHAPES {
        let run = TracedRun::new(jdk, shape);
        let options = "stacks=off,dump=on";
        let mut command = run.command(options, &[classes.path()]);
        let steps = steps.to_string();
        let java = ["-Xmx96m", "-XX:+UseSerialGC", "Planted", shape, &steps];
        run.finish(command.args(java));
        let leaks = trace_command("leaks", &run.trace(), &[]);
        let added = leaks["candidates"][0]["addedBy"].as_str().expect("a line");
        let is_near = added.starts_with("near ") && added.ends_with(", which makes what is added");
        assert!(added.contains(line) != is_near, "{}: {added}", run.name());
        checked(&format!("{}: {added}", run.name()));
    }
}
