//! `ducktrack waste` on a program whose waste is known by construction: each kind to the object
//! and the byte, on dumps alone and with the trace; kinds that overlap are in the total once.
//!
//! The sizes here are worked out from the fields of the classes, apart from the product.

use std::fs;
use std::path::{Path, PathBuf};

use ducktrack_tests::{
    Jdk, TracedRun, checked, compiled, ducktrack_command, jdks_in_turn, json_by, printed_by,
    program_source, traced_jdks,
};
use serde_json::Value;

/// Bytes of objects: headers, and where elements of arrays begin.
#[derive(Clone, Copy)]
struct Layout {
    header: u64,
    array: u64,
}

const USUAL: Layout = Layout {
    header: 12,
    array: 16,
};
const COMPACT: Layout = Layout {
    header: 8,
    array: 12,
};

impl Layout {
    fn object(self, fields: u64) -> u64 {
        (self.header + fields).next_multiple_of(8)
    }

    fn array(self, element: u64, length: u64) -> u64 {
        (self.array + element * length).next_multiple_of(8)
    }

    /// Kind, holder, objects, bytes, and the mark of the line that made them.
    fn expected(self) -> Vec<(&'static str, &'static str, u64, u64, &'static str)> {
        let string = self.object(10) + self.array(1, 7);
        let zeros = self.array(1, 1000);
        let (set, map, table) = (self.object(4), self.object(32), self.array(4, 16));
        let node = self.object(16);
        let decimal = self.object(24) + self.object(24) + self.array(4, 3);
        let moment = 3 * self.object(8);
        let around = self.object(4);
        let counts = 10 * self.object(8) - around - (self.array(8, 10) - self.array(4, 10));
        vec![
            (
                "equal-strings-latin1",
                "Left.name",
                290,
                290 * string,
                "text",
            ),
            (
                "equal-strings-latin1",
                "Right.name",
                100,
                100 * string,
                "text",
            ),
            ("equal-byte-arrays", "Pixels.zero", 19, 19 * zeros, "zero"),
            ("all-zero-bytes", "Pixels.zero", 20, 20 * zeros, "zero"),
            (
                "boxes-in-lists",
                "Counts.equal",
                1500,
                30 * self.object(12) + 1500 * self.object(4),
                "boxes",
            ),
            (
                "equal-boxes",
                "Counts.equal",
                1450,
                1450 * self.object(4),
                "boxes",
            ),
            (
                "one-element-sets",
                "Tags.one",
                40,
                40 * (set + map + table + node),
                "one",
            ),
            (
                "emptied-sets",
                "Gone.emptied",
                25,
                25 * (set + map + table),
                "emptied",
            ),
            (
                "sparse-sets",
                "Wide.sparse",
                10,
                10 * (self.array(4, 1024) - self.array(4, 32)),
                "sparse",
            ),
            (
                "equal-decimals",
                "Amount.value",
                76,
                76 * decimal,
                "decimal",
            ),
            ("equal-date-times", "Moment.at", 57, 57 * moment, "moment"),
            (
                "equal-records",
                "Label.named",
                195,
                195 * self.object(8),
                "named",
            ),
            ("fields-always-default", "Derived", 100, 100 * 16, "derived"),
            (
                "wrappers-of-wrappers",
                "Wrapped.twice",
                15,
                15 * self.object(8),
                "twice",
            ),
            (
                "atomics-in-arrays",
                "Cells.references",
                100,
                5 * (20 * self.object(4) - around),
                "references",
            ),
            (
                "atomics-in-arrays",
                "Cells.counts",
                50,
                5 * counts,
                "counts",
            ),
        ]
    }
}

fn waste(words: &[&str]) -> Value {
    let mut waste = ducktrack_command();
    json_by(waste.arg("waste").args(words).args(["--format", "json"]))
}

fn row<'a>(report: &'a Value, kind: &str, holder: &str) -> Option<&'a Value> {
    let rows = report["waste"].as_array()?;
    let holder = format!("Wasted${holder}");
    rows.iter()
        .find(|row| row["kind"] == kind && row["holder"] == holder.as_str())
}

fn check(report: &Value, layout: Layout, what: &str) {
    for (kind, holder, objects, bytes, _) in layout.expected() {
        let row = row(report, kind, holder).unwrap_or_else(|| panic!("{what}: no {kind} {holder}"));
        let found = (row["objects"].as_u64(), row["bytes"].as_u64());
        assert_eq!(
            found,
            (Some(objects), Some(bytes)),
            "{what}: {kind} {holder}"
        );
    }
    assert_eq!(
        row(report, "empty-lists", "Sharing.none"),
        None,
        "{what}: one list for all"
    );
    let rows = report["waste"].as_array().expect("rows");
    let sum = |key: &str| rows.iter().filter_map(|row| row[key].as_u64()).sum::<u64>();
    let (total, overlap) = (report["total"].as_u64(), sum("overlap"));
    assert_eq!(total, Some(sum("bytes") - overlap), "{what}: no byte twice");
    let boxes = 1450 * layout.object(4);
    assert!(
        overlap >= boxes + 19 * layout.array(1, 1000),
        "{what}: {overlap} bytes overlap"
    );
}

fn dumped(jdk: &Jdk, options: &[&str], programs: &Path) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dump = folder.path().join("heap.hprof");
    let mut java = jdk.java(programs);
    java.args(options).arg("DumpAtExit").arg(&dump);
    printed_by(java.arg("Wasted"));
    (folder, dump)
}

