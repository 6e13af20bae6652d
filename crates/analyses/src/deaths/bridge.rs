//! From a trace to the records of a neutral stream: allocations, what each collection kept, and what it found dead. A trace
//! of `mode=trace` gives level `bounds`: uses and references are not in it, so no death is exact. One of `mode=deaths` has
//! them for the dead ([`stamps`]): level `deaths`; and with updates of references and calls ([`events`]) level `full`.
//!
//! ```text
//! for step of the event files:   queue(content) for each buffer of the epoch, then collection(..); end(..) at last
//! ```
//!
//! It is a second engine, not an [`Analysis`](ducktrack_heap_replay::Analysis), and stays one. The engine decodes an epoch
//! when the fates of its collection are known: in any order, on all cores, and the objects that are dead by then are only
//! counted. Here each object has an id from its birth on, each event comes in the order of time and after the births that it
//! names in other threads, and a stamp counts the words of its thread. An engine that gave that to one analysis would hold
//! both ways side by side, and the second has one listener: of 4.5 million events `lifetimes` takes 0.28 s of CPU, `deaths`
//! 2.2 s. Rules that both obey stand once, elsewhere: whether a collection can be applied ([`check_collection`]), what
//! became of an address ([`FateMap`], [`AddressHistory`]), what lies where (`AddressMap`), words to events (`EventDecoder`).
//!
//! Objects keep their ids by the moves of collections. Within an epoch the events of the threads are
//! put into the order of their clock words (of their pieces, where there are none), and each after
//! the allocation of the objects that it names. The clock of bytes is exact at collections only.

pub(crate) mod clock;
pub(crate) mod events;
pub(crate) mod names;
pub(crate) mod output;
pub(crate) mod root_records;
pub(crate) mod roots;
pub(crate) mod stamps;
pub(crate) mod thread_positions;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use ducktrack_merlin::{ObjectId, Record, SiteId as StreamSite};
use ducktrack_trace_format::{
    AddressRange, Allocation, BlockKind, Collection, CollectionKind, Event, FormatError, MoveRun,
    Place,
};
use rustc_hash::FxHashMap;

use crate::deaths::bridge::clock::BridgeClock;
use crate::deaths::bridge::names::BridgeNames;
use crate::deaths::bridge::output::BridgeOutput;
use crate::deaths::bridge::roots::{HeldRoot, Roots};
use crate::deaths::bridge::stamps::{Living, LivingObjects, Stamps};
use crate::deaths::bridge::thread_positions::Placed;
use ducktrack_count_model::{CountModel, TraceNames, TypeColumn};
use ducktrack_heap_replay::{EpochQueues, QueueIndex, ThreadQueue};
use ducktrack_live_heap::{AddressHistory, Fate, FateMap, capped, check_collection, merged};

/// Makes records from the steps of a trace.
#[derive(Debug)]
pub struct TraceBridge {
    pub(crate) names: BridgeNames,
    /// By address after the last collection.
    pub(crate) live: LivingObjects,
    /// Objects that the next collection names: they were dead before it.
    overdue: Vec<ObjectId>,
    /// For events that came after a collection about objects from before.
    pub(crate) history: AddressHistory,
    pub(crate) epoch: u32,
    /// The epoch of the objects that events make now.
    born: u32,
    /// Moments of the stream so far.
    pub(crate) time: u64,
    pub(crate) stamps: Stamps,
    pub(crate) roots: Roots,
    clock: BridgeClock,
    queues: EpochQueues,
    /// Objects that the collection at the end of the epoch finds without an event, by address.
    pub(crate) found: FxHashMap<u64, (TypeColumn, u64)>,
    /// What the collection at the end of the epoch makes of addresses; `None`: none comes.
    fates: Option<FateMap>,
    /// Bytes that the VM allocated before the object of the next event.
    gap: u64,
    last_object: u64,
    /// References to addresses of this epoch without a known object: native code reports an object after its constructor has run.
    pub(crate) early: FxHashMap<u64, u64>,
    told: ToldLevel,
    pub(crate) losses: BridgeLosses,
}

/// The level that was written to the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ToldLevel {
    #[default]
    Nothing,
    Bounds,
    Deaths,
    Full,
}

