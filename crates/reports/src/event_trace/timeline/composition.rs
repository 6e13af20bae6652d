//! What the heap was made of over time, as layers of sites and of types.
//!
//! A filter keeps live objects by the class of their site or of the caller to blame, and by type, as in the heap
//! at one moment. Objects it leaves out are in the layers of the others, so that layers always sum to the heap.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ducktrack_analyses::{CompositionPoint, LivePart, Timeline, TraceModel};
use ducktrack_count_model::{SiteColumn, TypeColumn};
use ducktrack_live_heap::Amount;

use super::document::{LayerDoc, SiteLayerDoc, TypeLayerDoc};
use crate::event_trace::place::{PlaceDoc, type_name};
use crate::filter::Filter;
use crate::view::Caller;

/// The most layers of sites, and of types.
const MOST_LAYERS: usize = 16;

/// The layers.
pub(super) struct Composition {
    pub(super) types: Vec<TypeLayerDoc>,
    pub(super) other_types: LayerDoc,
    pub(super) sites: Vec<SiteLayerDoc>,
    pub(super) unattributed: Option<LayerDoc>,
    pub(super) other_sites: LayerDoc,
}

impl Composition {
    pub(super) fn of(
        model: &TraceModel,
        timeline: &Timeline,
        callers: &[Caller],
        filter: &Filter,
    ) -> Self {
        let keeper = Keeper {
            model,
            timeline,
            callers,
            filter,
        };
        let top = filter.top.unwrap_or(usize::MAX);
        let totals = layer(timeline.composition.iter().map(|point| point.total));
        let types = keeper.types(top);
        let (sites, unattributed) = keeper.sites(top);
        let of_types = types.iter().map(|row| &row.layer);
        let of_sites = sites.iter().map(|row| &row.layer).chain(&unattributed);
        Self {
            other_types: rest(&totals, of_types),
            other_sites: rest(&totals, of_sites),
            types,
            sites,
            unattributed,
        }
    }
}

/// Decides what is kept.
struct Keeper<'a> {
    model: &'a TraceModel,
    timeline: &'a Timeline,
    callers: &'a [Caller],
    filter: &'a Filter,
}

impl Keeper<'_> {
    fn types(&self, top: usize) -> Vec<TypeLayerDoc> {
        let name = |ty| type_name(self.timeline.type_names.name(ty).map(AsRef::as_ref));
        let layers = self.layers(|point| &point.types, |part| part.ty);
        let rows = layers.into_iter().map(|(ty, layer)| TypeLayerDoc {
            ty: name(ty),
            layer,
        });
        rows.take(top).collect()
    }

    /// Sites, and what has none.
    fn sites(&self, top: usize) -> (Vec<SiteLayerDoc>, Option<LayerDoc>) {
        let (mut sites, mut unattributed) = (Vec::new(), None);
        for (column, layer) in self.layers(|point| &point.sites, |part| part.origin.site) {
            match self.place(column) {
                Some(place) if sites.len() < top => sites.push(SiteLayerDoc { place, layer }),
                Some(_) => {}
                None => unattributed = Some(layer),
            }
        }
        (sites, unattributed)
    }

    /// The layers with the highest peaks. `whole` has the columns of all live objects, `column` is that of a part.
    fn layers<C: Copy + Ord>(
        &self,
        whole: impl Fn(&CompositionPoint) -> &[(C, Amount)],
        column: impl Fn(&LivePart) -> C,
    ) -> Vec<(C, LayerDoc)> {
        let points = &self.timeline.composition;
        let mut columns: BTreeMap<C, Vec<Amount>> = BTreeMap::new();
        let mut add = |at: usize, column: C, live: Amount| {
            let amounts = columns.entry(column);
            let amounts = amounts.or_insert_with(|| vec![Amount::default(); points.len()]);
            if let Some(amount) = amounts.get_mut(at) {
                *amount += live;
            }
        };
        let is_wanted = self.wanted_parts();
        for (at, point) in points.iter().enumerate() {
            match self.filter.is_partial() {
                true => point
                    .parts
                    .iter()
                    .filter(|(part, _)| is_wanted(part))
                    .for_each(|(part, live)| add(at, column(part), *live)),
                false => whole(point)
                    .iter()
                    .for_each(|(column, live)| add(at, *column, *live)),
            }
        }
        let peak = |amounts: &[Amount]| amounts.iter().map(|live| live.bytes).max();
        let mut columns: Vec<_> = columns.into_iter().collect();
        columns.sort_by_key(|(column, amounts)| (Reverse(peak(amounts)), *column));
        let largest = columns.into_iter().take(MOST_LAYERS);
        largest
            .map(|(column, amounts)| (column, layer(amounts.into_iter())))
            .collect()
    }

    /// Whether the filter wants a part. A part without a place is wanted where no package is named.
    fn wanted_parts(&self) -> impl Fn(&LivePart) -> bool {
        let own = (0..=self.model.count.sites.len()).map(|position| {
            match self.place(SiteColumn::at(position)) {
                Some(place) => self.filter.wants_class(&place.location.class),
                None => self.filter.only.is_empty(),
            }
        });
        let own: Vec<bool> = own.collect();
        let blamed = self.callers.iter();
        let blamed = blamed.map(|caller| self.filter.wants_class(&caller.location.class));
        let blamed: Vec<bool> = blamed.collect();
        let at = |wanted: &[bool], position: usize| wanted.get(position).copied().unwrap_or(false);
        move |part| {
            let caller = part.origin.caller.call();
            let is_there = at(&own, part.origin.site.position())
                || caller.is_some_and(|call| at(&blamed, call.get()));
            is_there && self.makes_wanted(part.ty)
        }
    }

    fn makes_wanted(&self, ty: TypeColumn) -> bool {
        let name = self.timeline.type_names.name(ty);
        self.filter.types.is_empty() || self.filter.wants_type(&type_name(name.map(AsRef::as_ref)))
    }

    fn place(&self, column: SiteColumn) -> Option<PlaceDoc> {
        PlaceDoc::of(&self.model.count, column.site()?)
    }
}

fn layer(amounts: impl Iterator<Item = Amount>) -> LayerDoc {
    let (counts, sizes) = amounts.map(|amount| (amount.count, amount.bytes)).unzip();
    LayerDoc { counts, sizes }
}

/// The whole heap less the layers that are shown.
fn rest<'l>(totals: &LayerDoc, shown: impl Iterator<Item = &'l LayerDoc>) -> LayerDoc {
    let mut rest = totals.clone();
    for layer in shown {
        take_away(&mut rest.counts, &layer.counts);
        take_away(&mut rest.sizes, &layer.sizes);
    }
    rest
}

fn take_away(from: &mut [u64], what: &[u64]) {
    for (from, what) in from.iter_mut().zip(what) {
        *from = from.saturating_sub(*what);
    }
}
