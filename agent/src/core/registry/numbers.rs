//! Assigns numbers to sites, counters and call sites while classes are rewritten.
//!
//! A class that is rewritten again gets the numbers it had. New elements take the next free number, without a lock.

use std::sync::atomic::{AtomicU32, Ordering};

use ducktrack_class_rewriter::{MethodProfile, Numbers, SiteKey};
use ducktrack_classfile::MemberRef;
use ducktrack_trace_format::FIRST_CALLED_SITE;
use rustc_hash::FxHashMap;

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
    first: FirstNumbers,
    site: AtomicU32,
    counter: AtomicU32,
    call_site: AtomicU32,
}

/// The first numbers of a run.
#[derive(Clone, Copy)]
struct FirstNumbers {
    site: u32,
    counter: u32,
    call_site: u32,
}

impl FirstNumbers {
    const OF_FIRST_RUN: Self = Self {
        site: FIRST_SITE,
        counter: FIRST_COUNTER,
        call_site: 1,
    };

    fn after(before: &NextNumbers) -> Self {
        Self {
            site: before.site.load(Ordering::Acquire),
            counter: before.counter.load(Ordering::Acquire),
            call_site: before.call_site.load(Ordering::Acquire),
        }
    }
}

impl NextNumbers {
    /// Code of the previous run may still execute, and its counts must not be mistaken for others.
    pub(super) fn new(most_sites: u32, before: Option<&Self>) -> Self {
        let first = before.map_or(FirstNumbers::OF_FIRST_RUN, FirstNumbers::after);
        Self {
            most_sites,
            first,
            site: AtomicU32::new(first.site),
            counter: AtomicU32::new(first.counter),
            call_site: AtomicU32::new(first.call_site),
        }
    }

    pub(super) fn first_site(&self) -> u32 {
        self.first.site
    }

    pub(super) fn is_own_counter(&self, counter: u32) -> bool {
        counter >= self.first.counter
    }

    pub(super) fn is_own_site(&self, site: u32) -> bool {
        site >= self.first.site
    }

    pub(super) fn is_own_call_site(&self, call_site: u32) -> bool {
        call_site >= self.first.call_site
    }

    /// The number of counters that this run has assigned.
    pub(super) fn counters(&self) -> u32 {
        self.counter_end() - self.first.counter
    }

    /// One more than the last counter number assigned.
    pub(super) fn counter_end(&self) -> u32 {
        self.counter.load(Ordering::Relaxed)
    }

    /// A new site that belongs to no class file.
    pub(super) fn new_site(&self) -> Option<u32> {
        self.take_sites(1)
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
    pub(super) sites: FxHashMap<SiteKey, u32>,
    pub(super) call_sites: FxHashMap<SiteKey, u32>,
    /// Re-instrumented methods with their versions.
    pub(crate) versions: FxHashMap<u16, u16>,
    /// The profiles for which they were planned.
    pub(crate) profiles: Vec<MethodProfile>,
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
        let take = |next: u32| next.checked_add(count).filter(|end| *end <= WORDS);
        self.next
            .counter
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .ok()
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

    fn method(&mut self, _: u16) -> Option<u32> {
        take(&METHODS, 1, MOST_METHODS)
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
