//! `ducktrack top` on a directory whose counters the test moves: once as text and JSON, and in a terminal that an emulator reads.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use ducktrack_test_support::{Ended, Finished, printed_by};
use ducktrack_trace_format::{
    AllocationKind, BlockOwner, BlockWord, COUNTER_FILE_MAGIC, COUNTER_FILE_NAME,
    COUNTER_FILE_VERSION, CallSite, CallSiteId, Cause, Class, ClassId, Counter, CounterId,
    CounterRole, EXTENT_TABLE, Extent, FileHeader, HEAD_BYTES, HeaderWord, KEYED_PLACE, Method,
    MethodId, Record, Run, Site, SiteId, Term, Thread, ThreadId, Unit,
};
use ducktrack_trace_writer::{TRACE_FILE_NAME, TraceDirectory, WriterOptions};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tempfile::TempDir;

const FIRST_COUNTER: u32 = 64;
const COUNTER_BYTES: u64 = 256 << 10;
const KEYED_BYTES: u64 = 4096;

/// A run with a counter for each of some sites, in one thread.
struct Directory {
    folder: TempDir,
    file: File,
}

impl Directory {
    fn new(sites: u32) -> Self {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("run");
        let directory = TraceDirectory::create(&path).expect("a directory");
        let mut writer = directory.into_count_writer(WriterOptions::default());
        for record in records(sites) {
            writer.define(&record).expect("a definition");
        }
        writer.flush().expect("definitions");
        // The run goes on: the trace has no end.
        drop(writer);
        let file = File::create(path.join(COUNTER_FILE_NAME)).expect("a file");
        file.set_len(HEAD_BYTES as u64 + COUNTER_BYTES + KEYED_BYTES)
            .expect("its length");
        let directory = Self { folder, file };
        directory.begin();
        directory
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    fn begin(&self) {
        let own = std::process::id();
        let stat = fs::read_to_string(format!("/proc/{own}/stat")).expect("Linux");
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("Linux");
        let (_, start) = ducktrack_trace_format::process_state_and_start(&stat).expect("its start");
        let boot = ducktrack_trace_format::boot_id(&boot).expect("an id");
        let words = [
            (HeaderWord::Magic as usize, COUNTER_FILE_MAGIC),
            (HeaderWord::Version as usize, COUNTER_FILE_VERSION),
            (HeaderWord::Pid as usize, own.into()),
            (HeaderWord::ProcessStart as usize, start),
            (HeaderWord::BootId as usize, boot[0]),
            (HeaderWord::BootId as usize + 1, boot[1]),
            (HeaderWord::Extents as usize, 2),
        ];
        for (index, value) in words {
            self.set(index as u64 * 8, value);
        }
        let head = HEAD_BYTES as u64;
        let parts = [
            (0, head, COUNTER_BYTES),
            (KEYED_PLACE, head + COUNTER_BYTES, KEYED_BYTES),
        ];
        for (index, (place, offset, length)) in (0_u64..).zip(parts) {
            let extent = Extent {
                block: 0,
                place,
                offset,
                length,
            };
            for (word, value) in (0..).zip(extent.words()) {
                let entry = EXTENT_TABLE as u64 + index * Extent::LENGTH as u64;
                self.set(entry + word * 8, value);
            }
        }
        let owner = BlockOwner {
            thread: ThreadId(1),
            generation: 0,
        };
        self.set(head + BlockWord::Owner as u64 * 8, owner.word());
        self.set(head + BlockWord::KeyedExtent as u64 * 8, 1);
    }

    fn set(&self, at: u64, value: u64) {
        self.file
            .write_all_at(&value.to_le_bytes(), at)
            .expect("a word");
    }

    /// Adds records to the trace, as a program that loads classes does.
    fn define(&self, records: &[Record]) {
        let file = self.path().join(TRACE_FILE_NAME);
        let before = fs::read(&file).expect("the trace");
        let other = tempfile::tempdir().expect("temporary folder");
        let directory = TraceDirectory::create(&other.path().join("run")).expect("a directory");
        let mut writer = directory.into_count_writer(WriterOptions::default());
        for record in records {
            writer.define(record).expect("a definition");
        }
        writer.flush().expect("definitions");
        drop(writer);
        let new = fs::read(other.path().join("run").join(TRACE_FILE_NAME)).expect("blocks");
        let blocks = new.get(FileHeader::LENGTH..).expect("blocks");
        fs::write(&file, [&before, blocks].concat()).expect("the trace");
    }

    /// The value of a site's counter.
    fn count(&self, site: u32, value: u64) {
        let counter = u64::from(FIRST_COUNTER + site);
        self.set(HEAD_BYTES as u64 + counter * 8, value);
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ducktrack"));
        command.arg("top").arg(self.path()).args(options);
        command
    }

    fn once(&self, options: &[&str]) -> String {
        let options = [&["--once", "--interval", "0.1"], options].concat();
        printed_by(&mut self.command(&options))
    }
}

fn records(sites: u32) -> Vec<Record> {
    let mut records = vec![Record::Run(Run::default())];
    records.push(Record::Thread(Thread {
        id: ThreadId(1),
        name: "worker-1".into(),
        folded: false,
    }));
    for number in 0..sites {
        records.push(Record::Class(Class {
            id: ClassId(number),
            name: format!("com/acme/p{}/Shop{number}", number % 3),
            loader: "app".into(),
            hidden: false,
            source_file: None,
        }));
        records.push(Record::Method(Method {
            id: MethodId(number),
            class: ClassId(number),
            name: "sell".into(),
            descriptor: "()V".into(),
        }));
        records.push(Record::Site(Site {
            id: SiteId(number),
            method: MethodId(number),
            bci: 0,
            line: Some(7),
            kind: AllocationKind::New,
            ty: Some(format!("Lcom/acme/Order{};", number % 2)),
        }));
        records.push(Record::SiteSize {
            site: SiteId(number),
            bytes: 16,
        });
        records.push(Record::Counter(Counter {
            id: CounterId(FIRST_COUNTER + number),
            role: CounterRole::Increment,
            version: 0,
            terms: vec![Term {
                site: SiteId(number),
                factor: 1,
                unit: Unit::Count,
            }],
        }));
    }
    records
}

#[test]
fn once_gives_totals_by_sites_types_threads_and_packages() {
    let directory = Directory::new(5);
    for site in 0..5 {
        directory.count(site, 1000 * u64::from(site + 1));
    }
    let json = |by| {
        let text = directory.once(&["--format", "json", "--sort", "bytes", "--by", by]);
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")
    };
    let names = |document: &serde_json::Value| {
        let rows = document["rows"].as_array().expect("rows").iter();
        rows.map(|row| {
            format!(
                "{} {}",
                row["name"].as_str().unwrap_or_default(),
                row["objects"]
            )
        })
        .collect::<Vec<_>>()
    };
    let sites = json("sites");
    assert_eq!(
        names(&sites)[0],
        "com.acme.p1.Shop4.sell:7  com.acme.Order0 5000"
    );
    assert_eq!(sites["total"]["objects"], 15_000);
    assert_eq!(sites["total"]["bytes"], 240_000);
    assert_eq!(sites["state"], "running");
    assert_eq!(
        names(&json("types")),
        ["com.acme.Order0 9000", "com.acme.Order1 6000"]
    );
    assert_eq!(names(&json("threads")), ["worker-1 15000"]);
    let packages = ["com.acme.p1 7000", "com.acme.p0 5000", "com.acme.p2 3000"];
    assert_eq!(names(&json("packages")), packages);
    let text = directory.once(&["--sort", "objects", "--filter", "shop3"]);
    assert!(
        text.contains("com.acme.p0.Shop3.sell:7") && !text.contains("Shop4"),
        "{text}"
    );
}

/// Two calls of `Shop0.sell`; their counters come after those of the sites.
fn causes(first: u32) -> Vec<Record> {
    let call = |id: u32, target: &str| {
        let cause = Cause {
            call: CallSiteId(id),
            first: CounterId(FIRST_COUNTER + first + 4 * (id - 1)),
        };
        let call = CallSite {
            id: CallSiteId(id),
            method: MethodId(0),
            bci: 3,
            line: Some(8),
            target: target.into(),
        };
        [Record::CallSite(call), Record::Cause(cause)]
    };
    let calls = [
        call(1, "java/util/Arrays.copyOf"),
        call(2, "java/lang/String.concat"),
    ];
    calls.into_iter().flatten().collect()
}

#[test]
fn calls_of_the_application_have_what_is_charged_to_them() {
    let directory = Directory::new(2);
    let none = directory.once(&["--by", "calls"]);
    assert!(none.contains("No calls of the application"), "{none}");
    directory.define(&causes(2));
    for (counter, value) in [(2, 9), (3, 900), (4, 5), (5, 500), (8, 7), (9, 700)] {
        directory.count(counter, value);
    }
    let text = directory.once(&["--by", "calls", "--format", "json", "--sort", "bytes"]);
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["by"], "calls");
    let rows = document["rows"].as_array().expect("rows");
    let facts: Vec<_> = rows
        .iter()
        .map(|row| {
            let number = |key: &str| row[key].as_i64().expect(key);
            (
                row["name"].as_str().expect("a name"),
                number("objects"),
                number("bytes"),
                number("inclusiveObjects"),
                number("inclusiveBytes"),
            )
        })
        .collect();
    let call = |target: &str| format!("com.acme.p0.Shop0.sell:8 calls {target}");
    let (concat, copy) = (
        call("java.lang.String.concat"),
        call("java.util.Arrays.copyOf"),
    );
    assert_eq!(
        facts,
        [
            (concat.as_str(), 7, 700, 0, 0),
            (copy.as_str(), 5, 500, 9, 900)
        ]
    );
}

