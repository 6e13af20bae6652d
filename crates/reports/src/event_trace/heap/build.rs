//! Model to document.
//!
//! A filter keeps types of sites, and of sites outside of its packages those objects whose caller is inside. Ages are recorded
//! by site and caller, threads for the whole heap only: where a filter cuts through them they are left out, not guessed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use ducktrack_analyses::{HeapAt, LiveCaller, LiveSite, LiveSpace, LiveType, TraceModel};
use ducktrack_count_model::{ClassLayout, SiteIndex};
use ducktrack_heap_replay::{Moment, Quality};

use super::document::{
    HeapMoment, HeapPartDoc, HeapReport, HeapSiteDoc, LayoutDoc, LayoutFieldDoc, QualityDoc,
    SpaceDoc,
};
use super::loaders::{LoadedSite, merged};
use crate::class_name::printable;
use crate::event_trace::VERSION;
use crate::event_trace::amounts::{add_list, amount, ratio, signed, sum};
use crate::event_trace::callers;
use crate::event_trace::head::{RowsDoc, TraceHead};
use crate::event_trace::place::{PlaceDoc, UNKNOWN_THREAD, type_name};
use crate::filter::{Filter, Sort};
use crate::json::{AmountDoc, ContextDoc, ThreadDoc, TypeDoc};
use crate::quantity::{bytes, counted};
use crate::view::Caller;

/// Makes the report of one moment of the model. `trace` says where it was read from.
pub fn heap_report(model: &TraceModel, heap: &HeapAt, trace: &str, filter: &Filter) -> HeapReport {
    let view = crate::build::view(&model.count, trace, filter);
    let kept = Kept::of(model, heap, &view.callers, filter);
    let selected = kept.selected();
    let types = kept.types(heap, filter);
    let all_types = types.len();
    let top = filter.top.unwrap_or(usize::MAX);
    let types: Vec<TypeDoc> = types.into_iter().take(top).collect();
    let archived = kept_types(&heap.archived, &Filter::default());
    let mut head = TraceHead::of(model, &view, filter);
    head.missing.extend(of_the_archive(&archived));
    HeapReport {
        format: "ducktrack-heap".to_owned(),
        version: VERSION,
        head,
        at: match heap.moment {
            Moment::After(collection) => HeapMoment::After(collection.0),
            Moment::Last => HeapMoment::Last,
            Moment::End => HeapMoment::End,
        },
        collection: heap.collection.map(|number| number.0),
        micros: since_start(model, heap.unix_micros),
        quality: quality(heap.quality),
        total: amount(heap.total),
        selected,
        rows: RowsDoc {
            sites: kept.sites.len() as u64,
            types: all_types as u64,
        },
        not_yet_collected: amount(heap.not_yet_collected),
        ages: kept.ages(heap, filter),
        spaces: spaces(&heap.spaces),
        threads: threads(heap, filter),
        layouts: layouts(model, &types, filter),
        types,
        archived,
        unattributed: kept.unattributed,
        sites: kept.sites.into_iter().take(top).collect(),
    }
}

fn of_the_archive(archived: &[TypeDoc]) -> Option<String> {
    let all = sum(archived.iter().map(AmountDoc::of_type));
    (all.count > 0).then(|| {
        format!(
            "which of the {} in {} of the JDK's archive are dead: this VM never takes them away",
            bytes(all.bytes),
            counted(all.count, "object")
        )
    })
}

/// Microseconds since the start of the run; `None` when one of the clocks is not known.
pub(crate) fn since_start(model: &TraceModel, unix_micros: u64) -> Option<u64> {
    let start = crate::event_trace::timeline::start_micros(model)?;
    (unix_micros > 0).then(|| unix_micros.saturating_sub(start))
}

pub(crate) fn quality(quality: Quality) -> QualityDoc {
    QualityDoc {
        collection: quality.collection,
        objects: quality.objects,
        with_site: quality.with_site,
        percent: ratio(quality.share() * 100.0),
    }
}

/// The loader of the class that has a site.
fn loader(model: &TraceModel, site: SiteIndex) -> &str {
    let row = model.count.sites.get(site.get());
    let method = row.and_then(|row| model.count.methods.get(row.method.get()));
    method.map_or("", |method| &method.loader)
}

/// The sums after the filter.
struct Kept {
    sites: Vec<HeapSiteDoc>,
    unattributed: Option<HeapPartDoc>,
}

