//! A naive heap: a list of objects, threads with allocation buffers, and collections that kill and move objects at random. It does what a
//! VM with the agent would do: fills event buffers, cuts them, and reports survivors.

use std::sync::atomic::Ordering;

use ducktrack_trace_format::{
    AddressRange, Collection, CollectionKind, EventBlockHeader, EventFlags, EventWords,
    HeapClassId, MAX_UNITS, MovesLevel, SiteFacts, SiteId, Survivor, ThreadCut, ThreadId,
};
use ducktrack_trace_writer::{Buffer, EventLog, FlushOutcome};

use crate::test_host::{Facts, Host, INNER, OUTER, Sums};

const EDEN: AddressRange = range(0x1_0000_0000, 0x1_0100_0000);
const SURVIVORS: [AddressRange; 2] = [
    range(0x1_0100_0000, 0x1_0180_0000),
    range(0x1_0180_0000, 0x1_0200_0000),
];
const OLD: AddressRange = range(0x2_0000_0000, 0x2_4000_0000);
const BUFFER_BYTES: u64 = 4_096;

const fn range(start: u64, end: u64) -> AddressRange {
    AddressRange { start, end }
}

/// An object of the naive heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) class: HeapClassId,
    /// 0: allocated by the VM.
    pub(crate) site: SiteId,
    pub(crate) thread: ThreadId,
    pub(crate) birth: u32,
    /// It has no event yet, because the thread was stopped before writing it.
    pub(crate) unrecorded: bool,
    /// Its event does not state the address, and no collection has processed it.
    pub(crate) hidden: bool,
    /// No collection has processed it.
    pub(crate) unseen: bool,
}

struct Thread {
    id: ThreadId,
    top: u64,
    limit: u64,
    /// The top after the last event; less than 8: unknown.
    last: u64,
    /// The next word must state the top.
    absolute: bool,
    /// `last` at the beginning of the open piece.
    begun_at: u64,
    words: EventWords,
    /// An allocation in which the thread was stopped; its event is written after the collection.
    stopped: Option<Stopped>,
    /// A collection has cut its words, and it has not written a `cut` word since.
    unseen_cut: bool,
}

#[derive(Clone, Copy)]
struct Stopped {
    site: SiteId,
    units: u64,
    top: u64,
}

/// The simulated program and its heap.
pub(crate) struct Heap {
    random: Random,
    pub(crate) objects: Vec<Object>,
    threads: Vec<Thread>,
    eden_top: u64,
    old_top: u64,
    survivors_in: usize,
    survivors_top: u64,
    pub(crate) epoch: u32,
    unique: u64,
    pub(crate) sums: Sums,
    must_wait: bool,
    /// How many emergency collections were requested.
    pub(crate) emergencies: u64,
    /// How many of 16 live objects die at a collection.
    pub(crate) mortality: u64,
}

impl Heap {
    pub(crate) fn new(seed: u64, threads: u32) -> Self {
        let thread = |id| Thread {
            id: ThreadId(id),
            top: 0,
            limit: 0,
            last: 1,
            absolute: true,
            begun_at: 1,
            words: EventWords::new(),
            stopped: None,
            unseen_cut: false,
        };
        Self {
            random: Random(seed | 1),
            objects: Vec::new(),
            threads: (0..threads).map(thread).collect(),
            eden_top: EDEN.start,
            old_top: OLD.start,
            survivors_in: 0,
            survivors_top: SURVIVORS[0].start,
            epoch: 0,
            unique: 0,
            sums: Sums::default(),
            must_wait: false,
            emergencies: 0,
            mortality: 13,
        }
    }

    /// A random action of a random thread.
    pub(crate) fn step(&mut self, log: &EventLog) {
        let thread = self.random.below(self.threads.len() as u64) as usize;
        match self.random.below(40) {
            0 => self.outside(thread, self.random.clone().below(2) == 0),
            1 => self.outside_unknown(thread),
            2 => self.array_of_arrays(thread),
            3..=6 => self.eliminated(thread),
            7..=8 => self.made_by_vm(thread),
            9..=14 => {
                let units = 2 + self.random.below(250);
                self.allocate(thread, SiteId(32 + units as u32 % 8), units * 8);
            }
            _ => {
                let site = SiteId(16 + self.random.below(16) as u32);
                let bytes = u64::from(Facts.fixed_bytes(site).unwrap());
                self.allocate(thread, site, bytes);
            }
        }
        if self.threads[thread].words.as_bytes().len() > 400 {
            self.flush(thread, EventFlags::NONE, log);
        }
    }

