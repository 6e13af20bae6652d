//! The live tab of `ducktrack ui` in a real browser, while a traced program
//! runs on: rows of what it allocates, a live heap, totals that grow.
//!
//! Program: `CallStacks` of `tests/java`. Skips, saying so, where there is no Chromium.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use ducktrack_test_support::Ended;
use ducktrack_tests::browser::{Browser, output_of};
use ducktrack_tests::{TracedRun, checked, compiled, ducktrack_command, jdks_in_turn, traced_jdks};

/// The next line of standard output that begins like this.
fn line(child: &mut Child, start: &str) -> String {
    let out = child.stdout.take().expect("piped");
    let mut lines = BufReader::new(out);
    let mut line = String::new();
    while lines.read_line(&mut line).expect("text") > 0 && !line.starts_with(start) {
        line.clear();
    }
    assert!(line.starts_with(start), "no line begins with {start}");
    line.trim().to_owned()
}

/// The number that follows `name="` in a document.
fn attribute(dom: &str, name: &str) -> u64 {
    let (_, rest) = dom.split_once(&format!("{name}=\"")).expect(name);
    let digits = rest.split('"').next().expect("an end");
    digits.parse().expect("a number")
}

/// The text of each cell of the first row of the table: the sum of all rows.
fn sum_row(dom: &str) -> Vec<String> {
    let (_, rest) = dom.split_once("id=\"live-rows\">").expect("rows");
    let row = rest.split("</tr>").next().expect("a row");
    let cells = row.split("<td").skip(1);
    let text = |cell: &str| {
        let (_, text) = cell.split_once('>')?;
        Some(text.split('<').next()?.to_owned())
    };
    cells.filter_map(text).collect()
}

fn objects(dom: &str) -> u64 {
    let digits: String = sum_row(dom)[3]
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().expect("objects in all")
}

#[test]
fn a_run_that_goes_on_has_rows_that_grow() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let classes = compiled(&["CallStacks"], 17);
    for jdk in jdks_in_turn("the live tab", &traced_jdks(), 0) {
        let run = TracedRun::new(&jdk, "live");
        let mut command = run.command("", &[classes.path()]);
        command.args(["-Xmx64m", "-Xmn8m", "-XX:+UseSerialGC", "CallStacks", "run"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = Ended(command.spawn().expect("java"));
        line(&mut program.0, "READY");
        let trace = run.trace().display().to_string();
        let ui = ducktrack_command()
            .args(["ui", &trace])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut ui = Ended(ui.expect("ducktrack ui"));
        let address = line(&mut ui.0, "http");
        let look = |by: &str| browser.dom_at(&format!("{address}#tab=live&by={by}"));
        let (first, second, heap) = (look("sites"), look("sites"), look("heap"));
        for dom in [&first, &second] {
            assert!(dom.contains("CallStacks.make"), "{jdk}");
            assert!(attribute(dom, "data-looks") >= 2, "one look only");
        }
        assert!(objects(&second) > objects(&first), "{jdk}: no growth");
        let state = output_of(&heap, "live-state");
        assert!(state.contains("after collection"), "{jdk}: {state}");
        let mut stdin = program.0.stdin.take().expect("piped");
        stdin.write_all(b"\n").expect("it listens");
        drop(stdin);
        assert!(program.0.wait().expect("it ends").success());
        checked(&format!(
            "{jdk}: the live tab in a browser, {} and {} objects",
            objects(&first),
            objects(&second)
        ));
    }
}
