//! Measures how fast events are decoded, mirrored and written: `cargo run --release -p ducktrack-trace-writer --example event_speed`,
//! optionally with `-- callers off` for one mix of events and one compression strategy, and then `all` to compare a log that has a mirror
//! with one that writes survivors as they are (`later`, what the agent does without max-trace-size) and one without moves (`none`).
//!
//! The events are synthetic, like those of repetitive programs: of ten events, eight are of fixed size, one is of an array, and one was
//! eliminated. A new thread-local buffer begins every 2,000 events. 5% of every epoch survive.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ducktrack_test_support::Random;
use ducktrack_trace_format::{
    AddressRange, Collection, End, Event, EventBlock, EventBlockHeader, EventDecoder, EventFlags,
    EventWords, HeapClassId, MovesLevel, Place, SiteFacts, SiteId, Survivor, ThreadId,
};
use ducktrack_trace_writer::{
    Buffer, CompressStrategy, EqualEvents, EventHost, EventLog, EventOptions, EventSum,
    FlushOutcome, Tally,
};

const EDEN: AddressRange = AddressRange {
    start: 0x1_0000_0000,
    end: 0x1_8000_0000,
};
const OLD: u64 = 0x4_0000_0000;
const EVENTS_PER_BUFFER: usize = 4_000;
const BUFFERS_PER_EPOCH: usize = 1_000;
const EPOCHS: u32 = 8;

struct Facts;

impl SiteFacts for Facts {
    fn fixed_bytes(&self, site: SiteId) -> Option<u32> {
        (site.0 < 5_000).then_some((2 + site.0 % 6) * 8)
    }

    fn is_measured(&self, site: SiteId) -> bool {
        site.0 >= 5_000
    }
}

struct Counts(Vec<u64>);

impl Tally for Counts {
    fn add(&mut self, _thread: ThreadId, event: &Event) {
        if let Event::Allocation(allocation) = event
            && let Some(count) = self.0.get_mut(allocation.site.0 as usize)
        {
            *count += 1;
        }
    }

    fn add_sum(&mut self, _thread: ThreadId, alike: &EqualEvents, sum: &EventSum) {
        if let Some(count) = self.0.get_mut(alike.site.0 as usize) {
            *count += sum.executed;
        }
    }
}

/// CPU time of the log's threads, in nanoseconds, by name.
#[derive(Default)]
struct Host(Arc<Mutex<BTreeMap<String, u64>>>);

/// CPU time of the current thread, as counted by the kernel.
fn cpu_nanos() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}

impl EventHost for Host {
    fn want_collection(&self) {}

    fn spawn(&self, name: &str, body: Box<dyn FnOnce() + Send>) -> std::io::Result<()> {
        let (times, name) = (Arc::clone(&self.0), name.to_owned());
        std::thread::Builder::new()
            .name(name.clone())
            .spawn(move || {
                body();
                if let (Some(nanos), Ok(mut times)) = (cpu_nanos(), times.lock()) {
                    *times.entry(name).or_default() += nanos;
                }
            })?;
        Ok(())
    }

    fn say(&self, line: &str) {
        eprintln!("{line}");
    }
}

/// The body of a program's loop, with the shares of events that take more than a word.
struct Mix {
    name: &'static str,
    /// Percent of events with a caller.
    called: u64,
    /// Percent of events with a class.
    typed: u64,
}

/// Shares like those that `ducktrack` measured in a renderer, in stream pipelines and in a database.
const MIXES: [Mix; 3] = [
    Mix {
        name: "plain words",
        called: 0,
        typed: 0,
    },
    Mix {
        name: "callers",
        called: 60,
        typed: 5,
    },
    Mix {
        name: "classes",
        called: 2,
        typed: 12,
    },
];

/// One allocation of the loop.
#[derive(Clone, Copy)]
struct Step {
    site: SiteId,
    /// 0: eliminated.
    bytes: u64,
    caller: Option<u32>,
    klass: Option<u64>,
}

