//! The facts about a site that the event decoder needs: where its objects are added up, and how large they are.
//!
//! Written when a class is rewritten, before its code runs, and when sizes become known. Read without a lock for every event.
//!
//! ```text
//! account   the first of the site's counters: count, (bytes,) materialized count, (materialized bytes); 0: keyed entries
//! bytes     of each object; 0: unknown, or different for each object
//! class     hash of the name of the objects' class; 0: known only at run time
//! kind      0 unknown, 1 all objects have one size, 2 measured; 3 + n: measured, a level of arrays with elements of kind n
//! ```

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use ducktrack_class_rewriter::{
    AllocationKind, ElementSize, PlannedSite, RewrittenClass, SizeRule, Unit,
};
use ducktrack_trace_format::{
    ArrayLayout, CallSiteId, CalledSite, ClassNameHash, END_OF_CALLED_SITES, FIRST_CALLED_SITE,
    ObjectLayout, SiteFacts, SiteId,
};

use crate::core::registry::object_bytes::object_bytes;

const PAGE: usize = 1 << 12;
/// The number of sites that fit into the 20 bits of an event's word.
const PAGES: usize = 1 << 8;

const FIXED: u32 = 1;
const MEASURED: u32 = 2;
const LEVEL: u32 = 3;

#[derive(Default)]
struct Fact {
    account: AtomicU32,
    bytes: AtomicU32,
    class: AtomicU32,
    kind: AtomicU32,
}

/// Facts of all sites.
pub(crate) struct SiteTable {
    pages: Box<[OnceLock<Box<[Fact]>>]>,
    /// Caller << 32 | site, indexed from [`FIRST_CALLED_SITE`] on; 0 if the number was not assigned.
    called: Box<[AtomicU64]>,
    layout: OnceLock<ObjectLayout>,
}

/// How the events of a site are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Account {
    /// In keyed entries, by class or caller.
    Keyed,
    /// In counters from this one on: count, materialized count.
    Fixed(u32),
    /// In counters from this one on: count, bytes, materialized count, materialized bytes.
    Measured(u32),
}

/// Of all runs, because running frames may still use the probes of earlier ones.
static SITES: OnceLock<Arc<SiteTable>> = OnceLock::new();

impl SiteTable {
    /// The facts about sites, reset for a new run.
    pub(crate) fn of_new_run() -> Arc<Self> {
        let table = SITES.get_or_init(|| Arc::new(Self::new()));
        table.begin_run();
        Arc::clone(table)
    }

    pub(crate) fn new() -> Self {
        Self {
            pages: (0..PAGES).map(|_| OnceLock::new()).collect(),
            called: (FIRST_CALLED_SITE..END_OF_CALLED_SITES)
                .map(|_| AtomicU64::new(0))
                .collect(),
            layout: OnceLock::new(),
        }
    }

    /// Resets the table for a new run: objects of earlier runs' sites go to keyed entries, and no number stands for a site with its caller.
    pub(crate) fn begin_run(&self) {
        for fact in self.pages.iter().filter_map(OnceLock::get).flatten() {
            fact.account.store(0, Ordering::Release);
        }
        for called in &self.called {
            called.store(0, Ordering::Release);
        }
    }

    /// Sets the VM's object layout, which is known before any class is rewritten.
    pub(crate) fn set_layout(&self, layout: ObjectLayout) {
        // The VM has one layout, so a second value would be the same.
        let _ = self.layout.set(layout);
    }

    /// The facts of a site, or of the site that a called site stands for.
    fn fact(&self, site: u32) -> Option<&Fact> {
        let called = self.called(SiteId(site));
        let index = called.map_or(site, |(site, _)| site.0) as usize;
        self.pages.get(index / PAGE)?.get()?.get(index % PAGE)
    }

    fn make_fact(&self, site: u32) -> Option<&Fact> {
        let index = site as usize;
        let page = self.pages.get(index / PAGE)?;
        page.get_or_init(|| (0..PAGE).map(|_| Fact::default()).collect())
            .get(index % PAGE)
    }