/// Records that could not be written to the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BridgeLosses {
    /// Allocations whose address is not known: they are left out.
    pub unplaced: u64,
    /// References to objects that the trace does not know: made by the VM and dead at the next collection, or from before the recording.
    pub unknown_references: u64,
    /// Buffers with words that do not decode: what comes after these words is lost.
    pub damaged_buffers: u64,
}

/// How far a thread's events are read.
#[derive(Clone, Copy, Debug)]
enum Until {
    /// Up to this moment; microseconds since 1970.
    Time(u64),
    /// Until there is an object at this address.
    Born(u64),
}

impl TraceBridge {
    /// The bridge of a trace with these definitions.
    #[must_use]
    pub fn new(model: CountModel, names: TraceNames) -> Self {
        Self {
            names: BridgeNames::new(model, names),
            live: LivingObjects::default(),
            overdue: Vec::new(),
            history: AddressHistory::default(),
            epoch: 0,
            born: 0,
            time: 0,
            stamps: Stamps::default(),
            roots: Roots::default(),
            clock: BridgeClock::default(),
            queues: EpochQueues::default(),
            found: FxHashMap::default(),
            fates: None,
            gap: 0,
            last_object: 0,
            early: FxHashMap::default(),
            told: ToldLevel::Nothing,
            losses: BridgeLosses::default(),
        }
    }

    /// Gaps in the records so far.
    #[must_use]
    pub fn losses(&self) -> BridgeLosses {
        self.losses
    }

    /// The holders of objects when they were last recorded.
    #[must_use]
    pub fn roots(&self) -> &[HeldRoot] {
        self.roots.last()
    }

    /// Takes the content of a buffer of the epoch; it is read when the epoch has ended.
    ///
    /// # Errors
    /// When its head does not decode.
    pub fn queue(&mut self, content: &[u8]) -> Result<(), FormatError> {
        self.queues.push(content)
    }

    /// Takes the content of a block of a later mode; those of other kinds than stamps and roots are left out.
    ///
    /// # Errors
    /// When it does not decode.
    pub fn extension(&mut self, kind: BlockKind, content: Vec<u8>) -> Result<(), FormatError> {
        match kind {
            BlockKind::STAMPS => self.stamps.take(content),
            BlockKind::ROOTS => self.roots.take(&content),
            _ => Ok(()),
        }
    }

    /// The collection that ends the epoch, after its buffers. Its records go to the sink list by list.
    ///
    /// # Errors
    /// The reason why the heap is unknown from here on, as a sentence.
    pub fn collection(
        &mut self,
        collection: &Collection,
        runs: &[MoveRun],
        complete: bool,
        sink: &mut dyn FnMut(Vec<Record>),
    ) -> Result<(), String> {
        let mut out = BridgeOutput::new(sink);
        let found = runs.iter().filter_map(|run| Some((run, run.found?)));
        self.found = found
            .map(|(run, class)| {
                let ty = self.names.trace.class_type(class);
                (run.from, (ty, run.bytes))
            })
            .collect();
        let collected = merged(&collection.collected);
        self.fates = Some(FateMap::new(&collected, runs));
        self.run_epoch(&mut out);
        let checked = self.check(collection, runs, complete);
        if let Some(fates) = self.fates.take().filter(|_| checked.is_ok()) {
            self.end_epoch(collection, (&collected, fates), runs, &mut out);
        }
        out.finish();
        checked
    }

    /// The end of the trace: the events after the last collection.
    pub fn end(&mut self, sink: &mut dyn FnMut(Vec<Record>)) {
        let mut out = BridgeOutput::new(sink);
        self.found.clear();
        self.run_epoch(&mut out);
        out.finish();
    }

