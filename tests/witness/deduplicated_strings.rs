//! G1's deduplication of strings under `mode=deaths`: arrays that no string has any more
//! while the strings live on are not given a death before a collection that kept them.

use ducktrack_tests::{
    TracedRun, checked, compiled, deaths_command, jdks_in_turn, trace_command, traced_jdks,
};

const STRINGS: usize = 20_000;

#[test]
fn arrays_that_the_vm_replaces_have_bounds_and_no_death() {
    let classes = compiled(&["DeduplicatedStrings"], 17);
    let jdks = traced_jdks();
    for jdk in jdks_in_turn("deduplicated strings", &jdks, 0) {
        for mode in ["mode=deaths", "mode=full"] {
            let run = TracedRun::new(&jdk, mode);
            let mut command = run.command(mode, &[classes.path()]);
            command
                .args([
                    "-XX:+UseG1GC",
                    "-XX:+UseStringDeduplication",
                    "-Xmx128m",
                    "-Xmn8m",
                ])
                .args(["--add-opens", "java.base/java.lang=ALL-UNNAMED"])
                .args(["DeduplicatedStrings", &STRINGS.to_string()]);
            let said = run.finish(&mut command);
            let shared: usize = said
                .lines()
                .next()
                .and_then(|line| line.parse().ok())
                .expect("a number");
            assert!(shared > STRINGS / 2, "{}: {said}", run.name());
            check(&run, shared);
        }
    }
}

fn check(run: &TracedRun, shared: usize) {
    let name = run.name();
    let only = ["--objects", "--only", "DeduplicatedStrings"];
    let words = [&only[..], &["--type", "byte[]"]].concat();
    let (list, _) = deaths_command(&run.trace(), &words);
    let (mut dead, mut open) = (0, 0);
    for line in list
        .lines()
        .skip(1)
        .filter(|line| line.contains("compress"))
    {
        let fields: Vec<&str> = line.split(',').rev().collect();
        let (collected, unreachable) = (fields[0], fields[1]);
        if !collected.is_empty() {
            dead += 1;
            open += usize::from(unreachable.is_empty());
        }
    }
    // Strings live to the end, so each array that died was replaced.
    assert!(dead > STRINGS / 2, "{name}: {dead} of {shared} are dead");
    assert_eq!(open, dead, "{name}: a death of an array whose string lives");
    let report = trace_command("lifetimes", &run.trace(), &["--deaths"]);
    let missing = report["missing"].to_string();
    assert!(
        missing.contains("were replaced by equal ones"),
        "{name}: {missing}"
    );
    checked(&format!(
        "{name}: {open} arrays that the VM replaced, none has an exact death"
    ));
}