/// User and system time of a process, in seconds.
fn cpu_seconds(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    let (_, fields) = stat.rsplit_once(')').expect("its name");
    let mut ticks = fields.split_whitespace().skip(11).map(|field| {
        let ticks: u32 = field.parse().expect("a number");
        f64::from(ticks)
    });
    // Ticks of 10 ms, as all systems have it that Rust is tested on.
    (ticks.next().expect("user") + ticks.next().expect("system")) / 100.0
}

#[test]
fn twenty_thousand_sites_once_a_second_take_little_of_a_core() {
    const SITES: u32 = 20_000;
    const LOOKS: f64 = 20.0;
    let directory = Directory::new(SITES);
    for site in 0..SITES {
        directory.count(site, 100 + u64::from(site));
    }
    // Ten looks a second: their whole cost is that of as many seconds.
    let mut terminal =
        Terminal::start(directory.command(&["--interval", "0.1", "--sort", "bytes"]));
    terminal.wait_for("all rows", |text| text.contains("20000 rows by bytes"));
    let start = cpu_seconds(terminal.child.0.id());
    let mut rounds = 0_u32;
    // Each look is drawn, because something has grown.
    while f64::from(rounds) < LOOKS {
        rounds += 1;
        let hundreds = 10 + rounds;
        directory.count(7, u64::from(hundreds) * 100_000);
        let shown = format!("{hundreds}00k");
        terminal.wait_for("the row that grows", |text| {
            line_of(text, "Shop7.sell") == Some(4) && text.contains(&shown)
        });
    }
    let share = (cpu_seconds(terminal.child.0.id()) - start) / LOOKS;
    println!("top: {:.2} % of a core with {SITES} sites", share * 100.0);
    // A build for tests is several times as slow.
    let most = if cfg!(debug_assertions) { 0.25 } else { 0.05 };
    assert!(share < most, "{:.1} % of a core", share * 100.0);
}

