//! Folds the records of a run, and cuts it into windows.
//!
//! A window ends with the first look at the counters (a snapshot) in another slot of the clock, so that the windows of all
//! processes lie beside each other. A window has only the counts that changed in it: the sums over all windows are the report's.

use std::collections::BTreeMap;

use ducktrack_count_model::{
    CallIndex, ContextName, CountModel, CountModelBuilder, Damage, MissingEnd, Run, SiteRow, Tally,
    ThreadRow, TraceNames,
};
use ducktrack_reports::{Completeness, Ending};
use ducktrack_trace_format::Record;
use rustc_hash::FxHashMap;

use crate::day::Day;
use crate::place::PlaceBook;
use crate::{Count, DayFacts, Place, RunFacts, SiteId, Window};

/// A run that is read.
#[derive(Clone, Debug)]
pub struct Recording {
    builder: CountModelBuilder,
    run: Run,
    window_millis: u64,
    /// Of the last look.
    slot: u64,
    /// Where the window that is open began.
    from: u64,
    /// The last look.
    last: u64,
    /// At the last cut.
    sums: FxHashMap<Key, Sums>,
    places: BTreeMap<SiteId, Place>,
    contexts: BTreeMap<SiteId, Vec<ContextName>>,
    days: Vec<DayFacts>,
    /// Where the last day began.
    standing: Standing,
}

/// A site, a caller, and a combination of contexts.
type Key = (SiteId, Option<SiteId>, Option<SiteId>);

/// Since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    made: Tally,
    materialized: Option<i64>,
}

/// The sums of a run at one moment.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    made: Tally,
    vm_bytes: Option<i64>,
    explained_bytes: Option<i64>,
}

impl Recording {
    /// A run of which nothing is known. Windows are as long as that, where there are looks at the counters.
    pub fn new(window_millis: u64) -> Self {
        Self {
            builder: CountModelBuilder::new(),
            run: Run::default(),
            window_millis: window_millis.max(1),
            slot: 0,
            from: 0,
            last: 0,
            sums: FxHashMap::default(),
            places: BTreeMap::new(),
            contexts: BTreeMap::new(),
            days: Vec::new(),
            standing: Standing::default(),
        }
    }

    /// Takes the next record.
    pub fn fold(&mut self, record: Record) {
        let moment = match &record {
            Record::Run(run) if self.from == 0 => {
                self.begin(run);
                None
            }
            Record::Snapshot(snapshot) => Some(snapshot.unix_millis),
            _ => None,
        };
        let before = self.builder.snapshots();
        self.builder.fold(record);
        if let Some(moment) = moment
            && self.builder.snapshots() > before
        {
            self.look(moment);
        }
    }

    /// Whether it is known which run this is: a program that has just started has written nothing yet.
    pub fn has_begun(&self) -> bool {
        self.from > 0
    }

    /// Takes what the reader found wrong with a file.
    pub fn damage(&mut self, file: impl Into<String>, damage: Damage) {
        self.builder.damage(file, damage);
    }

    /// Takes what the reader found of a run without an end.
    pub fn unended(&mut self, unended: MissingEnd) {
        self.builder.unended(unended);
    }

    /// How many days are over and have not been taken.
    pub fn finished_days(&self) -> usize {
        self.days.len().saturating_sub(1)
    }

    /// The days that are over; they are not given again.
    pub fn take_finished_days(&mut self) -> RunFacts {
        self.facts(self.finished_days())
    }

    /// Everything until now.
    pub fn finish(mut self) -> RunFacts {
        let (model, _) = self.take_model();
        self.finish_with(&model)
    }

    /// The counts until now, and the names that a replay of events needs. `finish_with` ends the recording.
    pub fn take_model(&mut self) -> (CountModel, TraceNames) {
        std::mem::take(&mut self.builder).finish_trace()
    }

    /// Everything until now, with these counts: those of `take_model`, or of the events of a traced run that could not write its own.
    pub fn finish_with(mut self, model: &CountModel) -> RunFacts {
        self.cut(model);
        self.close_day(model, true);
        let days = self.days.len();
        self.facts(days)
    }

    fn facts(&mut self, days: usize) -> RunFacts {
        RunFacts {
            run: self.run.clone(),
            days: self.days.drain(..days).collect(),
            places: self.places.clone(),
            contexts: self.contexts.clone(),
        }
    }

    fn begin(&mut self, run: &Run) {
        self.run = run.clone();
        self.from = run.start_unix_millis;
        self.last = self.from;
        self.slot = self.from / self.window_millis;
    }

    fn look(&mut self, moment: u64) {
        // A clock that was set back makes no window of negative length.
        self.last = self.last.max(moment);
        let slot = self.last / self.window_millis;
        if slot > self.slot {
            self.slot = slot;
            let model = self.builder.clone().finish();
            self.cut(&model);
        }
    }

    /// Ends the window with the values of this moment.
    fn cut(&mut self, model: &CountModel) {
        let window = Window {
            start: self.from,
            end: self.last,
        };
        self.from = self.last;
        let day = Day::of_millis(window.start);
        if self.days.last().is_none_or(|last| last.day < day) {
            self.days.push(empty_day(day));
        }
        self.add_window(model, window);
        if Day::of_millis(window.end) > day {
            self.close_day(model, false);
            self.days.push(empty_day(Day::of_millis(window.end)));
        }
    }

