//! The commands on an event trace whose every object is known (see `sample_events`), with real processes and real files.

use std::fs;

use ducktrack_test_support::{Place, sample_events};
use serde_json::{Value, json};

/// A folder with the trace `t`.
fn place() -> Place {
    let place = Place::new(env!("CARGO_BIN_EXE_ducktrack"));
    sample_events::write(&place.path("t"));
    place
}

fn site<'a>(report: &'a Value, method: &str) -> &'a Value {
    let sites = report["sites"].as_array().expect("sites");
    let mut found = sites.iter().filter(|site| site["method"] == method);
    let site = found
        .next()
        .unwrap_or_else(|| panic!("no {method} in {report}"));
    assert!(found.next().is_none(), "one row per site");
    site
}

fn amounts(rows: &Value, key: &str) -> Vec<(String, i64, i64)> {
    let rows = rows.as_array().expect("rows");
    rows.iter()
        .map(|row| {
            let number = |key: &str| row[key].as_i64().expect("a number");
            let name = row[key].as_str().expect("a name");
            (name.to_owned(), number("count"), number("bytes"))
        })
        .collect()
}

#[test]
fn the_heap_after_every_collection() {
    let place = place();
    let row = |name: &str, count, bytes| (name.to_owned(), count, bytes);
    let first = place.json("heap t --at 1");
    assert_eq!(first["collection"], 1);
    assert_eq!(first["micros"], 103_000);
    assert_eq!(
        amounts(&first["types"], "type"),
        [
            row("com.acme.Order", 2, 48),
            row("byte[]", 1, 40),
            row("java.lang.String", 1, 32)
        ]
    );
    assert_eq!(site(&first, "order")["ages"], json!([0, 2]));
    assert_eq!(site(&first, "read")["bytes"], 40);
    assert_eq!(first["unattributed"]["count"], 1);
    assert_eq!(first["quality"]["percent"], 75.0);
    let second = place.json("heap t --at 2");
    assert_eq!(site(&second, "order")["ages"], json!([0, 1, 1]));
    assert_eq!(
        amounts(&second["types"], "type"),
        [row("com.acme.Order", 2, 48), row("java.lang.String", 1, 32)]
    );
    let spaces = amounts(&second["spaces"], "kind");
    assert!(spaces.contains(&row("old", 1, 24)) && spaces.contains(&row("survivor", 2, 56)));
    let end = place.json("heap t");
    assert_eq!((&end["at"], &end["collection"]), (&json!("end"), &json!(3)));
    assert_eq!(site(&end, "order")["ages"], json!([0, 0, 1]));
    assert_eq!(site(&end, "price")["ages"], json!([1]));
    assert_eq!(end["notYetCollected"], json!({"count": 1, "bytes": 16}));
    assert_eq!(end["total"], json!({"count": 3, "bytes": 72}));
    assert!(amounts(&end["threads"], "name").contains(&row("main", 2, 40)));
}

