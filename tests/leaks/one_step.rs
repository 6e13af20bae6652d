//! `ducktrack leaks` with no more than a process id or a folder: it records, takes a dump or finds one, and
//! names what a person would change. Dumps that the JVM makes by itself are joined; a stranger's is not.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use ducktrack_tests::{
    Finished, Jdk, TracedRun, agent_argument, agent_library, checked, compile_java, compiled,
    compiled_with_leaky, count_report, ducktrack_command, json_by, printed_by, skipped,
    trace_command, traced_jdks, tried_command,
};
use serde_json::Value;

const PROGRAM: &str = "ducktrack.leaks.SessionStore";

fn classes() -> tempfile::TempDir {
    compiled_with_leaky(&[], &["SessionStore", "Work"])
}

fn jdk() -> Jdk {
    traced_jdks().remove(0)
}

/// A run until its heap is full, or for these many steps.
fn recorded(what: &str, options: &str, java: &[&str], classes: &Path) -> TracedRun {
    let run = TracedRun::new(&jdk(), what);
    let mut command = run.command(options, &[classes]);
    command.args(java).arg(PROGRAM);
    command.output().expect("java");
    run
}

/// A program that would run for minutes, ended with the test.
struct Living(Child);

impl Living {
    fn start(classes: &Path) -> Self {
        Self::with(classes, &[])
    }

    fn with(classes: &Path, options: &[String]) -> Self {
        let mut command = jdk().java(classes);
        command.args(options);
        command.args(["-Xmx256m", "-Xmn8m", "-XX:+UseParallelGC"]);
        command.args([
            "-Dducktrack.leaks.steps=60000",
            "-Dducktrack.leaks.pace=2000",
        ]);
        let child = command.arg(PROGRAM).spawn();
        Self(child.expect("java"))
    }

    /// `ducktrack leaks PID` with a recording of this long, beside which its files are.
    fn leaks_for(&self, seconds: &str, place: &Path) -> Value {
        let mut ducktrack = ducktrack_command();
        ducktrack.current_dir(place);
        ducktrack.arg("leaks").arg(self.0.id().to_string());
        ducktrack.args(["--for", seconds, "--format", "json", "--library"]);
        json_by(ducktrack.arg(agent_library()))
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("it ends");
    }
}

fn names_the_field(leaks: &Value) {
    assert_eq!(leaks["verdict"], "leaks", "{leaks}");
    let first = &leaks["candidates"][0];
    assert_eq!(
        first["structure"]["field"], "ducktrack.leaks.SessionStore.SESSIONS",
        "{first}"
    );
    let added = first["addedBy"].as_str().expect("a line");
    // Whether a stack of the call that adds was sampled is chance; without one the line is near.
    let added = added.strip_prefix("near ").unwrap_or(added);
    assert!(
        added.starts_with("ducktrack.leaks.SessionStore."),
        "{added}"
    );
    let shown = first["shown"].as_array().expect("places").len();
    assert!((1..=7).contains(&shown), "{first}");
}

