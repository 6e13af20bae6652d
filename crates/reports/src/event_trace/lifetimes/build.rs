//! Model to document. A filter keeps whole sites, and of other sites the parts of its
//! packages' callers: lifetimes are not recorded by type or thread within a site.

use ducktrack_analyses::{CallerLifetime, Lifetimes, Lives, TraceModel};

use super::document::{LifetimeContextDoc, LifetimeDoc, LifetimeSiteDoc, LifetimesReport};
use crate::event_trace::VERSION;
use crate::event_trace::amounts::{amount, signed};
use crate::event_trace::head::{RowsDoc, TraceHead};
use crate::event_trace::heap::largest_first;
use crate::event_trace::place::PlaceDoc;
use crate::filter::{Filter, Sort};
use crate::json::CallerDoc;
use crate::view::Caller;

/// Makes the report. `trace` says where the model was read from.
pub fn lifetimes_report(
    model: &TraceModel,
    lifetimes: &Lifetimes,
    trace: &str,
    filter: &Filter,
) -> LifetimesReport {
    let view = crate::build::view(&model.count, trace, filter);
    let mut sites = Vec::new();
    let mut unattributed = None;
    for row in &lifetimes.sites {
        match row.site.and_then(|index| PlaceDoc::of(&model.count, index)) {
            Some(place) if place.is_wanted(filter) => sites.push(LifetimeSiteDoc {
                place,
                lives: lives(&row.lives),
                context: context(&row.callers, &view.callers, filter.sort),
            }),
            Some(place) => {
                let wanted =
                    place.wanted_callers(&row.callers, |row| row.call, &view.callers, filter);
                let context = context(wanted, &view.callers, filter.sort);
                if !context.is_empty() {
                    let lives = LifetimeDoc::together(context.iter().map(|part| &part.lives));
                    sites.push(LifetimeSiteDoc {
                        place,
                        lives,
                        context,
                    });
                }
            }
            None if filter.only.is_empty() && filter.types.is_empty() => {
                unattributed = Some(lives(&row.lives))
            }
            None => {}
        }
    }
    sort(&mut sites, filter.sort);
    let selected = LifetimeDoc::together(sites.iter().map(|site| &site.lives).chain(&unattributed));
    LifetimesReport {
        format: "ducktrack-lifetimes".to_owned(),
        version: VERSION,
        head: TraceHead::of(model, &view, filter),
        known: lifetimes.known,
        collections: lifetimes.collections,
        total: lives(&lifetimes.total),
        selected,
        rows: RowsDoc {
            sites: sites.len() as u64,
            types: 0,
        },
        unattributed,
        sites: sites
            .into_iter()
            .take(filter.top.unwrap_or(usize::MAX))
            .collect(),
    }
}

fn context<'a>(
    rows: impl IntoIterator<Item = &'a CallerLifetime>,
    callers: &[Caller],
    sort: Sort,
) -> Vec<LifetimeContextDoc> {
    let part = |row: &CallerLifetime| LifetimeContextDoc {
        caller: CallerDoc::of(row.call.and_then(|call| callers.get(call.get()))),
        lives: lives(&row.lives),
    };
    let mut parts: Vec<LifetimeContextDoc> = rows.into_iter().map(part).collect();
    // A stable sort: callers with as much stay in the order of the model.
    parts.sort_by(|a, b| {
        let amount = |part: &LifetimeContextDoc| (part.lives.count, part.lives.bytes);
        largest_first(sort, amount(a), amount(b))
    });
    parts
}

fn sort(sites: &mut [LifetimeSiteDoc], sort: Sort) {
    sites.sort_by(|a, b| {
        largest_first(
            sort,
            (a.lives.count, a.lives.bytes),
            (b.lives.count, b.lives.bytes),
        )
        .then_with(|| a.place.cmp(&b.place))
    });
}

fn lives(row: &Lives) -> LifetimeDoc {
    LifetimeDoc {
        count: signed(row.allocated.count),
        bytes: signed(row.allocated.bytes),
        eliminated: row.eliminated,
        died: row.died.clone(),
        died_bytes: row.died_bytes.clone(),
        alive: amount(row.alive),
        not_yet_collected: amount(row.not_yet_collected),
        unknown_fate: amount(row.unknown_fate),
        promoted: amount(row.promoted),
        died_promoted: amount(row.died_promoted),
        promoted_died: row.promoted_died.clone(),
        bytes_until_death: row.bytes_until_death.clone(),
    }
}
