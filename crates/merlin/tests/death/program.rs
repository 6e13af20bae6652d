//! A small machine: local variables, global variables, objects with fields. It writes the records of what it does, keeps
//! every state of its heap, and says by brute force when each object could be reached last.

use std::collections::{BTreeMap, BTreeSet};

use ducktrack_merlin::{
    Allocation, MethodId, ObjectId, Record, RootKind, SiteId, SlotId, Time, TypeId,
};

pub(crate) const LOCALS: usize = 4;
pub(crate) const SLOTS: u32 = 4;

/// One step; numbers are taken modulo what there is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    New {
        local: usize,
        bytes: u8,
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
    Call {
        local: usize,
    },
    Throw {
        local: usize,
    },
    Root {
        local: usize,
    },
    Drop {
        local: usize,
    },
    /// `kept`: garbage that the collector does not find, by id modulo 8.
    Collect {
        complete: bool,
        kept: u8,
    },
}

/// The references of one moment.
#[derive(Clone, Default)]
struct Heap {
    fields: BTreeMap<(ObjectId, u32), ObjectId>,
    globals: BTreeMap<u32, ObjectId>,
}

#[derive(Default)]
pub(crate) struct Machine {
    pub(crate) records: Vec<Record>,
    time: Time,
    next: u64,
    locals: [Option<ObjectId>; LOCALS],
    heap: Heap,
    alive: BTreeSet<ObjectId>,
    /// By moment: the heap after it. Moment 0 is the empty heap.
    history: Vec<Heap>,
    /// Moments at which the program had an object in hand, or a complete collection found that a local variable held it.
    uses: BTreeMap<ObjectId, Vec<Time>>,
    pub(crate) born: BTreeMap<ObjectId, Time>,
    pub(crate) dead: BTreeMap<ObjectId, Time>,
    collections: u64,
}

impl Machine {
    pub(crate) fn run(steps: &[Step]) -> Self {
        let mut machine = Self::default();
        machine.history.push(Heap::default());
        for step in steps {
            machine.step(*step);
        }
        machine.end();
        machine
    }