/// A VM that is still being made has no tool interface: this one is there when the JVM's own tool is answered.
fn wait_until_it_works(pid: u32) {
    for _ in 0..60 {
        let mut jcmd = jdk().tool("jcmd");
        if Finished::of(jcmd.args([&pid.to_string(), "VM.uptime"]))
            .status
            .success()
        {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
}

#[test]
fn a_process_id_is_enough() {
    let classes = classes();
    let program = Living::start(classes.path());
    wait_until_it_works(program.0.id());
    let place = tempfile::tempdir().expect("a folder");
    let leaks = program.leaks_for("8", place.path());
    names_the_field(&leaks);
    for nothing in ["damage", "losses"] {
        assert_eq!(leaks[nothing], serde_json::json!([]), "{nothing}");
    }
    let dump = leaks["dump"].as_str().expect("a dump");
    let facts = std::fs::metadata(dump).expect("the dump");
    assert_eq!(facts.permissions().mode() & 0o077, 0, "others may read it");
    // The recording was ours, and has ended.
    assert_eq!(leaks["run"]["state"], "ended");
    checked("leaks of a process id");
}

/// Under ZGC the program goes on beside the cycles: a part of what the dump
/// shows was made after the last of them, and is known where it was made.
#[test]
fn a_dump_of_a_busy_program_under_zgc_is_joined() {
    let classes = compiled(&["BusyMap"], 17);
    for jdk in traced_jdks() {
        let mut java = jdk.java(classes.path());
        java.args(["-XX:+UseZGC", "-Xmx400m", "BusyMap", "60"]);
        let child = java.spawn();
        let program = Living(child.expect("java"));
        wait_until_it_works(program.0.id());
        let place = tempfile::tempdir().expect("a folder");
        let leaks = program.leaks_for("4", place.path());
        let dump = leaks["dump"].as_str().expect("a dump");
        let folder = Path::new(dump).parent().expect("its folder");
        let words = ["--dump", dump, "--type", "BusyMap$Value"];
        let holders = trace_command("holders", folder, &words);
        let name = format!("{jdk}");
        assert_eq!(holders["withoutSites"], Value::Null, "{name}");
        let join = &holders["join"];
        let number = |key: &str| join[key].as_u64().expect("a number");
        let (found, objects) = (number("found"), number("objects"));
        // On a loaded machine the program makes more between the cycle and the dump: its maker is known, too.
        let known = found + number("madeSince");
        assert!(known * 100 >= objects * 99, "{name}: {join}");
        assert!(found * 2 >= objects, "{name}: {join}");
        // The values' arrays; a method that runs for ever is not rewritten, so the values themselves have no site.
        let rows = holders["dominators"].as_array().expect("rows");
        let arrays = rows.iter().find(|row| row["type"] == "byte[]");
        let made = &arrays.expect("arrays")["made"];
        assert_eq!(made["class"], "BusyMap$Value", "{name}: {made}");
        checked(&format!(
            "{name}: {found} of {objects} objects of a dump under ZGC"
        ));
    }
}

/// The JVM writes its heap to the end; then the file is deleted.
#[test]
fn an_interrupt_leaves_no_dump_and_the_program_runs_on() {
    let classes = classes();
    let place = tempfile::tempdir().expect("a folder");
    let trace = place.path().join("trace");
    let agent = agent_argument("mode=trace", &trace);
    let program = Living::with(classes.path(), &[agent]);
    let pid = program.0.id();
    wait_until_it_works(pid);
    std::thread::sleep(std::time::Duration::from_secs(4));
    let mut ducktrack = ducktrack_command();
    ducktrack.arg("leaks").arg(pid.to_string());
    ducktrack.stderr(Stdio::piped()).stdout(Stdio::piped());
    let ducktrack = ducktrack.spawn().expect("ducktrack");
    let dump = trace.join("heap-live.hprof");
    let is_written = || dump.exists();
    assert!((0..6000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(5));
        is_written()
    }));
    let id = ducktrack.id().to_string();
    let interrupt = Command::new("kill").args(["-INT", &id]).status();
    assert!(interrupt.expect("kill").success());
    let output = ducktrack.wait_with_output().expect("ducktrack");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!is_written(), "{errors}");
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains(&format!("process {pid} runs on")),
        "{errors}"
    );
    assert!(output.stdout.is_empty());
    let mut jcmd = jdk().tool("jcmd");
    printed_by(jcmd.args([&pid.to_string(), "VM.uptime"]));
    checked("an interrupt while the heap is written");
}

#[test]
fn the_dump_in_the_folder_is_found() {
    let classes = classes();
    let java = [
        "-Xmx64m",
        "-Xmn8m",
        "-XX:+UseParallelGC",
        "-Dducktrack.leaks.steps=1500",
    ];
    let run = recorded("found", "dump=on", &java, classes.path());
    let folder = run.trace();
    names_the_field(&trace_command("leaks", &folder, &[]));
    let alone = trace_command("leaks", &folder, &["--dump", "none"]);
    assert_eq!(alone["dump"], Value::Null);
    assert_eq!(alone["candidates"][0]["root"], Value::Null);
    let holders = trace_command("holders", &folder, &["--type", "*Session"]);
    assert_eq!(holders["withoutSites"], Value::Null);
    // A dump of another JVM is not read; the trace has an answer without it.
    let other = recorded("other", "dump=on", &java, classes.path());
    let dump = folder.join("heap.hprof");
    std::fs::copy(other.trace().join("heap.hprof"), &dump).expect("a copy");
    let leaks = trace_command("leaks", &folder, &[]);
    assert_eq!(leaks["dump"], Value::Null);
    let note = leaks["dumpNote"].as_str().expect("why");
    assert!(note.contains("another JVM"), "{note}");
    assert_eq!(leaks["verdict"], "leaks");
    let words = ["--dump", dump.to_str().expect("UTF-8")];
    assert!(tried_command("leaks", &folder, &words).is_err());
    checked("the dump in the folder of a recording, and one of another JVM");
}