#[test]
fn lifetimes_by_site() {
    let place = place();
    let report = place.json("lifetimes t");
    assert_eq!(
        (&report["known"], &report["collections"]),
        (&json!(true), &json!(3))
    );
    // One order of each epoch died at once, one after a collection, and the promoted one after two.
    let order = site(&report, "order");
    assert_eq!((&order["count"], &order["bytes"]), (&json!(5), &json!(120)));
    assert_eq!(order["died"], json!([2, 1, 1]));
    assert_eq!(order["diedBytes"], json!([48, 24, 24]));
    assert_eq!(order["alive"], json!({"count": 1, "bytes": 24}));
    assert_eq!(order["diedPromoted"], json!({"count": 1, "bytes": 24}));
    let price = site(&report, "price");
    assert_eq!(
        (&price["count"], &price["eliminated"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(price["died"], json!([2]));
    assert_eq!(price["notYetCollected"], json!({"count": 1, "bytes": 16}));
    let text = place.text("lifetimes t");
    assert!(
        text.contains("MEDIUM-LIVED") && text.contains("com.acme.Shop.order(Shop.java:10)"),
        "{text}"
    );
}

/// Bounds only: which collection kept each object, and which found it dead.
#[test]
fn deaths_of_a_trace_are_bounds() {
    let place = place();
    let report = place.json("lifetimes t --deaths");
    assert_eq!(report["level"], "bounds");
    assert_eq!(report["damage"], json!([]));
    assert_eq!(report["contradictions"], json!([]));
    let missing = report["missing"][0].as_str().expect("a sentence");
    assert!(missing.starts_with("no death time is exact"), "{missing}");
    let sites = report["sites"].as_array().expect("sites");
    let order = sites
        .iter()
        .find(|site| site["method"] == "order")
        .expect("the site");
    assert_eq!(
        (&order["class"], &order["line"], &order["type"]),
        (
            &json!("com.acme.Shop"),
            &json!(10),
            &json!("com.acme.Order")
        )
    );
    assert_eq!(
        (&order["objects"], &order["bytes"], &order["drag"]),
        (&json!(5), &json!(120), &Value::Null)
    );
    assert_eq!(order["alive"], json!({"count": 1, "bytes": 24}));
    let listed = place.text("lifetimes t --objects --type Order --clock micros");
    let collected: Vec<&str> = listed
        .lines()
        .skip(1)
        .map(|line| line.rsplit(',').next().expect("a field"))
        .collect();
    // The third of the first epoch and the second of the second died at once; the first was promoted; one is alive.
    assert_eq!(collected.len(), 5, "{listed}");
    let ends = |millis: u64| {
        collected
            .iter()
            .filter(|end| end.parse().is_ok_and(|end: u64| end / 1000 == millis))
            .count()
    };
    assert_eq!([ends(99), ends(199), ends(299)], [1, 2, 1], "{listed}");
    assert!(
        listed
            .lines()
            .skip(1)
            .all(|line| line.contains(",com.acme.Shop,order,10,main,24,")
                && line.split(',').rev().skip(1).take(2).all(str::is_empty)),
        "{listed}"
    );
    // The string that only the collection found; arrays and boxes.
    let types: Vec<(&str, u64)> = report["types"]
        .as_array()
        .expect("types")
        .iter()
        .map(|ty| {
            (
                ty["type"].as_str().expect("a name"),
                ty["objects"].as_u64().expect("a number"),
            )
        })
        .collect();
    assert_eq!(
        types,
        [
            ("com.acme.Order", 5),
            ("java.lang.Long", 3),
            ("byte[]", 1),
            ("java.lang.String", 1)
        ]
    );
    let text = place.text("info t --histories");
    assert!(
        text.contains("10 objects allocated, 7 reported dead by 3 collections"),
        "{text}"
    );
}

#[test]
fn deaths_without_moves_say_why() {
    let place = place();
    sample_events::write_without_moves(&place.path("off"));
    let report = place.json("lifetimes off --deaths");
    let damage = report["damage"][0].as_str().expect("a sentence");
    assert!(
        damage.starts_with(
            "nothing is known from collection 1 on: moves of objects are not recorded"
        ),
        "{damage}"
    );
}

#[test]
fn the_timeline_has_every_collection() {
    let place = place();
    let report = place.json("timeline t");
    let collections = report["collections"].as_array().expect("collections");
    let of = |key: &str| -> Vec<&Value> { collections.iter().map(|one| &one[key]).collect() };
    assert_eq!(of("number"), [1, 2, 3]);
    assert_eq!(of("kind"), ["young", "young", "full"]);
    assert_eq!(of("startMicros"), [100_000, 200_000, 300_000]);
    assert_eq!(of("pauseMicros"), [3_000; 3]);
    assert_eq!(of("walkMicros"), [1_000; 3]);
    let live = |count: u64, bytes: u64| json!({"count": count, "bytes": bytes});
    assert_eq!(collections[0]["live"], live(4, 120));
    assert_eq!(collections[1]["live"], live(3, 80));
    assert_eq!(collections[2]["live"], live(2, 56));
    assert_eq!(collections[0]["died"], live(3, 24 + 2 * 16));
    assert_eq!(collections[1]["died"], live(3, 24 + 24 + 40));
    assert_eq!(collections[2]["died"], live(1, 24));
    let csv = place.text("timeline t --format csv");
    assert_eq!(csv.lines().count(), 4, "{csv}");
}

#[test]
fn a_short_run_has_no_verdict() {
    let place = place();
    let report = place.json("leaks t --sites");
    assert_eq!(report["verdict"], "not known");
    let text = place.text("leaks t");
    assert!(
        text.contains("2 objects alive: what doubles them"),
        "{text}"
    );
    assert!(!text.contains("no leak"), "{text}");
}

#[test]
fn info_says_what_is_in_the_event_files() {
    let place = place();
    let report = place.json("info t");
    assert_eq!(report["events"], 10);
    assert_eq!(
        report["allocated"],
        json!({"count": 9, "bytes": 5 * 24 + 3 * 16 + 40})
    );
    assert_eq!(
        (&report["eliminated"], &report["dropped"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(report["collections"]["count"], 3);
    assert_eq!(report["collections"]["found"], 1);
    assert_eq!(report["collections"]["unexplained"], 0);
    assert_eq!(
        (&report["moves"], &report["damage"]),
        (&json!("exact"), &json!([]))
    );
    assert_eq!(report["knowledge"]["state"], "known");
    assert_eq!(report["files"].as_array().map(Vec::len), Some(1));
    let text = place.text("info t");
    for part in [
        "3  site\n",
        "whole: nothing is missing",
        "10 in 3 buffers",
        "nothing: every event is here",
        "events-00000000.trace",
    ] {
        assert!(text.contains(part), "{text} lacks {part}");
    }
}

#[test]
fn report_counts_a_trace_too() {
    let place = place();
    let report = place.json("report t");
    assert_eq!(report["run"]["mode"], "trace");
    assert_eq!(report["totals"]["count"], 10);
    let text = place.text("report t");
    assert!(
        text.contains("mode trace") && text.contains("ducktrack heap t"),
        "{text}"
    );
}

/// Fields of a line of CSV.
fn fields_of(line: &str) -> usize {
    let mut is_quoted = false;
    let ends = line.chars().filter(|letter| {
        is_quoted ^= *letter == '"';
        *letter == ',' && !is_quoted
    });
    ends.count() + 1
}

#[test]
fn filters_and_forms_of_every_command() {
    let place = place();
    for command in ["heap", "lifetimes", "timeline", "leaks", "cost"] {
        let text = place.text(&format!("{command} t"));
        let next = text.rsplit("Next:\n").next().expect("the last part");
        assert!(
            next.starts_with("  ducktrack ") && (2..=3).contains(&next.lines().count()),
            "{text}"
        );
        for line in next.lines() {
            // The advice works.
            let words = line.trim().split("    ").next().expect("a command");
            let words = words.strip_prefix("ducktrack ").expect("a command of ours");
            match words.split(' ').collect::<Vec<_>>()[..] {
                // Another run, of a program that is not here.
                ["run", ..] => {}
                // Commands for a running program refuse: this one has ended.
                ["snapshot", ..] => place.refused(words, &["has ended", "--dump"]),
                [.., "--dump", dump] => place.refused(words, &[dump, "No such file"]),
                _ => {
                    place.text(words);
                }
            }
        }
        // So short a run has no candidates of a leak, but sites.
        let rows = match command {
            "leaks" => "leaks t --sites".to_owned(),
            _ => format!("{command} t"),
        };
        let page = place.text(&format!("{command} t --format html"));
        assert!(page.starts_with("<!doctype html>") && page.contains("com.acme.Shop"));
        let only = place.run(&format!("{rows} --only org.example --format json"));
        let document: Value = serde_json::from_str(&only.out).expect("JSON");
        assert_eq!(document["sites"], json!([]), "{command}");
        assert_eq!(
            only.errors,
            "ducktrack: nothing of this run fits package org.example; without it there are 3 sites\n",
            "{command}"
        );
        let csv = place.text(&format!("{rows} --format csv"));
        let widths: Vec<usize> = csv.lines().map(fields_of).collect();
        assert!(
            widths.len() >= 2 && widths.iter().all(|width| *width == widths[0]),
            "{csv}"
        );
        assert!(!csv.contains("; ") && !csv.contains("=1/"), "{csv}");
        if command == "leaks" {
            continue; // It has no --type.
        }
        let typed = place.json(&format!("{command} t --type Order --top 1"));
        let methods: Vec<&Value> = typed["sites"]
            .as_array()
            .expect("sites")
            .iter()
            .map(|site| &site["method"])
            .collect();
        assert_eq!(methods, ["order"], "{command}");
    }
    let main = place.json("heap t --thread ma*");
    assert_eq!(amounts(&main["threads"], "name").len(), 1);
}

#[test]
fn bad_moments_and_bad_traces_are_one_line() {
    let place = place();
    place.refused("heap t --at 9", &["no collection 9", "1 to 3"]);
    assert_eq!(place.run("heap t --at soon").status.code(), Some(2));
    for command in ["heap", "lifetimes", "timeline", "leaks", "cost", "info"] {
        place.refused(&format!("{command} missing"), &["missing", "No such file"]);
        fs::create_dir_all(place.path("empty")).expect("a folder");
        place.refused(&format!("{command} empty"), &["empty", "ducktrack.trace"]);
    }
    fs::create_dir(place.path("counted")).expect("a folder");
    fs::copy(
        place.path("t/ducktrack.trace"),
        place.path("counted/ducktrack.trace"),
    )
    .expect("a copy");
    for command in ["heap", "lifetimes", "timeline", "leaks", "cost"] {
        place.refused(
            &format!("{command} counted"),
            &["counted", "no event files"],
        );
    }
}

#[test]
fn without_moves_the_reports_say_what_they_do_not_know() {
    let place = place();
    sample_events::write_without_moves(&place.path("off"));
    for moment in ["end", "2"] {
        place.refused(
            &format!("heap off --at {moment}"),
            &["off: the live heap is not known: moves"],
        );
    }
    for command in ["info", "lifetimes", "timeline", "leaks", "cost"] {
        let report = place.json(&format!("{command} off"));
        assert_eq!(report["knowledge"]["state"], "never", "{command}");
        assert_eq!(report["moves"], "off", "{command}");
        let text = place.text(&format!("{command} off"));
        assert!(text.contains("moves"), "{text}");
    }
    let lifetimes = place.json("lifetimes off");
    assert_eq!(lifetimes["known"], false);
    assert_eq!(site(&lifetimes, "order")["count"], 5);
    let timeline = place.json("timeline off");
    assert_eq!(timeline["moments"], json!([]));
    assert_eq!(timeline["collections"][0]["live"], Value::Null);
    assert_eq!(timeline["collections"][1]["allocated"]["count"], 2);
}

#[test]
fn a_cut_event_file_is_reported_up_to_the_cut() {
    let place = place();
    let file = place.path("t/events-00000000.trace");
    let bytes = fs::read(&file).expect("the events");
    for length in (0..bytes.len()).step_by(41) {
        fs::write(&file, &bytes[..length]).expect("cut it");
        for command in ["info", "lifetimes", "timeline", "leaks"] {
            let report = place.json(&format!("{command} t"));
            assert_ne!(report["damage"], json!([]), "{command} of {length} bytes");
        }
        let info = place.text("info t");
        assert!(
            info.contains("damage in t/events-00000000.trace")
                && !info.contains("nothing is missing"),
            "{length}: {info}"
        );
        let heap = place.run("heap t");
        assert!(matches!(heap.status.code(), Some(0 | 2)), "{length}");
    }
}

#[test]
fn cost_answers_what_if() {
    let place = place();
    let args = "cost t --young 1k --heap 1g --halve com.acme.Shop --halve no.Such";
    let report = place.json(args);
    let what_if = report["whatIf"].as_array().expect("a list");
    assert_eq!(
        (report["format"].as_str(), what_if.len()),
        (Some("ducktrack-cost"), 4)
    );
    // By heap, young size, and name. Pauses are 2 ms each without the agent's part, and nothing separates constant from work.
    assert!(what_if[1]["pauseMicros"].is_u64() && what_if[2]["pauseMicros"].is_u64());
    let halved = what_if[2]["pauseMicros"].as_u64().expect("a number");
    assert!(halved < 6_000, "{halved}");
    assert!(
        what_if[3]["unknown"]
            .as_str()
            .expect("why")
            .contains("no site")
    );
    let text = place.text(args);
    assert!(
        text.contains("WHAT IF: all pauses, 6.0 ms in this run"),
        "{text}"
    );
    assert!(place.text("cost t").contains("a run without it saves"));
    let bad = place.run("cost t --young big");
    assert_eq!(bad.status.code(), Some(2));
}
