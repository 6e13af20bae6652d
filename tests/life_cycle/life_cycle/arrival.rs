//! How long the arrival of the agent stops a program that has loaded thousands
//! of classes: by the agent's own word, and by the VM's log of its safepoints.

use std::path::Path;
use std::process::{Command, Stdio};

use ducktrack_tests::checked;

use crate::control::{attach, attaching, done, ducktrack, work_counted};
use crate::recording::Recording;
use crate::tracked_jvm::{TrackedJvm, jdks_in_turn};

const CLASSES: u32 = 4000;
/// Of the work of a stop, in milliseconds. Beside other processes it takes longer, because the VM's thread waits for a processor.
const MOST: f64 = 250.0;
/// Of the work of all stops together, for 5,000 classes.
const MOST_TOGETHER: f64 = 3000.0;

/// The kernel's figures of a JVM's own thread, which does the work while the
/// program is stopped: milliseconds on a processor, and waiting for one.
#[derive(Clone, Copy, Debug)]
struct VmThread {
    ran: f64,
    waited: f64,
}

impl VmThread {
    fn of(process: u32) -> Self {
        let tasks = std::fs::read_dir(format!("/proc/{process}/task")).expect("its threads");
        let mut tasks = tasks.map(|task| task.expect("a thread").path());
        let is_it = |task: &std::path::PathBuf| {
            let name = std::fs::read_to_string(task.join("comm"));
            name.is_ok_and(|name| name.trim_end() == "VM Thread")
        };
        let task = tasks.find(is_it).expect("the VM's thread");
        let text = std::fs::read_to_string(task.join("schedstat")).expect("its times");
        let nanos: Vec<f64> = text
            .split_whitespace()
            .map(|word| word.parse().expect(&text))
            .collect();
        Self {
            ran: nanos[0] / 1e6,
            waited: nanos[1] / 1e6,
        }
    }

    fn since(self, before: Self) -> Self {
        Self {
            ran: self.ran - before.ran,
            waited: self.waited - before.waited,
        }
    }
}

/// Milliseconds of each safepoint in which classes were exchanged.
fn stops_by_the_vm(log: &Path) -> Vec<f64> {
    let text = std::fs::read_to_string(log).expect("the log of safepoints");
    let lines = text
        .lines()
        .filter(|line| line.contains("Safepoint \"RedefineClasses\""));
    let nanos = lines.filter_map(|line| {
        let total = line.split("Total:").nth(1)?;
        total.split_whitespace().next()?.parse::<f64>().ok()
    });
    nanos.map(|nanos| nanos / 1e6).collect()
}

#[test]
fn thousands_of_classes_are_exchanged_in_short_stops() {
    for jdk in jdks_in_turn(17, 0) {
        let place = tempfile::tempdir().expect("temporary folder");
        let (log, output) = (place.path().join("safepoints"), place.path().join("out"));
        let option = format!("-Xlog:safepoint:file={}", log.display());
        let jvm = TrackedJvm::bare(&jdk).vm(&[&option]);
        let mut jvm = jvm.start_program("ControlProbe", &[]);
        let loaded = jvm.ask(&format!("load {CLASSES}"), "LOADED");
        let loaded: u32 = loaded.trim_start_matches("LOADED ").parse().expect(&loaded);
        assert!(loaded > CLASSES / 2, "{loaded} classes");
        let before = VmThread::of(jvm.pid());
        // Later batches are of other work.
        attach(
            &jvm,
            &output,
            &["--counters", "path:off", "--context", "off"],
        );
        let by_the_vm = stops_by_the_vm(&log);
        let vm_thread = VmThread::of(jvm.pid()).since(before);
        let status = done(&["info", "--state", "--format=json", &jvm.pid().to_string()]);
        let status: serde_json::Value = serde_json::from_str(&status).expect(&status);
        let what = format!("{jdk}: {status}, by the VM {by_the_vm:?}, its thread {vm_thread:?}");
        let number = |name: &str| status[name].as_f64().expect(&what);

        assert!(
            number("classes_rewritten") > f64::from(loaded) / 4.0,
            "{what}"
        );
        assert_eq!(number("arrival_stops"), by_the_vm.len() as f64, "{what}");
        // How many there are depends on the machine: batches grow while their stops are short.
        assert!(by_the_vm.len() > 1, "one stop for all: {what}");
        let longest = by_the_vm.iter().copied().fold(0.0, f64::max);
        assert!(
            number("arrival_longest_stop_micros") / 1e3 >= longest,
            "{what}"
        );
        let longest_work = number("arrival_longest_work_micros") / 1e3;
        assert!(longest_work <= MOST, "{what}");
        let together = number("arrival_work_micros") / 1e3;
        assert!(together <= MOST_TOGETHER, "{what}");
        // The agent did not leave out any work: the kernel saw no more in all of that time, but for other operations of the VM.
        let work = number("arrival_work_micros") / 1e3;
        let others = vm_thread.ran - work;
        assert!(others > -5.0 && others < 0.25 * work + 50.0, "{what}");
        // A stop that took longer did wait.
        assert!(longest <= MOST + vm_thread.waited, "{what}");

        done(&["stop", &jvm.pid().to_string()]);
        let notes = Recording::of(&output).report.notes.join("\n");
        let sentence = format!("stopped the program {} times, ", by_the_vm.len());
        assert!(notes.contains(&sentence), "{sentence} {notes}");
        checked(&format!(
            "{jdk}: {} classes exchanged in {} stops, the longest {longest:.1} ms by the VM's log, {longest_work:.1} ms of work at the most, {together:.0} ms together",
            status["classes_rewritten"],
            by_the_vm.len()
        ));
        jvm.ask("end", "END");
        jvm.end_well();
    }
}

