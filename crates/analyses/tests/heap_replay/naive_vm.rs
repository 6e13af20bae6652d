//! A virtual machine that keeps every object it ever made in a list, and writes the trace that the agent would.
//!
//! Old space, eden and two survivor spaces; threads allocate in buffers of eden; young collections copy, full ones compact.

use ducktrack_trace_format::{
    AddressRange, CallSiteId, Collection, CollectionCounts, CollectionKind, EventBlockHeader,
    EventFile, EventFlags, EventWords, Explained, HeapClassId, MoveEncoder, MovesLevel, SiteId,
    Space, SpaceKind, SyncEncoder, SyncObject, ThreadCut, ThreadId, encode_explained,
};

use crate::comparison::ExpectedHeap;
use crate::naive_object::{NaiveSurvivor, Object, Piece};
use crate::program::{Kind, Step, THREADS};
use crate::trace_names::{CALLERS, INTERNAL, KLASS, SITES, called_site};

const OLD: u64 = 0x1000_0000;
const EDEN: u64 = 0x2000_0000;
const SURVIVORS: [u64; 2] = [0x3000_0000, 0x3800_0000];
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
pub(crate) struct NaiveVm {
    pub(crate) objects: Vec<Object>,
    pub(crate) epoch: u32,
    pub(crate) eliminated: [u64; SITES.len()],
    pub(crate) pieces: Vec<Piece>,
    /// After each collection.
    pub(crate) heaps: Vec<Option<ExpectedHeap>>,
    /// Of each collection: its moves are in the trace.
    pub(crate) told: Vec<bool>,
    /// Of each collection.
    pub(crate) survivors: Vec<Vec<NaiveSurvivor>>,
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
    pub(crate) fn run(program: &[Step]) -> Self {
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
        for step in program {
            vm.step(step);
        }
        for thread in 0..THREADS {
            vm.flush(thread, EventFlags::THREAD_ENDED);
        }
        vm
    }

