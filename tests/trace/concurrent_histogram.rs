//! The heap that is rebuilt from a trace under ZGC against the VM's own class
//! histogram, for real programs: those of the suite, and a service with its clients.
//!
//! The VM counts at a safepoint what can be reached; the trace has what the last cycle before found
//! alive at its Mark Start. Between the two, the thread that asks makes the objects that [`ASKING`]
//! names. Threads of the program that go on by themselves make others; all differences are printed.
//!
//! `DUCKTRACK_FULL` takes all programs with each form of ZGC; else each form takes one, in turn.
//! To look at a few only: `DUCKTRACK_WORKLOADS=fop,service`; for one form: `DUCKTRACK_FORM=21g`.
//! The figures go to the file that `DUCKTRACK_TABLE` names, one line a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use ducktrack_test_support::free_port;
use ducktrack_tests::{
    ClassAmount, Finished, Jdk, RebuiltHeap, TracedRun, checked, compiled, harness_folder,
    harness_jar, heap_at, is_full_run, last_collection_by, note, parse_class_histogram, skipped,
    trace_command, traced_jdks,
};

/// The exit code of a workload whose input is not there.
const SKIPPED: i32 = 77;

/// Programs of the suite; `service` is Spring Boot with Tomcat and H2.
const ALL: [&str; 21] = [
    "json",
    "streams",
    "sunflow",
    "jython",
    "lusearch",
    "h2",
    "xalan",
    "fop",
    "tomcat",
    "javac",
    "serial",
    "batik",
    "luindex",
    "derby",
    "xml.transform",
    "xml.validation",
    "ecj",
    "scalac",
    "groovy",
    "pmd",
    "service",
];
const SMALL: [&str; 4] = ["json", "serial", "streams", "service"];

