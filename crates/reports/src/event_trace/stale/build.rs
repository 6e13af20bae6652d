//! Model to document. A filter keeps sites of its packages and, of other sites, what its packages are to blame for.

use ducktrack_analyses::{
    Levels, StaleCaller, StalePoint, StaleSite, StaleType, Staleness, TraceModel,
};

use super::document::{
    LevelDoc, StaleContextDoc, StalePartDoc, StalePointDoc, StaleReport, StaleSiteDoc, StaleTypeDoc,
};
use crate::event_trace::VERSION;
use crate::event_trace::amounts::{amount, sum};
use crate::event_trace::head::{RowsDoc, TraceHead};
use crate::event_trace::heap::{largest_first, since_start};
use crate::event_trace::place::{PlaceDoc, type_name};
use crate::filter::{Filter, Sort};
use crate::json::{AmountDoc, CallerDoc};
use crate::view::Caller;

/// Makes the report. `trace` says where the model was read from.
pub fn stale_report(
    model: &TraceModel,
    staleness: &Staleness,
    trace: &str,
    filter: &Filter,
) -> StaleReport {
    let view = crate::build::view(&model.count, trace, filter);
    let keeper = Keeper {
        model,
        callers: &view.callers,
        filter,
    };
    let (sites, unattributed) = keeper.sites(staleness);
    let kept = sites.iter().map(|site| &site.part).chain(&unattributed);
    let kept: Vec<&StalePartDoc> = kept.collect();
    let levels = joined(kept.iter().map(|part| part.staleness.as_slice()));
    let selected = sum(levels.iter().map(level_amount));
    let stale = stale_of(&levels);
    let types = keeper.types(staleness);
    let rows = RowsDoc {
        sites: sites.len() as u64,
        types: types.len() as u64,
    };
    let top = filter.top.unwrap_or(usize::MAX);
    StaleReport {
        format: "ducktrack-stale".to_owned(),
        version: VERSION,
        head: TraceHead::of(model, &view, filter),
        collection: staleness.collection.0,
        micros: since_start(model, staleness.unix_micros),
        all_until: staleness.all_until.0,
        since: staleness.since.0,
        total: amount(staleness.levels.total()),
        selected,
        stale,
        stale_from: Levels::bounds(Levels::STALE).0,
        rows,
        staleness: levels,
        types: types.into_iter().take(top).collect(),
        sites: sites.into_iter().take(top).collect(),
        unattributed,
        points: staleness
            .points
            .iter()
            .map(|point| point_doc(model, point))
            .collect(),
    }
}

fn point_doc(model: &TraceModel, point: &StalePoint) -> StalePointDoc {
    StalePointDoc {
        collection: point.collection.0,
        micros: since_start(model, point.unix_micros),
        staleness: level_docs(&point.levels),
    }
}

/// Decides what is kept.
struct Keeper<'a> {
    model: &'a TraceModel,
    callers: &'a [Caller],
    filter: &'a Filter,
}

