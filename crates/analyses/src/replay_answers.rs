//! The answers that a replay gives.

use rustc_hash::FxHashMap;

use crate::growth::builder::GrowthBuilder;
use crate::growth::groups::groups;
use crate::growth::span::{windows, within};
use crate::heap_at::builder::HeapSums;
use crate::timeline::builder::compose;
use crate::{Growth, GrowthBound, HeapAt, HeapReplay, LiveCaller, Timeline, TraceModel};
use ducktrack_count_model::{CountModel, FileDamage, SiteIndex};
use ducktrack_heap_replay::{CollectionNumber, EpochPart, EpochView, Moment};

impl HeapReplay {
    /// Notes the heap after the last collection, when its objects will have no more events.
    pub(crate) fn note_heap(&mut self) {
        let Some((collection, unix_micros)) = self.to_note.take() else {
            return;
        };
        if self.questions.timeline || self.questions.growth {
            let stretch = self.knowledge.stretch();
            self.samples
                .take(collection, unix_micros, &self.counts, stretch);
        }
        self.note_quality(collection);
        self.note_objects(collection, unix_micros);
        self.noted = Some((collection, unix_micros));
        self.answer(collection, unix_micros);
        self.answer_staleness(collection, unix_micros);
    }

    fn answer_staleness(&mut self, collection: u32, unix_micros: u64) {
        let asked = Moment::After(CollectionNumber(collection));
        if self.questions.staleness == Some(asked) {
            self.sum_staleness(collection, unix_micros);
        }
    }

    fn sum_staleness(&mut self, collection: u32, unix_micros: u64) {
        let known = self.stale.as_ref().filter(|_| self.knowledge.is_known());
        self.staleness = known
            .and_then(|stale| stale.answer((collection, unix_micros), &self.heap, &self.names));
    }

    /// Answers the question about the heap after the last collection after which it is known so far.
    pub(crate) fn answer_last(&mut self) {
        let is_asked = self.questions.heap_at.contains(&Moment::Last);
        let noted = self.noted.filter(|(number, _)| *number == self.epoch);
        let Some((number, unix_micros)) = noted.filter(|_| is_asked && self.knowledge.is_known())
        else {
            return;
        };
        let heap = self.sum_up().finish(
            Moment::After(CollectionNumber(number)),
            Some(CollectionNumber(number)),
            unix_micros,
            &self.spaces,
            &self.names,
        );
        self.answer_moment(Moment::Last, &heap);
    }

    /// Answers the questions about the heap after a collection.
    fn answer(&mut self, collection: u32, unix_micros: u64) {
        let moment = Moment::After(CollectionNumber(collection));
        for at in 0..self.questions.heap_at.len() {
            let is_asked = self.questions.heap_at.get(at) == Some(&moment);
            if is_asked && self.knowledge.is_known() {
                let heap = self.sum_up().finish(
                    moment,
                    Some(CollectionNumber(collection)),
                    unix_micros,
                    &self.spaces,
                    &self.names,
                );
                if let Some(answer) = self.heap_at.get_mut(at) {
                    answer.get_or_insert(heap);
                }
            }
        }
    }

    /// Adds all live objects up.
    fn sum_up(&self) -> HeapSums {
        let mut sums = HeapSums::default();
        for object in self.heap.iter() {
            sums.add(object, self.epoch, &self.spaces);
        }
        sums
    }

    /// The callers of all live objects.
    fn callers(&self) -> FxHashMap<SiteIndex, Vec<LiveCaller>> {
        self.sum_up().callers(&self.names)
    }

