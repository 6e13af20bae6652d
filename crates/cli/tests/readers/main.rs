//! Exports that programs read which we did not write: `jfr` of the JDKs, Prometheus, kustomize and
//! the schemas of Kubernetes. A test whose program is missing is skipped, with a line about it.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use ducktrack_test_support::{
    Ended, Finished, Place, fleet_tool, free_port, json_by, printed_by, sample_events, sample_run,
};

use serde_json::Value;

fn place() -> Place {
    Place::new(env!("CARGO_BIN_EXE_ducktrack"))
}

/// The `jfr` commands of this machine's JDKs.
fn jfr_commands() -> Vec<PathBuf> {
    let homes = env::var("DUCKTRACK_JDKS").unwrap_or_default();
    let named = homes.split(':').map(|home| Path::new(home).join("bin/jfr"));
    let on_path = env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<PathBuf> = env::split_paths(&on_path)
        .map(|folder| folder.join("jfr"))
        .collect();
    let mut found: Vec<PathBuf> = named.filter(|path| path.exists()).collect();
    if found.is_empty() {
        found.extend(on_path.into_iter().find(|path| path.exists()));
    }
    if found.is_empty() {
        _ = writeln!(
            std::io::stdout(),
            "skipped: no jfr; DUCKTRACK_JDKS names JDKs"
        );
    }
    found
}

fn totals(place: &Place, trace: &str) -> (i64, i64) {
    let report = place.json(&format!("report {trace}"));
    let number = |name: &str| report["totals"][name].as_i64().expect("a number");
    (number("count"), number("bytes"))
}

/// Every event is read, and their sums are the report's.
#[test]
fn jfr_reads_every_event() {
    let place = place();
    place.trace("t", sample_run::records());
    place.run("export t --to jfr -o t.jfr").must_succeed();
    let (objects, bytes) = totals(&place, "t");
    for jfr in jfr_commands() {
        let file = place.path("t.jfr");
        let run = |arguments: &[&str]| {
            let read = Finished::well(Command::new(&jfr).args(arguments).arg(&file));
            assert!(!read.errors.contains("Exception"), "{read}");
            read.out
        };
        let printed = run(&["print", "--json"]);
        let printed: Value = serde_json::from_str(&printed).expect("JSON");
        let events = printed["recording"]["events"].as_array().expect("events");
        let sum = |ty: &str, field: &str| {
            let events = events.iter().filter(|event| event["type"] == ty);
            events
                .map(|event| event["values"][field].as_i64().expect("a number"))
                .sum::<i64>()
        };
        assert_eq!(sum("jdk.ObjectAllocationSample", "weight"), bytes);
        assert_eq!(sum("ducktrack.SiteCount", "objects"), objects);
        assert_eq!(sum("ducktrack.SiteCount", "bytes"), bytes);
        let top = &events[0]["values"]["stackTrace"]["frames"][0];
        assert!(top["method"]["name"].is_string(), "{top}");
        assert!(run(&["summary"]).contains("ducktrack.SiteCount"));
        // Views are there since JDK 21.
        let mut view = Command::new(&jfr);
        let view = Finished::of(view.args(["view", "allocation-by-site"]).arg(&file));
        let has_site = view.out.contains("com.acme.Orders.total");
        assert!(!view.status.success() || has_site, "{view}");
    }
}

#[test]
fn jfr_has_the_collections_of_a_trace() {
    let place = place();
    sample_events::write(&place.path("t"));
    place.run("export t --to jfr -o t.jfr").must_succeed();
    let timeline = place.json("timeline t");
    let collections = timeline["collections"].as_array().map_or(0, Vec::len);
    for jfr in jfr_commands() {
        let mut jfr = Command::new(&jfr);
        jfr.args(["print", "--json", "--events", "GCPhasePause,GCHeapSummary"]);
        let printed = json_by(jfr.arg(place.path("t.jfr")));
        let events = printed["recording"]["events"].as_array().expect("events");
        let of = |ty: &str| events.iter().filter(|event| event["type"] == ty).count();
        assert!(of("jdk.GCPhasePause") > 0);
        assert_eq!(of("jdk.GCHeapSummary"), 2 * of("jdk.GCPhasePause"));
        assert!(collections == 0 || collections == of("jdk.GCPhasePause"));
    }
}

/// `ducktrack ui t --metrics`: the process, and where its figures are.
fn serve(place: &Place) -> (Ended, String) {
    let said = place.path("ui.log");
    let child = place
        .command("ui t --metrics 127.0.0.1:0")
        .stdout(Stdio::null())
        .stderr(fs::File::create(&said).expect("a file"))
        .spawn()
        .expect("the command starts");
    let child = Ended(child);
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let text = fs::read_to_string(&said).expect("a file");
        if let Some((_, rest)) = text.split_once("http://")
            && let Some((address, _)) = rest.split_once("/metrics\n")
        {
            return (child, address.to_owned());
        }
        assert!(Instant::now() < end, "no address: {text}");
        sleep(Duration::from_millis(50));
    }
}

