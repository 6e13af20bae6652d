//! Assigns numbers to sites, counters and call sites while classes are rewritten.
//!
//! A class that is rewritten again gets the numbers it had. New elements take the next free number, without a lock.

use std::sync::atomic::{AtomicU32, Ordering};

use ducktrack_class_rewriter::{MethodProfile, Numbers, PlannedCounter, SiteKey};
use ducktrack_classfile::MemberRef;
use ducktrack_trace_format::FIRST_CALLED_SITE;
use rustc_hash::FxHashMap;

use super::counter_plan::{CounterRange, Plan, meaning};
use super::identity::EntryId;
use crate::core::field_offsets;
use crate::threads::counter_block::{FIRST_COUNTER, WORDS};

/// A key holds the site in its low 32 bits and the call site above.
pub(crate) const MOST_SITES: u32 = i32::MAX as u32;

/// Limit where sites are numbers in event words. Larger numbers stand for sites with their callers, and for other facts about an object.
pub(crate) const MOST_SITES_OF_EVENTS: u32 = FIRST_CALLED_SITE;

/// Smaller numbers are escapes in the words of allocation events.
const FIRST_SITE: u32 = 16;

/// The next free numbers, read and advanced without a lock while classes are rewritten.
pub(crate) struct NextNumbers {
    most_sites: u32,
    first_site: u32,
    is_later_run: bool,
    site: AtomicU32,
    counter: AtomicU32,
    call_site: AtomicU32,
}

impl NextNumbers {
    /// Code of the previous run may still execute, and its counts must not be mistaken for others: its numbers stay those of its classes.
    pub(super) fn new(most_sites: u32, before: Option<&Self>) -> Self {
        let after = |number: fn(&Self) -> &AtomicU32, first: u32| {
            before.map_or(first, |before| number(before).load(Ordering::Acquire))
        };
        let first_site = after(|before| &before.site, FIRST_SITE);
        let first_counter = after(|before| &before.counter, FIRST_COUNTER);
        Self {
            most_sites,
            first_site,
            is_later_run: first_site != FIRST_SITE || first_counter != FIRST_COUNTER,
            site: AtomicU32::new(first_site),
            counter: AtomicU32::new(first_counter),
            call_site: AtomicU32::new(after(|before| &before.call_site, 1)),
        }
    }

    /// Whether a run before this one has taken numbers.
    fn are_of_later_run(&self) -> bool {
        self.is_later_run
    }

    pub(super) fn first_site(&self) -> u32 {
        self.first_site
    }

    pub(super) fn most_sites(&self) -> u32 {
        self.most_sites
    }

    /// One more than the last counter number assigned.
    pub(super) fn counter_end(&self) -> u32 {
        self.counter.load(Ordering::Relaxed)
    }

    /// A new site that belongs to no class file.
    pub(super) fn new_site(&self) -> Option<u32> {
        self.take_sites(1)
    }

    /// The first of `count` new counters that belong to no class file.
    pub(super) fn new_counters(&self, count: u32) -> Option<u32> {
        take(&self.counter, count, WORDS)
    }

    /// Takes `count` site numbers; returns the first.
    fn take_sites(&self, count: u32) -> Option<u32> {
        take(&self.site, count, self.most_sites)
    }

    fn new_call_site(&self) -> Option<u32> {
        take(&self.call_site, 1, MOST_SITES)
    }
}

/// The numbers already assigned to a class when it is rewritten.
#[derive(Default)]
pub(crate) struct KnownClass {
    /// Where the registry keeps them, if it does.
    pub(super) entry: Option<EntryId>,
    pub(super) sites: FxHashMap<SiteKey, u32>,
    pub(super) call_sites: FxHashMap<SiteKey, u32>,
    /// The counters of the last rewriting. This one takes them again, as long as it asks for the same.
    pub(super) plan: Plan,
    pub(super) called: FxHashMap<u16, u32>,
    /// The counters that this rewriting has taken.
    pub(super) taken: Vec<CounterRange>,
    /// How many of these are those of the last rewriting.
    pub(super) repeated: usize,
    /// Re-instrumented methods with their versions.
    pub(crate) versions: FxHashMap<u16, u16>,
    /// The profiles for which they were planned.
    pub(crate) profiles: Vec<MethodProfile>,
}