    /// The files have ended. `decode` must let the parts take the contents of all event blocks since the last collection.
    pub fn end(&mut self, decode: impl FnOnce(&EpochView<'_>, &mut [EpochPart])) {
        let ended = self.to_note.map_or(0, |(_, unix_micros)| unix_micros);
        self.note_heap();
        self.answer_last();
        self.abandon_sync();
        if self.questions.staleness == Some(Moment::End) {
            self.sum_staleness(self.epoch, ended);
        }
        let sums = self.decode(None, false, decode);
        self.allocated_after = sums.allocated;
        let mut heap = self.sum_up();
        let types = self.names.column_types();
        for part in &mut self.parts {
            for ((site, caller, ty), amount) in part.apart.drain() {
                let stated = types.get(site.position()).copied().unwrap_or_default();
                heap.set_apart(site, stated, (caller, ty), amount);
            }
            for (thread, amount) in part.threads.drain() {
                heap.add_thread(thread, amount);
            }
            part.drain_tallies(&self.names, |origin, tally| {
                let site = origin.site;
                let ty = types.get(site.position()).copied().unwrap_or_default();
                for amount in [tally.gone, tally.unplaced] {
                    heap.add_new(site, ty, amount);
                    self.lifetimes.allocated(origin, amount);
                    self.lifetimes.not_yet_collected(origin, amount);
                }
                self.lifetimes.allocated(origin, tally.stragglers);
                self.lifetimes
                    .straggled(origin, tally.stragglers, self.epoch);
                self.lifetimes.eliminated(origin, tally.eliminated);
            });
        }
        if !self.knowledge.is_known() {
            self.lifetimes.settle();
        }
        if self.knowledge.is_known() && self.questions.heap_at.contains(&Moment::End) {
            let collection = (self.epoch > 0).then_some(CollectionNumber(self.epoch));
            let heap = heap.finish(
                Moment::End,
                collection,
                self.info.end_micros,
                &self.spaces,
                &self.names,
            );
            self.answer_moment(Moment::End, &heap);
        }
    }

    fn answer_moment(&mut self, asked: Moment, heap: &HeapAt) {
        let answers = self.questions.heap_at.iter().zip(&mut self.heap_at);
        for (_, answer) in answers.filter(|(moment, _)| **moment == asked) {
            *answer = Some(heap.clone());
        }
    }

    /// All answers. `count` is what the definitions say, `damage` what was found wrong with event files.
    pub fn finish(mut self, count: CountModel, damage: Vec<FileDamage>) -> TraceModel {
        let known = self.knowledge.is_known() || self.knowledge.follows_any();
        let stretches = self.knowledge.stretches().to_vec();
        let followed = stretches.iter().map(|stretch| stretch.collections());
        let collections = match known {
            true => followed.sum(),
            false => self.info.collections,
        };
        let callers = self.questions.growth.then(|| self.callers());
        let samples = self.samples.finish();
        let types = &self.names.types;
        let timeline = self.questions.timeline.then(|| {
            let mut timeline = Timeline {
                points: self.points,
                allocated_after: self.allocated_after,
                start_micros: self.info.start_micros,
                end_micros: self.info.end_micros,
                ..Timeline::default()
            };
            compose(&mut timeline, &samples, types);
            timeline
        });
        if let Some(doubts) = &mut self.doubts {
            doubts.settle(self.heap.iter(), &self.spaces, None);
        }
        let doubts = self.doubts.take().unwrap_or_default();
        let growth = callers.map(|callers| {
            let start = count.run.start_unix_millis.saturating_mul(1_000);
            let bound = |bound: &Option<GrowthBound>, else_at: u64| {
                let moment = bound.as_ref().and_then(|bound| bound.moment(start, &count));
                moment.unwrap_or(else_at)
            };
            let from = bound(&self.questions.growth_from, 0);
            let until = bound(&self.questions.growth_until, u64::MAX);
            let samples = within(samples, from, until);
            let windows = windows(&count, &samples);
            let builder = GrowthBuilder {
                samples: &samples,
                types,
                site_types: self.names.column_types(),
                stretches: &stretches,
                doubts: &doubts,
                windows: &windows,
            };
            let rows = builder.rows(callers);
            Growth {
                groups: groups(&rows),
                rows,
                last_look: doubts.last_look(),
                collections,
                known,
                stretches: stretches.clone(),
                windows,
            }
        });
        let lifetimes = self.questions.lifetimes.then(|| {
            for object in self.heap.iter() {
                self.lifetimes.alive(object);
            }
            self.lifetimes.finish(collections, known)
        });
        let cost = self.costs.map(|costs| costs.finish(types));
        self.info.conflicts = self.heap.conflicts;
        self.info.knowledge_gaps = self.knowledge.gaps().to_vec();
        self.info.knowledge = self.knowledge.finish(self.info.collections);
        self.info.known_stretches = stretches;
        self.info.damage = damage;
        TraceModel {
            count,
            info: self.info,
            heap_at: self.heap_at,
            objects: self.objects,
            lifetimes,
            timeline,
            growth,
            cost,
            staleness: self.staleness,
        }
    }
}
