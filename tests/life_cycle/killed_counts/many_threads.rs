//! Thousands of threads at the same time, counting and tracing: what they take of the disk and of memory is bounded, threads
//! that come later take over what others have left, and after a kill each thread is in the file, or named as one that is not.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ducktrack_tests::{Jdk, Turns, checked, is_full_run, matrix_jdks, trace_command};

use crate::probe::{MARKED, Place, Process};

const OBJECTS: i64 = 1_000;
/// Blocks of the VM's own threads, of the main thread and of the agent's are besides those of the program's many.
const OTHERS: i64 = 40;
/// Resident memory of a thread: a page for its header, those of its counters, of its keyed entries, and of its buffer of events.
const KB_OF_THREAD: u64 = 64;
/// Memory of the agent whatever the number of threads: classes, queues, the mirror of the heap.
const KB_OF_AGENT: u64 = 160 << 10;
/// Linux allows a process this many mappings, unless the system's administrator has set another number.
const MOST_MAPPINGS: usize = 65_530;

/// Two programs of 10,000 threads run at once in each test. Those of both
/// tests are more than the 32,768 that many systems have numbers for.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A way to record, with a bound for what is in files.
#[derive(Clone, Copy, Debug)]
struct Way {
    mode: &'static str,
    bound: Option<u64>,
}

const WAYS: [Way; 4] = [
    Way {
        mode: "count",
        bound: Some(8 << 20),
    },
    Way {
        mode: "trace",
        bound: Some(8 << 20),
    },
    Way {
        mode: "count",
        bound: None,
    },
    Way {
        mode: "trace",
        bound: None,
    },
];

impl Way {
    fn options(self) -> String {
        let bound = self.bound.map(|bound| format!(",memory=mapped:{bound}"));
        format!("mode={}{}", self.mode, bound.unwrap_or_default())
    }

    fn is_trace(self) -> bool {
        self.mode == "trace"
    }

    /// The bound as it stands in OPTIONS.md, if none is given.
    fn most(self) -> u64 {
        self.bound.unwrap_or(match self.is_trace() {
            true => 512 << 20,
            false => 64 << 20,
        })
    }

    /// The file with what survives.
    fn file(self) -> &'static str {
        match self.is_trace() {
            true => "events.live",
            false => "counters.mapped",
        }
    }
}

/// A JVM with all of its threads alive.
struct Crowd {
    place: Place,
    process: Process,
    resident_kilobytes: u64,
    mappings: usize,
}

impl Crowd {
    fn of(jdk: &Jdk, parent: &Path, agent: &str, threads: i64, waves: i64) -> Self {
        let place = Place::within(parent);
        let file = place.published_file().display().to_string();
        let words = ["many", &file, &threads.to_string(), &waves.to_string()];
        let mut process = place.start(jdk, agent, &["-XX:+UseSerialGC"], &words);
        let all = threads * OBJECTS * waves;
        process.wait_until(|| place.published(0) == all);
        assert_eq!(place.published(0), all, "{jdk} {agent}");
        let id = process.child.id();
        Self {
            resident_kilobytes: resident_kilobytes(id),
            mappings: mappings(id),
            place,
            process,
        }
    }

    /// Bytes of the disk that its files take.
    fn disk_bytes(&self) -> u64 {
        let files = std::fs::read_dir(self.place.output()).expect("the recording");
        let bytes =
            files.map(|file| file.expect("a file").metadata().expect("facts").blocks() * 512);
        bytes.sum()
    }

    fn file_bytes(&self, way: Way) -> u64 {
        let file = std::fs::metadata(self.place.output().join(way.file())).expect("the file");
        file.blocks() * 512
    }

    fn kill(self) -> (Place, String) {
        self.process.signal("KILL");
        (self.place, self.process.end())
    }
}

fn resident_kilobytes(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let digits = line.and_then(|line| line.split_whitespace().next());
    digits
        .and_then(|digits| digits.parse().ok())
        .expect("VmRSS")
}

fn mappings(process: u32) -> usize {
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).expect("its mappings");
    maps.lines().count()
}

/// Objects of the marked type in the report.
fn marked(place: &Place, way: Way) -> i64 {
    if way.is_trace() {
        let lifetimes = trace_command("lifetimes", &place.output(), &[]);
        let sites = lifetimes["sites"].as_array().expect("sites").iter();
        let marked = sites.filter(|site| site["type"] == MARKED);
        return marked.filter_map(|site| site["count"].as_i64()).sum();
    }
    let report = place.report();
    let sites = report.sites.iter();
    let marked = sites.filter(|site| site.ty.as_deref() == Some(MARKED));
    marked.map(|site| site.count).sum()
}

/// Names of the threads for which a kill has lost something.
fn private_threads(place: &Place, way: Way) -> Vec<String> {
    if !way.is_trace() {
        return place.report().run.private_threads;
    }
    let info = trace_command("info", &place.output(), &[]);
    let names = info["run"]["private_threads"].as_array().expect("names");
    let names: Vec<String> = names
        .iter()
        .map(|name| name.as_str().expect("a name").to_owned())
        .collect();
    let number = info["recovered"]["privateThreads"].as_u64().unwrap_or(0);
    assert_eq!(names.len() as u64, number, "{info}");
    names
}