    /// All events of the epoch, in the order of time.
    fn run_epoch(&mut self, out: &mut BridgeOutput<'_>) {
        self.tell_level(ToldLevel::Bounds, out);
        if self.stamps.are_known() {
            self.tell_level(ToldLevel::Deaths, out);
        }
        let begun = self.queues.begin();
        let mut order: BinaryHeap<Reverse<(u64, QueueIndex)>> =
            begun.into_iter().map(Reverse).collect();
        while let Some(Reverse((time, thread))) = order.pop() {
            while self.roots.next_time().is_some_and(|roots| roots < time) {
                self.say_roots(out);
            }
            let next = order.peek().map_or(u64::MAX, |next| next.0.0);
            let next = next.min(self.roots.next_time().unwrap_or(u64::MAX));
            self.run_thread(thread, Until::Time(next), out);
            if let Some(time) = self.queues.next_time(thread) {
                order.push(Reverse((time, thread)));
            }
        }
        while self.roots.next_time().is_some() {
            self.say_roots(out);
        }
    }

    fn run_thread(&mut self, at: QueueIndex, until: Until, out: &mut BridgeOutput<'_>) {
        let Some(mut queue) = self.queues.take(at) else {
            // It waits for an object of this thread itself: the trace contradicts itself.
            return;
        };
        let mut is_resumed = true;
        while let Some(time) = queue.next_time() {
            if matches!(until, Until::Time(end) if time > end) {
                break;
            }
            if !queue.advance(&self.names.trace, &mut self.losses.damaged_buffers) {
                break;
            }
            is_resumed |= self.await_births(&queue, out);
            if is_resumed || queue.is_at_start() {
                self.resume(&queue, out);
                is_resumed = false;
            }
            self.step(&mut queue, out);
            if matches!(until, Until::Born(address) if self.live.get(address).is_some()) {
                break;
            }
        }
        self.queues.put_back(at, queue);
    }

    /// Reads other threads until all objects are there that the next events name. True: there were some.
    fn await_births(&mut self, queue: &ThreadQueue, out: &mut BridgeOutput<'_>) -> bool {
        let mut has_waited = false;
        for event in queue.events() {
            for address in self.addresses_of_now(event, queue.seen()) {
                if self.live.get(address).is_none()
                    && !self.found.contains_key(&address)
                    && let Some(owner) = self.queues.owner(address, &self.names.trace)
                {
                    self.run_thread(owner, Until::Born(address), out);
                    has_waited = true;
                }
            }
        }
        has_waited
    }

    /// A thread's events come next.
    fn resume(&mut self, queue: &ThreadQueue, out: &mut BridgeOutput<'_>) {
        self.names.switch_to(queue.thread, out);
        if !queue.is_late() {
            let placed = self.placed();
            self.stamps.begin(queue.thread, placed);
        }
    }

    /// The events of one group of words.
    fn step(&mut self, queue: &mut ThreadQueue, out: &mut BridgeOutput<'_>) {
        let before = self.time;
        self.clock
            .events_at(queue.next_time().unwrap_or_default(), out);
        for event in queue.events() {
            self.event(event, queue.seen(), out);
        }
        let step = queue.pass();
        if !queue.is_late() && step.words > 0 {
            self.stamps
                .pass(queue.thread, step.words, self.time - before);
        }
    }

    fn placed(&self) -> Placed {
        Placed {
            time: self.time,
            epoch: self.epoch,
        }
    }

    /// Writes the level of the trace, once. Everything written before has the same level.
    pub(crate) fn tell_level(&mut self, level: ToldLevel, out: &mut BridgeOutput<'_>) {
        if level <= self.told {
            return;
        }
        self.told = level;
        match level {
            ToldLevel::Nothing => {}
            ToldLevel::Bounds => {
                let run = &self.names.model.run;
                out.fact("level", "bounds");
                out.fact("names", "jvm");
                out.fact("frontend", "ducktrack mode=trace");
                out.fact("runtime", run.vm_name.clone() + " " + &run.vm_version);
                out.fact("command", run.command.clone());
                if run.deduplicates_strings() {
                    out.fact("replaced", "[B");
                }
            }
            ToldLevel::Deaths => {
                out.fact("level", "deaths");
                out.fact("frontend", "ducktrack mode=deaths");
            }
            ToldLevel::Full => {
                out.fact("level", "full");
                out.fact("uses", "stamps");
                out.fact("frontend", "ducktrack mode=full");
            }
        }
    }

