//! `ducktrack lifetimes` and `ducktrack info` on streams whose answer is known.

use std::fs;
use std::process::Command;

use ducktrack_merlin::{StreamWriter, records_from_text};
use ducktrack_test_support::{Place, json_by};
use serde_json::Value;

/// Two nodes of a cache die when a global variable is emptied; a third lives on.
const PROGRAM: &str = "fact command\tdemo
type 1\tNode
method 1\tdemo.Cache\tput\tCache.java
method 2\tdemo.Main\tmain\tMain.java
site 1 method=1 line=17 caller=0
site 2 method=1 line=20 caller=3
site 3 method=2 line=5 caller=0
name 4\tworker
thread 4
new 1 type=1 site=1 bytes=24
set -.7 = 1 was -
new 2 type=1 site=2 bytes=2400
set 1.0 = 2 was -
use 2
tick 0 micros=150
new 3 type=0 site=2 bytes=100
set -.7 = - was 1
collect 1 complete
dead 1
dead 2
end
";

fn place() -> Place {
    Place::new(env!("CARGO_BIN_EXE_ducktrack"))
}

/// Writes a stream to `run.merlin`.
fn stream(place: &Place, text: &str) {
    let mut writer = StreamWriter::new(Vec::new()).expect("memory");
    for record in records_from_text(text).expect("a text") {
        writer.write(&record).expect("a good record");
    }
    let bytes = writer.finish().expect("memory");
    fs::write(place.path("run.merlin"), bytes).expect("written");
}

/// A folder with the stream of the program.
fn with_program() -> Place {
    let place = place();
    stream(&place, PROGRAM);
    place
}

#[test]
fn objects_are_listed_on_each_clock() {
    let place = with_program();
    let listed = place.text("lifetimes run.merlin --objects");
    let expected = "object,type,class,method,line,thread,bytes,born,lastUse,unreachable,collected\r\n\
                    1,Node,demo.Cache,put,17,worker,24,24,2424,2524,2524\r\n\
                    2,Node,demo.Cache,put,20,worker,2400,2424,2424,2524,2524\r\n\
                    3,(type not known),demo.Cache,put,20,worker,100,2524,2524,,\r\n";
    assert_eq!(listed, expected);
    let micros =
        place.text("lifetimes run.merlin --objects --type Node --clock micros --format json");
    let lines: Vec<Value> = micros
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let moments: Vec<[&Value; 4]> = lines
        .iter()
        .map(|line| ["born", "lastUse", "unreachable", "collected"].map(|key| &line[key]))
        .collect();
    assert_eq!(
        moments,
        [[
            &Value::from(0),
            &Value::from(0),
            &Value::from(150),
            &Value::from(150)
        ]; 2]
    );
    // The text form gives the same.
    let text = place.path("run.txt");
    fs::write(&text, PROGRAM).expect("written");
    assert_eq!(place.text("lifetimes run.txt --objects"), expected);
}

#[test]
fn json_has_the_documented_keys() {
    let place = with_program();
    let report = place.json("lifetimes run.merlin");
    assert_eq!(report["format"], "ducktrack-deaths");
    assert_eq!(
        (&report["level"], &report["clock"], &report["command"]),
        (&"full".into(), &"bytes".into(), &"demo".into())
    );
    assert_eq!(
        report["end"],
        serde_json::json!({"bytes": 2524, "calls": null, "micros": 150})
    );
    let sites = report["sites"].as_array().expect("sites");
    let node = sites
        .iter()
        .find(|site| site["line"] == 20 && site["type"] == "Node")
        .expect("the site");
    assert_eq!(
        (&node["class"], &node["method"], &node["source_file"]),
        (&"demo.Cache".into(), &"put".into(), &"Cache.java".into())
    );
    assert_eq!(
        (&node["objects"], &node["bytes"]),
        (&1.into(), &2400.into())
    );
    // Exact up to 63, then rounded down by at most 1 in 32; the largest is exact.
    assert_eq!(
        node["lifetime"],
        serde_json::json!({"p50": 100, "p90": 100, "max": 100})
    );
    assert_eq!(node["drag"]["max"], 100);
    assert_eq!(node["alive"], serde_json::json!({"count": 0, "bytes": 0}));
    assert_eq!(
        (&node["context"][0]["class"], &node["context"][0]["line"]),
        (&"demo.Main".into(), &5.into())
    );
    assert_eq!(
        report["total"]["alive"],
        serde_json::json!({"count": 1, "bytes": 100})
    );
    assert_eq!(report["shape"]["groups"]["largest"], 2);
    assert_eq!(report["shape"]["stores"]["fromGlobals"], 1);
    assert_eq!(report["onClocks"]["micros"]["lifetime"]["max"], 150);
    assert_eq!(report["survival"][0]["alive"]["count"], 1);
}