    /// A step of a program that waits if it must.
    pub(crate) fn patient_step(&mut self, log: &EventLog, host: &Host) {
        self.step(log);
        if self.must_wait || host.wanted.load(Ordering::SeqCst) > 0 {
            self.safepoint(log, host);
        }
    }

    /// Hands over the thread's words.
    fn flush(&mut self, thread: usize, flags: EventFlags, log: &EventLog) {
        let epoch = self.epoch;
        let thread = &mut self.threads[thread];
        let words = std::mem::take(&mut thread.words).into_bytes();
        if words.is_empty() {
            return;
        }
        let header = EventBlockHeader {
            thread: thread.id,
            epoch,
            begun: 1_000,
            handed_over: 2_000,
            flags,
            last_top: thread.begun_at,
        };
        thread.begun_at = thread.last;
        let words = words.into();
        self.must_wait |= log.buffer(Buffer { header, words }) == FlushOutcome::Full;
    }

    /// Waits if a buffer found the queue full, and collects if the log requests it.
    pub(crate) fn safepoint(&mut self, log: &EventLog, host: &Host) {
        let mut collections = 0;
        std::thread::scope(|scope| {
            let must_wait = std::mem::take(&mut self.must_wait);
            let waiting = must_wait.then(|| scope.spawn(|| log.wait_for_room()));
            loop {
                if host.wanted.swap(0, Ordering::SeqCst) > 0 {
                    self.collect_as(CollectionKind::Young, log);
                    collections += 1;
                }
                if waiting.as_ref().is_none_or(|thread| thread.is_finished()) {
                    break;
                }
                std::thread::yield_now();
            }
        });
        self.emergencies += collections;
    }

    fn object(&mut self, thread: usize, site: SiteId, address: u64, bytes: u64) -> &mut Object {
        self.objects.push(Object {
            address,
            bytes,
            class: HeapClassId(site.0 * 3),
            site,
            thread: self.threads[thread].id,
            birth: self.epoch,
            unrecorded: false,
            hidden: false,
            unseen: true,
        });
        self.objects.last_mut().unwrap()
    }

    /// Moves the thread's top and returns the new one.
    fn bump(&mut self, thread: usize, bytes: u64) -> u64 {
        let eden_top = &mut self.eden_top;
        let thread = &mut self.threads[thread];
        if thread.top + bytes > thread.limit || thread.top == 0 {
            thread.top = *eden_top;
            thread.limit = *eden_top + BUFFER_BYTES.max(bytes);
            *eden_top = thread.limit;
            thread.absolute = true;
        }
        thread.top += bytes;
        thread.top
    }

    fn allocate(&mut self, thread: usize, site: SiteId, bytes: u64) {
        self.write_preceding(thread);
        let top = self.bump(thread, bytes);
        self.object(thread, site, top - bytes, bytes);
        self.sums.on_heap += 1;
        let fixed = site.0 < 32;
        let thread = &mut self.threads[thread];
        let words = std::mem::take(&mut thread.words);
        let units = top.wrapping_sub(thread.last) / 8;
        let gap = units.wrapping_sub(bytes / 8);
        let near = !thread.absolute && units <= u64::from(MAX_UNITS);
        thread.words = match (near, fixed) {
            (true, true) => words.site(site, units as u32),
            (true, false) if gap > 0 => words.gap(gap as u32).site(site, bytes as u32 / 8),
            (true, false) => words.site(site, units as u32),
            (false, true) => words.at(site, top),
            (false, false) => words.array(site, bytes, top),
        };
        if near {
            self.sums.gap_bytes += gap * 8;
        }
        thread.last = top;
        thread.absolute = false;
    }

    /// Allocates an object without an event.
    fn made_by_vm(&mut self, thread: usize) {
        self.write_preceding(thread);
        let bytes = 16 + self.random.below(20) * 8;
        let top = self.bump(thread, bytes);
        self.object(thread, SiteId(0), top - bytes, bytes).class = HeapClassId(7);
    }