    /// Lets go of everything and collects.
    fn end(&mut self) {
        for slot in 0..SLOTS {
            self.step(Step::PutGlobal { slot, target: None });
        }
        self.locals = [None; LOCALS];
        self.step(Step::Collect {
            complete: true,
            kept: 0,
        });
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::New { local, bytes } => self.allocate(local, bytes),
            Step::Put {
                source,
                slot,
                target,
            } => self.put(source, slot % SLOTS, target),
            Step::PutGlobal { slot, target } => self.put_global(slot % SLOTS, target),
            Step::Get {
                local,
                source,
                slot,
            } => {
                if let Some(source) = self.local(source) {
                    self.event(Record::Use(source), &[source]);
                    self.locals[local % LOCALS] =
                        self.heap.fields.get(&(source, slot % SLOTS)).copied();
                }
            }
            Step::GetGlobal { local, slot } => {
                self.locals[local % LOCALS] = self.heap.globals.get(&(slot % SLOTS)).copied();
            }
            Step::Use { local } => {
                if let Some(object) = self.local(local) {
                    self.event(Record::Use(object), &[object]);
                }
            }
            Step::Call { local } => {
                let receiver = self.local(local);
                let method = MethodId(1);
                self.event(Record::Entry { method, receiver }, receiver.as_slice());
                self.event(Record::Exit { method, receiver }, &[]);
            }
            Step::Throw { local } => {
                let exception = self.local(local);
                let (method, receiver) = (MethodId(1), None);
                self.event(
                    Record::ExceptionalExit {
                        method,
                        receiver,
                        exception,
                    },
                    exception.as_slice(),
                );
            }
            Step::Root { local } => {
                if let Some(object) = self.local(local) {
                    self.event(
                        Record::Root {
                            kind: RootKind::Stack,
                            object,
                        },
                        &[object],
                    );
                }
            }
            Step::Drop { local } => self.locals[local % LOCALS] = None,
            Step::Collect { complete, kept } => self.collect(complete, kept),
        }
    }

    fn local(&self, local: usize) -> Option<ObjectId> {
        self.locals[local % LOCALS]
    }

    fn event(&mut self, record: Record, used: &[ObjectId]) {
        assert!(record.is_event());
        self.records.push(record);
        self.time += 1;
        for object in used {
            self.uses.entry(*object).or_default().push(self.time);
        }
        self.history.push(self.heap.clone());
    }

    fn allocate(&mut self, local: usize, bytes: u8) {
        self.next += 1;
        let object = ObjectId::new(self.next).expect("small");
        self.locals[local % LOCALS] = Some(object);
        self.alive.insert(object);
        self.born.insert(object, self.time + 1);
        let (ty, site) = (TypeId(1), SiteId(u32::from(bytes) % 3));
        let allocation = Allocation {
            object,
            bytes: bytes.into(),
            length: None,
            ty,
            site,
        };
        self.event(Record::Allocation(allocation), &[object]);
    }

    fn put(&mut self, source: usize, slot: u32, target: Option<usize>) {
        let Some(source) = self.local(source) else {
            return;
        };
        let new = target.and_then(|target| self.local(target));
        let old = self.heap.fields.remove(&(source, slot));
        self.heap
            .fields
            .extend(new.map(|new| ((source, slot), new)));
        let record = Record::Update {
            source: Some(source),
            slot: SlotId(slot),
            old,
            new,
        };
        self.event(record, &[source]);
    }

    fn put_global(&mut self, slot: u32, target: Option<usize>) {
        let new = target.and_then(|target| self.local(target));
        let old = self.heap.globals.remove(&slot);
        self.heap.globals.extend(new.map(|new| (slot, new)));
        let record = Record::Update {
            source: None,
            slot: SlotId(slot),
            old,
            new,
        };
        self.event(record, &[]);
    }

    fn collect(&mut self, complete: bool, kept: u8) {
        let roots = self
            .locals
            .iter()
            .flatten()
            .chain(self.heap.globals.values());
        let reachable = reach(&self.heap, roots.copied().collect());
        if complete {
            for object in self.locals.into_iter().flatten() {
                self.uses.entry(object).or_default().push(self.time);
            }
        }
        let kept_too = |object: &ObjectId| !complete && kept & (1 << (object.get() % 8)) != 0;
        let garbage = self.alive.difference(&reachable).copied();
        // What kept garbage refers to is kept, too: else it would refer to nothing.
        let kept = reach(&self.heap, garbage.clone().filter(kept_too).collect());
        let dead: Vec<ObjectId> = garbage.filter(|object| !kept.contains(object)).collect();
        self.collections += 1;
        self.records.push(Record::Collection {
            number: self.collections,
            complete,
        });
        self.records
            .extend(dead.iter().map(|object| Record::Dead(*object)));
        self.records.push(Record::CollectionEnd);
        for object in dead {
            self.alive.remove(&object);
            self.dead.insert(object, self.time);
        }
    }

    /// The last moment at which the object is used, or reachable from a global variable or from an object that is used at
    /// that moment or later. Each event's moment sees the heap before it and the heap after it.
    pub(crate) fn deaths_by_brute_force(&self) -> BTreeMap<ObjectId, Time> {
        let mut deaths = BTreeMap::new();
        for moment in 0..=self.time {
            let in_hand = |uses: &&Vec<Time>| uses.iter().any(|used| *used >= moment);
            let used = self.uses.iter().filter(|(_, uses)| in_hand(uses));
            let used: BTreeSet<ObjectId> = used.map(|(object, _)| *object).collect();
            let after = moment as usize;
            for at in [after.saturating_sub(1), after] {
                let heap = &self.history[at];
                let roots = used.iter().chain(heap.globals.values());
                for object in reach(heap, roots.copied().collect()) {
                    if self.born[&object] <= moment {
                        deaths.insert(object, moment);
                    }
                }
            }
        }
        deaths
    }

    /// What a dead object refers to: its fields do not change any more.
    pub(crate) fn fields_of(&self, object: ObjectId) -> Vec<(u32, ObjectId)> {
        let fields = self.heap.fields.range((object, 0)..=(object, u32::MAX));
        fields.map(|((_, slot), target)| (*slot, *target)).collect()
    }
}

fn reach(heap: &Heap, mut rest: Vec<ObjectId>) -> BTreeSet<ObjectId> {
    let mut reached = BTreeSet::new();
    while let Some(object) = rest.pop() {
        if reached.insert(object) {
            let fields = heap.fields.range((object, 0)..=(object, u32::MAX));
            rest.extend(fields.map(|(_, target)| *target));
        }
    }
    reached
}
