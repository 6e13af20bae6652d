//! Collections of the naive machine: who lives on and where, and what the trace has of it.

use ducktrack_trace_format::{
    AddressRange, CallSiteId, Collection, CollectionCounts, CollectionKind, EventFlags, Explained,
    HeapClassId, MoveEncoder, MovesLevel, SiteId, Space, SpaceKind, SyncEncoder, SyncObject,
    ThreadCut, ThreadId, encode_explained,
};

use super::{
    EDEN, ExpectedHeap, HALF, HUGE, HUGE_NAMED, Kind, NaiveSurvivor, NaiveThread, NaiveVm, OLD,
    Object, Piece, SITES, SURVIVORS, THREADS, called_by, called_site,
};

impl NaiveVm {
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

    pub(super) fn collect(&mut self, kind: Kind, chance: u32, straggler: Option<u32>, sync: bool) {
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
        // Written as a word of its own, or with the top, or after the thread has noticed the collection.
        let site = SiteId(SITES[0].0);
        let caller = self.objects[object].caller;
        match object % 5 {
            4 => self.put(thread, |words| called_by(caller, words).straddle(site, 0)),
            kind => self.put_unaware(thread, |words| match kind {
                0 if caller > 0 => words.site(called_site(site.0, caller), 2),
                0 | 2 => called_by(caller, words).site(site, 2),
                _ => called_by(caller, words).at(site, last + 16),
            }),
        }
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
        // Two threads of the collector copy, each into a half of the space of its own.
        let mut to_tops = [SURVIVORS[to], SURVIVORS[to] + HALF];
        if kind == Kind::Full {
            self.old_top = OLD;
        }
        let (mut encoder, mut explained, mut moves) = (MoveEncoder::new(), Vec::new(), Vec::new());
        let counts = &mut CollectionCounts::default();
        let mut survivors = Vec::new();
        for at in order {
            let lives = (self.next_random() >> 20) % 8 < u64::from(chance);
            let goes_to_old = kind == Kind::Full || self.next_random() >> 30 & 3 == 0;
            let half = (self.objects[at].address / 64 % 2) as usize;
            let object = &mut self.objects[at];
            if !lives {
                object.death = Some(self.epoch);
                continue;
            }
            let from = object.address;
            let top = if goes_to_old {
                &mut self.old_top
            } else {
                &mut to_tops[half]
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
            let is_second_empty = to_tops[1] == SURVIVORS[to] + HALF;
            (self.from, self.from_top) = (to, to_tops[usize::from(!is_second_empty)]);
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