    fn eliminated(&mut self, thread: usize) {
        self.write_preceding(thread);
        self.sums.eliminated += 1;
        let thread = &mut self.threads[thread];
        let words = std::mem::take(&mut thread.words);
        let nothing_since = !thread.absolute && thread.top == thread.last;
        thread.words = if nothing_since && self.random.below(2) == 0 {
            words.site(SiteId(18), 0)
        } else {
            words.nothing(SiteId(40), 5)
        };
    }

    /// Allocates outside of buffers with an address, in eden or in the old space.
    fn outside(&mut self, thread: usize, old: bool) {
        self.write_preceding(thread);
        let bytes = 4_096 + self.random.below(400) * 8;
        let place = if old {
            &mut self.old_top
        } else {
            &mut self.eden_top
        };
        let address = *place;
        *place += bytes;
        self.object(thread, SiteId(50), address, bytes);
        self.sums.on_heap += 1;
        let thread = &mut self.threads[thread];
        thread.words = std::mem::take(&mut thread.words).outside(SiteId(50), bytes, address);
    }

    /// Allocates outside of buffers without an address; no other object has this size.
    fn outside_unknown(&mut self, thread: usize) {
        self.write_preceding(thread);
        self.unique += 1;
        let bytes = (8_192 + self.unique * 8).min(1 << 20);
        let old = self.random.below(2) == 0;
        let place = if old {
            &mut self.old_top
        } else {
            &mut self.eden_top
        };
        let address = *place;
        *place += bytes;
        self.object(thread, SiteId(51), address, bytes).hidden = true;
        self.sums.on_heap += 1;
        let thread = &mut self.threads[thread];
        thread.words = std::mem::take(&mut thread.words).outside(SiteId(51), bytes, 0);
    }

    fn array_of_arrays(&mut self, thread: usize) {
        self.write_preceding(thread);
        let outer = 1 + self.random.below(5);
        let inner = self.random.below(9);
        let size = |length: u64| (16 + length * 4).next_multiple_of(8);
        let bytes = size(outer) + outer * size(inner);
        let top = self.bump(thread, bytes);
        let mut address = top - bytes;
        self.object(thread, OUTER, address, size(outer));
        address += size(outer);
        for _ in 0..outer {
            self.object(thread, INNER, address, size(inner));
            address += size(inner);
        }
        self.sums.on_heap += 1 + outer;
        let thread = &mut self.threads[thread];
        let lengths = [outer as u32, inner as u32];
        thread.words = std::mem::take(&mut thread.words).levels(OUTER, bytes, top, &lengths);
        thread.last = top;
        thread.absolute = false;
    }

    /// Writes what must precede the thread's next event: a stopped allocation, and that the thread has noticed the collection.
    fn write_preceding(&mut self, thread: usize) {
        let stopped = self.threads[thread].stopped.take();
        let straddles = stopped.is_some() && self.random.below(3) == 0;
        if let Some(stopped) = stopped.filter(|_| !straddles) {
            let is_near = self.random.below(2) == 0;
            self.write_stopped(thread, |words| match is_near {
                true => words.site(stopped.site, stopped.units as u32),
                false => words.at(stopped.site, stopped.top),
            });
        }
        let epoch = self.epoch;
        let state = &mut self.threads[thread];
        if std::mem::take(&mut state.unseen_cut) {
            state.words = std::mem::take(&mut state.words).cut(epoch);
        }
        if let Some(stopped) = stopped.filter(|_| straddles) {
            self.write_stopped(thread, |words| words.straddle(stopped.site, 0));
        }
    }

    fn write_stopped(&mut self, thread: usize, write: impl FnOnce(EventWords) -> EventWords) {
        self.sums.on_heap += 1;
        let thread = &mut self.threads[thread];
        thread.words = write(std::mem::take(&mut thread.words));
        for object in &mut self.objects {
            if object.thread == thread.id {
                object.unrecorded = false;
            }
        }
    }

    /// Stops a thread for a collection between an allocation and its event.
    fn stop_in_the_middle(&mut self, thread: usize) {
        if self.threads[thread].stopped.is_some() || self.threads[thread].absolute {
            return;
        }
        let site = SiteId(20);
        let bytes = u64::from(Facts.fixed_bytes(site).unwrap());
        let state = &self.threads[thread];
        if state.top != state.last || state.top + bytes > state.limit {
            return;
        }
        let top = self.bump(thread, bytes);
        self.object(thread, site, top - bytes, bytes).unrecorded = true;
        self.threads[thread].stopped = Some(Stopped {
            site,
            units: bytes / 8,
            top,
        });
    }