    /// Stores the facts of a rewritten class's sites, before its code runs.
    pub(crate) fn learn(&self, rewritten: &RewrittenClass) {
        for site in &rewritten.sites {
            let Some(fact) = self.make_fact(site.id) else {
                continue;
            };
            let kind = match &site.size {
                SizeRule::Summed => level_kind(site.ty.as_deref()),
                _ => FIXED,
            };
            let layout = self.layout.get().copied().unwrap_or_default();
            if let Some(bytes) = object_bytes(&site.size, &layout) {
                fact.bytes.store(bytes, Ordering::Relaxed);
            }
            let class = class_name(site).map_or(0, ClassNameHash::bits);
            fact.class.store(class, Ordering::Relaxed);
            fact.kind.store(kind, Ordering::Release);
        }
        for counter in &rewritten.counters {
            if let [term] = counter.terms.as_slice()
                && term.unit == Unit::Count
                && let Some(fact) = self.make_fact(term.site)
            {
                fact.account.store(counter.id, Ordering::Release);
            }
        }
    }

    /// Stores a site for objects that native code allocates.
    pub(crate) fn learn_native(&self, site: u32) {
        if let Some(fact) = self.make_fact(site) {
            fact.kind.store(MEASURED, Ordering::Release);
        }
    }

    /// Defines a number for a site with its caller, before any event uses it.
    pub(crate) fn learn_called(&self, called: &CalledSite) {
        let number = called.id.0.checked_sub(FIRST_CALLED_SITE);
        if let Some(place) = number.and_then(|number| self.called.get(number as usize)) {
            let both = u64::from(called.caller.0) << 32 | u64::from(called.site.0);
            place.store(both, Ordering::Release);
        }
    }

    /// Sets the size of a site's objects.
    pub(crate) fn set_bytes(&self, site: SiteId, bytes: u32) {
        if let Some(fact) = self.make_fact(site.0) {
            fact.bytes.store(bytes, Ordering::Release);
        }
    }

    /// How a site's events are added up.
    pub(crate) fn account(&self, site: SiteId) -> Account {
        let Some(fact) = self.fact(site.0) else {
            return Account::Keyed;
        };
        match (
            fact.account.load(Ordering::Acquire),
            fact.kind.load(Ordering::Relaxed),
        ) {
            (0, _) => Account::Keyed,
            (first, FIXED) => Account::Fixed(first),
            (first, _) => Account::Measured(first),
        }
    }
}

impl SiteFacts for SiteTable {
    fn fixed_bytes(&self, site: SiteId) -> Option<u32> {
        let fact = self.fact(site.0)?;
        let fixed = fact.kind.load(Ordering::Acquire) == FIXED;
        Some(fact.bytes.load(Ordering::Acquire)).filter(|bytes| fixed && *bytes != 0)
    }

    fn is_measured(&self, site: SiteId) -> bool {
        self.fact(site.0)
            .is_some_and(|fact| fact.kind.load(Ordering::Acquire) >= MEASURED)
    }

    #[inline]
    fn called(&self, site: SiteId) -> Option<(SiteId, CallSiteId)> {
        let number = site.0.checked_sub(FIRST_CALLED_SITE)?;
        let both = self.called.get(number as usize)?.load(Ordering::Acquire);
        (both != 0).then_some((SiteId(both as u32), CallSiteId((both >> 32) as u32)))
    }

    fn array_layout(&self, site: SiteId) -> Option<ArrayLayout> {
        let kind = self.fact(site.0)?.kind.load(Ordering::Acquire);
        let index = usize::try_from(kind.checked_sub(LEVEL)?).ok()?;
        let layout = self.layout.get()?;
        Some(ArrayLayout {
            base: u32::from(*layout.array_base.get(index)?),
            element: *[1, 2, 4, 8, u32::from(layout.reference)].get(index)?,
            alignment: u32::from(layout.alignment),
        })
    }

