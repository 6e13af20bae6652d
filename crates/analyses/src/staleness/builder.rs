//! The staleness of live objects, worked out while a trace is replayed.

use ducktrack_trace_format::{Collection, CollectionKind, FormatError, decode_uses};
use rustc_hash::FxHashMap;

use crate::heap_at::live_rows::Part;
use crate::staleness::last_uses::LastUses;
use crate::{Levels, StaleCaller, StalePoint, StaleSite, StaleType, Staleness};
use ducktrack_count_model::{CallerColumn, SiteColumn, TraceNames, TypeColumn};
use ducktrack_heap_replay::{CollectionNumber, LiveHeap, LiveObject};

/// What a replay keeps for the question of staleness.
#[derive(Debug, Default)]
pub(crate) struct StalenessBuilder {
    pub(crate) uses: LastUses,
    /// By number: pauses in which something was collected, up to there.
    collected: Vec<u32>,
    /// When the last pause began.
    pause: Option<u64>,
    /// The first epoch whose uses are stated.
    since: Option<u32>,
    /// The last collection before which every object was looked at.
    all_until: u32,
    points: Vec<StalePoint>,
    /// Every this many points one is kept.
    stride: usize,
    passed: usize,
}

impl StalenessBuilder {
    /// Takes a block of uses, which come before the collection that ends their epoch.
    pub(crate) fn take(&mut self, content: &[u8], heap: &mut LiveHeap) -> Result<(), FormatError> {
        let (head, uses) = decode_uses(content)?;
        self.since.get_or_insert(head.epoch);
        if head.all {
            self.all_until = head.epoch.saturating_add(1);
        }
        for used in uses {
            let used = used?;
            if let Some(object) = heap.at_mut(used.address) {
                self.uses.used(object, used.epoch);
            }
        }
        Ok(())
    }

    /// A collection was applied.
    pub(crate) fn note(&mut self, collection: &Collection) {
        let before = self.collected.last().copied().unwrap_or(0);
        let number = collection.number as usize;
        // Missing numbers cannot be distinguished from collections that collected.
        let missing = number.saturating_sub(self.collected.len().max(1));
        let many = u32::try_from(missing).unwrap_or(u32::MAX);
        if missing < MOST_MISSING {
            self.collected.resize(number, before.saturating_add(many));
        }
        let before = self.collected.last().copied().unwrap_or(0);
        // Several collections in one pause: the program did not run in between.
        let same =
            self.pause.replace(collection.start_unix_micros) == Some(collection.start_unix_micros);
        if same && collection.number == self.all_until.saturating_add(1) {
            self.all_until = collection.number;
            self.points
                .pop_if(|last| last.collection.0 + 1 == collection.number);
        }
        let collects = collection.kind != CollectionKind::Cleanup;
        self.collected.push(before + u32::from(collects && !same));
        if collects && self.since.is_some() && self.all_until == collection.number {
            self.add_point(collection);
        }
    }

    fn add_point(&mut self, collection: &Collection) {
        self.passed += 1;
        let stride = self.stride.max(1);
        if !self.passed.is_multiple_of(stride) {
            return;
        }
        let levels = self.levels(collection.number);
        self.points.push(StalePoint {
            collection: CollectionNumber(collection.number),
            unix_micros: collection.end_unix_micros,
            levels,
        });
        if self.points.len() >= Staleness::MOST_POINTS {
            let mut is_odd = false;
            self.points.retain(|_| {
                is_odd = !is_odd;
                !is_odd
            });
            self.stride = 2 * stride;
            self.passed = 0;
        }
    }

    /// How often collections have collected up to one.
    fn collected(&self, collection: u32) -> u32 {
        let known = self.collected.get(collection as usize);
        known.or(self.collected.last()).copied().unwrap_or(0)
    }

    /// The staleness, after a collection, of what was used last in an epoch.
    fn staleness(&self, used: u32, collection: u32) -> u32 {
        let used = used.max(self.since.unwrap_or(0));
        let between = self
            .collected(collection)
            .saturating_sub(self.collected(used));
        between.saturating_sub(1)
    }

    /// The trace states uses.
    pub(crate) fn knows_uses(&self) -> bool {
        self.since.is_some()
    }

    /// The staleness of a live object after a collection.
    pub(crate) fn of(&self, object: &LiveObject, collection: u32) -> u32 {
        self.staleness(object.used, collection)
    }