#[test]
fn what_cannot_be_looked_at_is_one_line() {
    let empty = tempfile::tempdir().expect("temporary folder");
    let of = |target: &str, options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ducktrack"));
        let top = Finished::of(command.args(["top", target]).args(options));
        top.must_refuse(&[]);
        top.errors
    };
    assert!(of("4294967294", &[]).contains("no process"));
    assert!(of("nowhere", &[]).contains("give a process id"));
    assert!(of(&empty.path().display().to_string(), &[]).contains("holds no trace"));
    assert!(of("1", &["--interval", "0"]).contains("--interval"));
    let mut other = Command::new("sleep").arg("60").spawn().expect("sleep");
    let said = of(&other.id().to_string(), &[]);
    other.kill().expect("a signal");
    other.wait().expect("its end");
    assert!(said.contains("writes no recording"), "{said}");
}

/// The command in a terminal of 140 columns and 24 lines.
struct Terminal {
    child: Ended,
    screen: vt100::Parser,
    output: Receiver<Vec<u8>>,
    input: File,
}

impl Terminal {
    fn start(mut command: Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("a terminal");
        unlockpt(&master).expect("a terminal");
        let size = Winsize {
            ws_row: 24,
            ws_col: 140,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size).expect("its size");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let open = || {
            let options = File::options()
                .read(true)
                .write(true)
                .open(name.to_str().expect("ASCII"));
            options.expect("the terminal")
        };
        let child = command
            .stdin(Stdio::from(open()))
            .stdout(Stdio::from(open()))
            .stderr(Stdio::piped())
            .env("TERM", "xterm-256color")
            .spawn()
            .expect("ducktrack");
        let master = File::from(master);
        let mut reader = master.try_clone().expect("the terminal");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            child: Ended(child),
            screen: vt100::Parser::new(24, 140, 0),
            output,
            input: master,
        }
    }

    fn press(&mut self, keys: &str) {
        self.input.write_all(keys.as_bytes()).expect("a key");
    }

    /// Waits until the screen shows what is expected; gives its text.
    #[track_caller]
    fn wait_for(&mut self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let text = self.screen.screen().contents();
            if holds(&text) {
                return text;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "{what}:\n{text}");
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(50)) {
                self.screen.process(&bytes);
            }
        }
    }
}