fn get(address: &str, target: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    write!(
        stream,
        "GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )
    .expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    match answer
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked")
    {
        true => unchunked(body),
        false => body.to_owned(),
    }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).expect("a size");
        whole.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}

#[test]
fn metrics_sum_to_the_report() {
    let place = place();
    place.trace("t", sample_run::records());
    let (_server, address) = serve(&place);
    let text = get(&address, "/metrics");
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').expect("a sample");
        let name = name.split('{').next().unwrap_or(name);
        *sums.entry(name).or_default() += value.parse::<f64>().expect("a number");
    }
    let (objects, bytes) = totals(&place, "t");
    assert_eq!(sums["ducktrack_allocated_objects_total"], objects as f64);
    assert_eq!(sums["ducktrack_allocated_bytes_total"], bytes as f64);
    assert_eq!(sums["ducktrack_vm_allocated_bytes_total"], 20_000_000.0);
    assert!(get(&address, "/other").contains("/metrics"));
}

/// A real Prometheus reads them, and answers every query of the dashboard.
#[test]
fn prometheus_answers_the_queries_of_the_dashboard() {
    let Some(prometheus) = fleet_tool("prometheus/usr/bin/prometheus", "Prometheus") else {
        return;
    };
    let place = place();
    sample_events::write(&place.path("t"));
    let (_server, address) = serve(&place);
    let config = format!(
        "global: {{scrape_interval: 1s}}\nscrape_configs:\n  - job_name: ducktrack\n    static_configs: [{{targets: ['{address}']}}]\n"
    );
    fs::write(place.path("prometheus.yml"), config).expect("a file");
    let listen = format!("127.0.0.1:{}", free_port());
    let child = Command::new(prometheus)
        .arg(format!(
            "--config.file={}",
            place.path("prometheus.yml").display()
        ))
        .arg(format!(
            "--storage.tsdb.path={}",
            place.path("data").display()
        ))
        .arg(format!("--web.listen-address={listen}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _prometheus = Ended(child.expect("Prometheus starts"));
    let query = |text: &str| {
        let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let answer = get(&listen, &format!("/api/v1/query?query={encoded}"));
        serde_json::from_str::<Value>(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"))
    };
    let end = Instant::now() + Duration::from_secs(90);
    let has_two_looks = |answer: &Value| {
        let value = answer["data"]["result"][0]["value"][1].as_str();
        value
            .and_then(|value| value.parse::<f64>().ok())
            .unwrap_or(0.0)
            >= 4.0
    };
    while TcpStream::connect(&listen).is_err()
        || !has_two_looks(&query("count_over_time(ducktrack_running[1m])"))
    {
        assert!(Instant::now() < end, "Prometheus has not read the figures");
        sleep(Duration::from_millis(500));
    }
    let dashboard =
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/grafana-dashboard.json"));
    let dashboard: Value = serde_json::from_slice(&dashboard.expect("a dashboard")).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let expressions: Vec<&str> = panels
        .iter()
        .flat_map(|panel| panel["targets"].as_array().into_iter().flatten())
        .map(|target| target["expr"].as_str().expect("a query"))
        .collect();
    assert!(expressions.len() >= 7);
    for expression in expressions {
        let answer = query(expression);
        assert_eq!(answer["status"], "success", "{expression}: {answer}");
        let rows = answer["data"]["result"].as_array().map_or(0, Vec::len);
        assert!(rows > 0, "{expression}: {answer}");
    }
    let (objects, _) = totals(&place, "t");
    let sum = query("sum(ducktrack_allocated_objects_total)");
    assert_eq!(sum["data"]["result"][0]["value"][1], objects.to_string());
}

const VALIDATE: &str = "
import sys, kubernetes_validate, yaml
for document in yaml.safe_load_all(sys.stdin):
    kubernetes_validate.validate(document, '1.30', strict=True)
    if document['kind'] == 'Deployment':
        container = document['spec']['template']['spec']['containers'][0]
        env = {entry['name']: entry['value'] for entry in container.get('env', [])}
        print(document['metadata']['name'], len(container.get('volumeMounts', [])), env.get('JAVA_TOOL_OPTIONS'))
";

/// The component changes the service that asks for it, appends to its options,
/// and leaves the other alone; what comes out is valid, field by field.
#[test]
fn manifests_are_valid_and_append() {
    let (Some(kustomize), Some(python)) = (
        fleet_tool("kustomize", "kustomize"),
        fleet_tool("bin/python", "Python"),
    ) else {
        return;
    };
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/example");
    let built = printed_by(Command::new(kustomize).arg("build").arg(example));
    let mut child = Command::new(python)
        .args(["-c", VALIDATE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Python");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(built.as_bytes())
        .expect("manifests");
    let checked = child.wait_with_output().expect("an answer");
    assert!(checked.status.success(), "{checked:?}");
    let text = String::from_utf8(checked.stdout).expect("UTF-8");
    assert!(
        text.contains(
            "orders 3 -XX:MaxRAMPercentage=60 -agentpath:/ducktrack/library/libducktrack.so="
        ),
        "{text}"
    );
    assert!(text.contains("bills 0 -Xmx64m\n"), "{text}");
}
