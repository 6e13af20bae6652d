//! A virtual machine that keeps every object it ever made in a list, and writes the trace that the agent would.
//!
//! Old space, eden and two survivor spaces; threads allocate in buffers of eden; young collections copy, full ones compact.

mod collecting;
mod expected_heap;
mod logged;
mod names;
mod object;
mod step;

use ducktrack_trace_format::{
    EventBlockHeader, EventFile, EventFlags, EventWords, SiteId, ThreadId,
};

pub use expected_heap::ExpectedHeap;
pub use logged::{hand_over, heap_classes};
pub use names::{
    CALLERS, CLASSES, INNER, INTERNAL, KLASS, OUTER, SITES, called_site, define_main, descriptor,
    names, thread_name,
};
pub use object::{NaiveSurvivor, Object, Piece};
pub use step::{Kind, Step, THREADS};

const OLD: u64 = 0x1000_0000;
const EDEN: u64 = 0x2000_0000;
const SURVIVORS: [u64; 2] = [0x3000_0000, 0x3800_0000];
const HALF: u64 = 0x400_0000;
const BUFFER: u64 = 4_096;
/// Huge objects lie one after the other, each a space of its own of which only the first 4 kB are named.
const HUGE: u64 = 0x4000_0000;
const HUGE_NAMED: u64 = 4_096;
/// Objects in the old space from this length on are huge.
const HUGE_LENGTH: u32 = 20_000;

#[derive(Clone, Debug, Default)]
struct NaiveThread {
    words: EventWords,
    top: u64,
    limit: u64,
    /// The top by events; below 8: the next event must be absolute.
    last: u64,
    /// `last` when the words began.
    began: u64,
    after_cut: bool,
    /// No event was written since a collection.
    unseen_cut: bool,
}

/// The machine and its trace.
#[derive(Clone, Debug, Default)]
pub struct NaiveVm {
    /// All objects that were ever made.
    pub objects: Vec<Object>,
    /// Collections so far.
    pub epoch: u32,
    /// Eliminated allocations of each site.
    pub eliminated: [u64; SITES.len()],
    /// Bytes of the machine's objects before those with an event that is relative to the thread's event before.
    pub gap_bytes: u64,
    /// The trace so far, without what a caller has taken away.
    pub pieces: Vec<Piece>,
    /// After each collection.
    pub heaps: Vec<Option<ExpectedHeap>>,
    /// Of each collection: its moves are in the trace.
    pub told: Vec<bool>,
    /// Of each collection.
    pub survivors: Vec<Vec<NaiveSurvivor>>,
    threads: Vec<NaiveThread>,
    eden_top: u64,
    old_top: u64,
    huge_top: u64,
    /// Which survivor space holds objects, and up to where.
    from: usize,
    from_top: u64,
    random: u64,
    files: u32,
    /// Moves are not known.
    is_lost: bool,
}

impl NaiveVm {
    /// Takes all steps, and ends.
    pub fn run(program: &[Step]) -> Self {
        let mut vm = Self::new();
        for step in program {
            vm.step(step);
        }
        vm.end();
        vm
    }

    /// A machine that has begun a file and made nothing.
    pub fn new() -> Self {
        let mut vm = Self {
            threads: vec![NaiveThread::default(); THREADS as usize],
            eden_top: EDEN,
            old_top: OLD,
            huge_top: HUGE,
            from_top: SURVIVORS[0],
            random: 88_172_645_463_325_252,
            ..Self::default()
        };
        vm.begin_file(None);
        vm
    }

    /// Hands over all buffers of events.
    pub fn end(&mut self) {
        for thread in 0..THREADS {
            self.flush(thread, EventFlags::THREAD_ENDED);
        }
    }

    /// Bytes of events that the thread has not handed over.
    pub fn unwritten(&self, thread: u32) -> usize {
        self.threads[thread as usize].words.as_bytes().len()
    }