#[test]
fn a_dump_at_an_out_of_memory_error_is_joined_by_the_last_collection() {
    let classes = classes();
    for collector in ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"] {
        let place = tempfile::tempdir().expect("a folder");
        let path = format!("-XX:HeapDumpPath={}/oom.hprof", place.path().display());
        let java = [
            "-Xmx32m",
            collector,
            "-XX:+HeapDumpOnOutOfMemoryError",
            &path,
            "-Dducktrack.leaks.steps=100000",
        ];
        let run = recorded("oom", "summary=off", &java, classes.path());
        let dump = place.path().join("oom.hprof");
        let words = ["--dump", dump.to_str().expect("UTF-8")];
        let leaks = trace_command("leaks", &run.trace(), &words);
        names_the_field(&leaks);
        let holders = trace_command("holders", &run.trace(), &words);
        // With a heap that is full to the last object the launcher cannot end the VM, and the last collections are not written.
        let state = count_report(&run.trace(), &[]).run.state;
        if state == "killed" && holders["withoutSites"] != Value::Null {
            skipped(&format!("{collector}: the VM did not tell of its death"));
            continue;
        }
        // Parallel ends by its own clocks (LIMITS, "A heap without air"): its last
        // collections are the JVM's alone. That is said, and `leaks` has named the field.
        let said = holders["withoutSites"].as_str().unwrap_or_default();
        if collector == "-XX:+UseParallelGC" && said.contains("the agent left them to the JVM") {
            checked("a dump at an OutOfMemoryError of a heap without air, -XX:+UseParallelGC");
            continue;
        }
        assert_eq!(holders["withoutSites"], Value::Null, "{collector}, {state}");
        let join = &holders["join"];
        let (found, all) = (join["found"].as_u64(), join["objects"].as_u64());
        assert!(found > Some(10_000) && found <= all, "{collector}: {join}");
        checked(&format!("a dump at an OutOfMemoryError, {collector}"));
    }
}

/// What follows a collection that cannot be read takes nothing away from what was known before it.
#[test]
fn a_heap_that_is_lost_is_judged_up_to_there() {
    let classes = classes();
    let java = [
        "-Xmx12m",
        "-Xmn4m",
        "-XX:+UseParallelGC",
        "-Dducktrack.leaks.steps=4000",
    ];
    let run = recorded("lost", "summary=off,fault-at=200", &java, classes.path());
    let leaks = trace_command("leaks", &run.trace(), &["--dump", "none"]);
    assert_eq!(leaks["verdict"], "leaks", "{leaks}");
    assert_eq!(leaks["span"]["ends"], "lost", "{leaks}");
    let collections = leaks["span"]["collections"].as_u64();
    assert!(collections < Some(200), "{collections:?}");
    let made = leaks["candidates"][0]["made"].as_str().expect("a line");
    assert!(
        made.starts_with("ducktrack.leaks.SessionStore.login"),
        "{made}"
    );
    checked("a heap that is lost near the end of a run");
}

/// A hook that lets go of everything is no reason to see nothing.
#[test]
fn a_dump_before_the_shutdown_hooks_has_what_they_free() {
    let classes = classes();
    let source = classes.path().join("Held.java");
    std::fs::write(&source, HELD).expect("a source");
    let name = source.with_extension("");
    let name = name.to_str().expect("UTF-8");
    compile_java(&[name], 17, classes.path(), &[]);
    let run = TracedRun::new(&jdk(), "hooks");
    let mut command = run.command("dump=on", &[classes.path()]);
    run.finish(command.arg("Held"));
    let words = ["--type", "Held$Thing"];
    let holders = trace_command("holders", &run.trace(), &words);
    assert_eq!(holders["selected"]["count"], 5000);
    checked("a dump before shutdown hooks");
}

const HELD: &str = "import java.util.*;
public class Held {
    static final class Thing { long value; }
    static final List<Thing> THINGS = new ArrayList<>();
    public static void main(String[] words) {
        for (int i = 0; i < 5000; i++) THINGS.add(new Thing());
        Runtime.getRuntime().addShutdownHook(new Thread(THINGS::clear));
    }
}
";