/// A form of ZGC: its name, the release, its options.
type Form = (&'static str, u32, &'static [&'static str]);

const FORMS: [Form; 4] = [
    ("17", 17, &["-XX:+UseZGC"]),
    ("21", 21, &["-XX:+UseZGC"]),
    ("21g", 21, &["-XX:+UseZGC", "-XX:+ZGenerational"]),
    ("25", 25, &["-XX:+UseZGC"]),
];

/// What the thread that asks makes between the Mark Start of the last cycle and the count, and holds: its answer.
const ASKING: [(&str, u64); 3] = [
    ("byte[]", 2),
    ("java.lang.String", 1),
    ("java.lang.StringBuilder", 1),
];

/// At most this share of the objects may be made or dropped by threads that go on by themselves.
const BY_THEMSELVES: f64 = 0.0001;

#[test]
fn the_rebuilt_heap_is_that_of_the_vm_class_by_class() {
    let launcher = compiled(&["SettledHistogram"], 17);
    let jdks = traced_jdks();
    let only = std::env::var("DUCKTRACK_FORM").ok();
    let mut compared = 0;
    let mut wrong = Vec::new();
    for (turn, form) in FORMS.iter().enumerate() {
        let jdk = jdks.iter().find(|jdk| jdk.version == form.1);
        let is_asked = only.as_ref().is_none_or(|name| name == form.0);
        let Some(jdk) = jdk.filter(|_| is_asked) else {
            continue;
        };
        for program in programs(turn) {
            let run = TracedRun::new(jdk, &format!("{} {program}", form.0));
            match compare(&run, form, launcher.path(), &program) {
                None => skipped(&format!("{}: its input is not there", run.name())),
                Some(Comparison { line, is_right }) => {
                    println!("{line}");
                    note(&line);
                    compared += 1;
                    wrong.extend((!is_right).then_some(line));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 0, "nothing compared");
    checked(&format!(
        "the heap under ZGC against the VM's class histogram, {compared} runs"
    ));
}

fn programs(turn: usize) -> Vec<String> {
    if let Ok(names) = std::env::var("DUCKTRACK_WORKLOADS") {
        return names.split(',').map(str::to_owned).collect();
    }
    match is_full_run() {
        true => ALL.map(str::to_owned).to_vec(),
        false => vec![SMALL[turn % SMALL.len()].to_owned()],
    }
}

/// A run, as a line of JSON.
struct Comparison {
    line: String,
    is_right: bool,
}

fn compare(
    run: &TracedRun,
    (form, _, options): &Form,
    launcher: &Path,
    program: &str,
) -> Option<Comparison> {
    let file = run.file("histogram");
    let is_service = program == "service";
    let mut path = vec![launcher.to_owned()];
    match is_service {
        true => path.extend(jars(&harness_folder().join("lib/service"))),
        false => path.push(harness_jar()),
    }
    let path: Vec<&Path> = path.iter().map(PathBuf::as_path).collect();
    let mut command = run.command("", &path);
    command.args(["-Xms256m", "-Xmx512m"]).args(*options);
    command.arg("SettledHistogram").arg(&file);
    let status = match is_service {
        true => serve(command, run),
        false => {
            command.args(["end", "ducktrack.harness.Main", program]);
            let finished = Finished::of(command.args(["--iterations", "2", "--size", "1"]));
            finished.status.code()
        }
    };
    if status == Some(SKIPPED) {
        return None;
    }
    assert_eq!(status, Some(0), "{}", run.name());
    let text = std::fs::read_to_string(&file).expect("the histogram");
    let after = text.lines().find_map(|line| line.strip_prefix("after "));
    let millis = after.and_then(|millis| millis.parse().ok());
    let timeline = trace_command("timeline", &run.trace(), &[]);
    let number = last_collection_by(&timeline, millis.expect("a time"));
    let rebuilt = heap_at(&run.trace(), number);
    Some(judged(
        run.jdk(),
        form,
        program,
        &parse_class_histogram(&text),
        &rebuilt,
    ))
}

fn judged(
    jdk: &Jdk,
    form: &str,
    program: &str,
    vm: &BTreeMap<String, ClassAmount>,
    rebuilt: &RebuiltHeap,
) -> Comparison {
    let mut names: Vec<&String> = vm.keys().chain(rebuilt.classes.keys()).collect();
    names.sort();
    names.dedup();
    let of = |classes: &BTreeMap<String, ClassAmount>, name: &String| {
        classes.get(name).copied().unwrap_or_default()
    };
    let (mut equal, mut more, mut fewer) = (0, 0, 0);
    let mut others = Vec::new();
    for name in &names {
        let (in_vm, in_trace) = (of(vm, name), of(&rebuilt.classes, name));
        let asked = ASKING.iter().find(|(class, _)| class == name);
        let asked = asked.map_or(0, |(_, count)| *count);
        if in_vm == in_trace || in_vm.count == in_trace.count + asked {
            equal += 1;
            continue;
        }
        more += in_vm.count.saturating_sub(in_trace.count + asked);
        fewer += in_trace.count.saturating_sub(in_vm.count);
        others.push(serde_json::json!([name, in_vm.count, in_trace.count]));
    }
    let objects: u64 = vm.values().map(|amount| amount.count).sum();
    let line = serde_json::json!({
        "jdk": jdk.version, "form": form, "program": program, "objects": objects, "classes": names.len(),
        "classes_equal": equal, "made_since": more, "dropped_since": fewer, "differences": others,
    });
    let most = BY_THEMSELVES * objects as f64;
    Comparison {
        line: line.to_string(),
        is_right: (more + fewer) as f64 <= most && names.len() > 100,
    }
}

fn jars(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Starts the service, asks it for a while, and lets it count.
fn serve(mut command: Command, run: &TracedRun) -> Option<i32> {
    let enough = run.file("enough");
    let port = free_port();
    command.arg(&enough).arg("ducktrack.service.Service");
    command.arg(format!("--server.port={port}"));
    // It ends when its standard input does.
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("java");
    let patience = Instant::now() + Duration::from_secs(90);
    let mut answers = 0;
    while answers < 400 && Instant::now() < patience {
        match asked(port, "/greeting?name=duck") && asked(port, "/books") && asked(port, "/years") {
            true => answers += 1,
            false => std::thread::sleep(Duration::from_millis(300)),
        }
    }
    std::fs::write(&enough, "").expect("a file");
    let status = child.wait().expect("java");
    assert_eq!(answers, 400, "{}: {status}", run.name());
    status.code()
}

/// Whether a page was given.
fn asked(port: u16, page: &str) -> bool {
    use std::io::{Read, Write};
    let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", port)) else {
        return false;
    };
    let request = format!("GET {page} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let mut answer = String::new();
    let is_sent = stream.write_all(request.as_bytes()).is_ok();
    is_sent && stream.read_to_string(&mut answer).is_ok() && answer.starts_with("HTTP/1.1 200")
}