    /// Takes one step.
    pub fn step(&mut self, step: &Step) {
        match *step {
            Step::Allocate {
                thread,
                site,
                length,
            } => self.allocate(thread, site, length, false),
            Step::Eliminate { thread, site } => self.eliminate(thread, site),
            Step::Outside {
                thread,
                site,
                length,
                old,
                told,
            } => {
                self.outside(thread, site, length, old, told);
            }
            Step::Internal { thread, units } => {
                let bytes = u64::from(units) * 8;
                let end = self.bump(thread, bytes);
                self.add(end, bytes, INTERNAL, None, thread);
            }
            Step::Levels {
                thread,
                outer,
                inner,
            } => self.levels(thread, outer, inner),
            Step::Flush { thread } => self.flush(thread, EventFlags::NONE),
            Step::Collect {
                kind,
                chance,
                straggler,
                sync,
            } => {
                self.collect(kind, chance, straggler, sync);
            }
            Step::LoseHeap => self.is_lost = true,
        }
    }

    fn next_random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    fn bytes_of(site: usize, length: u32) -> u64 {
        match SITES[site].1 {
            0 => (u64::from(length) + 16).next_multiple_of(8),
            bytes => u64::from(bytes),
        }
    }

    /// Takes room in the thread's buffer; gives the end.
    fn bump(&mut self, thread: u32, bytes: u64) -> u64 {
        let state = &mut self.threads[thread as usize];
        if state.top + bytes > state.limit {
            state.top = self.eden_top;
            state.limit = self.eden_top + BUFFER;
            self.eden_top = state.limit;
            state.last = 1;
        }
        state.top += bytes;
        state.top
    }

    fn add(&mut self, end: u64, bytes: u64, class: u32, site: Option<usize>, thread: u32) {
        self.objects.push(Object {
            address: end - bytes,
            bytes,
            class,
            site,
            thread,
            caller: site.map_or(0, |_| self.next_caller()),
            birth: self.epoch,
            death: None,
            promoted: false,
            seen: false,
            outside: false,
            hidden: site.is_none(),
            explained: false,
            late: false,
            found: false,
            lost: false,
            forgotten: false,
        });
    }

    /// The caller of the next object; 0: none.
    fn next_caller(&self) -> u32 {
        self.objects.len() as u32 % (CALLERS + 1)
    }

    fn put(&mut self, thread: u32, add: impl FnOnce(EventWords) -> EventWords) {
        let epoch = self.epoch;
        match core::mem::take(&mut self.threads[thread as usize].unseen_cut) {
            true => self.put_unaware(thread, |words| add(words.cut(epoch))),
            false => self.put_unaware(thread, add),
        }
    }

    /// The thread does not know of the collection that cut its buffer.
    fn put_unaware(&mut self, thread: u32, add: impl FnOnce(EventWords) -> EventWords) {
        let words = &mut self.threads[thread as usize].words;
        *words = add(core::mem::take(words));
    }

    /// `straggles`: the collection comes before the event is written.
    fn allocate(&mut self, thread: u32, site: usize, length: u32, straggles: bool) {
        let bytes = Self::bytes_of(site, length);
        let end = self.bump(thread, bytes);
        let (id, fixed, ty, class) = SITES[site];
        let caller = self.next_caller();
        self.add(end, bytes, class, Some(site), thread);
        let last = self.threads[thread as usize].last;
        let moved = end.wrapping_sub(last);
        // An event in a new buffer has an address; one at a measured site after objects of the machine has one, or states the gap.
        let near = last >= 8 && moved / 8 <= 4_095;
        let gap = match fixed {
            0 if near && self.objects.len().is_multiple_of(3) => moved - bytes,
            _ => 0,
        };
        let relative = near && (fixed > 0 || moved - gap == bytes);
        if straggles {
            return;
        }
        self.threads[thread as usize].last = end;
        // The caller may be told by the site's number.
        let at_once = relative && caller > 0 && self.objects.len().is_multiple_of(2);
        let (told, number) = match at_once {
            true => (0, called_site(id, caller)),
            false => (caller, SiteId(id)),
        };
        if relative {
            self.gap_bytes += moved - bytes;
        }
        self.put(thread, |words| {
            let mut words = called_by(told, words);
            if ty.is_none() {
                words = words.typed(KLASS + u64::from(class));
            }
            if gap > 0 {
                words = words.gap((gap / 8) as u32);
            }
            match (relative, fixed) {
                (true, _) => words.site(number, ((moved - gap) / 8) as u32),
                (false, 0) => words.array(SiteId(id), bytes, end),
                (false, _) => words.at(SiteId(id), end),
            }
        });
    }

