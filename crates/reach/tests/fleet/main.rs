//! Tables of a fleet: written by the command, read by engines that we did not write.

mod built;
mod engines;
mod parquet_export;
mod place;
mod recordings;

use std::fs;

use built::ducktrack;
use ducktrack_test_support::{files_below, python_with, sample_events, sample_run};
use ducktrack_trace_reader::{Record, TraceReader};
use place::{Place, err, out};
use recordings::{export_traced, killed, shop};

#[test]
fn the_sums_of_tables_are_those_of_the_reports() {
    let place = Place::new();
    let Some(python) = python_with("duckdb") else {
        return;
    };
    let runs = [
        ("a", "web-1", place.trace("a", shop(1))),
        ("b", "web-2", place.trace("b", shop(3))),
        ("c", "web-3", place.trace("c", killed())),
    ];
    let mut reported = (0, 0, 0);
    for (name, host, _) in &runs {
        let exported = place.export(&[name], "root", "orders", "1", &["--host", host]);
        assert!(exported.status.success(), "{}", err(&exported));
        let report = place.ducktrack(&["report", name, "--format", "json"]);
        let report: serde_json::Value = serde_json::from_str(&out(&report)).expect("JSON");
        let totals = &report["totals"];
        reported.0 += totals["count"].as_i64().expect("objects");
        reported.1 += totals["bytes"].as_i64().expect("bytes");
        reported.2 += totals["materialized"]["count"].as_i64().unwrap_or(0);
    }
    let sums = engines::duckdb(
        &python,
        &place.path("root"),
        "SELECT CAST(SUM(c.objects) AS BIGINT), CAST(SUM(c.bytes) AS BIGINT), CAST(SUM(c.materialized) AS BIGINT)
         FROM counts c JOIN runs r ON r.run_id = c.run_id AND r.date = c.date AND r.service = c.service",
    );
    assert_eq!(
        sums,
        [format!("{},{},{}", reported.0, reported.1, reported.2)]
    );
    let of_runs = engines::duckdb(
        &python,
        &place.path("root"),
        "SELECT CAST(SUM(objects) AS BIGINT), CAST(SUM(bytes) AS BIGINT) FROM runs",
    );
    assert_eq!(of_runs, [format!("{},{}", reported.0, reported.1)]);
    let states = engines::duckdb(
        &python,
        &place.path("root"),
        "SELECT host, state, lost IS NOT NULL FROM runs ORDER BY host",
    );
    assert_eq!(
        states,
        [
            "web-1,ended,False",
            "web-2,ended,False",
            "web-3,unknown,True"
        ]
    );
    let unnamed = engines::duckdb(
        &python,
        &place.path("root"),
        "SELECT COUNT(*) FROM counts WHERE site NOT IN (SELECT site FROM sites)",
    );
    assert_eq!(unnamed, ["0"]);
}

#[test]
fn an_export_that_is_repeated_changes_nothing() {
    let place = Place::new();
    place.trace("a", shop(1));
    place.trace("b", killed());
    for _ in 0..2 {
        let exported = place.export(&["a", "b"], "root", "orders", "1", &[]);
        assert!(exported.status.success(), "{}", err(&exported));
    }
    let once = place.export(&["a", "b"], "other", "orders", "1", &[]);
    assert!(once.status.success(), "{}", err(&once));
    let below = |root: &str| files_below(&place.path(root));
    assert_eq!(below("root"), below("other"));
    assert_eq!(below("root").len(), 6);
}