impl Mix {
    fn step(&self, random: &mut Random) -> Step {
        let fixed = SiteId(16 + random.below(60) as u32);
        let caller = (random.below(100) < self.called).then_some(70_000 + fixed.0 % 7);
        let klass = (random.below(100) < self.typed).then_some(0x7000_0000 + random.below(5) * 64);
        let (site, bytes) = match (klass, random.below(10)) {
            (None, 0) => (fixed, 0),
            (None, 1..9) => (fixed, u64::from(Facts.fixed_bytes(fixed).unwrap_or(16))),
            _ => {
                let measured = SiteId(5_000 + fixed.0 % 20);
                (measured, (2 + random.below(30)) * 8)
            }
        };
        Step {
            site,
            bytes,
            caller,
            klass,
        }
    }
}

/// Buffers, and start and size of all objects.
struct Epoch {
    buffers: Vec<Buffer>,
    objects: Vec<(u64, u64)>,
}

fn epoch(number: u32, mix: &Mix, random: &mut Random) -> Epoch {
    let mut objects = Vec::new();
    let mut top = EDEN.start;
    let body: Vec<Step> = (0..200).map(|_| mix.step(random)).collect();
    let buffers = (0..BUFFERS_PER_EPOCH).map(|buffer| {
        let last_top = top;
        let mut words = EventWords::new().cut(number);
        let mut at = random.below(200);
        for event in 0..EVENTS_PER_BUFFER {
            at += 1;
            if random.below(50) == 0 {
                // A branch that is taken now and then.
                at += random.below(20);
            }
            let step = body[at as usize % body.len()];
            if event % 2_000 == 0 {
                top += 64;
            }
            if step.bytes > 0 {
                objects.push((top, step.bytes));
            }
            top += step.bytes;
            words = step.write(words, event % 2_000 == 0, top);
        }
        let header = EventBlockHeader {
            thread: ThreadId(buffer as u32 % 4),
            epoch: number,
            begun: 0,
            handed_over: 0,
            flags: EventFlags::NONE,
            last_top,
        };
        Buffer {
            header,
            words: words.into_bytes().into(),
        }
    });
    Epoch {
        buffers: buffers.collect(),
        objects,
    }
}

impl Step {
    fn write(&self, mut words: EventWords, is_new_buffer: bool, top: u64) -> EventWords {
        if is_new_buffer {
            words = words.top(top - self.bytes);
        }
        if let Some(caller) = self.caller {
            words = words.caller(caller);
        }
        if let Some(klass) = self.klass {
            words = words.typed(klass);
        }
        words.site(self.site, (self.bytes / 8) as u32)
    }
}

fn decode_speed(buffers: &[Buffer]) {
    let (mut events, mut sum) = (0_u64, 0_u64);
    let start = Instant::now();
    for _ in 0..5 {
        for buffer in buffers {
            let block = EventBlock {
                header: buffer.header,
                words: &buffer.words,
            };
            let decoded = EventDecoder::new(&Facts).decode(&block, |event| {
                events += 1;
                if let Event::Allocation(allocation) = event
                    && let Place::End(end) = allocation.place
                {
                    sum = sum.wrapping_add(end);
                }
            });
            assert!(decoded.is_ok());
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "decode          {:8.1} M events/s (sum {sum:x})",
        events as f64 / seconds / 1e6
    );
}

/// Survivors of an epoch: 5% of eden; PLABs of two GC threads in the old space.
fn survivors(objects: &[(u64, u64)], random: &mut Random, plabs: &mut [u64; 2]) -> Vec<Survivor> {
    let mut survivors = Vec::new();
    for (from, bytes) in objects {
        if random.below(20) == 0 {
            let plab = &mut plabs[(from >> 16) as usize & 1];
            survivors.push(Survivor::new(
                *from,
                *plab,
                *bytes,
                HeapClassId((*bytes / 8) as u32),
            ));
            *plab += bytes;
        }
    }
    survivors
}

/// What becomes of survivors.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Survival {
    Mirror,
    Later,
    None,
}

