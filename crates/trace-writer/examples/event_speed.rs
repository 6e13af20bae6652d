//! How fast events are decoded, mirrored and written: `cargo run --release -p ducktrack-trace-writer --example event_speed`.
//!
//! Synthetic events with the mix of a usual program: nine of ten words are fixed-size sites, one is an array, some are eliminated; a new
//! thread-local buffer every 2,000 events. Of every epoch 5% survive the first time and two thirds of the survivors each time after.

use std::sync::Arc;
use std::time::Instant;

use ducktrack_trace_format::{
    AddressRange, CallSiteId, Collection, End, Event, EventBlock, EventBlockHeader, EventDecoder,
    EventFlags, EventWords, HeapClassId, MovesLevel, Place, SiteFacts, SiteId, ThreadId,
};
use ducktrack_trace_writer::{
    Buffer, CompressStrategy, EventHost, EventLog, EventOptions, EventSum, Flushed, Survivor, Tally,
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

    fn add_sum(&mut self, _: ThreadId, site: SiteId, _: Option<CallSiteId>, sum: &EventSum) {
        if let Some(count) = self.0.get_mut(site.0 as usize) {
            *count += sum.executed;
        }
    }
}

struct Host;

impl EventHost for Host {
    fn want_collection(&self) {}

    fn say(&self, line: &str) {
        eprintln!("{line}");
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }
}

/// Buffers, and the places (start, bytes) of all objects.
struct Epoch {
    buffers: Vec<Buffer>,
    objects: Vec<(u64, u64)>,
}

fn epoch(number: u32, random: &mut Random) -> Epoch {
    let mut objects = Vec::new();
    let mut top = EDEN.start;
    let buffers = (0..BUFFERS_PER_EPOCH).map(|buffer| {
        let last_top = top;
        let mut words = EventWords::new().cut(number);
        for event in 0..EVENTS_PER_BUFFER {
            // A tenth of the sites makes most objects, as in real programs.
            let spread = if random.below(10) == 0 { 3_000 } else { 300 };
            let site = SiteId(16 + random.below(spread) as u32);
            if random.below(20) == 0 {
                words = words.site(site, 0);
                continue;
            }
            let measured = random.below(10) == 0;
            let (site, bytes) = if measured {
                (SiteId(5_000 + site.0 % 50), (2 + random.below(30)) * 8)
            } else {
                (site, u64::from(Facts.fixed_bytes(site).unwrap_or(16)))
            };
            if event % 2_000 == 0 {
                top += 64;
            }
            objects.push((top, bytes));
            top += bytes;
            words = match (event % 2_000 == 0, measured) {
                (true, true) => words.array(site, bytes, top),
                (true, false) => words.at(site, top),
                (false, _) => words.site(site, (bytes / 8) as u32),
            };
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
            words: words.into_bytes(),
        }
    });
    Epoch {
        buffers: buffers.collect(),
        objects,
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

/// Survivors of an epoch: of eden 5%, of the older ones in the young part two thirds; PLABs of two GC threads in the old space.
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

fn log_speed(compress: CompressStrategy, epochs: &[Epoch]) {
    let directory =
        std::env::temp_dir().join(format!("ducktrack-event-speed-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    if let Err(error) = std::fs::create_dir_all(&directory) {
        return eprintln!("{}: {error}", directory.display());
    }
    let options = EventOptions {
        compress,
        ..EventOptions::default()
    };
    let tally = Box::new(Counts(vec![0; 6_000]));
    let log = match EventLog::start(&directory, options, Arc::new(Facts), tally, Arc::new(Host)) {
        Ok(log) => log,
        Err(error) => return eprintln!("{error}"),
    };
    let mut random = Random(99);
    let mut plabs = [OLD, OLD + (1 << 32)];
    let start = Instant::now();
    for (number, epoch) in (1..).zip(epochs) {
        for buffer in &epoch.buffers {
            if log.buffer(buffer.clone()) == Flushed::Full {
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
    println!("{compress:?}");
    println!(
        "  all           {:8.1} M events/s, {} events",
        events / seconds / 1e6,
        stats.events
    );
    println!(
        "  buffers       {:8.1} ns an event",
        stats.buffer_nanos as f64 / events
    );
    println!(
        "  collections   {:8.1} ns an event, {:.1} ns a survivor if all were theirs",
        stats.collection_nanos as f64 / events,
        stats.collection_nanos as f64 / stats.survivors as f64
    );
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

fn main() {
    let mut random = Random(7);
    let epochs: Vec<_> = (0..EPOCHS)
        .map(|number| epoch(number, &mut random))
        .collect();
    if let Some(epoch) = epochs.first() {
        decode_speed(&epoch.buffers);
    }
    for compress in [
        CompressStrategy::Off,
        CompressStrategy::Full,
        CompressStrategy::Partial(0.2),
    ] {
        log_speed(compress, &epochs);
    }
}
