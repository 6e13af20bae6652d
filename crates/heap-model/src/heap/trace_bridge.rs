//! From a trace to the records of a neutral stream: allocations, what each collection kept, and what it found dead. A trace of `mode=trace` gives level
//! `bounds`: uses and references are not in it, so no death is exact. One of `mode=witness` has them for the dead ([`bridge_stamps`](super::bridge_stamps)): level `deaths`.
//!
//! ```text
//! for step of the event files:   buffer(content) for each buffer of the epoch, then collection(..); take_records()
//! ```
//!
//! Objects keep their ids by the moves of collections. Within an epoch the buffers of the threads come one after the other:
//! the order between threads is not known, and the clock of bytes is exact at collections only.

use std::collections::BTreeMap;
use std::sync::Arc;

use ducktrack_merlin::{
    Definition, MethodId, ObjectId, Reading, Record, SiteId as StreamSite,
    ThreadId as StreamThread, TypeId,
};
use ducktrack_trace_format::{
    Allocation, BlockKind, Collection, CollectionKind, Event, EventBlock, EventDecoder, EventFlags,
    EventSink, FormatError, MoveRun, MovesLevel, Place, PlainRun, ThreadId, Word, words_as_written,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::heap::bridge_stamps::{Living, Stamps};
use crate::heap::capped;
use crate::heap::column::{CallerColumn, SiteColumn, TypeColumn};
use crate::heap::fate_map::{Fate, FateMap, merged};
use crate::heap::thread_positions::Placed;
use crate::heap::trace_names::TraceNames;
use crate::{CallIndex, CountModel, MethodIndex, SiteIndex};

/// Makes records from the steps of a trace.
#[derive(Debug)]
pub struct TraceBridge {
    names: TraceNames,
    model: CountModel,
    /// By address after the last collection.
    live: BTreeMap<u64, Living>,
    /// Objects that the next collection names: they were dead before it.
    overdue: Vec<ObjectId>,
    /// Of the last collection, for events that came after it about objects from before.
    fates: FateMap,
    epoch: u32,
    /// The epoch of the objects that events make now.
    born: u32,
    /// Moments of the stream so far.
    time: u64,
    stamps: Stamps,
    start_micros: u64,
    /// The last reading of the clock of microseconds.
    micros: u64,
    last_object: u64,
    bytes: u64,
    gap_bytes: u64,
    sites: FxHashMap<(SiteColumn, CallerColumn), StreamSite>,
    calls: FxHashMap<CallIndex, StreamSite>,
    methods: FxHashSet<MethodIndex>,
    types: FxHashSet<TypeColumn>,
    threads: FxHashMap<ThreadId, StreamThread>,
    thread: Option<StreamThread>,
    records: Vec<Record>,
    unplaced: u64,
}

impl TraceBridge {
    /// The bridge of a trace with these definitions.
    #[must_use]
    pub fn new(model: CountModel, names: TraceNames) -> Self {
        let mut bridge = Self {
            names,
            model,
            live: BTreeMap::new(),
            overdue: Vec::new(),
            fates: FateMap::default(),
            epoch: 0,
            born: 0,
            time: 0,
            stamps: Stamps::default(),
            start_micros: 0,
            micros: 0,
            last_object: 0,
            bytes: 0,
            gap_bytes: 0,
            sites: FxHashMap::default(),
            calls: FxHashMap::default(),
            methods: FxHashSet::default(),
            types: FxHashSet::default(),
            threads: FxHashMap::default(),
            thread: None,
            records: Vec::new(),
            unplaced: 0,
        };
        let run = &bridge.model.run;
        let facts = [
            ("level", "bounds".to_owned()),
            ("names", "jvm".to_owned()),
            ("frontend", "ducktrack mode=trace".to_owned()),
            ("runtime", run.vm_name.clone() + " " + &run.vm_version),
            ("command", run.command.clone()),
        ];
        for (key, value) in facts {
            let key = key.to_owned();
            bridge.define(Definition::Fact { key, value });
        }
        bridge
    }

    /// Allocations whose address is not known: they are left out.
    #[must_use]
    pub fn unplaced(&self) -> u64 {
        self.unplaced
    }

    /// The records since the last call.
    pub fn take_records(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.records)
    }

    /// Takes the content of a buffer of the epoch.
    ///
    /// # Errors
    /// When it does not decode; what came before the place counts.
    pub fn buffer(&mut self, content: &[u8]) -> Result<(), FormatError> {
        let block = EventBlock::decode(content)?;
        if self.start_micros == 0 {
            self.start_micros = block.header.begun;
        }
        let thread = block.header.thread;
        self.switch_to(thread);
        self.tick_micros(block.header.begun);
        // The names answer while events come, so these wait.
        let mut waiting = Waiting::default();
        let decoded = EventDecoder::new(&self.names).decode_into(&block, &mut waiting);
        // Words that come late are of positions before a pause, after which the thread has gone on.
        let is_late = block.header.flags.has(EventFlags::LATE);
        if !is_late {
            let placed = self.placed();
            self.stamps.begin(thread, placed);
        }
        let mut events = waiting.events.iter();
        for (count, words) in waiting.passed {
            let before = self.time;
            for event in events.by_ref().take(count) {
                self.event(event);
            }
            if !is_late {
                self.stamps.pass(thread, words, self.time - before);
            }
        }
        // What the end of the piece says has no words of its own.
        for event in events {
            self.event(event);
        }
        decoded.map(|_| ())
    }

    fn placed(&self) -> Placed {
        Placed {
            time: self.time,
            epoch: self.epoch,
        }
    }

    /// Takes the content of a block of a later mode; those of other kinds than stamps are left out.
    ///
    /// # Errors
    /// When it does not decode.
    pub fn extension(&mut self, kind: BlockKind, content: Vec<u8>) -> Result<(), FormatError> {
        if kind != BlockKind::STAMPS {
            return Ok(());
        }
        if self.stamps.take(content)? {
            // What was said before is of the same level as far as it went.
            for (key, value) in [("level", "deaths"), ("frontend", "ducktrack mode=witness")] {
                let (key, value) = (key.to_owned(), value.to_owned());
                self.define(Definition::Fact { key, value });
            }
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Allocation(allocation) => self.allocation(allocation),
            Event::Gap { bytes } => self.gap_bytes = self.gap_bytes.saturating_add(*bytes),
            _ => {}
        }
    }

    fn allocation(&mut self, allocation: &Allocation) {
        let bytes = allocation.bytes.unwrap_or(0);
        self.born = match allocation.place {
            Place::Straggler(_) => self.epoch.saturating_sub(1),
            _ => self.epoch,
        };
        match (allocation.place, allocation.bytes) {
            (Place::Eliminated, _) => {}
            (Place::End(end), Some(_)) => self.born(allocation, Some(end.wrapping_sub(bytes))),
            (Place::Outside(Some(address)), Some(_)) => self.born(allocation, Some(address)),
            (Place::Straggler(end @ 8..), Some(_)) => {
                let from = end.wrapping_sub(bytes);
                match self.fates.cursor().fate(from) {
                    Fate::Untouched => self.born(allocation, Some(from)),
                    Fate::Survived(by) => self.born(allocation, Some(from.wrapping_add(by))),
                    Fate::Dead | Fate::Found => self.born(allocation, None),
                }
            }
            _ => self.unplaced += 1,
        }
    }

    /// An object at this address; `None`: the collection before found it dead.
    fn born(&mut self, allocation: &Allocation, address: Option<u64>) {
        let bytes = allocation.bytes.unwrap_or(0);
        let site = self.names.site(allocation.site);
        let ty = match allocation.klass {
            Some(klass) => self.names.klass_type(klass, bytes),
            None => site.ty,
        };
        let caller = allocation.caller.map(|call| self.names.caller(call));
        let site = self.site(site.column, caller.unwrap_or_default());
        let object = self.new_object(ty, site, bytes);
        match address {
            Some(address) => self.place(
                address,
                Living {
                    object,
                    bytes,
                    born: self.born,
                },
            ),
            None => self.overdue.push(object),
        }
    }

    fn new_object(&mut self, ty: TypeColumn, site: StreamSite, bytes: u64) -> ObjectId {
        self.last_object += 1;
        self.time += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        // Objects of a run are fewer than 2^62.
        let object = ObjectId::new(self.last_object).unwrap_or(ObjectId::FIRST);
        let ty = self.ty(ty);
        self.records
            .push(Record::Allocation(ducktrack_merlin::Allocation {
                object,
                bytes,
                length: None,
                ty,
                site,
            }));
        object
    }

    /// What lay there before is dead, also where the trace does not say so.
    fn place(&mut self, address: u64, living: Living) {
        let before = self.live.insert(address, living);
        self.overdue.extend(before.map(|before| before.object));
    }

    /// The collection that ends the epoch.
    ///
    /// # Errors
    /// Why nothing is known from here on, as a sentence.
    pub fn collection(
        &mut self,
        collection: &Collection,
        runs: &[MoveRun],
        complete: bool,
    ) -> Result<(), String> {
        self.check(collection, runs, complete)?;
        let ended = std::mem::replace(&mut self.epoch, collection.number);
        self.tick(collection.start_unix_micros);
        let knows_stamps = self.stamps.are_known();
        self.records.push(Record::Collection {
            number: collection.number.into(),
            // What a full collection keeps is reachable; another one takes what is in its spaces only.
            complete: knows_stamps && collection.kind == CollectionKind::Full,
        });
        let collected = merged(&collection.collected);
        let fates = FateMap::new(&collected, runs);
        self.stamps
            .write(ended, &self.live, &fates, &mut self.records);
        let found = self.relocate(&fates, runs);
        let stamps = &self.stamps;
        let unstamped = self.overdue.drain(..);
        let unstamped = unstamped.filter(|object| !stamps.has_written(*object));
        self.records.extend(unstamped.map(Record::Dead));
        self.records.push(Record::CollectionEnd);
        for run in found {
            self.found(run, ended);
        }
        self.fates = fates;
        if knows_stamps {
            self.begin_epoch();
        }
        Ok(())
    }

    /// A moment of its own for what happens before the first event after a collection.
    fn begin_epoch(&mut self) {
        self.records.push(Record::Tick {
            advance: 1,
            reading: Reading::default(),
        });
        self.time += 1;
        self.stamps.begin_epoch(self.placed());
    }

    fn check(
        &self,
        collection: &Collection,
        runs: &[MoveRun],
        complete: bool,
    ) -> Result<(), String> {
        let number = collection.number;
        let counted = capped::sum(runs.iter().map(|run| run.objects));
        let counts = collection.counts;
        let reason = if number != self.epoch.saturating_add(1) {
            format!(
                "collections between {} and {number} are missing",
                self.epoch
            )
        } else if let Some(fault) = &collection.fault {
            fault.clone()
        } else if collection.level == MovesLevel::Off || collection.kind == CollectionKind::Other {
            "moves of objects are not recorded (the collector does not show them, or moves=off)"
                .to_owned()
        } else if !complete || counted != counts.moved.saturating_add(counts.stayed) {
            format!("moves of collection {number} are damaged or missing")
        } else {
            return Ok(());
        };
        Err(format!(
            "nothing is known from collection {number} on: {reason}"
        ))
    }

    /// Moves what survived and lets the rest die; gives the survivors that no known object explains.
    fn relocate(&mut self, fates: &FateMap, runs: &[MoveRun]) -> Vec<MoveRun> {
        let mut stated: BTreeMap<u64, MoveRun> = runs
            .iter()
            .filter(|run| run.found.is_some())
            .map(|run| (run.from, *run))
            .collect();
        let mut cursor = fates.cursor();
        let mut arrivals = Vec::new();
        for (address, living) in std::mem::take(&mut self.live) {
            let to = match cursor.fate(address) {
                Fate::Untouched => address,
                Fate::Survived(by) => address.wrapping_add(by),
                // The writer was not sure which event made it: if the sizes agree, it was this one.
                Fate::Found => match stated.get(&address).filter(|run| run.bytes == living.bytes) {
                    Some(run) => {
                        let to = run.to;
                        stated.remove(&address);
                        to
                    }
                    None => {
                        self.overdue.push(living.object);
                        continue;
                    }
                },
                Fate::Dead => {
                    self.overdue.push(living.object);
                    continue;
                }
            };
            if cursor.fate(address) != Fate::Untouched {
                self.records.push(Record::Kept(living.object));
            }
            arrivals.push((to, living));
        }
        for (address, living) in arrivals {
            self.place(address, living);
        }
        stated.into_values().collect()
    }

    /// A survivor that no event made: the VM or native code did.
    fn found(&mut self, run: MoveRun, born: u32) {
        let ty = run
            .found
            .map_or(TypeColumn::NONE, |class| self.names.class_type(class));
        let object = self.new_object(ty, StreamSite(0), run.bytes);
        self.place(
            run.to,
            Living {
                object,
                bytes: run.bytes,
                born,
            },
        );
    }

    /// Reads the clocks.
    fn tick(&mut self, unix_micros: u64) {
        self.bytes = self
            .bytes
            .saturating_add(std::mem::take(&mut self.gap_bytes));
        self.read_micros(unix_micros);
        self.records.push(Record::Tick {
            advance: 0,
            reading: Reading {
                bytes: Some(self.bytes),
                calls: None,
                micros: Some(self.micros),
            },
        });
    }

    /// Events come at this time or later. Those of several threads come one thread after the other, so the time may lie before the last one.
    fn tick_micros(&mut self, unix_micros: u64) {
        if self.read_micros(unix_micros) {
            self.records.push(Record::Tick {
                advance: 0,
                reading: Reading {
                    bytes: None,
                    calls: None,
                    micros: Some(self.micros),
                },
            });
        }
    }

    /// True: the clock went on.
    fn read_micros(&mut self, unix_micros: u64) -> bool {
        let micros = unix_micros.saturating_sub(self.start_micros);
        let goes_on = micros > self.micros;
        self.micros = self.micros.max(micros);
        goes_on
    }

    // Names

    fn define(&mut self, definition: Definition) {
        self.records.push(Record::Definition(Box::new(definition)));
    }

    fn switch_to(&mut self, thread: ThreadId) {
        let next = StreamThread(self.threads.len() as u32 + 1);
        let number = *self.threads.entry(thread).or_insert(next);
        if number == next {
            let name = self.names.thread(Some(thread));
            let name = name.map_or_else(|| format!("thread {}", thread.0), |name| name.to_string());
            let thread = number;
            self.define(Definition::Thread { thread, name });
        }
        if self.thread != Some(number) {
            self.thread = Some(number);
            self.records.push(Record::Thread(number));
        }
    }

    fn ty(&mut self, column: TypeColumn) -> TypeId {
        if column != TypeColumn::NONE
            && self.types.insert(column)
            && let Some(name) = self.names.types.name(column)
        {
            let (ty, name) = (TypeId(column.0), name.to_string());
            self.define(Definition::Type { ty, name });
        }
        TypeId(column.0)
    }

    fn site(&mut self, site: SiteColumn, caller: CallerColumn) -> StreamSite {
        if let Some(known) = self.sites.get(&(site, caller)) {
            return *known;
        }
        let Some((method, line)) = site.site().and_then(|site| self.place_of(site)) else {
            return StreamSite(0);
        };
        let caller_site = caller.call().map_or(StreamSite(0), |call| self.call(call));
        let number = self.define_site(method, line, caller_site);
        self.sites.insert((site, caller), number);
        number
    }

    fn place_of(&self, site: SiteIndex) -> Option<(MethodIndex, Option<u16>)> {
        let row = self.model.sites.get(site.get())?;
        Some((row.method, row.line))
    }

    fn call(&mut self, call: CallIndex) -> StreamSite {
        if let Some(known) = self.calls.get(&call) {
            return *known;
        }
        let Some(row) = self.model.calls.get(call.get()) else {
            return StreamSite(0);
        };
        let (method, line) = (row.method, row.line);
        let number = self.define_site(method, line, StreamSite(0));
        self.calls.insert(call, number);
        number
    }

    fn define_site(
        &mut self,
        method: MethodIndex,
        line: Option<u16>,
        caller: StreamSite,
    ) -> StreamSite {
        let method = self.method(method);
        let site = StreamSite((self.sites.len() + self.calls.len()) as u32 + 1);
        let line = line.map_or(0, u32::from);
        self.define(Definition::Site {
            site,
            method,
            line,
            caller,
        });
        site
    }

    fn method(&mut self, index: MethodIndex) -> MethodId {
        let method = MethodId(u32::try_from(index.get() + 1).unwrap_or(0));
        if self.methods.insert(index)
            && let Some(row) = self.model.methods.get(index.get())
        {
            let text = |name: &Arc<str>| name.to_string();
            let definition = Definition::Method {
                method,
                class: text(&row.class),
                name: text(&row.name),
                file: row.source_file.as_ref().map(text).unwrap_or_default(),
            };
            self.define(definition);
        }
        method
    }
}

/// Events of a piece, and after how many of them how many words had passed.
#[derive(Debug, Default)]
struct Waiting {
    events: Vec<Event>,
    /// Events since the entry before, and the words that said them.
    passed: Vec<(usize, u64)>,
    counted: usize,
}

impl EventSink for Waiting {
    /// Each event comes by itself, with its words.
    fn plain(&mut self, _: u64, _: &[Word]) -> PlainRun {
        PlainRun::default()
    }

    fn event(&mut self, event: Event) {
        self.events.push(event);
    }

    fn passed(&mut self, words: &[Word]) {
        let since = self.events.len() - self.counted;
        self.counted = self.events.len();
        self.passed.push((since, words_as_written(words)));
    }
}