    fn add_window(&mut self, model: &CountModel, window: Window) {
        let book = PlaceBook::of(model);
        let contexts = self.combinations(model);
        let mut now: FxHashMap<Key, Sums> = FxHashMap::default();
        for (index, site) in model.indexed_sites() {
            for part in parts(site, &contexts) {
                let id = book.site_id(index, part.ty);
                let places = &mut self.places;
                places
                    .entry(id)
                    .or_insert_with(|| book.site(index, part.ty));
                let caller = part.call.map(|call| {
                    let id = book.call_id(call);
                    places.entry(id).or_insert_with(|| book.call(call));
                    id
                });
                let sum = now.entry((id, caller, part.context)).or_default();
                sum.made += part.sums.made;
                if let Some(objects) = part.sums.materialized {
                    *sum.materialized.get_or_insert(0) += objects;
                }
            }
        }
        let Some(day) = self.days.last_mut() else {
            return;
        };
        let number = u32::try_from(day.windows.len()).unwrap_or(u32::MAX);
        day.windows.push(window);
        for (key, sums) in &now {
            let before = self.sums.get(key).copied().unwrap_or_default();
            day.counts.extend(change(*key, number, *sums, before));
        }
        // A site of the last look that is missing in this one: it has become another (its ordinal, when more of its method became known).
        for (key, before) in self.sums.iter().filter(|(key, _)| !now.contains_key(key)) {
            day.counts
                .extend(change(*key, number, Sums::default(), *before));
        }
        self.sums = now;
    }

    /// The combination of contexts of each thread's row.
    fn combinations(&mut self, model: &CountModel) -> Vec<Option<SiteId>> {
        let of_thread = |thread: &ThreadRow| {
            let parts = model.contexts_of(thread);
            let texts: Vec<&str> = parts
                .iter()
                .flat_map(|part| [part.kind.as_str(), part.name.as_str()])
                .collect();
            let id = (!parts.is_empty()).then(|| SiteId::of(&texts))?;
            self.contexts.insert(id, parts);
            Some(id)
        };
        model.threads.iter().map(of_thread).collect()
    }

    /// Gives the last day its sums.
    fn close_day(&mut self, model: &CountModel, is_last: bool) {
        let completeness = Completeness::of(model, str::to_owned);
        let standing = Standing {
            made: model.total,
            vm_bytes: completeness.vm_bytes,
            explained_bytes: completeness.explained_bytes(),
        };
        let before = std::mem::replace(&mut self.standing, standing);
        let Some(day) = self.days.last_mut() else {
            return;
        };
        day.counts.sort_unstable();
        day.objects = standing.made.count - before.made.count;
        day.bytes = standing.made.bytes - before.made.bytes;
        let since =
            |now: Option<i64>, then: Option<i64>| now.map(|now| now - then.unwrap_or_default());
        day.vm_bytes = since(standing.vm_bytes, before.vm_bytes);
        day.explained_bytes = since(standing.explained_bytes, before.explained_bytes);
        if is_last {
            let ending = Ending::of(model);
            day.state = Some(ending.state);
            day.lost = lost(model, &ending);
        }
    }
}

fn empty_day(day: Day) -> DayFacts {
    DayFacts {
        day,
        windows: Vec::new(),
        counts: Vec::new(),
        objects: 0,
        bytes: 0,
        vm_bytes: None,
        explained_bytes: None,
        state: None,
        lost: None,
    }
}

/// Objects of a site.
struct Part<'m> {
    ty: Option<&'m str>,
    call: Option<CallIndex>,
    context: Option<SiteId>,
    sums: Sums,
}

/// The parts of a site by type, caller and contexts (given for each thread), and what reached the heap.
fn parts<'m>(site: &'m SiteRow, contexts: &[Option<SiteId>]) -> Vec<Part<'m>> {
    let mut all = Vec::new();
    for part in &site.parts {
        let mut made: BTreeMap<Option<SiteId>, Tally> = BTreeMap::new();
        let mut outside = part.tally;
        for thread in &part.threads {
            if let Some(context) = contexts.get(thread.thread.get()).copied().flatten() {
                *made.entry(Some(context)).or_default() += thread.tally;
                outside.count -= thread.tally.count;
                outside.bytes -= thread.tally.bytes;
            }
        }
        made.insert(None, outside);
        all.extend(made.into_iter().map(|(context, made)| Part {
            ty: part.ty.as_deref(),
            call: part.context,
            context,
            sums: Sums {
                made,
                materialized: None,
            },
        }));
    }
    let measured = site.materialized.filter(|_| !site.total.is_zero());
    all.extend(measured.map(|tally| Part {
        ty: site.ty.as_deref(),
        call: None,
        context: None,
        sums: Sums {
            made: Tally::default(),
            materialized: Some(tally.count),
        },
    }));
    all
}

/// The row of a window, if anything has changed.
fn change((site, caller, context): Key, window: u32, now: Sums, before: Sums) -> Option<Count> {
    let count = Count {
        site,
        caller,
        context,
        window,
        objects: now.made.count - before.made.count,
        bytes: now.made.bytes - before.made.bytes,
        materialized: match (now.materialized, before.materialized) {
            (None, None) => None,
            (now, before) => Some(now.unwrap_or_default() - before.unwrap_or_default()),
        },
    };
    let is_zero = count.objects == 0 && count.bytes == 0 && count.materialized.unwrap_or(0) == 0;
    (!is_zero).then_some(count)
}

/// The missing parts, in one line.
fn lost(model: &CountModel, ending: &Ending) -> Option<String> {
    let damage = model.damage.iter().map(|found| found.damage.to_string());
    let contradictions = model.inconsistencies.iter().map(ToString::to_string);
    let sentences: Vec<String> = ending
        .sentences
        .iter()
        .cloned()
        .chain(model.losses().iter().cloned())
        .chain(damage)
        .chain(contradictions)
        .collect();
    (!sentences.is_empty()).then(|| sentences.join("; "))
}