    /// A random kind of collection.
    pub(crate) fn collect(&mut self, log: &EventLog) {
        let kind = match self.random.below(8) {
            0 => CollectionKind::Full,
            1 => CollectionKind::Cleanup,
            _ => CollectionKind::Young,
        };
        self.collect_as(kind, log);
    }

    pub(crate) fn collect_as(&mut self, kind: CollectionKind, log: &EventLog) {
        for thread in 0..self.threads.len() {
            if kind != CollectionKind::Cleanup && self.random.below(3) == 0 {
                self.stop_in_the_middle(thread);
            }
        }
        let cuts = self.cut(log);
        self.epoch += 1;
        let ranges = match kind {
            CollectionKind::Full => vec![OLD, EDEN, SURVIVORS[0], SURVIVORS[1]],
            CollectionKind::Cleanup => self.without_live_objects(),
            _ => vec![EDEN, SURVIVORS[self.survivors_in]],
        };
        let survivors = self.move_survivors(kind, &ranges);
        log.collection(
            Collection {
                number: self.epoch,
                kind,
                level: MovesLevel::Exact,
                cause: "test".into(),
                collected: ranges,
                cuts,
                ..Collection::default()
            },
            survivors,
        );
    }

    fn cut(&mut self, log: &EventLog) -> Vec<ThreadCut> {
        for thread in 0..self.threads.len() {
            self.flush(thread, EventFlags::CUT, log);
        }
        let threads = self.threads.iter_mut();
        threads
            .map(|thread| {
                let cut = ThreadCut {
                    thread: thread.id,
                    top: thread.top,
                    last: if thread.absolute { 1 } else { thread.last },
                };
                thread.begun_at = thread.last;
                (thread.top, thread.limit, thread.absolute) = (0, 0, true);
                thread.unseen_cut = true;
                cut
            })
            .collect()
    }

    /// A part of the old space without live objects.
    fn without_live_objects(&mut self) -> Vec<AddressRange> {
        let middle = OLD.start + (self.old_top - OLD.start) / 2 / 8 * 8;
        let part = range(middle, middle + 0x1_0000);
        let overlaps = |object: &Object| {
            object.address + object.bytes > part.start && object.address < part.end
        };
        self.objects.retain(|object| !overlaps(object));
        vec![part]
    }

    fn move_survivors(&mut self, kind: CollectionKind, ranges: &[AddressRange]) -> Vec<Survivor> {
        if kind == CollectionKind::Cleanup {
            return Vec::new();
        }
        let mut objects = std::mem::take(&mut self.objects);
        objects.sort_by_key(|object| object.address);
        let full = kind == CollectionKind::Full;
        let mut old_top = if full { OLD.start } else { self.old_top };
        let into = 1 - self.survivors_in;
        let mut plabs = [SURVIVORS[into].start, SURVIVORS[into].start + 0x40_0000];
        let mut survivors = Vec::new();
        let mut young = Vec::new();
        for mut object in objects {
            if !ranges.iter().any(|range| range.contains(object.address)) {
                self.objects.push(object);
                continue;
            }
            if self.random.below(16) < self.mortality && !(full && self.random.below(2) == 0) {
                continue;
            }
            let from = object.address;
            let stays_young = !full && self.random.below(3) > 0;
            let to = if stays_young {
                &mut plabs[self.random.below(2) as usize]
            } else {
                &mut old_top
            };
            object.address = *to;
            *to += object.bytes;
            object.hidden = false;
            object.unseen = false;
            survivors.push(Survivor::new(
                from,
                object.address,
                object.bytes,
                object.class,
            ));
            if full {
                self.objects.push(object)
            } else {
                young.push(object)
            }
        }
        self.objects.append(&mut young);
        self.old_top = old_top.max(if full { OLD.start } else { self.old_top });
        if full {
            self.old_top = old_top;
        }
        self.eden_top = EDEN.start;
        self.survivors_in = into;
        self.survivors_top = plabs[1];
        survivors
    }

    /// Whether the address is in eden.
    pub(crate) fn is_in_eden(address: u64) -> bool {
        EDEN.contains(address)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }
}

/// xorshift64*.
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }
}
