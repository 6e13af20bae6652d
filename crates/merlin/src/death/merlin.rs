//! The driver: records in, fates out.

use rustc_hash::FxHashSet;

use crate::death::clock::{Clock, Instant};
use crate::death::contradictions::Contradictions;
use crate::death::fate::Fate;
use crate::death::object_table::{GLOBALS, Object, ObjectTable, State};
use crate::death::propagation::{Death, propagate};
use crate::death::references::{References, Target};
use crate::death::replaced::ReplacedType;
use crate::death::run_totals::{CollectionTotals, Level, ObjectSum, RunTotals, Uses};
use crate::stream::record::{Allocation, Definition, ObjectId, Record, SlotId, ThreadId, Time};

/// Computes death times while records come.
#[derive(Debug, Default)]
pub struct Merlin {
    clock: Clock,
    thread: ThreadId,
    objects: ObjectTable,
    references: References,
    live: ObjectSum,
    collection: Option<CollectionTotals>,
    doomed: Vec<u32>,
    /// The object of the last `Dead` record.
    last_dead: Option<u32>,
    /// The last complete collection: live objects that were born before it were reachable then.
    seen: Option<Instant>,
    replaced: ReplacedType,
    totals: RunTotals,
}

impl Merlin {
    /// Takes a record; fates that became known go to `fates`, one by one.
    pub fn apply(&mut self, record: &Record, fates: &mut impl Extend<Fate>) {
        if self.collection.is_some() && record.is_event() {
            self.totals.contradictions.misplaced += 1;
        }
        match record {
            Record::Allocation(allocation) => self.allocate(allocation),
            Record::Update {
                source,
                slot,
                old,
                new,
            } => self.update(*source, *slot, Some(*old), *new),
            Record::Store { source, slot, new } => self.update(*source, *slot, None, *new),
            Record::Use(object) => {
                self.totals.events.uses += 1;
                let now = self.clock.event();
                self.used(*object, now);
            }
            Record::Root { object, .. } => {
                self.totals.events.roots += 1;
                let now = self.clock.event();
                if let Some(object) = self.object(*object) {
                    object.held = now;
                }
            }
            Record::Entry { receiver, .. } => {
                self.totals.events.entries += 1;
                let now = self.clock.entry();
                if let Some(receiver) = receiver {
                    self.used(*receiver, now);
                }
            }
            Record::Exit { .. } => {
                self.totals.events.exits += 1;
                self.clock.event();
            }
            Record::ExceptionalExit { exception, .. } => {
                self.totals.events.exits += 1;
                let now = self.clock.event();
                if let Some(exception) = exception {
                    self.used(*exception, now);
                }
            }
            Record::Thread(thread) => self.thread = *thread,
            Record::Tick { advance, reading } => self.clock.tick(*advance, reading),
            Record::Collection { number, complete } => self.begin_collection(*number, *complete),
            Record::Dead(object) => self.dead(*object),
            Record::Kept(object) => self.kept(*object),
            Record::Stamp { object, used, lost } => self.stamp(*object, *used, *lost),
            Record::Reference { slot, target } => self.reference(*slot, *target),
            Record::CollectionEnd => self.end_collection(fates),
            Record::Definition(definition) => self.define(definition),
        }
    }

    /// The thread of the next event: a block of a stream states it.
    pub fn set_thread(&mut self, thread: ThreadId) {
        self.thread = thread;
    }

    /// Objects that are not reported dead.
    #[must_use]
    pub fn live_objects(&self) -> usize {
        self.objects.len()
    }

    /// The contradictions so far.
    #[must_use]
    pub fn contradictions(&self) -> Contradictions {
        Contradictions {
            clocks_back: self.clock.went_back(),
            ..self.totals.contradictions
        }
    }

