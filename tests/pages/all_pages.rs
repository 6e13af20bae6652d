//! All pages of one traced run in a real browser: at 480 px none scrolls sideways, headers are in the tab order, long names lose
//! their middle; and `ducktrack ui` leads from a collection to its heap and from a site to its stacks, as one file and served.
//!
//! Skips, saying so, where there is no Chromium. `DUCKTRACK_PICTURES=DIR` keeps the pages.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};

use ducktrack_tests::browser::{Browser, output_of};
use ducktrack_tests::{TracedRun, compiled_with_leaky, ducktrack_command, printed_by, traced_jdks};
use serde_json::Value;

/// Looks at a page in a frame of 480 px, and at the frames in it.
const LOOK: &str = include_str!("all_pages/look.js");
/// Clicks through the page of `ducktrack ui`.
const WALK: &str = include_str!("all_pages/walk.js");

/// A short run of a program that leaks, with stamps of uses and a heap dump at its end.
fn recorded() -> (TracedRun, PathBuf) {
    let classes = compiled_with_leaky(&["DumpAtExit"], &["SessionStore", "Work"]);
    let run = TracedRun::new(&traced_jdks()[0], "pages");
    let dump = run.file("heap.hprof");
    let mut command = run.command("staleness=on", &[classes.path()]);
    command.args(["-Xmx64m", "-Xmn8m", "-XX:+UseParallelGC"]);
    command.arg("-Dducktrack.leaks.steps=600");
    command.arg("DumpAtExit").arg(&dump);
    command.arg("ducktrack.leaks.SessionStore");
    run.finish(&mut command);
    (run, dump)
}

fn page(words: &[&str]) -> String {
    printed_by(ducktrack_command().args(words))
}

/// A page around pages with their names, with a script that looks at them; the script's output.
fn looked_at(browser: &Browser, name: &str, pages: &[(&str, String)], script: &str) -> Value {
    let data = serde_json::to_string(pages).expect("JSON");
    let data = data.replace('<', "\\u003c");
    let host = format!(
        "<!doctype html><meta charset=utf-8><body style='margin:0'><pre id=result></pre>\
         <script type=application/json id=data>{data}</script><script>{script}</script>"
    );
    let path = browser.write(&format!("{name}.html"), &host);
    let dom = browser.dom_of_long_script(&path);
    let result = output_of(&dom, "result");
    let result = result
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    serde_json::from_str(&result).unwrap_or_else(|error| panic!("{name}: {error}: {result}"))
}

/// A server of pages, ended with the test.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(words: &[&str]) -> Self {
        let mut child = ducktrack_command()
            .arg("ui")
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("ducktrack ui");
        let mut address = String::new();
        let out = child.stdout.take().expect("piped");
        BufReader::new(out)
            .read_line(&mut address)
            .expect("an address");
        let address = address.trim().to_owned();
        Self { child, address }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

#[test]
fn no_page_scrolls_sideways_and_pages_lead_to_each_other() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let (run, dump) = recorded();
    let (trace, dump) = (run.trace(), dump.display().to_string());
    let trace = trace.display().to_string();
    let (trace, dump) = (trace.as_str(), dump.as_str());
    let html = ["--format", "html"];
    let commands: [&[&str]; 13] = [
        &["report", trace],
        &["timeline", trace],
        &["heap", trace],
        &["lifetimes", trace],
        &["cost", trace],
        &["heap", "--stale", trace],
        &["leaks", trace, "--dump", dump],
        &["holders", trace, "--dump", dump],
        &["waste", trace, "--dump", dump],
        &["report", trace, "--off-heap"],
        &["info", trace],
        &["lifetimes", "--deaths", trace],
        &["diff", trace, trace],
    ];
    let mut pages: Vec<(&str, String)> = commands
        .iter()
        .map(|command| (command[0], page(&[command, &html[..]].concat())))
        .collect();
    let all: usize = pages.iter().map(|(_, page)| page.len()).sum();
    let whole = run.file("ui.html").display().to_string();
    page(&[
        "ui",
        trace,
        "--dump",
        dump,
        "--baseline",
        trace,
        "--output",
        &whole,
    ]);
    let whole = std::fs::read_to_string(whole).expect("the file");
    // It has these pages and some heaps more.
    assert!(whole.len() < all / 2, "{} of {all} bytes", whole.len());
    pages.push(("ui", whole.clone()));
    let faults = narrow_faults(&browser, &pages);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let walk = looked_at(&browser, "walk", &[("ui", whole)], WALK);
    assert_eq!(walk["heap"], walk["collection"], "{walk}");
    assert_eq!(walk["tab"], "Allocations", "{walk}");
    let zoomed = walk["zoomed"].as_str().expect("the stacks of a site");
    let site = walk["site"].as_str().expect("a site");
    assert!(!site.is_empty() && zoomed.contains(site), "{walk}");
    assert!(walk["zoomedIn"] == true, "{walk}");
    let brushed = walk["brushed"].as_str().expect("a stretch");
    assert!(brushed.contains(": 7 collections; "), "{walk}");

    let served = Served::start(&[trace]);
    // A trace opens on its verdict.
    let first = browser.dom_at(&served.address);
    assert!(first.contains("data-shown=\"leaks\""), "{first}");
    for tab in ["report", "leaks"] {
        let dom = browser.dom_at(&format!("{}#tab={tab}", served.address));
        assert!(dom.contains(&format!("data-shown=\"{tab}\"")), "{tab}");
    }
}

/// Faults of the pages, one line each.
fn narrow_faults(browser: &Browser, pages: &[(&str, String)]) -> Vec<String> {
    let looked = looked_at(browser, "looks", pages, LOOK);
    let documents = looked.as_array().expect("a list of documents");
    assert!(documents.len() > pages.len(), "{looked}");
    let is_good = |document: &&Value| {
        let none = serde_json::json!([]);
        document["wide"] == none
            && document["overlong"] == none
            && document["unreachable"] == 0
            && document["nameless"] == false
    };
    let bad = documents.iter().filter(|document| !is_good(document));
    bad.map(Value::to_string).collect()
}