#[test]
fn each_kind_is_exact_in_a_dump_alone() {
    let programs = compiled(&["DumpAtExit", "Wasted"], 17);
    let mut dumps = 0;
    for jdk in &traced_jdks() {
        let compact = ["-XX:+UseCompactObjectHeaders", "-XX:+UseSerialGC"];
        let layouts: [(&[&str], Layout); 4] = [
            (&["-XX:+UseSerialGC"], USUAL),
            (&["-XX:+UseParallelGC"], USUAL),
            (&["-XX:+UseG1GC"], USUAL),
            (&compact, COMPACT),
        ];
        for (options, layout) in layouts {
            if jdk.accepts(options) {
                let (_folder, dump) = dumped(jdk, options, programs.path());
                let report = waste(&[dump.to_str().expect("a path")]);
                check(&report, layout, &format!("{jdk} {options:?}"));
                dumps += 1;
            }
        }
    }
    checked(&format!("waste of {dumps} dumps alone"));
}

#[test]
fn the_lines_that_made_it_are_named() {
    let programs = compiled(&["DumpAtExit", "Wasted"], 17);
    let mut runs = 0;
    for jdk in &traced_jdks() {
        let run = TracedRun::new(jdk, "waste");
        let dump = run.file("heap.hprof");
        let mut command = run.command("", &[programs.path()]);
        command
            .arg("-XX:+UseSerialGC")
            .arg("DumpAtExit")
            .arg(&dump)
            .arg("Wasted");
        assert!(
            command.output().expect("java").status.success(),
            "{}",
            run.name()
        );
        let trace = run.trace();
        let (trace, dump) = (
            trace.to_str().expect("a path"),
            dump.to_str().expect("a path"),
        );
        let report = waste(&[trace, "--dump", dump]);
        check(&report, USUAL, run.name());
        for (kind, holder, _, _, mark) in USUAL.expected() {
            let row = row(&report, kind, holder).expect("a row");
            let made = (row["class"].as_str(), row["line"].as_u64());
            assert_eq!(
                made,
                (Some("Wasted"), Some(line_of(mark))),
                "{}: {kind} {holder}",
                run.name()
            );
        }
        runs += 1;
    }
    checked(&format!("the lines of waste, {runs} runs"));
}

/// The line with this mark.
fn line_of(mark: &str) -> u64 {
    let source = fs::read_to_string(program_source("Wasted.java")).expect("the program");
    let mark = format!("// MADE {mark}");
    let line = source
        .lines()
        .position(|line| line.trim_end().ends_with(&mark));
    line.expect("a marked line") as u64 + 1
}

/// Bytes of a region, and what the JVM says with regions of that size: how many belong to large objects after the last collection.
fn regions_of_large_objects(
    jdk: &Jdk,
    programs: &Path,
    megabytes: u64,
) -> (PathBuf, u64, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let (dump, log) = (
        folder.path().join("heap.hprof"),
        folder.path().join("gc.log"),
    );
    printed_by(
        jdk.java(programs)
            .args(["-XX:+UseG1GC", "-Xmx256m"])
            .arg(format!("-XX:G1HeapRegionSize={megabytes}m"))
            .arg(format!("-Xlog:gc+heap=info:file={}", log.display()))
            .arg("DumpAtExit")
            .arg(&dump)
            .arg("LargeObjects"),
    );
    let text = fs::read_to_string(&log).expect("the log");
    let lines = text.lines().rev();
    let mut lines = lines.filter_map(|line| line.split_once("Humongous regions: "));
    let (_, regions) = lines.next().expect("a line about humongous regions");
    let (_, after) = regions.split_once("->").expect("before and after");
    (dump, after.trim().parse().expect("a number"), folder)
}

#[test]
fn what_g1_loses_behind_large_objects_is_what_it_says_with_each_size_of_regions() {
    let all = ["DumpAtExit", "LargeObjects"];
    let programs = compiled(&all, 17);
    let mut runs = 0;
    for jdk in &jdks_in_turn("large objects", &traced_jdks(), 2) {
        for (at, megabytes) in [1, 2, 4].into_iter().enumerate() {
            let (dump, regions, _folder) =
                regions_of_large_objects(jdk, programs.path(), megabytes);
            let report = waste(&[dump.to_str().expect("a path")]);
            let found = &report["humongous"]["regions"][at];
            let number = |key: &str| found[key].as_u64().expect("a number");
            assert_eq!(number("region"), megabytes << 20);
            let sum = number("bytes") + number("lost");
            assert_eq!(sum, regions * (megabytes << 20), "{jdk}: {found}");
            let rows = report["humongous"]["rows"].as_array().expect("rows").iter();
            let rows = rows.map(|row| {
                (
                    row["holder"].as_str(),
                    row["objects"].as_u64(),
                    row["bytes"].as_u64(),
                )
            });
            let expected = [("TABLES", 10, 12_000_160), ("PAGES", 20, 12_000_320)];
            for (field, objects, bytes) in expected {
                let holder = format!("LargeObjects.{field}");
                let row = (Some(holder.as_str()), Some(objects), Some(bytes));
                assert!(rows.clone().any(|found| found == row), "{report}");
            }
            runs += 1;
        }
    }
    checked(&format!(
        "what G1 loses behind large objects, {runs} sizes of regions"
    ));
}