impl Kept {
    fn of(model: &TraceModel, heap: &HeapAt, callers: &[Caller], filter: &Filter) -> Self {
        let keeper = Keeper { callers, filter };
        let mut sites = Vec::new();
        let mut unattributed = None;
        for site in &heap.sites {
            let place = site
                .site
                .and_then(|index| PlaceDoc::of(&model.count, index));
            match place {
                Some(place) => {
                    let live = if filter.wants_class(&place.location.class) {
                        keeper.part(site)
                    } else {
                        keeper.blamed_part(site)
                    };
                    let loader = site.site.map_or("", |index| loader(model, index));
                    sites.extend(live.map(|live| LoadedSite {
                        loader,
                        place,
                        live,
                    }));
                }
                None if filter.only.is_empty() => unattributed = keeper.part(site).or(unattributed),
                None => {}
            }
        }
        let mut sites = merged(sites);
        sort(&mut sites, filter.sort);
        Self {
            sites,
            unattributed,
        }
    }

    fn parts(&self) -> impl Iterator<Item = &HeapPartDoc> {
        self.sites
            .iter()
            .map(|site| &site.live)
            .chain(&self.unattributed)
    }

    fn selected(&self) -> AmountDoc {
        sum(self.parts().map(|part| AmountDoc {
            count: part.count,
            bytes: part.bytes,
        }))
    }

    /// The heap's own list when nothing is left out, else the sum over what is kept, if that is known of all of it.
    fn ages(&self, heap: &HeapAt, filter: &Filter) -> Vec<u64> {
        if filter.only.is_empty() && filter.types.is_empty() {
            return heap.ages.clone();
        }
        let mut ages = Vec::new();
        for part in self.parts() {
            if part.ages.is_empty() {
                return Vec::new();
            }
            add_list(&mut ages, &part.ages);
        }
        ages
    }

    fn types(&self, heap: &HeapAt, filter: &Filter) -> Vec<TypeDoc> {
        if filter.only.is_empty() {
            return kept_types(&heap.types, filter);
        }
        summed_types(self.parts().flat_map(|part| &part.types), filter)
    }
}

/// Makes the kept parts of sites.
struct Keeper<'a> {
    callers: &'a [Caller],
    filter: &'a Filter,
}

impl Keeper<'_> {
    /// The kept part of a site; `None` when nothing is.
    fn part(&self, site: &LiveSite) -> Option<HeapPartDoc> {
        let types = kept_types(&site.types, self.filter);
        let whole = amount(site.live);
        let kept = if self.filter.types.is_empty() {
            whole
        } else {
            sum(types.iter().map(AmountDoc::of_type))
        };
        let context = site.callers.iter().filter_map(|row| self.context(row));
        (kept.count > 0).then(|| HeapPartDoc {
            count: kept.count,
            bytes: kept.bytes,
            ages: if kept == whole {
                site.ages.clone()
            } else {
                Vec::new()
            },
            context: context.collect(),
            types,
        })
    }

    /// Of a site whose own class is not wanted: the objects whose caller's is.
    fn blamed_part(&self, site: &LiveSite) -> Option<HeapPartDoc> {
        let is_wanted = |row: &&LiveCaller| {
            callers::caller(row, self.callers)
                .is_some_and(|caller| self.filter.wants_class(&caller.location.class))
        };
        let wanted: Vec<&LiveCaller> = site.callers.iter().filter(is_wanted).collect();
        let context = wanted.iter().filter_map(|row| self.context(row));
        let context: Vec<ContextDoc> = context.collect();
        let mut ages = Vec::new();
        if self.filter.types.is_empty() {
            wanted.iter().for_each(|row| add_list(&mut ages, &row.ages));
        }
        let types = summed_types(context.iter().flat_map(|part| &part.types), self.filter);
        let kept = sum(types.iter().map(AmountDoc::of_type));
        (kept.count > 0).then_some(HeapPartDoc {
            count: kept.count,
            bytes: kept.bytes,
            ages,
            types,
            context,
        })
    }

    /// The kept part of what one caller is to blame for.
    fn context(&self, row: &LiveCaller) -> Option<ContextDoc> {
        callers::context(row, kept_types(&row.types, self.filter), self.callers)
    }
}

fn summed_types<'a>(types: impl Iterator<Item = &'a TypeDoc>, filter: &Filter) -> Vec<TypeDoc> {
    let mut sums: BTreeMap<&str, AmountDoc> = BTreeMap::new();
    for ty in types {
        let sum = sums.entry(&ty.ty).or_default();
        sum.count = sum.count.saturating_add(ty.count);
        sum.bytes = sum.bytes.saturating_add(ty.bytes);
    }
    let mut types: Vec<TypeDoc> = sums
        .into_iter()
        .map(|(ty, sum)| TypeDoc {
            ty: ty.to_owned(),
            count: sum.count,
            bytes: sum.bytes,
        })
        .collect();
    sort_types(&mut types, filter.sort);
    types
}

pub(crate) fn kept_types(types: &[LiveType], filter: &Filter) -> Vec<TypeDoc> {
    let mut kept: Vec<TypeDoc> = types
        .iter()
        .map(|row| TypeDoc {
            ty: type_name(row.ty.as_deref()),
            count: signed(row.live.count),
            bytes: signed(row.live.bytes),
        })
        .filter(|row| filter.wants_type(&row.ty))
        .collect();
    sort_types(&mut kept, filter.sort);
    kept
}