    /// An array of arrays: the VM makes the outer one and then its elements, side by side.
    fn levels(&mut self, thread: u32, outer: u32, inner: u32) {
        let of_outer = u64::from(16 + 4 * outer).next_multiple_of(8);
        let of_inner = Self::bytes_of(INNER, inner);
        let elements = (0..outer).map(|_| (INNER, of_inner));
        let sizes = std::iter::once((OUTER, of_outer)).chain(elements);
        let bytes = of_outer + u64::from(outer) * of_inner;
        let end = self.bump(thread, bytes);
        let caller = self.next_caller();
        let mut at = end - bytes;
        for (site, bytes) in sizes {
            at += bytes;
            self.add(at, bytes, SITES[site].3, Some(site), thread);
            if let Some(object) = self.objects.last_mut() {
                object.caller = caller;
            }
        }
        self.threads[thread as usize].last = end;
        self.put(thread, |words| {
            let words = called_by(caller, words);
            words.levels(SiteId(SITES[OUTER].0), bytes, end, &[outer, inner])
        });
    }

    fn eliminate(&mut self, thread: u32, site: usize) {
        self.eliminated[site] += 1;
        self.put(thread, |words| match SITES[site].1 {
            0 => words.nothing(SiteId(SITES[site].0), 5),
            _ => words.site(SiteId(SITES[site].0), 0),
        });
    }

    fn outside(&mut self, thread: u32, site: usize, length: u32, old: bool, told: bool) {
        let bytes = Self::bytes_of(site, length);
        let is_huge = SITES[site].1 == 0 && length >= HUGE_LENGTH;
        let top = match (old, is_huge) {
            (true, true) => &mut self.huge_top,
            (true, false) => &mut self.old_top,
            (false, _) => &mut self.eden_top,
        };
        let address = *top;
        *top += bytes;
        let (id, fixed, ty, class) = SITES[site];
        let caller = self.next_caller();
        self.add(address + bytes, bytes, class, Some(site), thread);
        if let Some(object) = self.objects.last_mut() {
            object.outside = true;
            (object.hidden, object.explained) = (!told, !told);
        }
        self.put(thread, |words| {
            let mut words = called_by(caller, words);
            if ty.is_none() {
                words = words.typed(KLASS + u64::from(class));
            }
            let bytes = if fixed > 0 { 0 } else { bytes };
            words.outside(SiteId(id), bytes, if told { address } else { 0 })
        });
    }

    fn flush(&mut self, thread: u32, mut flags: EventFlags) {
        let epoch = self.epoch;
        let state = &mut self.threads[thread as usize];
        let words = core::mem::take(&mut state.words).into_bytes();
        if words.is_empty() {
            state.began = state.last;
            return;
        }
        if core::mem::take(&mut state.after_cut) {
            flags = flags.with(EventFlags::AFTER_CUT);
        }
        let header = EventBlockHeader {
            thread: ThreadId(thread),
            epoch,
            begun: 1_000_000 * u64::from(epoch + 1) + 10,
            handed_over: 1_000_000 * u64::from(epoch + 1) + 400_000,
            flags,
            last_top: state.began,
        };
        state.began = state.last;
        let mut content = Vec::new();
        header.encode(&mut content);
        content.extend(words);
        self.pieces.push(Piece::Events(content));
    }

    fn begin_file(&mut self, sync: Option<Vec<Vec<u8>>>) {
        self.pieces.push(Piece::File(EventFile {
            index: self.files,
            epoch: self.epoch,
            has_sync_point: sync.is_some(),
            pid: 7,
            ..EventFile::default()
        }));
        self.files += 1;
        self.pieces
            .extend(sync.into_iter().flatten().map(Piece::Sync));
    }
}

fn called_by(caller: u32, words: EventWords) -> EventWords {
    match caller {
        0 => words,
        call => words.caller(call),
    }
}
