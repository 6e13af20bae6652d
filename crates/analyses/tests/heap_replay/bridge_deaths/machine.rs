//! Threads with local variables, objects with fields, and a collector that moves what it keeps.

use std::collections::{BTreeMap, BTreeSet};

use ducktrack_merlin::Level;
use ducktrack_trace_format::{
    AddressRange, Collection, CollectionCounts, CollectionKind, DeadEncoder, MoveRun, MovesLevel,
    Position, encode_stamps,
};

use super::states::{Heap, States};
use super::trace::{ENTER, Part, SITE, SIZE, STATIC_UPDATE, Stream, UPDATE};

const THREADS: u32 = 3;
const LOCALS: usize = 3;
/// Where the old space begins.
const OLD: u64 = 1 << 20;
/// Microseconds from one step to the next.
const STEP: u64 = 3;

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Run {
        thread: usize,
        operation: Operation,
    },
    Collect {
        full: bool,
    },
    /// The thread's buffer goes to the trace.
    Flush {
        thread: usize,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    New {
        local: usize,
    },
    Put {
        source: usize,
        slot: u32,
        target: Option<usize>,
    },
    PutGlobal {
        slot: u32,
        target: Option<usize>,
    },
    Get {
        local: usize,
        source: usize,
        slot: u32,
    },
    GetGlobal {
        local: usize,
        slot: u32,
    },
    Use {
        local: usize,
    },
    Drop {
        local: usize,
    },
}

/// The stamps beside an address: they stay when the object goes.
#[derive(Clone, Copy, Default)]
struct Shadow {
    used: Option<Position>,
    lost: Option<Position>,
}

pub(super) struct Machine {
    level: Level,
    streams: Vec<Stream>,
    locals: Vec<[Option<u64>; LOCALS]>,
    heap: Heap,
    states: States,
    addresses: BTreeMap<u64, u64>,
    shadow: BTreeMap<u64, Shadow>,
    last_object: u64,
    /// Moments of the neutral stream.
    moment: u64,
    micros: u64,
    epoch: u32,
    old_top: u64,
    pub(super) trace: Vec<Part>,
}

impl Machine {
    /// Runs the steps, and ends with an empty heap.
    pub(super) fn run(steps: &[Step], level: Level) -> Self {
        let mut machine = Self {
            level,
            streams: (0..THREADS).map(Stream::new).collect(),
            locals: vec![[None; LOCALS]; THREADS as usize],
            heap: Heap::default(),
            states: States::default(),
            addresses: BTreeMap::new(),
            shadow: BTreeMap::new(),
            last_object: 0,
            moment: 0,
            micros: 1_000_000,
            epoch: 0,
            old_top: OLD,
            trace: Vec::new(),
        };
        machine.remember();
        for step in steps {
            machine.micros += STEP;
            match *step {
                Step::Run { thread, operation } => {
                    machine.operate(thread % THREADS as usize, operation)
                }
                Step::Collect { full } => machine.collect(full),
                Step::Flush { thread } => machine.flush(thread % THREADS as usize),
            }
        }
        for slot in 0..3 {
            machine.micros += STEP;
            machine.operate(0, Operation::PutGlobal { slot, target: None });
        }
        machine.locals = vec![[None; LOCALS]; THREADS as usize];
        machine.collect(true);
        machine
    }

    pub(super) fn objects(&self) -> u64 {
        self.last_object
    }

    pub(super) fn born(&self, object: u64) -> u64 {
        self.states.born[&object]
    }

    pub(super) fn deaths_by_brute_force(&self) -> BTreeMap<u64, u64> {
        self.states.deaths()
    }

    fn remember(&mut self) {
        self.states.heaps.push((self.moment, self.heap.clone()));
    }

    fn operate(&mut self, thread: usize, operation: Operation) {
        // The thread says where it is: what it does besides is of that moment.
        self.say(thread);
        let local = |local: usize| self.locals[thread][local];
        match operation {
            Operation::New { local } => {
                let object = self.allocate(thread);
                self.locals[thread][local] = Some(object);
            }
            Operation::Put {
                source,
                slot,
                target,
            } => {
                if let Some(source) = local(source) {
                    let new = target.and_then(local);
                    self.put(thread, source, slot, new);
                }
            }
            Operation::PutGlobal { slot, target } => {
                let new = target.and_then(local);
                self.put_global(thread, slot, new);
            }
            Operation::Get {
                local: to,
                source,
                slot,
            } => {
                if let Some(source) = local(source) {
                    self.used(thread, source);
                    self.locals[thread][to] = self.heap.fields.get(&(source, slot)).copied();
                }
            }
            Operation::GetGlobal { local, slot } => {
                self.locals[thread][local] = self.heap.globals.get(&slot).copied()
            }
            Operation::Use { local: of } => {
                if let Some(object) = local(of) {
                    self.used(thread, object);
                }
            }
            Operation::Drop { local } => self.locals[thread][local] = None,
        }
    }

    /// An event that changes nothing: a call where calls are recorded, else an allocation.
    fn say(&mut self, thread: usize) {
        if self.level != Level::Full {
            self.allocate(thread);
            return;
        }
        self.moment += 1;
        self.streams[thread].write(self.micros, |words| words.extended(ENTER, &[]));
        self.remember();
    }

    fn allocate(&mut self, thread: usize) -> u64 {
        self.last_object += 1;
        self.moment += 1;
        let address = self.streams[thread].allocate();
        self.streams[thread].write(self.micros, |words| words.at(SITE, address + SIZE));
        self.addresses.insert(self.last_object, address);
        self.states.born.insert(self.last_object, self.moment);
        self.states.used(self.last_object, self.moment);
        self.remember();
        self.last_object
    }