    /// The present.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.clock.now()
    }

    /// The end of the stream: the fates of what is not reported dead, by id, and the sums.
    #[must_use]
    pub fn finish(mut self, fates: &mut Vec<Fate>) -> RunTotals {
        self.end_collection(fates);
        let from = fates.len();
        for object in self.objects.alive() {
            fates.push(self.fate(object, None));
        }
        if let Some(alive) = fates.get_mut(from..) {
            alive.sort_unstable_by_key(|fate| fate.object);
        }
        self.totals.clocks = self.clock.known();
        self.totals.end = self.clock.now();
        self.totals.contradictions = self.contradictions();
        self.totals
    }

    fn allocate(&mut self, allocation: &Allocation) {
        let born = self.clock.allocation(allocation.bytes);
        self.totals.events.allocations += 1;
        if !self.objects.insert(allocation, born, self.thread) {
            self.totals.contradictions.doubled_allocations += 1;
            return;
        }
        self.totals.allocated.add(allocation.bytes);
        self.live.add(allocation.bytes);
    }

    fn update(
        &mut self,
        source: Option<ObjectId>,
        slot: SlotId,
        told: Option<Option<ObjectId>>,
        new: Option<ObjectId>,
    ) {
        self.totals.events.updates += 1;
        let now = self.clock.event();
        let from = match source {
            None => Some(GLOBALS),
            Some(source) => self.used(source, now),
        };
        let new = new.and_then(|new| self.find(new));
        let target = new.and_then(|place| self.target(place));
        let before = from.and_then(|from| self.set(from, slot, target, now));
        let Some(Some(old)) = told else {
            if told.is_some() && before.is_some() {
                self.other_old_target();
            }
            return;
        };
        if let Some(place) = self.find(old) {
            if before.is_some_and(|before| before.place != place) {
                self.other_old_target();
            }
            if let Some(old) = self.objects.get_mut(place) {
                old.held = now;
            }
        }
    }

    /// The reference was changed by something that is not in the stream.
    fn other_old_target(&mut self) {
        match self.totals.uses {
            Uses::Stamps => self.totals.unseen_updates += 1,
            _ => self.totals.contradictions.other_old_targets += 1,
        }
    }

    /// Stores the target and stamps what was there before.
    fn set(
        &mut self,
        from: u32,
        slot: SlotId,
        target: Option<Target>,
        now: Instant,
    ) -> Option<Target> {
        let source = self.objects.get_mut(from)?;
        let born = source.born;
        let before = self
            .references
            .set(from, &mut source.references, slot.0, target);
        match target.and_then(|target| self.objects.target_mut(target)) {
            Some(object) => {
                object.referrers = object.referrers.saturating_add(1);
                let stores = &mut self.totals.shape.stores;
                match from {
                    GLOBALS => stores.from_globals += 1,
                    _ => stores.add(born, object.born),
                }
            }
            None => self.totals.shape.stores.emptied += 1,
        }
        if let Some(old) = before.and_then(|old| self.objects.target_mut(old)) {
            old.referrers = old.referrers.saturating_sub(1);
            old.held = now;
        }
        before
    }

    fn begin_collection(&mut self, number: u64, complete: bool) {
        if self.collection.is_some() {
            self.totals.contradictions.misplaced += 1;
        }
        self.clock.mark();
        self.collection = Some(CollectionTotals {
            number,
            complete,
            at: self.clock.now(),
            ..CollectionTotals::default()
        });
        self.doomed.clear();
        self.last_dead = None;
    }

    fn dead(&mut self, object: ObjectId) {
        self.last_dead = None;
        if self.collection.is_none() {
            self.totals.contradictions.misplaced += 1;
            return;
        }
        let Some(place) = self.find(object) else {
            return;
        };
        let Some(object) = self.objects.get_mut(place) else {
            return;
        };
        self.last_dead = Some(place);
        if object.state == State::Alive {
            object.state = State::Doomed;
            self.doomed.push(place);
        }
    }

    fn kept(&mut self, object: ObjectId) {
        // 2^32 collections take longer than any run.
        let number = self.totals.collections.len() as u32 + 1;
        if self.collection.is_none() {
            self.totals.contradictions.misplaced += 1;
        } else if let Some(object) = self.object(object) {
            object.kept = number;
        }
    }

    fn stamp(&mut self, object: ObjectId, used: Option<Time>, lost: Option<Time>) {
        self.totals.events.stamps += 1;
        let used = used.map(|used| self.clock.at(used));
        let lost = lost.map(|lost| self.clock.at(lost));
        // Of the dead object before, as a rule.
        let dead = self.last_dead.and_then(|place| self.objects.get(place));
        let known = dead.filter(|dead| dead.id == object.get());
        let place = match known.and(self.last_dead) {
            Some(place) => place,
            None => match self.find(object) {
                Some(place) => place,
                None => return,
            },
        };
        if self.totals.uses == Uses::Stamps && self.last_dead == Some(place) {
            // Its references follow as they were, including those that no update stated.
            self.release_references(place);
        }
        if let Some(object) = self.objects.get_mut(place) {
            object.used = object.used.later(used.unwrap_or_default());
            object.held = object.held.later(lost.unwrap_or_default());
            object.is_stamped = true;
        }
    }

    fn reference(&mut self, slot: SlotId, target: ObjectId) {
        let Some(from) = self.last_dead else {
            self.totals.contradictions.misplaced += 1;
            return;
        };
        let target = self.find(target).and_then(|place| self.target(place));
        if let (Some(target), Some(source)) = (target, self.objects.get_mut(from)) {
            let list = &mut source.references;
            let before = self.references.set(from, list, slot.0, Some(target));
            if before.is_none()
                && let Some(object) = self.objects.target_mut(target)
            {
                object.referrers = object.referrers.saturating_add(1);
            }
        }
    }

    fn end_collection(&mut self, fates: &mut impl Extend<Fate>) {
        let Some(mut collection) = self.collection.take() else {
            return;
        };
        let doomed = std::mem::take(&mut self.doomed);
        let referred = self
            .replaced
            .referred(&doomed, &self.objects, &self.references);
        let (deaths, raised) = propagate(
            &doomed,
            self.seen,
            &mut self.objects,
            &self.references,
            &mut self.totals.shape,
        );
        self.totals.raised += raised;
        self.bury(&deaths, &referred, &mut collection, fates);
        self.objects.age();
        collection.live = self.live;
        if collection.complete {
            self.seen = Some(collection.at);
        }
        self.totals.collections.push(collection);
        self.doomed = doomed;
    }

    /// Writes the fates of the dead, and takes them and their references away.
    fn bury(
        &mut self,
        deaths: &[Death],
        referred: &FxHashSet<u32>,
        collection: &mut CollectionTotals,
        fates: &mut impl Extend<Fate>,
    ) {
        let at = collection.at;
        for death in deaths {
            let Some(object) = self.objects.get(death.place) else {
                continue;
            };
            let mut fate = self.fate(object, Some((*death, at)));
            let groups = &mut self.totals.shape.groups;
            groups.unreferenced += u64::from(fate.referrers == 0);
            groups.referrers.add(fate.referrers.into());
            groups.references.add(fate.references.into());
            collection.dead.add(fate.bytes);
            self.totals.dead.add(fate.bytes);
            if !self.knows_death(object) {
                fate.unreachable = None;
                self.totals.unstamped += u64::from(self.totals.level != Level::Bounds);
            } else if self
                .replaced
                .leaves_open(&fate, referred.contains(&death.place))
            {
                fate.unreachable = None;
                self.totals.replaced += 1;
            }
            fates.extend([fate]);
        }
        for death in deaths {
            self.release_references(death.place);
        }
        for death in deaths {
            if let Some(object) = self.objects.get(death.place) {
                let is_referenced = u64::from(object.referrers > 0);
                match self.totals.uses {
                    Uses::Stamps => self.totals.unseen_updates += is_referenced,
                    _ => self.totals.contradictions.dead_but_referenced += is_referenced,
                }
                self.live.objects -= 1;
                self.live.bytes = self.live.bytes.saturating_sub(object.bytes);
            }
            self.objects.remove(death.place);
        }
    }

    fn release_references(&mut self, place: u32) {
        let Some(object) = self.objects.get(place) else {
            return;
        };
        let mut list = object.references;
        for target in self.references.targets(list) {
            if let Some(target) = self.objects.target_mut(target) {
                target.referrers = target.referrers.saturating_sub(1);
            }
        }
        self.references.clear(place, &mut list);
        if let Some(object) = self.objects.get_mut(place) {
            object.references = list;
        }
    }

    fn fate(&self, object: &Object, death: Option<(Death, Instant)>) -> Fate {
        let kept = (object.kept as usize)
            .checked_sub(1)
            .and_then(|at| self.totals.collections.get(at));
        let kept = kept.map(|collection| collection.at);
        let seen = self.seen.filter(|seen| object.born.time < seen.time);
        Fate {
            // Objects of the table have ids that are no zero.
            object: ObjectId::new(object.id).unwrap_or(ObjectId::FIRST),
            ty: object.ty,
            site: object.site,
            thread: object.thread,
            bytes: object.bytes,
            length: object.length,
            born: object.born,
            used: self.knows_uses(object).then_some(object.used),
            unreachable: death.map(|(death, _)| death.at),
            kept: later(kept, seen),
            collected: death.map(|(_, at)| at),
            referrers: object.referrers,
            references: object.references.len(),
            is_key: death.is_some_and(|(death, _)| death.is_key),
        }
    }

    /// Whether the stream has the moment at which it could be reached last.
    fn knows_death(&self, object: &Object) -> bool {
        match (self.totals.level, self.totals.uses) {
            (Level::Bounds, _) => false,
            (Level::Deaths, _) | (_, Uses::Stamps) => object.is_stamped,
            (Level::Full, _) => true,
        }
    }

    /// Whether its last use is known: from records on it, or from its stamp.
    fn knows_uses(&self, object: &Object) -> bool {
        self.knows_death(object) && self.totals.uses != Uses::None
    }

    fn define(&mut self, definition: &Definition) {
        self.replaced.define(definition);
        let Definition::Fact { key, value } = definition else {
            return;
        };
        match key.as_str() {
            "level" => self.totals.level = Level::of(value).unwrap_or(self.totals.level),
            "uses" => self.totals.uses = Uses::of(value),
            _ => {}
        }
    }

    /// Notes a use and gives the object's place.
    #[inline]
    fn used(&mut self, object: ObjectId, now: Instant) -> Option<u32> {
        let place = self.find(object)?;
        self.objects.get_mut(place)?.used = now;
        Some(place)
    }

    #[inline]
    fn object(&mut self, object: ObjectId) -> Option<&mut Object> {
        let place = self.find(object)?;
        self.objects.get_mut(place)
    }

    #[inline]
    fn find(&mut self, object: ObjectId) -> Option<u32> {
        let place = self.objects.find(object);
        let contradictions: &mut Contradictions = &mut self.totals.contradictions;
        contradictions.unknown_objects += u64::from(place.is_none());
        place
    }

    fn target(&self, place: u32) -> Option<Target> {
        let tenant = self.objects.get(place)?.tenant;
        Some(Target { place, tenant })
    }
}

/// The later of what is known.
fn later(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.later(other)),
        (one, other) => one.or(other),
    }
}