#[test]
fn a_damaged_recording_exports_what_it_has_and_says_so() {
    let place = Place::new();
    let Some(python) = python_with("duckdb") else {
        return;
    };
    let trace = place.trace("a", shop(1));
    let file = trace.join("ducktrack.trace");
    let bytes = fs::read(&file).expect("records");
    fs::write(&file, &bytes[..bytes.len() - 40]).expect("a shorter file");
    let exported = place.export(&["a"], "root", "orders", "1", &[]);
    assert!(exported.status.success(), "{}", err(&exported));
    let report = place.ducktrack(&["report", "a", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&out(&report)).expect("JSON");
    let rows = engines::duckdb(
        &python,
        &place.path("root"),
        "SELECT objects, lost IS NOT NULL FROM runs",
    );
    assert_eq!(rows, [format!("{},True", report["totals"]["count"])]);
}

/// Also beside tables of earlier versions, which do not have the column.
#[test]
fn contexts_are_summed_by_kind_and_name() {
    let place = Place::new();
    let Some(python) = python_with("duckdb") else {
        return;
    };
    place.trace("old", shop(1));
    place.trace("new", sample_run::records_in_contexts());
    let report = place.ducktrack(&["report", "new", "--by", "context", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&out(&report)).expect("JSON");
    let contexts = report["contexts"].as_array().expect("contexts");
    // Whichever file an engine reads first.
    for (old, new) in [("a", "b"), ("b", "a")] {
        for (recording, service) in [("old", old), ("new", new)] {
            let exported = place.export(&[recording], "root", service, "1", &[]);
            assert!(exported.status.success(), "{}", err(&exported));
        }
        let folder = format!("root/v1/counts/service={old}");
        for file in files_below(&place.path(&folder)).keys() {
            engines::drop_column(&python, &place.path(&folder).join(file), "context");
        }
        let answer = engines::answer(&place, &python, "duckdb", "context");
        assert_eq!(answer.lines().count(), 1 + contexts.len(), "{answer}");
        for context in contexts {
            let text = |key: &str| context[key].as_str().expect("a text");
            let (kind, name) = (text("kind"), text("name"));
            let (count, bytes) = (&context["count"], &context["bytes"]);
            let row = format!("{new},{kind},{name},{count},{bytes},");
            assert!(answer.contains(&row), "{row} is not in {answer}");
        }
        fs::remove_dir_all(place.path("root")).expect("a folder");
    }
}

/// A traced run writes its counts when it ends. Of one that was killed, the objects of its events are exported, as the report has them.
#[test]
fn a_killed_traced_run_exports_the_objects_of_its_events() {
    let place = Place::new();
    sample_events::write(&place.path("ended"));
    let records = TraceReader::open(&place.path("ended")).expect("a trace");
    let left = records.filter(|record| !matches!(record, Record::End(_) | Record::Snapshot(_)));
    place.trace("traced", left.collect());
    let events = "events-00000000.trace";
    fs::copy(
        place.path("ended").join(events),
        place.path("traced").join(events),
    )
    .expect("events");
    let report = place.ducktrack(&["report", "traced", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&out(&report)).expect("JSON");
    assert_eq!(report["run"]["values"], "events");
    let objects = report["totals"]["count"].as_i64().expect("a number");
    assert!(objects > 0, "{report}");
    let exported = place.export(&["traced"], "root", "orders", "1", &[]);
    assert!(exported.status.success(), "{}", err(&exported));
    let line = format!("traced: {objects} objects, ");
    assert!(err(&exported).contains(&line), "{line}{}", err(&exported));
}

/// The rows do not depend on the engine.
#[test]
fn duckdb_and_spark_give_identical_rows() {
    let place = Place::new();
    let (Some(duckdb), Some(spark)) = (python_with("duckdb"), python_with("pyspark")) else {
        return;
    };
    assert_eq!(duckdb, spark);
    for (name, factor) in [("a", 1), ("b", 1), ("c", 1), ("d", 3), ("e", 3), ("f", 30)] {
        place.trace(name, shop(factor));
        let version = if factor == 1 { "1.0" } else { "1.1" };
        let requests = (1000 * factor).to_string();
        let host = format!("web-{name}");
        let exported = place.export(
            &[name],
            "root",
            "orders",
            version,
            &["--host", &host, "--requests", &requests],
        );
        assert!(exported.status.success(), "{}", err(&exported));
    }
    export_traced(&place, "root", "web-s");
    export_traced(&place, "root", "web-t");
    place.trace("g", sample_run::records_in_contexts());
    let exported = place.export(&["g"], "root", "bills", "7", &[]);
    assert!(exported.status.success(), "{}", err(&exported));
    let questions = [
        "regression",
        "release",
        "growing",
        "host",
        "library",
        "context",
    ];
    let by_duckdb = questions.map(|question| engines::answer(&place, &duckdb, "duckdb", question));
    let by_spark = engines::spark(&place, &spark, &questions);
    assert_eq!(by_spark.len(), questions.len());
    for (question, (one, other)) in questions.iter().zip(by_duckdb.iter().zip(&by_spark)) {
        assert_eq!(one, other, "{question}");
        let rows = one.lines().count();
        // The traces of the sample are too short for a verdict on leaks.
        assert!(
            ["release", "growing"].contains(question) || rows > 1,
            "{question} has no row: {one}"
        );
    }
    // The command itself, once: it starts Spark and reads what it prints.
    let library = engines::answer(&place, &spark, "spark", "library");
    assert_eq!(library, by_duckdb[4]);
    let first = by_duckdb[0].lines().nth(1).expect("a row");
    assert!(
        first.contains("com.acme.Orders") && first.contains("java.lang.Long"),
        "{first}"
    );
}

#[test]
fn bad_input_is_one_line() {
    let place = Place::new();
    place.trace("a", shop(1));
    for (arguments, said) in [
        (
            vec!["export", "a", "--to", "parquet", "-o", "root"],
            "needs --service",
        ),
        (
            vec![
                "export",
                "a",
                "--to",
                "parquet",
                "-o",
                "root",
                "--service",
                "../x",
                "--version",
                "1",
            ],
            "service `../x`",
        ),
        (
            vec!["export", "a", "--to", "pprof", "-o", "x", "--service", "s"],
            "needs --to parquet",
        ),
        (
            vec!["export", "a", "a", "--to", "pprof", "-o", "x"],
            "only --to parquet takes several",
        ),
        (vec!["fleet", "nowhere", "regression"], "has no table runs"),
    ] {
        let output = place.ducktrack(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let text = err(&output);
        assert!(text.contains(said) && text.lines().count() == 1, "{text}");
    }
    assert!(!place.path("root").exists());
}