#[test]
fn filters_keep_sites_types_and_rows() {
    let place = with_program();
    let report = |words: &str| {
        let words = format!("lifetimes run.merlin {words} --format json");
        json_by(&mut place.command(&words))
    };
    assert_eq!(report("--type Node")["selected"]["objects"], 2);
    assert_eq!(report("--only demo.Main")["selected"]["objects"], 2);
    assert_eq!(report("--only other")["selected"]["objects"], 0);
    assert_eq!(
        report("--top 1")["sites"].as_array().expect("sites").len(),
        1
    );
    let csv = place.text("lifetimes run.merlin --format csv --top 1");
    assert_eq!(
        csv.lines().nth(1),
        Some("demo.Cache,put,Cache.java,20,Node,1,2400,0,0,100,100,100,100,100,100,0,0,0,bytes")
    );
}

#[test]
fn the_text_fits_a_screen_and_ends_with_commands() {
    let place = with_program();
    let text = place.text("lifetimes run.merlin");
    assert!(text.lines().count() < 50, "{text}");
    assert!(
        text.contains("demo.Cache.put(Cache.java:20)")
            && text.contains("<- demo.Main.main(Main.java:5)"),
        "{text}"
    );
    assert!(
        text.ends_with("--objects    every object: born, last used, unreachable, collected\n"),
        "{text}"
    );
    let page = place.text("lifetimes run.merlin --format html");
    assert!(
        page.contains("Deaths</span> demo") && page.contains("\"format\":\"ducktrack-deaths\"")
    );
}

/// The reader of the page, as it stands there.
#[test]
fn columns_are_read_by_ten_lines_of_python() {
    let place = with_program();
    place.text("lifetimes run.merlin --columns objects.dtcol");
    let page = include_str!("../../merlin/COLUMNS.md");
    let (_, code) = page.split_once("```python\n").expect("the reader");
    let (reader, _) = code.split_once("```").expect("its end");
    assert!(reader.lines().count() <= 10);
    let show = "print(json.dumps([[list(columns[name]) for name in ('object', 'bytes', 'unreachable_bytes', 'key')], places['types'], places['sites']['2']['line']]))";
    let mut python = Command::new("python3");
    python.args([
        "-c",
        &format!(
            "{reader}
{show}"
        ),
    ]);
    let found = json_by(python.arg(place.path("objects.dtcol")));
    let expected = serde_json::json!([
        [[1, 2, 3], [24, 2400, 100], [2524, 2524, u64::MAX], [1, 0, 0]],
        {"0": "(type not known)", "1": "Node"},
        20
    ]);
    assert_eq!(found, expected);
}

#[test]
fn a_check_says_whether_a_stream_is_possible() {
    let place = with_program();
    let good = place.text("info run.merlin");
    assert!(
        good.contains("21 records in 1 blocks, level full")
            && good.contains("The stream is whole and possible."),
        "{good}"
    );
    let text = place.text("info run.merlin --records");
    assert_eq!(text, PROGRAM);

    stream(&place, &format!("{PROGRAM}use 1\n"));
    let output = place.run("info run.merlin");
    assert_eq!(output.status.code(), Some(1));
    let told = output.out;
    assert!(told.contains("record 21 of the block at byte 12, time 8: records on objects that are dead or were never allocated: Use(object1)"), "{told}");
}