    fn class_name(&self, site: SiteId) -> Option<ClassNameHash> {
        let fact = self.fact(site.0)?;
        ClassNameHash::from_bits(fact.class.load(Ordering::Relaxed))
    }
}

/// The class named by a site's bytecode, if all objects of the site are of that class.
fn class_name(site: &PlannedSite) -> Option<ClassNameHash> {
    use AllocationKind::{Boxing, MultiNewArray, New, NewArray};
    let says_it = matches!(site.kind, New | NewArray | MultiNewArray | Boxing);
    ClassNameHash::of(site.ty.as_deref().filter(|_| says_it)?)
}

fn level_kind(ty: Option<&[u8]>) -> u32 {
    match ty.and_then(ElementSize::of_array) {
        None => MEASURED,
        Some(ElementSize::One) => LEVEL,
        Some(ElementSize::Two) => LEVEL + 1,
        Some(ElementSize::Four) => LEVEL + 2,
        Some(ElementSize::Eight) => LEVEL + 3,
        Some(ElementSize::Reference) => LEVEL + 4,
    }
}

#[cfg(test)]
mod tests {
    use ducktrack_class_rewriter::{
        AllocationKind, BytecodeFacts, PlannedCounter, PlannedSite, Role, SiteKey, Term,
    };
    use ducktrack_classfile::CodeOffset;

    use super::*;

    const LAYOUT: ObjectLayout = ObjectLayout {
        header: 12,
        array_base: [16; 5],
        reference: 4,
        alignment: 8,
    };

    fn site(id: u32, ty: &[u8], size: SizeRule) -> PlannedSite {
        PlannedSite {
            id,
            key: SiteKey {
                method: 0,
                offset: CodeOffset(id),
                level: 0,
            },
            line: None,
            kind: AllocationKind::New,
            ty: Some(ty.into()),
            size,
            facts: BytecodeFacts::default(),
        }
    }

    fn counter(id: u32, site: u32, unit: Unit) -> PlannedCounter {
        PlannedCounter {
            id,
            method: 0,
            role: Role::Amount,
            terms: vec![Term {
                site,
                factor: 1,
                unit,
            }],
        }
    }

    #[test]
    fn what_a_class_says_of_its_sites() {
        let table = SiteTable::new();
        table.set_layout(LAYOUT);
        table.learn(&RewrittenClass {
            sites: vec![
                site(16, b"LPoint;", SizeRule::OfClass),
                site(17, b"[J", SizeRule::Summed),
                site(5000, b"[I", SizeRule::OfArray(ElementSize::Four, 3)),
            ],
            counters: vec![
                counter(64, 16, Unit::Count),
                counter(65, 16, Unit::MaterializedCount),
                counter(66, 17, Unit::Count),
                counter(67, 17, Unit::Bytes),
            ],
            ..RewrittenClass::default()
        });
        assert_eq!(table.account(SiteId(16)), Account::Fixed(64));
        assert_eq!(table.account(SiteId(17)), Account::Measured(66));
        assert_eq!(table.account(SiteId(5000)), Account::Keyed);
        assert_eq!(table.fixed_bytes(SiteId(16)), None);
        table.set_bytes(SiteId(16), 24);
        assert_eq!(table.fixed_bytes(SiteId(16)), Some(24));
        assert_eq!(table.fixed_bytes(SiteId(5000)), Some(32));
        assert!(table.is_measured(SiteId(17)) && !table.is_measured(SiteId(16)));
        let layout = table.array_layout(SiteId(17)).expect("a level");
        assert_eq!(layout.bytes(2), Some(32));
        assert_eq!(table.fixed_bytes(SiteId(1 << 20)), None);
        let (id, caller) = (SiteId(FIRST_CALLED_SITE + 9), CallSiteId(3));
        assert_eq!((table.called(id), table.fixed_bytes(id)), (None, None));
        table.learn_called(&CalledSite {
            id,
            site: SiteId(16),
            caller,
        });
        assert_eq!(table.called(id), Some((SiteId(16), caller)));
        assert_eq!(table.fixed_bytes(id), Some(24));
    }
}