    fn event(&mut self, event: &Event, seen: u32, out: &mut BridgeOutput<'_>) {
        let gap = std::mem::take(&mut self.gap);
        match event {
            Event::Allocation(allocation) => self.allocation(allocation, gap, out),
            Event::Gap { bytes } => {
                self.clock.skip(*bytes);
                self.gap = *bytes;
            }
            other => self.witness_event(other, seen, out),
        }
    }

    fn allocation(&mut self, allocation: &Allocation, gap: u64, out: &mut BridgeOutput<'_>) {
        let bytes = allocation.bytes.unwrap_or(0);
        self.born = match allocation.place {
            Place::Straggler(_) => self.epoch.saturating_sub(1),
            _ => self.epoch,
        };
        match (allocation.place, allocation.bytes) {
            (Place::Eliminated, _) => {}
            (Place::End(end), Some(_)) => {
                let behind = end.wrapping_sub(bytes);
                let ahead = behind.wrapping_sub(gap);
                let is_ahead = gap != 0 && self.is_ahead(allocation, (ahead, behind));
                self.born(allocation, Some(if is_ahead { ahead } else { behind }), out);
            }
            (Place::Outside(Some(address)), Some(_)) => self.born(allocation, Some(address), out),
            (Place::Straggler(end @ 8..), Some(_)) => {
                let from = end.wrapping_sub(bytes);
                match self.history.last_fate(from) {
                    Fate::Untouched => self.born(allocation, Some(from), out),
                    Fate::Survived(by) => self.born(allocation, Some(from.wrapping_add(by)), out),
                    Fate::Dead | Fate::Found => self.born(allocation, None, out),
                }
            }
            _ => self.losses.unplaced += 1,
        }
    }

    /// Whether an object lies ahead of the gap, not behind it. The event of an object that library code makes comes
    /// after that code, in which the VM may allocate, too: the string constants of a class, as soon as one of its
    /// methods is to be compiled. Then the collection finds an object ahead of the gap, and none of the event behind it.
    fn is_ahead(&mut self, allocation: &Allocation, (ahead, behind): (u64, u64)) -> bool {
        let (Some(klass), Some(bytes)) = (allocation.klass, allocation.bytes) else {
            return false;
        };
        let object = (self.names.trace.klass_type(klass, bytes), bytes);
        let survives = match self.fates.as_ref().map(|fates| fates.fate(behind)) {
            Some(Fate::Survived(_) | Fate::Untouched) => true,
            Some(Fate::Found) => self.found.get(&behind) == Some(&object),
            Some(Fate::Dead) | None => false,
        };
        !survives
            && !self.stamps.names_dead(behind, self.epoch)
            && (self.found.get(&ahead) == Some(&object)
                || self.stamps.names_dead(ahead, self.epoch))
    }

    /// An object at this address; `None`: the collection before found it dead.
    fn born(&mut self, allocation: &Allocation, address: Option<u64>, out: &mut BridgeOutput<'_>) {
        let bytes = allocation.bytes.unwrap_or(0);
        let site = self.names.trace.site(allocation.site);
        let ty = match allocation.klass {
            Some(klass) => self.names.trace.klass_type(klass, bytes),
            None => site.ty,
        };
        let caller = allocation.caller.map(|call| self.names.trace.caller(call));
        let site = self
            .names
            .site(site.column, caller.unwrap_or_default(), out);
        let object = self.new_object(ty, site, bytes, out);
        match address {
            Some(address) => {
                if let Some(early) = self.early.remove(&address) {
                    self.losses.unknown_references -= early;
                }
                let born = self.born;
                self.place(address, Living::new(object, bytes, born));
            }
            None => self.overdue.push(object),
        }
    }

    fn new_object(
        &mut self,
        ty: TypeColumn,
        site: StreamSite,
        bytes: u64,
        out: &mut BridgeOutput<'_>,
    ) -> ObjectId {
        self.last_object += 1;
        self.time += 1;
        self.clock.allocate(bytes);
        // Objects of a run are fewer than 2^62.
        let object = ObjectId::new(self.last_object).unwrap_or(ObjectId::FIRST);
        let ty = self.names.ty(ty, out);
        out.push(Record::Allocation(ducktrack_merlin::Allocation {
            object,
            bytes,
            length: None,
            ty,
            site,
        }));
        object
    }