#[test]
fn a_cut_stream_is_read_as_far_as_it_goes() {
    let place = with_program();
    let stream = place.path("run.merlin");
    let bytes = fs::read(&stream).expect("written");
    // Without the end block.
    fs::write(&stream, &bytes[..bytes.len() - 20]).expect("written");
    let report = json_by(&mut place.command("lifetimes run.merlin --format json"));
    assert_eq!(report["total"]["objects"], 3);
    assert!(
        report["damage"][0]
            .as_str()
            .expect("damage")
            .contains("without its end block")
    );
    let output = place.run("info run.merlin");
    assert_eq!(output.status.code(), Some(1));
    let list = place.run("lifetimes run.merlin --objects");
    assert!(list.status.success() && list.errors.contains("without its end block"));
}

#[test]
fn other_input_is_refused_in_a_line() {
    let place = with_program();
    let other = place.path("other");
    fs::write(&other, [0xca, 0xfe, 0xba, 0xbe, 0]).expect("written");
    place.refused("lifetimes other", &["is not a neutral stream"]);
    fs::write(&other, "hello world\n").expect("written");
    let line = "line 1: not the name of a record: hello world";
    place.refused("info other", &[line]);
    place.refused("lifetimes missing", &["cannot open"]);
}

#[test]
fn other_tools_forms_go_out_and_in() {
    let place = with_program();
    let lines = place.text("lifetimes run.merlin --format et1");
    assert!(
        lines.contains("N 2 960 Node 2 0 4\n") && lines.contains("U 1 0 0 7 4\nD 1 4\nD 2 4\n"),
        "{lines}"
    );
    let elephant = place.path("et.trace");
    fs::write(&elephant, &lines).expect("written");
    let again = place.text("lifetimes et.trace --from et1 --format et1");
    // Threads are numbered anew.
    assert_eq!(again, lines.replace(" 4\n", " 1\n"));
    let listed = place.text("lifetimes et.trace --from et1 --objects");
    assert!(
        listed.contains("2,Node,,site 2,,thread 4,2400,2424,2424,2524,2524\r\n"),
        "{listed}"
    );
    let oracle = place.text("lifetimes run.merlin --format oracle-csv");
    assert_eq!(oracle.lines().nth(1), Some("1,4,24,Node,1,4,1,4"));
    let oracle_file = place.path("oracle.csv");
    fs::write(&oracle_file, &oracle).expect("written");
    let again = place.text("lifetimes oracle.csv --from oracle --format oracle-csv");
    assert_eq!(again, oracle);
    let listed = place.text("lifetimes oracle.csv --from oracle --objects");
    // Uses are not recorded.
    assert!(
        listed.contains("2,Node,,,,thread 4,2400,2424,,2524,2524\r\n"),
        "{listed}"
    );
    let third = place.text("lifetimes run.merlin --format et3");
    assert!(third.starts_with("N 1 24 1 1 0 0\n"), "{third}");
    assert!(
        place
            .text("info et.trace --from et1")
            .contains("3 objects allocated, 2 reported dead")
    );
    fs::write(&elephant, "N 1 2\n").expect("written");
    let damaged = place.json("lifetimes et.trace --from et3");
    assert_eq!(
        damaged["damage"][0],
        "line 1: fields are missing or left over: N 1 2"
    );
}

/// More lines than are read at once: the thread and the time go on.
#[test]
fn threads_go_on_from_batch_to_batch() {
    let place = with_program();
    let lines: String = (1..=40_000)
        .map(|id| format!("N {id:x} 10 Node 1 0 7\n"))
        .collect();
    let elephant = place.path("et.trace");
    fs::write(&elephant, lines).expect("written");
    let listed = place.text("lifetimes et.trace --from et1 --objects");
    let of_thread = listed
        .lines()
        .filter(|line| line.contains(",thread 7,"))
        .count();
    assert_eq!(of_thread, 40_000);
    let report = place.json("lifetimes et.trace --from et1");
    assert_eq!(
        (&report["damage"], &report["end"]["bytes"]),
        (&serde_json::json!([]), &640_000.into())
    );
}