/// Processes that have all processors, until they are dropped.
struct Load(Vec<std::process::Child>);

impl Load {
    fn of(processes: usize) -> Self {
        let busy = || {
            Command::new("sh")
                .args(["-c", "while :; do :; done"])
                .spawn()
        };
        Self((0..processes).map(|_| busy().expect("sh")).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for process in &mut self.0 {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

#[test]
fn the_stops_of_nine_arrivals_in_ten_are_within_the_forecast() {
    const ARRIVALS: usize = 10;
    let processors = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    for jdk in jdks_in_turn(17, 3) {
        let mut seen = Vec::new();
        for number in 0..ARRIVALS {
            let place = tempfile::tempdir().expect("temporary folder");
            let mut jvm = TrackedJvm::bare(&jdk).start_program("ControlProbe", &[]);
            jvm.ask(&format!("load {}", 1000 + 500 * number), "LOADED");
            let _load = (number % 2 == 1).then(|| Load::of(2 * processors));
            attach(&jvm, &place.path().join("out"), &[]);
            let status = done(&["info", "--state", "--format=json", &jvm.pid().to_string()]);
            let status: serde_json::Value = serde_json::from_str(&status).expect(&status);
            let micros = |value: &serde_json::Value| value.as_u64().expect("microseconds");
            let forecast = &status["arrival_forecast_micros"];
            let forecast = (micros(&forecast[0]), micros(&forecast[1]));
            seen.push((forecast, micros(&status["arrival_together_micros"])));
            done(&["stop", &jvm.pid().to_string()]);
            jvm.ask("end", "END");
            jvm.end_well();
        }
        let within = |((least, most), stops): &&((u64, u64), u64)| (least..=most).contains(&stops);
        let inside = seen.iter().filter(within).count();
        assert!(inside * 10 >= ARRIVALS * 9, "{jdk}: {seen:?}");
        checked(&format!(
            "{jdk}: {inside} of {ARRIVALS} arrivals within their forecasts, in microseconds {seen:?}"
        ));
    }
}

/// What is asked while the agent arrives: `info --state` says how far it is, `snapshot --mark` and `report` that it is
/// not there yet; none says that there is no agent, once there is one, or that nothing was allocated.
#[test]
fn questions_are_answered_while_the_agent_arrives() {
    for jdk in jdks_in_turn(17, 1) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let mut jvm = TrackedJvm::bare(&jdk).start_program("ControlProbe", &[]);
        jvm.ask(&format!("load {CLASSES}"), "LOADED");
        let pid = jvm.pid().to_string();
        let mut attach = attaching(&jvm, &output, &[]);
        attach.stdout(Stdio::null()).stderr(Stdio::null());
        let mut attach = attach.spawn().expect("ducktrack");
        let (mut is_known, mut arriving) = (false, 0);
        while attach.try_wait().expect("its state").is_none() {
            let mut ask = |words: &[&str]| {
                let (worked, text) = ducktrack(words);
                let denies = text.contains("has no agent") || text.contains("writes no recording");
                assert!(!(is_known && denies), "{words:?}: {text}");
                is_known |= !denies;
                let is_arriving = text.contains("still arriving") || text.contains("is starting");
                arriving += usize::from(is_arriving);
                (worked, is_arriving || denies, text)
            };
            let (worked, is_early, text) = ask(&["info", "--state", &pid]);
            assert!(worked || is_early, "status: {text}");
            for words in [&["snapshot", &pid, "--mark=here"][..], &["report", &pid]] {
                let (worked, is_early, text) = ask(words);
                assert!(worked || is_early, "{words:?}: {text}");
                assert!(!text.contains("command not known"), "{words:?}: {text}");
            }
        }
        assert!(attach.wait().expect("ended").success());
        assert!(arriving > 0, "{jdk}: the agent was never seen arriving");
        done(&["snapshot", &pid, "--mark=there"]);
        done(&["report", &pid]);
        checked(&format!(
            "{jdk}: {arriving} answers while the agent was arriving"
        ));
        done(&["stop", &pid]);
        jvm.ask("end", "END");
        jvm.end_well();
    }
}

/// A class that is defined while the agent arrives goes through the hook; it does not have to be found afterwards, however many come.
#[test]
fn an_arrival_ends_while_classes_are_defined_without_pause() {
    for jdk in jdks_in_turn(17, 2) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let mut jvm = TrackedJvm::bare(&jdk).start_program("ControlProbe", &[]);
        jvm.ask("define", "DONE");
        // It fails if the agent is not there within the time that the JVM's own tools wait.
        attach(&jvm, &output, &[]);
        jvm.ask("work 1000", "DONE");
        done(&["stop", &jvm.pid().to_string()]);
        jvm.ask("end", "END");
        jvm.end_well();
        let recording = Recording::of(&output);
        assert_eq!(work_counted(&recording), (1000, 1000));
        let damage = &recording.report.damage;
        assert!(damage.is_empty(), "{damage:?}");
    }
}