    /// An object without an event, which is at the address now.
    pub(crate) fn found_at(
        &mut self,
        address: u64,
        (ty, bytes): (TypeColumn, u64),
        born: u32,
        out: &mut BridgeOutput<'_>,
    ) -> ObjectId {
        let object = self.new_object(ty, StreamSite(0), bytes, out);
        self.place(address, Living::new(object, bytes, born));
        object
    }

    /// An object that lay there before is dead, also where the trace has no death of it.
    fn place(&mut self, address: u64, mut living: Living) {
        living.low = address as u32;
        let before = self.live.insert(address, living);
        self.overdue.extend(before.map(|before| before.object));
    }

    fn end_epoch(
        &mut self,
        collection: &Collection,
        (collected, fates): (&[AddressRange], FateMap),
        runs: &[MoveRun],
        out: &mut BridgeOutput<'_>,
    ) {
        let ended = std::mem::replace(&mut self.epoch, collection.number);
        self.early.clear();
        self.clock.collection_at(collection.start_unix_micros, out);
        let knows_stamps = self.stamps.are_known();
        out.push(Record::Collection {
            number: collection.number.into(),
            // Objects that a full collection keeps are reachable; another one takes only those in its spaces.
            complete: knows_stamps && collection.kind == CollectionKind::Full,
        });
        self.stamps.write(ended, &mut self.live, &fates, out);
        let found = self.relocate(collected, &fates, runs, out);
        let overdue = self.overdue.drain(..);
        overdue.for_each(|object| out.push(Record::Dead(object)));
        out.push(Record::CollectionEnd);
        for run in found {
            let class = run.found;
            let ty = class.map_or(TypeColumn::NONE, |class| self.names.trace.class_type(class));
            self.found_at(run.to, (ty, run.bytes), ended, out);
        }
        self.history.push(collection.number, fates, runs);
        if knows_stamps {
            self.begin_epoch(out);
        }
    }

    /// A moment of its own for what happens before the first event after a collection.
    fn begin_epoch(&mut self, out: &mut BridgeOutput<'_>) {
        out.tick(1, None, None);
        self.time += 1;
        let placed = self.placed();
        self.stamps.begin_epoch(placed);
    }

    fn check(
        &self,
        collection: &Collection,
        runs: &[MoveRun],
        complete: bool,
    ) -> Result<(), String> {
        let moves = capped::sum(runs.iter().map(|run| run.objects));
        let number = collection.number;
        check_collection(collection, self.epoch, moves, complete)
            .map_err(|reason| format!("nothing is known from collection {number} on: {reason}"))
    }

    /// Moves what survived and lets the rest die; gives the survivors that no known object explains.
    fn relocate(
        &mut self,
        collected: &[AddressRange],
        fates: &FateMap,
        runs: &[MoveRun],
        out: &mut BridgeOutput<'_>,
    ) -> Vec<MoveRun> {
        let mut stated: BTreeMap<u64, MoveRun> = runs
            .iter()
            .filter(|run| run.found.is_some())
            .map(|run| (run.from, *run))
            .collect();
        let mut cursor = fates.cursor();
        let mut arrivals = Vec::new();
        let overdue = &mut self.overdue;
        self.live.drain(collected, |address, living| {
            let to = match cursor.fate(address) {
                Fate::Untouched => Some(address),
                Fate::Survived(by) => Some(address.wrapping_add(by)),
                // The writer was not sure which event made it: if the sizes agree, it was this one.
                Fate::Found => match stated.get(&address).map(|run| (run.bytes, run.to)) {
                    Some((bytes, to)) if bytes == living.bytes => {
                        stated.remove(&address);
                        Some(to)
                    }
                    _ => None,
                },
                Fate::Dead => None,
            };
            if let Some(to) = to {
                out.push(Record::Kept(living.object));
                arrivals.push((to, living));
            } else if !living.is_written {
                overdue.push(living.object);
            }
        });
        for (address, living) in arrivals {
            self.place(address, living);
        }
        stated.into_values().collect()
    }
}