fn sort_types(types: &mut [TypeDoc], sort: Sort) {
    types.sort_by(|a, b| {
        largest_first(sort, (a.count, a.bytes), (b.count, b.bytes)).then_with(|| a.ty.cmp(&b.ty))
    });
}

fn sort(sites: &mut [HeapSiteDoc], sort: Sort) {
    sites.sort_by(|a, b| {
        largest_first(
            sort,
            (a.live.count, a.live.bytes),
            (b.live.count, b.live.bytes),
        )
        .then_with(|| a.place.cmp(&b.place))
    });
}

/// Compares (count, bytes) in the filter's order.
pub(crate) fn largest_first(sort: Sort, a: (i64, i64), b: (i64, i64)) -> std::cmp::Ordering {
    let key = |(count, bytes): (i64, i64)| match sort {
        Sort::Bytes => (Reverse(bytes), Reverse(count)),
        Sort::Count => (Reverse(count), Reverse(bytes)),
    };
    key(a).cmp(&key(b))
}

fn threads(heap: &HeapAt, filter: &Filter) -> Vec<ThreadDoc> {
    if !(filter.only.is_empty() && filter.types.is_empty()) {
        return Vec::new();
    }
    let mut threads: Vec<ThreadDoc> = heap
        .threads
        .iter()
        .map(|row| ThreadDoc {
            name: row
                .name
                .as_deref()
                .map_or_else(|| UNKNOWN_THREAD.to_owned(), printable),
            count: signed(row.live.count),
            bytes: signed(row.live.bytes),
        })
        .filter(|row| filter.wants_thread(&row.name))
        .collect();
    threads.sort_by(|a, b| {
        largest_first(filter.sort, (a.count, a.bytes), (b.count, b.bytes))
            .then_with(|| a.name.cmp(&b.name))
    });
    threads
}

/// Layouts of the listed types, if types were asked for: of all of them they would be most of the report.
fn layouts(model: &TraceModel, types: &[TypeDoc], filter: &Filter) -> Vec<LayoutDoc> {
    if filter.types.is_empty() {
        return Vec::new();
    }
    let names: BTreeSet<&str> = types.iter().map(|row| row.ty.as_str()).collect();
    let selected = model
        .count
        .field_layouts
        .select(|ty| names.contains(type_name(Some(ty)).as_str()));
    selected.iter().map(layout).collect()
}

fn layout(layout: &ClassLayout) -> LayoutDoc {
    let fields = layout.fields.iter().map(|field| LayoutFieldDoc {
        offset: field.offset,
        ty: type_name(Some(&field.descriptor)),
        name: printable(&field.name),
        declared_by: type_name(Some(&field.declared_by)),
    });
    LayoutDoc {
        ty: type_name(Some(&layout.ty)),
        bytes: layout.bytes,
        fields: fields.collect(),
    }
}

/// Spaces by kind, in the order in which the kinds appear.
fn spaces(spaces: &[LiveSpace]) -> Vec<SpaceDoc> {
    let mut kinds: Vec<SpaceDoc> = Vec::new();
    for space in spaces {
        let kind = printable(&space.kind);
        let row = match kinds.iter().position(|row| row.kind == kind) {
            Some(at) => kinds.get_mut(at),
            None => {
                kinds.push(SpaceDoc {
                    kind,
                    areas: 0,
                    used: 0,
                    count: 0,
                    bytes: 0,
                });
                kinds.last_mut()
            }
        };
        if let Some(row) = row {
            row.areas += 1;
            row.used = row
                .used
                .saturating_add(space.top.saturating_sub(space.bottom));
            row.count = row.count.saturating_add(signed(space.live.count));
            row.bytes = row.bytes.saturating_add(signed(space.live.bytes));
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use ducktrack_live_heap::Amount;
    use ducktrack_trace_format::SpaceKind;

    #[test]
    fn an_object_over_several_regions_lives_in_all_of_them() {
        let region = |kind: SpaceKind, index: u32, live: u64| LiveSpace {
            kind: kind.name().into(),
            index,
            bottom: u64::from(index) << 20,
            top: (u64::from(index) + 1) << 20,
            live: Amount {
                count: u64::from(live > 0),
                bytes: live,
            },
        };
        // An object of 2.2 MB in three regions of 1 MiB.
        let all = spaces(&[
            region(SpaceKind::HumongousStart, 5, 2_200_016),
            region(SpaceKind::HumongousContinues, 6, 0),
            region(SpaceKind::HumongousContinues, 7, 0),
        ]);
        let [humongous] = all.as_slice() else {
            panic!("{all:?}");
        };
        let figures = (humongous.areas, humongous.used, humongous.bytes);
        assert_eq!(figures, (3, 3 << 20, 2_200_016));
    }
}