    fn step(&mut self, step: &Step) {
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
        // An event in a new buffer, or after the machine's own objects at a measured site, has an address.
        let relative = last >= 8 && moved / 8 <= 4_095 && (fixed > 0 || moved == bytes);
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
        self.put(thread, |words| {
            let mut words = called_by(told, words);
            if ty.is_none() {
                words = words.typed(KLASS + u64::from(class));
            }
            match (relative, fixed) {
                (true, _) => words.site(number, (moved / 8) as u32),
                (false, 0) => words.array(SiteId(id), bytes, end),
                (false, _) => words.at(SiteId(id), end),
            }
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

    fn spaces(&self) -> Vec<Space> {
        let space = |kind, index, bottom, top| Space {
            kind,
            index,
            bottom,
            top,
        };
        let tops = [0, 1].map(|at| {
            if at == self.from {
                self.from_top
            } else {
                SURVIVORS[at]
            }
        });
        let kinds = [0, 1].map(|at| {
            if at == self.from {
                SpaceKind::Survivor
            } else {
                SpaceKind::To
            }
        });
        let mut spaces = vec![
            space(SpaceKind::Old, 0, OLD, self.old_top),
            space(SpaceKind::Eden, 1, EDEN, self.eden_top),
            space(kinds[0], 2, SURVIVORS[0], tops[0]),
            space(kinds[1], 3, SURVIVORS[1], tops[1]),
        ];
        let is_huge = |object: &&Object| object.death.is_none() && object.address >= HUGE;
        let huge = self.objects.iter().filter(is_huge);
        spaces.extend(huge.map(|object| {
            let top = object.address + HUGE_NAMED;
            space(SpaceKind::HumongousStart, 4, object.address, top)
        }));
        spaces
    }

    fn collect(&mut self, kind: Kind, chance: u32, straggler: Option<u32>, sync: bool) {
        // A straggler is relative to a known top, so there must have been an event.
        let straggler = straggler.filter(|thread| {
            let state = &self.threads[*thread as usize];
            kind != Kind::Cleanup
                && state.last >= 8
                && state.last == state.top
                && state.top + 64 < state.limit
        });
        let mut late_words = None;
        if let Some(thread) = straggler {
            let last = self.threads[thread as usize].last;
            self.allocate(thread, 0, 0, true);
            if let Some(object) = self.objects.last_mut() {
                (object.hidden, object.late) = (true, true);
            }
            late_words = Some((thread, last, self.objects.len() - 1));
        }
        let cuts = self.cut();
        let before = self.spaces();
        let collected = match kind {
            Kind::Young => before[1..].to_vec(),
            Kind::Full => before.clone(),
            Kind::Cleanup => [&before[..1], &before[4..]].concat(),
        };
        let range = |space: &Space| AddressRange {
            start: space.bottom,
            end: space.top,
        };
        let mut collection = Collection {
            number: self.epoch + 1,
            vm_total: self.epoch + 1,
            kind: match kind {
                Kind::Young => CollectionKind::Young,
                Kind::Full => CollectionKind::Full,
                Kind::Cleanup => CollectionKind::Cleanup,
            },
            cause: "Allocation Failure".into(),
            start_unix_micros: 1_000_000 * u64::from(self.epoch + 1) + 500_000,
            end_unix_micros: 1_000_000 * u64::from(self.epoch + 1) + 600_000,
            level: MovesLevel::Exact,
            fault: self.is_lost.then(|| "a region does not parse".into()),
            before,
            collected: collected.iter().map(range).collect(),
            cuts,
            ..Collection::default()
        };
        if self.is_lost {
            self.objects.iter_mut().for_each(lose);
        }
        let explained = self.move_objects(kind, chance, &mut collection);
        self.epoch += 1;
        let is_again = core::mem::take(&mut self.is_lost) && kind == Kind::Full;
        self.is_lost = collection.fault.is_some() && !is_again;
        if !explained.is_empty() && collection.fault.is_none() {
            let mut content = Vec::new();
            encode_explained(&explained, &mut content);
            self.pieces.push(Piece::Explained(content));
        }
        if is_again || sync && kind != Kind::Cleanup && !self.is_lost {
            let parts = self.sync_parts();
            self.begin_file(Some(parts));
        }
        if let Some((thread, last, object)) = late_words {
            self.write_straggler(thread, last, object);
        }
        self.told.push(collection.fault.is_none());
        let is_known = !self.is_lost;
        self.heaps
            .push(is_known.then(|| ExpectedHeap::of(&self.objects, self.epoch, false)));
    }

    /// Hands over all buffers of events and gives up all allocation buffers.
    fn cut(&mut self) -> Vec<ThreadCut> {
        let mut cuts = Vec::new();
        for thread in 0..THREADS {
            self.flush(thread, EventFlags::CUT);
            let state = &mut self.threads[thread as usize];
            let (top, last) = (state.top, state.last);
            cuts.push(ThreadCut {
                thread: ThreadId(thread),
                top,
                last,
            });
            *state = NaiveThread {
                last: 1,
                began: 1,
                after_cut: true,
                unseen_cut: true,
                ..NaiveThread::default()
            };
        }
        cuts
    }

    /// The event of an object that was allocated before the collection, written after it.
    fn write_straggler(&mut self, thread: u32, last: u64, object: usize) {
        self.threads[thread as usize].began = last;
        // Written as a word of its own, or with the top.
        let site = SiteId(SITES[0].0);
        let caller = self.objects[object].caller;
        self.put_unaware(thread, |words| match object % 4 {
            0 if caller > 0 => words.site(called_site(site.0, caller), 2),
            0 | 2 => called_by(caller, words).site(site, 2),
            _ => called_by(caller, words).at(site, last + 16),
        });
        let is_lost = self.is_lost;
        let object = &mut self.objects[object];
        if object.death.is_none() && !is_lost {
            let mut content = Vec::new();
            let explained = Explained {
                address: object.address,
                site: SiteId(SITES[0].0),
                thread: ThreadId(thread),
                caller: CallSiteId(object.caller),
                birth: object.birth,
            };
            (object.late, object.forgotten) = (false, false);
            encode_explained(&[explained], &mut content);
            self.pieces.push(Piece::Explained(content));
        }
    }

    /// Decides who lives on and where, and writes the collection.
    fn move_objects(
        &mut self,
        kind: Kind,
        chance: u32,
        collection: &mut Collection,
    ) -> Vec<Explained> {
        let ranges = collection.collected.clone();
        let mut order: Vec<usize> = (0..self.objects.len())
            .filter(|at| {
                let object = &self.objects[*at];
                object.death.is_none() && ranges.iter().any(|range| range.contains(object.address))
            })
            .collect();
        order.sort_by_key(|at| self.objects[*at].address);
        let to = 1 - self.from;
        let mut to_top = SURVIVORS[to];
        if kind == Kind::Full {
            self.old_top = OLD;
        }
        let (mut encoder, mut explained, mut moves) = (MoveEncoder::new(), Vec::new(), Vec::new());
        let counts = &mut CollectionCounts::default();
        let mut survivors = Vec::new();
        for at in order {
            let lives = (self.next_random() >> 20) % 8 < u64::from(chance);
            let goes_to_old = kind == Kind::Full || self.next_random() >> 30 & 3 == 0;
            let object = &mut self.objects[at];
            if !lives {
                object.death = Some(self.epoch);
                continue;
            }
            let from = object.address;
            let top = if goes_to_old {
                &mut self.old_top
            } else {
                &mut to_top
            };
            if kind != Kind::Cleanup && from < HUGE {
                object.address = *top;
                *top += object.bytes;
                object.promoted |= from >= EDEN && goes_to_old && !object.lost;
            }
            object.seen = true;
            if self.is_lost && kind == Kind::Full && (object.hidden || object.birth < self.epoch) {
                (object.forgotten, object.birth) = (true, self.epoch);
            }
            let found = object.hidden.then_some(HeapClassId(object.class));
            if found.is_some() && object.site.is_none() {
                object.birth = self.epoch;
                object.found = !self.is_lost;
            }
            if object.explained
                && let Some(site) = object.site
            {
                explained.push(Explained {
                    address: object.address,
                    site: SiteId(SITES[site].0),
                    thread: ThreadId(object.thread),
                    caller: CallSiteId(object.caller),
                    birth: object.birth,
                });
            }
            (object.hidden, object.explained) = (false, false);
            encoder.push(from, object.address, object.bytes, found);
            survivors.push(NaiveSurvivor {
                from,
                to: object.address,
                bytes: object.bytes,
                class: object.class,
            });
            if encoder.len() > 60 {
                moves.push(core::mem::take(&mut encoder).finish());
            }
            match from == object.address {
                true => counts.stayed += 1,
                false => counts.moved += 1,
            }
        }
        if !encoder.is_empty() {
            moves.push(encoder.finish());
        }
        if kind != Kind::Cleanup {
            (self.from, self.from_top) = (to, to_top);
            self.eden_top = EDEN;
        }
        self.survivors.push(survivors);
        if collection.fault.is_some() {
            (moves, *counts) = (Vec::new(), CollectionCounts::default());
        }
        collection.counts = *counts;
        collection.after = self.spaces();
        self.pieces
            .push(Piece::Collection(Box::new(collection.clone()), moves));
        explained
    }

    /// What the writer's mirror would write: what it knows of.
    fn sync_parts(&self) -> Vec<Vec<u8>> {
        let in_heap = self
            .objects
            .iter()
            .filter(|object| object.is_in_heap(self.epoch));
        let mut live: Vec<&Object> = in_heap.collect();
        live.sort_by_key(|object| object.address);
        let chunks: Vec<&[&Object]> = live.chunks(7).collect();
        let part = |(at, chunk): (usize, &[&Object])| {
            let mut encoder = SyncEncoder::new(self.epoch);
            for object in chunk {
                let site = object.told_site().filter(|_| !object.late);
                encoder.push(&SyncObject {
                    address: object.address,
                    bytes: object.bytes,
                    class: HeapClassId(object.class),
                    site: SiteId(site.map_or(0, |site| SITES[site].0)),
                    thread: ThreadId(object.thread),
                    caller: CallSiteId(site.map_or(0, |_| object.caller)),
                    birth: object.birth,
                });
            }
            encoder.finish(at + 1 >= chunks.len())
        };
        if chunks.is_empty() {
            return vec![part((0, &[]))];
        }
        chunks.iter().copied().enumerate().map(part).collect()
    }
}

/// Moves are not known: what is there may be dead or alive from now on, and what has not been found will not be found.
fn lose(object: &mut Object) {
    object.lost |= object.death.is_none() || object.hidden;
}

fn called_by(caller: u32, words: EventWords) -> EventWords {
    match caller {
        0 => words,
        call => words.caller(call),
    }
}