fn log_speed(compress: CompressStrategy, survival: Survival, epochs: &[Epoch]) {
    let directory =
        std::env::temp_dir().join(format!("ducktrack-event-speed-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    if let Err(error) = std::fs::create_dir_all(&directory) {
        return eprintln!("{}: {error}", directory.display());
    }
    let options = EventOptions {
        compress,
        moves: survival != Survival::None,
        match_later: survival == Survival::Later,
        ..EventOptions::default()
    };
    let tally = Box::new(Counts(vec![0; 6_000]));
    let host = Arc::new(Host::default());
    let log = match EventLog::start(&directory, options, Arc::new(Facts), tally, host.clone()) {
        Ok(log) => log,
        Err(error) => return eprintln!("{error}"),
    };
    let mut random = Random::new(99);
    let mut plabs = [OLD, OLD + (1 << 32)];
    let start = Instant::now();
    for (number, epoch) in (1..).zip(epochs) {
        for buffer in &epoch.buffers {
            if log.buffer(buffer.clone()) == FlushOutcome::Full {
                log.wait_for_room();
            }
        }
        let collection = Collection {
            number,
            level: MovesLevel::Exact,
            collected: vec![EDEN],
            ..Collection::default()
        };
        log.collection(
            collection,
            survivors(&epoch.objects, &mut random, &mut plabs),
        );
    }
    let stats = log.finish(End {
        unix_millis: 0,
        cause: "exit".into(),
        losses: vec![],
    });
    let seconds = start.elapsed().as_secs_f64();
    let _ = std::fs::remove_dir_all(&directory);
    let events = stats.events as f64;
    println!("{compress:?}, {}", name_of(survival));
    println!(
        "  all           {:8.1} M events/s, {} events",
        events / seconds / 1e6,
        stats.events
    );
    drop(log);
    // The threads end on their own.
    std::thread::sleep(Duration::from_millis(50));
    for (name, nanos) in host.0.lock().iter().flat_map(|times| times.iter()) {
        println!(
            "  {name:18} {:6.1} ns of CPU time an event",
            *nanos as f64 / events
        );
    }
    println!(
        "  bytes         {:8.2} an event before compression, {:.2} a move, {:.2} in all; {:.1}% after compression",
        stats.event_bytes as f64 / events,
        stats.move_bytes as f64 / stats.survivors as f64,
        stats.plain_bytes as f64 / events,
        stats.written_bytes as f64 / stats.plain_bytes as f64 * 100.0
    );
    println!(
        "  mirror        {:8.1} bytes an object, {} objects, {} found, {} contradictions",
        stats.mirror_bytes as f64 / stats.mirror_objects as f64,
        stats.mirror_objects,
        stats.found,
        stats.contradictions
    );
}

fn name_of(survival: Survival) -> String {
    format!("{survival:?}").to_lowercase()
}

/// Whether the user selected this; `mirror` is the default.
fn is_wanted_exactly(argument: usize, name: &str) -> bool {
    let said = std::env::args().nth(argument);
    said.as_deref().unwrap_or("mirror") == name || said.as_deref() == Some("all")
}

/// Whether the user selected this; without arguments, everything is selected.
fn is_wanted(argument: usize, name: &str) -> bool {
    let said = std::env::args().nth(argument);
    said.is_none_or(|said| name.to_lowercase().starts_with(&said.to_lowercase()))
}

fn main() {
    for mix in MIXES.into_iter().filter(|mix| is_wanted(1, mix.name)) {
        println!("{}", mix.name);
        let mut random = Random::new(7);
        let epochs: Vec<_> = (0..EPOCHS)
            .map(|number| epoch(number, &mix, &mut random))
            .collect();
        if let Some(epoch) = epochs.first() {
            decode_speed(&epoch.buffers);
        }
        let strategies = [
            CompressStrategy::Off,
            CompressStrategy::Full,
            CompressStrategy::Partial(0.2),
        ];
        for compress in strategies {
            for survival in [Survival::Mirror, Survival::Later, Survival::None] {
                let is_wanted = is_wanted(2, &format!("{compress:?}"));
                if is_wanted && is_wanted_exactly(3, &name_of(survival)) {
                    log_speed(compress, survival, &epochs);
                }
            }
        }
    }
}