    fn levels(&self, collection: u32) -> Levels {
        let mut levels = Levels::default();
        for (used, amount) in (0..).zip(self.uses.by_epoch()) {
            levels.add(self.staleness(used, collection), *amount);
        }
        levels
    }

    /// The tables after a collection; `None`: the trace states no uses until then.
    pub(crate) fn answer(
        &self,
        (collection, unix_micros): (u32, u64),
        heap: &LiveHeap,
        names: &TraceNames,
    ) -> Option<Staleness> {
        let since = self.since?;
        let mut parts: FxHashMap<Part, Levels> = FxHashMap::default();
        for object in heap.iter() {
            let part = (object.site, object.caller, object.ty);
            let staleness = self.of(object, collection);
            let levels = parts.entry(part).or_default();
            levels.add(staleness, ducktrack_live_heap::Amount::one(object.bytes()));
        }
        let mut levels = Levels::default();
        parts.values().for_each(|part| levels.join(part));
        let mut points: Vec<StalePoint> = self.points.clone();
        points.retain(|point| point.collection.0 < collection);
        points.push(StalePoint {
            collection: CollectionNumber(collection),
            unix_micros,
            levels: levels.clone(),
        });
        Some(Staleness {
            collection: CollectionNumber(collection),
            unix_micros,
            all_until: CollectionNumber(self.all_until.min(collection)),
            since: CollectionNumber(since),
            levels,
            types: types(
                parts.iter().map(|((_, _, ty), levels)| (*ty, levels)),
                names,
            ),
            sites: sites(&parts, names),
            points,
        })
    }
}

/// More numbers than this are not missing, the trace is damaged.
const MOST_MISSING: usize = 1 << 24;

fn types<'a>(
    parts: impl Iterator<Item = (TypeColumn, &'a Levels)>,
    names: &TraceNames,
) -> Vec<StaleType> {
    let rows = summed(parts).into_iter().map(|(ty, levels)| StaleType {
        ty: names.types.name(ty).cloned(),
        levels,
    });
    let mut rows: Vec<StaleType> = rows.collect();
    rows.sort_by(|a, b| (bytes(&b.levels), &a.ty).cmp(&(bytes(&a.levels), &b.ty)));
    rows
}

fn sites(parts: &FxHashMap<Part, Levels>, names: &TraceNames) -> Vec<StaleSite> {
    let mut by_site: FxHashMap<SiteColumn, Vec<(CallerColumn, TypeColumn, &Levels)>> =
        FxHashMap::default();
    for ((site, caller, ty), levels) in parts {
        by_site
            .entry(*site)
            .or_default()
            .push((*caller, *ty, levels));
    }
    let row = |(site, parts): (SiteColumn, Vec<(CallerColumn, TypeColumn, &Levels)>)| {
        let mut levels = Levels::default();
        parts.iter().for_each(|(_, _, part)| levels.join(part));
        StaleSite {
            site: site.site(),
            levels,
            callers: callers(&parts),
            types: types(parts.iter().map(|(_, ty, levels)| (*ty, *levels)), names),
        }
    };
    let mut rows: Vec<StaleSite> = by_site.into_iter().map(row).collect();
    rows.sort_by(|a, b| (bytes(&b.levels), a.site).cmp(&(bytes(&a.levels), b.site)));
    rows
}

fn callers(parts: &[(CallerColumn, TypeColumn, &Levels)]) -> Vec<StaleCaller> {
    let by_caller = summed(parts.iter().map(|(caller, _, levels)| (*caller, *levels)));
    let mut rows: Vec<StaleCaller> = by_caller
        .into_iter()
        .map(|(caller, levels)| StaleCaller {
            call: caller.call(),
            levels,
        })
        .collect();
    if rows.iter().all(|row| row.call.is_none()) {
        rows.clear();
    }
    rows.sort_by(|a, b| (bytes(&b.levels), a.call).cmp(&(bytes(&a.levels), b.call)));
    rows
}

fn summed<'a, K: core::hash::Hash + Eq>(
    parts: impl Iterator<Item = (K, &'a Levels)>,
) -> FxHashMap<K, Levels> {
    let mut sums: FxHashMap<K, Levels> = FxHashMap::default();
    for (key, levels) in parts {
        sums.entry(key).or_default().join(levels);
    }
    sums
}

fn bytes(levels: &Levels) -> u64 {
    levels.total().bytes
}