/// The report of them that people read, after the kill.
fn check_sentence(place: &Place, names: &[String]) {
    let said = place.command("info", &[]);
    let sentence = format!("of {} threads were in private memory", grouped(names.len()));
    assert_eq!(
        said.contains(&sentence),
        !names.is_empty(),
        "{sentence}: {said}"
    );
}

fn grouped(number: usize) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", number / 1000, number % 1000),
    }
}

fn check(jdk: &Jdk, parent: &Path, way: Way, threads: i64, bare: &Crowd) {
    let crowd = Crowd::of(jdk, parent, &way.options(), threads, 1);
    let what = format!("{jdk} {way:?} in {}: {threads} threads", parent.display());
    let more = crowd
        .resident_kilobytes
        .saturating_sub(bare.resident_kilobytes);
    let most = u64::try_from(threads).expect("few") * KB_OF_THREAD + KB_OF_AGENT;
    assert!(more < most, "{what}: {more} KB");
    let (file, disk) = (crowd.file_bytes(way), crowd.disk_bytes());
    assert!(file <= way.most() + (256 << 10), "{what}: {file} bytes");
    assert!(disk <= way.most() + (64 << 20), "{what}: {disk} bytes");
    let mappings = crowd.mappings;
    let agents = mappings.saturating_sub(bare.mappings);
    // A third of them, at the most, for us.
    assert!(agents < MOST_MAPPINGS / 3, "{what}: {agents} mappings more");

    let (place, errors) = crowd.kill();
    let names = private_threads(&place, way);
    let private = i64::try_from(names.len()).expect("few");
    let marked = marked(&place, way);
    let in_file = marked / OBJECTS;
    check_sentence(&place, &names);
    if way.bound.is_some() {
        assert!(private > threads / 2, "{what}: {private} private {errors}");
    }
    assert!(in_file >= threads.min(20), "{what}: {in_file} in the file");
    // Each thread is in the file, or named. Of those named, a trace has what they had handed over.
    let known = in_file + private;
    let most = match way.is_trace() {
        true => threads + private + OTHERS,
        false => threads + OTHERS,
    };
    assert!(
        (threads..=most).contains(&known),
        "{what}: {in_file} {private} {errors}"
    );
    checked(&format!(
        "{what}: {in_file} in the file of {} KB, {private} named, {} KB of disk, {more} KB resident and {agents} mappings more than bare",
        file / 1024,
        disk / 1024
    ));
}

/// The JDKs on which this runs: one is enough for each change, all for the whole.
fn chosen_jdks() -> Vec<Jdk> {
    let all = matrix_jdks().into_iter();
    all.filter(|jdk| match is_full_run() {
        true => jdk.version >= 17,
        false => jdk.version == 17,
    })
    .collect()
}

fn bare(jdk: &Jdk, threads: i64) -> Crowd {
    let nothing = "classes=nothing.of.this.Name,memory=mapped:off";
    Crowd::of(jdk, &std::env::temp_dir(), nothing, threads, 1)
}

#[test]
fn thousands_of_threads_take_no_more_than_they_may() {
    let _turn = alone();
    let threads = if is_full_run() { 10_000 } else { 2_000 };
    let (parents, mut turns) = ([std::env::temp_dir(), "/dev/shm".into()], Turns::new());
    for jdk in chosen_jdks() {
        let bare = bare(&jdk, threads);
        for (number, way) in WAYS.into_iter().enumerate() {
            // On disk and in memory: each kind of counts and each bound once.
            for parent in turns.take(&parents, number + number / 2) {
                check(&jdk, parent, way, threads, &bare);
            }
        }
    }
    turns.announce("thousands of threads");
}

/// Three times as many threads, one third at a time: no more blocks than one third needs, and every object of those that have ended.
#[test]
fn threads_that_come_later_take_the_blocks_of_others() {
    let _turn = alone();
    let threads = if is_full_run() { 10_000 } else { 2_000 };
    for jdk in chosen_jdks() {
        for way in &WAYS[2..] {
            let once = Crowd::of(&jdk, &std::env::temp_dir(), &way.options(), threads, 1);
            let thrice = Crowd::of(&jdk, &std::env::temp_dir(), &way.options(), threads, 3);
            let what = format!("{jdk} {way:?}, {threads} threads");
            let (before, after) = (once.file_bytes(*way), thrice.file_bytes(*way));
            assert!(
                after <= before + before / 4 + (1 << 20),
                "{what}: {before} {after}"
            );
            let resident = thrice.resident_kilobytes;
            let most = once.resident_kilobytes + once.resident_kilobytes / 4 + (64 << 10);
            assert!(resident < most, "{what}: {resident} KB, not {most}");
            let (place, _) = thrice.kill();
            let private = i64::try_from(private_threads(&place, *way).len()).expect("few");
            let marked = marked(&place, *way);
            let all = threads * OBJECTS * 3;
            let least = all - 3 * private * OBJECTS;
            assert!(
                (least..=all).contains(&marked),
                "{what}: {marked} of {all}, {private}"
            );
            checked(&format!(
                "{what}, three times: the file has {} KB (once {} KB), {resident} KB resident (once {} KB), {marked} of {all} objects after a kill, {private} threads named",
                after / 1024,
                before / 1024,
                once.resident_kilobytes
            ));
        }
    }
}