    fn used(&mut self, thread: usize, object: u64) {
        let now = self.streams[thread].now();
        self.shadow.entry(self.addresses[&object]).or_default().used = Some(now);
        self.states.used(object, self.moment);
    }

    fn lost(&mut self, thread: usize, object: Option<u64>) {
        if let Some(object) = object {
            let now = self.streams[thread].now();
            self.shadow.entry(self.addresses[&object]).or_default().lost = Some(now);
        }
    }

    fn reference(&self, object: Option<u64>) -> u32 {
        object.map_or(0, |object| (self.addresses[&object] / 8) as u32)
    }

    fn put(&mut self, thread: usize, source: u64, slot: u32, new: Option<u64>) {
        let old = self.heap.fields.remove(&(source, slot));
        self.heap
            .fields
            .extend(new.map(|new| ((source, slot), new)));
        let payload = [
            self.reference(Some(source)),
            self.reference(old),
            self.reference(new),
        ];
        self.update(thread, UPDATE + slot as u16, &payload);
        self.used(thread, source);
        self.lost(thread, old);
    }

    fn put_global(&mut self, thread: usize, slot: u32, new: Option<u64>) {
        let old = self.heap.globals.remove(&slot);
        self.heap.globals.extend(new.map(|new| (slot, new)));
        let payload = [slot, self.reference(old), self.reference(new)];
        self.update(thread, STATIC_UPDATE, &payload);
        self.lost(thread, old);
    }

    fn update(&mut self, thread: usize, operation: u16, payload: &[u32]) {
        if self.level == Level::Full {
            self.moment += 1;
            self.streams[thread].write(self.micros, |words| words.extended(operation, payload));
        }
        self.remember();
    }

    fn flush(&mut self, thread: usize) {
        let piece = self.streams[thread].take(self.epoch);
        self.trace.extend(piece.map(Part::Piece));
    }

    fn collect(&mut self, full: bool) {
        (0..THREADS as usize).for_each(|thread| self.flush(thread));
        let (kept, dead) = self.mark(full);
        let stamps = self.stamps(&dead);
        let runs = self.move_all(&kept);
        for object in dead {
            self.addresses.remove(&object);
        }
        self.epoch += 1;
        let threads: Vec<_> = self
            .streams
            .iter_mut()
            .map(|stream| stream.begin_epoch(self.epoch))
            .collect();
        let contents = stamps.iter().enumerate();
        let stamps = contents.map(|(at, dead)| {
            encode_stamps(self.epoch - 1, if at == 0 { &threads } else { &[] }, dead)
        });
        let collection = Collection {
            number: self.epoch,
            kind: if full {
                CollectionKind::Full
            } else {
                CollectionKind::Young
            },
            start_unix_micros: self.micros,
            level: MovesLevel::Exact,
            collected: vec![AddressRange {
                start: 0,
                end: if full { 1 << 32 } else { OLD },
            }],
            counts: CollectionCounts {
                moved: runs.len() as u64,
                ..CollectionCounts::default()
            },
            ..Collection::default()
        };
        self.trace.push(Part::Collection {
            stamps: stamps.collect(),
            collection: Box::new(collection),
            runs,
        });
        self.moment += 1;
        self.remember();
    }

    /// What is collected and kept, and what is found dead.
    fn mark(&mut self, full: bool) -> (Vec<u64>, Vec<u64>) {
        let collected = |address: u64| full || address < OLD;
        let held: BTreeSet<u64> = self.locals.iter().flatten().flatten().copied().collect();
        if full {
            // It says that these could be reached.
            held.iter()
                .for_each(|object| self.states.used(*object, self.moment));
        }
        let old = self
            .addresses
            .iter()
            .filter(|(_, address)| !collected(**address));
        let roots = old
            .map(|(object, _)| *object)
            .chain(held)
            .chain(self.heap.globals.values().copied());
        let reached = self.heap.reached_from(roots.collect());
        let young = self
            .addresses
            .iter()
            .filter(|(_, address)| collected(**address));
        young
            .map(|(object, _)| *object)
            .partition(|object| reached.contains(object))
    }

    fn stamps(&self, dead: &[u64]) -> Vec<Vec<u8>> {
        let mut by_address: Vec<(u64, u64)> = dead
            .iter()
            .map(|object| (self.addresses[object], *object))
            .collect();
        by_address.sort_unstable();
        let mut encoder = DeadEncoder::default();
        for (address, object) in by_address {
            let shadow = self.shadow.get(&address).copied().unwrap_or_default();
            let number =
                |position: Option<Position>| position.and_then(Position::number).unwrap_or(0);
            let fields = self
                .heap
                .fields_of(object)
                .map(|(slot, target)| (slot, self.addresses[&target]));
            let fields: Vec<(u32, u64)> = fields.collect();
            encoder.push(
                address,
                (number(shadow.used), number(shadow.lost)),
                fields.into_iter(),
            );
        }
        encoder.take()
    }

    /// Survivors go to the end of the old space, with their stamps.
    fn move_all(&mut self, kept: &[u64]) -> Vec<MoveRun> {
        let mut runs = Vec::new();
        let mut arrived = Vec::new();
        for object in kept {
            let (from, to) = (self.addresses[object], self.old_top);
            self.old_top += SIZE;
            runs.push(MoveRun {
                from,
                to,
                bytes: SIZE,
                objects: 1,
                found: None,
            });
            arrived.push((to, self.shadow.get(&from).copied().unwrap_or_default()));
            self.addresses.insert(*object, to);
        }
        self.shadow.extend(arrived);
        runs.sort_unstable_by_key(|run| run.from);
        runs
    }
}