impl Keeper<'_> {
    fn sites(&self, staleness: &Staleness) -> (Vec<StaleSiteDoc>, Option<StalePartDoc>) {
        let mut sites = Vec::new();
        let mut unattributed = None;
        for site in &staleness.sites {
            let place = site
                .site
                .and_then(|index| PlaceDoc::of(&self.model.count, index));
            match place {
                Some(place) => sites.extend(self.site(place, site)),
                None if self.filter.only.is_empty() => {
                    unattributed = self.typed_part(site).or(unattributed);
                }
                None => {}
            }
        }
        let sort = self.filter.sort;
        sites.sort_by(|a, b| {
            most_stale_first(sort, &a.part, &b.part).then_with(|| a.place.cmp(&b.place))
        });
        (sites, unattributed)
    }

    fn site(&self, place: PlaceDoc, site: &StaleSite) -> Option<StaleSiteDoc> {
        let is_own = self.filter.wants_class(&place.location.class);
        let context = self.context(site, is_own);
        let part = match is_own {
            true => self.typed_part(site)?,
            false => {
                let parts = context.iter().map(|one| one.part.staleness.as_slice());
                part_of(joined(parts))?
            }
        };
        Some(StaleSiteDoc {
            place,
            part,
            types: match is_own {
                true => self.kept_types(&site.types),
                false => Vec::new(),
            },
            context,
        })
    }

    /// The part of a site that is of the filter's types.
    fn typed_part(&self, site: &StaleSite) -> Option<StalePartDoc> {
        if self.filter.types.is_empty() {
            return part_of(level_docs(&site.levels));
        }
        let types = self.kept_types(&site.types);
        part_of(joined(types.iter().map(|ty| ty.part.staleness.as_slice())))
    }

    /// The callers of a site: all of them, or those in the filter's packages. Levels are not known by caller and type.
    fn context(&self, site: &StaleSite, all: bool) -> Vec<StaleContextDoc> {
        if !self.filter.types.is_empty() {
            return Vec::new();
        }
        let row = |row: &StaleCaller| {
            let caller = row.call.and_then(|call| self.callers.get(call.get()));
            let is_kept =
                all || caller.is_some_and(|caller| self.filter.wants_class(&caller.location.class));
            let part = part_of(level_docs(&row.levels)).filter(|_| is_kept)?;
            Some(StaleContextDoc {
                caller: CallerDoc::of(caller),
                part,
            })
        };
        site.callers.iter().filter_map(row).collect()
    }

    fn kept_types(&self, types: &[StaleType]) -> Vec<StaleTypeDoc> {
        let row = |row: &StaleType| {
            let ty = type_name(row.ty.as_deref());
            let is_wanted = self.filter.wants_type(&ty);
            let part = part_of(level_docs(&row.levels)).filter(|_| is_wanted)?;
            Some(StaleTypeDoc { ty, part })
        };
        types.iter().filter_map(row).collect()
    }

    /// Types of the whole heap; none where the filter keeps some packages only, as levels are not known by type and caller.
    fn types(&self, staleness: &Staleness) -> Vec<StaleTypeDoc> {
        if !self.filter.only.is_empty() {
            return Vec::new();
        }
        let mut types = self.kept_types(&staleness.types);
        let sort = self.filter.sort;
        types
            .sort_by(|a, b| most_stale_first(sort, &a.part, &b.part).then_with(|| a.ty.cmp(&b.ty)));
        types
    }
}

fn most_stale_first(sort: Sort, a: &StalePartDoc, b: &StalePartDoc) -> std::cmp::Ordering {
    let stale = |part: &StalePartDoc| {
        let stale = stale_of(&part.staleness);
        (stale.count, stale.bytes)
    };
    largest_first(sort, stale(a), stale(b))
        .then_with(|| largest_first(sort, (a.count, a.bytes), (b.count, b.bytes)))
}

/// The objects of some levels that count as stale.
pub(super) fn stale_of(levels: &[LevelDoc]) -> AmountDoc {
    sum(levels.iter().skip(Levels::STALE).map(level_amount))
}

fn level_amount(level: &LevelDoc) -> AmountDoc {
    AmountDoc {
        count: level.count,
        bytes: level.bytes,
    }
}

fn part_of(staleness: Vec<LevelDoc>) -> Option<StalePartDoc> {
    let all = sum(staleness.iter().map(level_amount));
    (all.count > 0).then_some(StalePartDoc {
        count: all.count,
        bytes: all.bytes,
        staleness,
    })
}

fn level_docs(levels: &Levels) -> Vec<LevelDoc> {
    let docs = levels.amounts().iter().enumerate().map(|(level, part)| {
        let AmountDoc { count, bytes } = amount(*part);
        LevelDoc {
            level: level_name(level),
            count,
            bytes,
        }
    });
    docs.collect()
}

pub(in crate::event_trace) fn level_name(level: usize) -> String {
    match Levels::bounds(level) {
        (from, to) if from == to => from.to_string(),
        (from, to) => format!("{from}-{to}"),
    }
}

fn joined<'a>(parts: impl Iterator<Item = &'a [LevelDoc]>) -> Vec<LevelDoc> {
    let mut all: Vec<LevelDoc> = Vec::new();
    for part in parts {
        for (level, one) in part.iter().enumerate() {
            match all.get_mut(level) {
                Some(sum) => {
                    sum.count = sum.count.saturating_add(one.count);
                    sum.bytes = sum.bytes.saturating_add(one.bytes);
                }
                None => all.push(one.clone()),
            }
        }
    }
    all
}
