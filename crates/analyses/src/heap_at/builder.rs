//! Adds the live objects up by type, site, caller, thread, age and space.

use ducktrack_trace_format::{SpaceKind, ThreadId};
use rustc_hash::FxHashMap;

use crate::HeapAt;
use crate::heap_at::live_rows::{
    Ages, Part, add_age, live_sites, live_spaces, live_threads, live_types, sum_of_ages,
};
use ducktrack_count_model::{CallerColumn, SiteColumn, TraceNames, TypeColumn};
use ducktrack_heap_replay::{CollectionNumber, Heap, LiveObject, Moment, Quality, SpaceMap};
use ducktrack_live_heap::{Amount, capped};

/// Sums over objects, at a moment before an epoch.
#[derive(Debug, Default)]
pub(crate) struct HeapSums {
    parts: FxHashMap<Part, Amount>,
    threads: FxHashMap<Option<ThreadId>, Amount>,
    ages: Ages,
    spaces: Vec<Amount>,
    archived: FxHashMap<TypeColumn, Amount>,
    not_yet_collected: Amount,
    /// To be taken off.
    elsewhere: FxHashMap<Part, Amount>,
}

impl HeapSums {
    /// All live objects.
    pub(crate) fn of(heap: &Heap) -> Self {
        let mut sums = Self::default();
        for object in heap.objects() {
            sums.add(object, heap.epoch, &heap.spaces);
        }
        sums
    }

    /// Adds an object that lives after `epoch - 1` was ended by a collection.
    fn add(&mut self, object: &LiveObject, epoch: u32, spaces: &SpaceMap) {
        let one = Amount::one(object.bytes());
        let part = (object.site, object.caller, object.ty);
        *self.parts.entry(part).or_default() += one;
        *self.threads.entry(object.thread()).or_default() += one;
        let survived = epoch.saturating_sub(object.birth);
        let ages = self.ages.entry((object.site, object.caller));
        add_age(ages.or_default(), survived, 1);
        self.spaces.resize(spaces.spaces().len(), Amount::default());
        let Some(position) = spaces.position(object.address()) else {
            return;
        };
        if let Some(space) = self.spaces.get_mut(position) {
            *space += one;
        }
        let kind = spaces.spaces().get(position).map(|space| space.kind);
        if kind == Some(SpaceKind::Archive) {
            *self.archived.entry(object.ty).or_default() += one;
        }
    }

    /// Adds objects that no collection has seen.
    pub(crate) fn add_new(&mut self, site: SiteColumn, ty: TypeColumn, amount: Amount) {
        let part = (site, CallerColumn::NONE, ty);
        *self.parts.entry(part).or_default() += amount;
        let ages = self.ages.entry((site, CallerColumn::NONE)).or_default();
        add_age(ages, 0, amount.count);
        self.not_yet_collected += amount;
    }

    /// Objects that [`HeapSums::add_new`] adds (before or after) without a
    /// caller and with the type of their site have this caller and type.
    pub(crate) fn set_apart(
        &mut self,
        site: SiteColumn,
        stated: TypeColumn,
        (caller, ty): (CallerColumn, TypeColumn),
        amount: Amount,
    ) {
        let added = (site, CallerColumn::NONE, stated);
        *self.elsewhere.entry(added).or_default() += amount;
        *self.parts.entry((site, caller, ty)).or_default() += amount;
        add_age(
            self.ages.entry((site, caller)).or_default(),
            0,
            amount.count,
        );
    }

    /// Takes off what was added twice, by [`HeapSums::add_new`] and by [`HeapSums::set_apart`].
    fn take_off(&mut self) {
        for (part, amount) in core::mem::take(&mut self.elsewhere) {
            *self.parts.entry(part).or_default() -= amount;
            let ages = self.ages.get_mut(&(part.0, part.1));
            if let Some(new) = ages.and_then(|ages| ages.first_mut()) {
                *new = new.saturating_sub(amount.count);
            }
        }
        self.parts.retain(|_, amount| !amount.is_zero());
    }

    /// The thread of objects that no collection has seen.
    pub(crate) fn add_thread(&mut self, thread: ThreadId, amount: Amount) {
        *self.threads.entry(Some(thread)).or_default() += amount;
    }

    /// The tables.
    pub(crate) fn finish(
        mut self,
        moment: Moment,
        (collection, unix_micros): (Option<CollectionNumber>, u64),
        spaces: &SpaceMap,
        names: &TraceNames,
    ) -> HeapAt {
        self.take_off();
        let total: Amount = self.parts.values().copied().sum();
        let spaces = live_spaces(spaces, &self.spaces);
        let sites = live_sites(&self.parts, self.ages, names);
        let ages = sum_of_ages(sites.iter().map(|site| &site.ages));
        let without_site = sites.iter().filter(|site| site.site.is_none());
        let without_site = capped::sum(without_site.map(|site| site.live.count));
        HeapAt {
            moment,
            collection,
            unix_micros,
            total,
            not_yet_collected: self.not_yet_collected,
            types: live_types(
                self.parts.iter().map(|((_, _, ty), live)| (*ty, *live)),
                names,
            ),
            archived: live_types(self.archived.into_iter(), names),
            sites,
            threads: live_threads(&self.threads, names),
            spaces,
            ages,
            quality: Quality {
                collection: collection.map_or(0, |collection| collection.0),
                objects: total.count,
                with_site: total.count - without_site,
            },
        }
    }
}