impl KnownClass {
    /// The plan is another than last time: it takes new counters.
    pub(crate) fn take_new_counters(&mut self) {
        self.plan = Plan::default();
        self.taken.clear();
        self.repeated = 0;
    }

    /// Whether the counters that this rewriting took again from the last one of the class still count the same.
    pub(crate) fn counts_the_same(&self, counters: &[PlannedCounter]) -> bool {
        self.repeated == 0 || self.plan.meaning == meaning(counters)
    }

    /// Sets the version of a method and the profile for which it is planned.
    pub(crate) fn set_version(
        &mut self,
        method: u16,
        version: u16,
        profile: Option<MethodProfile>,
    ) {
        if self.versions.insert(method, version) != Some(version) {
            self.take_new_counters();
        }
        self.profiles.retain(|old| old.method != method);
        self.profiles.extend(profile);
    }

    /// Takes the next counters of the last rewriting, if it took as many there.
    fn repeat_counters(&mut self, count: u32) -> Option<CounterRange> {
        let next = *self.plan.counters.get(self.taken.len())?;
        let is_same = self.repeated == self.taken.len() && next.count == count;
        self.repeated += usize::from(is_same);
        is_same.then_some(next)
    }
}

/// Assigns numbers to one class that is being rewritten.
pub(crate) struct ClassNumbers<'a> {
    next: &'a NextNumbers,
    known: &'a mut KnownClass,
    /// Fields that this version of the class refers to, with their numbers.
    fields: Vec<(FieldKey, u32)>,
}

/// Numbers of methods in records of calls: of all runs, because code of earlier ones may still run.
static METHODS: AtomicU32 = AtomicU32::new(1);
const MOST_METHODS: u32 = 1 << 30;

/// Class, name and descriptor.
type FieldKey = [Box<[u8]>; 3];

impl<'a> ClassNumbers<'a> {
    pub(crate) fn new(next: &'a NextNumbers, known: &'a mut KnownClass) -> Self {
        Self {
            next,
            known,
            fields: Vec::new(),
        }
    }
}

impl Numbers for ClassNumbers<'_> {
    fn site(&mut self, key: SiteKey) -> Option<u32> {
        numbered(&mut self.known.sites, key, || self.next.new_site())
    }

    fn levels(&mut self, key: SiteKey, count: u8) -> Option<u32> {
        if let Some(first) = self.known.sites.get(&key) {
            return Some(*first);
        }
        let first = self.next.take_sites(u32::from(count))?;
        for (level, number) in (0..count).zip(first..) {
            self.known.sites.insert(SiteKey { level, ..key }, number);
        }
        Some(first)
    }

    fn counters(&mut self, count: u32) -> Option<u32> {
        let range = match self.known.repeat_counters(count) {
            Some(range) => range,
            None => CounterRange {
                first: take(&self.next.counter, count, WORDS)?,
                count,
            },
        };
        self.known.taken.push(range);
        Some(range.first)
    }

    fn call_site(&mut self, key: SiteKey) -> Option<u32> {
        numbered(&mut self.known.call_sites, key, || {
            self.next.new_call_site()
        })
    }

    fn field(&mut self, field: &MemberRef<'_>) -> Option<u32> {
        let key: FieldKey = [field.class, field.name, field.descriptor].map(Into::into);
        if let Some((_, number)) = self.fields.iter().find(|(known, _)| *known == key) {
            return Some(*number);
        }
        let number = field_offsets::number(field.class, field.name, field.descriptor)?;
        self.fields.push((key, number));
        Some(number)
    }

    fn method(&mut self, method: u16) -> Option<u32> {
        if let Some(number) = self.known.called.get(&method) {
            return Some(*number);
        }
        let number = take(&METHODS, 1, MOST_METHODS)?;
        self.known.called.insert(method, number);
        Some(number)
    }

    fn are_of_later_run(&self) -> bool {
        self.next.are_of_later_run()
    }
}

fn numbered(
    known: &mut FxHashMap<SiteKey, u32>,
    key: SiteKey,
    new: impl FnOnce() -> Option<u32>,
) -> Option<u32> {
    if let Some(number) = known.get(&key) {
        return Some(*number);
    }
    let number = new()?;
    known.insert(key, number);
    Some(number)
}

/// Takes `count` numbers below `most`; returns the first.
fn take(next: &AtomicU32, count: u32, most: u32) -> Option<u32> {
    let more = |number: u32| number.checked_add(count).filter(|end| *end <= most);
    next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
        .ok()
}
