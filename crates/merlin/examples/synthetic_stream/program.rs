//! A program as a generational collector likes it: most objects die young, some live in a cache, few forever.

use std::collections::VecDeque;

use ducktrack_merlin::{Allocation, MethodId, ObjectId, Reading, Record, SiteId, SlotId, TypeId};

/// Objects of the cache.
const CACHE: usize = 200_000;
/// Records between two collections.
const EPOCH: u64 = 1_000_000;
/// Objects that one step makes.
const NODES: u64 = 8;

#[derive(Default)]
pub(crate) struct Program {
    next: u64,
    random: u64,
    records: u64,
    collections: u64,
    dead: Vec<ObjectId>,
    cache: VecDeque<(u32, Vec<ObjectId>)>,
    free_slots: Vec<u32>,
}

impl Program {
    /// A request: a method makes a list of nodes, walks it, and sometimes puts it into the cache.
    pub(crate) fn step(&mut self, out: &mut Vec<Record>) {
        let from = out.len();
        let method = MethodId(1 + self.dice(50));
        let nodes: Vec<ObjectId> = (0..NODES).map(|_| self.allocate(out)).collect();
        let first = nodes.first().copied();
        out.push(Record::Entry {
            method,
            receiver: first,
        });
        for pair in nodes.windows(2) {
            if let [source, target] = pair {
                out.push(update(Some(*source), 0, None, Some(*target)));
            }
        }
        out.extend(nodes.iter().map(|node| Record::Use(*node)));
        if self.dice(8) == 0 {
            self.keep(nodes, out);
        } else {
            self.dead.extend(nodes);
        }
        let lists = self.cache.len() as u32;
        let at = self.dice(1 + lists) as usize;
        if let Some((_, list)) = self.cache.get(at) {
            out.extend(list.iter().take(3).map(|node| Record::Use(*node)));
        }
        out.push(Record::Exit {
            method,
            receiver: first,
        });
        self.records += (out.len() - from) as u64;
        if self.records / EPOCH > self.collections {
            self.collect(out);
        }
    }

    /// The last collection.
    pub(crate) fn end(&mut self, out: &mut Vec<Record>) {
        self.collect(out);
    }

    fn keep(&mut self, nodes: Vec<ObjectId>, out: &mut Vec<Record>) {
        if self.cache.len() * NODES as usize >= CACHE
            && let Some((slot, old)) = self.cache.pop_front()
        {
            out.push(update(None, slot, old.first().copied(), None));
            self.free_slots.push(slot);
            self.dead.extend(old);
        }
        // At most a slot per list of the cache.
        let slot = self.free_slots.pop().unwrap_or(self.cache.len() as u32);
        out.push(update(None, slot, None, nodes.first().copied()));
        self.cache.push_back((slot, nodes));
    }

    fn collect(&mut self, out: &mut Vec<Record>) {
        self.collections += 1;
        let micros = Some(self.records / 20);
        out.push(Record::Tick {
            advance: 0,
            reading: Reading {
                micros,
                ..Reading::default()
            },
        });
        out.push(Record::Collection {
            number: self.collections,
            complete: false,
        });
        out.extend(self.dead.drain(..).map(Record::Dead));
        out.push(Record::CollectionEnd);
    }

    fn allocate(&mut self, out: &mut Vec<Record>) -> ObjectId {
        self.next += 1;
        let object = ObjectId::new(self.next).unwrap_or(ObjectId::FIRST);
        let (ty, site) = (TypeId(1 + self.dice(40)), SiteId(1 + self.dice(300)));
        let bytes = 16 + 8 * u64::from(self.dice(10));
        out.push(Record::Allocation(Allocation {
            object,
            bytes,
            length: None,
            ty,
            site,
        }));
        object
    }

    /// A number below the limit.
    fn dice(&mut self, limit: u32) -> u32 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.random >> 33) % u64::from(limit)) as u32
    }
}

fn update(
    source: Option<ObjectId>,
    slot: u32,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
) -> Record {
    Record::Update {
        source,
        slot: SlotId(slot),
        old,
        new,
    }
}