/// The number of the line that has a text.
fn line_of(screen: &str, text: &str) -> Option<usize> {
    screen.lines().position(|line| line.contains(text))
}

#[test]
fn the_screen_shows_rates_and_obeys_keys() {
    let directory = Directory::new(40);
    for site in 0..40 {
        directory.count(site, 100);
    }
    let mut terminal = Terminal::start(directory.command(&["--interval", "0.2"]));
    terminal.wait_for("40 rows", |text| text.contains("40 rows by bytes/s"));
    // One site allocates.
    directory.count(31, 1_000_100);
    let text = terminal.wait_for("the row that grows", |text| {
        line_of(text, "Shop31.sell").is_some_and(|line| line == 4)
    });
    assert!(
        text.contains("16.0 MB") && text.contains("running"),
        "{text}"
    );
    assert!(text.contains('█'), "{text}");

    terminal.press("m");
    terminal.wait_for("totals from the mark on", |text| {
        text.contains("since the mark")
    });
    directory.count(5, 350);
    terminal.press("sss");
    terminal.wait_for("1 row by objects", |text| {
        text.contains("1 rows by objects") && line_of(text, "Shop5.sell") == Some(4)
    });

    terminal.press("2");
    terminal.wait_for("types", |text| text.contains("com.acme.Order1"));
    terminal.press("\t");
    terminal.wait_for("threads", |text| text.contains("worker-1"));
    terminal.press("1/shop12\r");
    terminal.wait_for("the filter's row alone", |text| {
        let head_has_it = text
            .lines()
            .nth(2)
            .is_some_and(|line| line.contains("1 rows by objects, filter: shop12"));
        head_has_it
            && line_of(text, "Shop12.sell") == Some(4)
            && line_of(text, "Shop11.sell").is_none()
    });

    terminal.press("p");
    terminal.wait_for("paused", |text| text.contains("paused"));
    directory.count(12, 5_000);
    std::thread::sleep(Duration::from_millis(600));
    let text = terminal.wait_for("still", |_| true);
    assert!(!text.contains("5000"), "{text}");
    terminal.press("p");
    terminal.wait_for("5000 objects", |text| text.contains("5000"));

    terminal.press("q");
    let start = Instant::now();
    while terminal.child.0.try_wait().expect("its state").is_none() {
        assert!(start.elapsed() < Duration::from_secs(10), "q does not quit");
        std::thread::sleep(Duration::from_millis(20));
    }
}
