//! The exact totals of the counters, by what sampled stacks can distinguish: line, type and caller.

use std::collections::BTreeMap;
use std::sync::Arc;

use ducktrack_count_model::{
    AllocationKind, CallIndex, CountModel, MethodIndex, SiteIndex, SitePart, SiteRow, Tally,
};
use rustc_hash::FxHashMap;

use crate::makers::Makers;

/// A line of a method.
pub(crate) type Place = (MethodIndex, Option<u16>);

/// One exact total.
#[derive(Clone, Debug)]
pub(crate) struct SiteStratum {
    /// The sites in this stratum.
    pub(crate) sites: Vec<SiteIndex>,
    pub(crate) place: Place,
    /// The line of the call to blame, if one is known.
    pub(crate) caller: Option<Place>,
    pub(crate) ty: Option<Arc<str>>,
    /// The objects are allocated in a deeper frame: this line calls the allocating code.
    pub(crate) by_call: bool,
    pub(crate) tally: Tally,
    /// By the number of the maker; sums to `tally`.
    pub(crate) makers: BTreeMap<usize, Tally>,
}

/// All strata, and an index to find them.
pub(crate) struct Strata {
    pub(crate) all: Vec<SiteStratum>,
    by_place: FxHashMap<(Place, Option<Arc<str>>), Vec<usize>>,
}

/// Place, type and caller.
type Key = (Place, Option<Arc<str>>, Option<Place>);

impl Strata {
    pub(crate) fn of(model: &CountModel, makers: &Makers) -> Self {
        let mut strata = Self {
            all: Vec::new(),
            by_place: FxHashMap::default(),
        };
        let mut known: FxHashMap<Key, usize> = FxHashMap::default();
        for (index, site) in model.indexed_sites() {
            for part in site.parts.iter().filter(|part| !part.tally.is_zero()) {
                strata.add((model, makers), (index, site), part, &mut known);
            }
        }
        strata
    }

    fn add(
        &mut self,
        (model, makers): (&CountModel, &Makers),
        (index, site): (SiteIndex, &SiteRow),
        part: &SitePart,
        known: &mut FxHashMap<Key, usize>,
    ) {
        let place = (site.method, site.line);
        let ty = part.ty.clone().or_else(|| site.ty.clone());
        let caller = part.context.map(|call| place_of_call(model, call));
        let at = *known
            .entry((place, ty.clone(), caller))
            .or_insert_with(|| self.push(index, site, (place, ty, caller)));
        let Some(stratum) = self.all.get_mut(at) else {
            return;
        };
        if !stratum.sites.contains(&index) {
            stratum.sites.push(index);
        }
        stratum.by_call |= is_by_call(site.kind);
        stratum.tally += part.tally;
        let mut rest = part.tally;
        for thread in &part.threads {
            let maker = makers.of_thread(thread.thread);
            *stratum.makers.entry(maker).or_default() += thread.tally;
            rest.count -= thread.tally.count;
            rest.bytes -= thread.tally.bytes;
        }
        if !rest.is_zero() {
            *stratum.makers.entry(makers.not_known()).or_default() += rest;
        }
    }

    fn push(&mut self, site: SiteIndex, row: &SiteRow, (place, ty, caller): Key) -> usize {
        let at = self.all.len();
        self.by_place
            .entry((place, ty.clone()))
            .or_default()
            .push(at);
        self.all.push(SiteStratum {
            sites: vec![site],
            place,
            caller,
            ty,
            by_call: is_by_call(row.kind),
            tally: Tally::default(),
            makers: BTreeMap::new(),
        });
        at
    }

    /// The strata of each line and type, one per caller.
    pub(crate) fn of_lines(&self) -> impl Iterator<Item = &[usize]> {
        self.by_place.values().map(Vec::as_slice)
    }

    /// Strata of objects of a type that are allocated at a line, one per caller; includes those of unknown type.
    pub(crate) fn at(&self, place: Place, ty: &Arc<str>) -> impl Iterator<Item = usize> {
        let typed = self.by_place.get(&(place, Some(Arc::clone(ty))));
        let untyped = self.by_place.get(&(place, None));
        typed.into_iter().chain(untyped).flatten().copied()
    }
}

fn place_of_call(model: &CountModel, call: CallIndex) -> Place {
    let call = model.call(call);
    (call.method, call.line)
}

/// Whether the objects of the site are allocated by code that it calls.
fn is_by_call(kind: AllocationKind) -> bool {
    !matches!(
        kind,
        AllocationKind::New | AllocationKind::NewArray | AllocationKind::MultiNewArray
    )
}
