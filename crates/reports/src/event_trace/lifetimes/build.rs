//! Model to document. A filter keeps whole sites: lifetimes are not recorded by type or thread within a site.

use ducktrack_heap_model::{Lifetimes, SiteLifetime, TraceModel};

use super::document::{LifetimeDoc, LifetimeSiteDoc, LifetimesReport};
use crate::event_trace::VERSION;
use crate::event_trace::amounts::{add_list, amount, signed, sum};
use crate::event_trace::head::{RowsDoc, TraceHead};
use crate::event_trace::heap::largest_first;
use crate::event_trace::place::PlaceDoc;
use crate::filter::{Filter, Sort};

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
                lives: lives(row),
            }),
            Some(_) => {}
            None if filter.only.is_empty() && filter.types.is_empty() => {
                unattributed = Some(lives(row))
            }
            None => {}
        }
    }
    sort(&mut sites, filter.sort);
    let selected = together(sites.iter().map(|site| &site.lives).chain(&unattributed));
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

fn lives(row: &SiteLifetime) -> LifetimeDoc {
    LifetimeDoc {
        count: signed(row.allocated.count),
        bytes: signed(row.allocated.bytes),
        eliminated: row.eliminated,
        died: row.died.clone(),
        died_bytes: row.died_bytes.clone(),
        alive: amount(row.alive),
        not_yet_collected: amount(row.not_yet_collected),
        promoted: amount(row.promoted),
        died_promoted: amount(row.died_promoted),
        promoted_died: row.promoted_died.clone(),
        bytes_until_death: row.bytes_until_death.clone(),
    }
}

fn together<'a>(rows: impl Iterator<Item = &'a LifetimeDoc>) -> LifetimeDoc {
    let mut all = LifetimeDoc::default();
    for row in rows {
        all.count = all.count.saturating_add(row.count);
        all.bytes = all.bytes.saturating_add(row.bytes);
        all.eliminated = all.eliminated.saturating_add(row.eliminated);
        add_list(&mut all.died, &row.died);
        add_list(&mut all.died_bytes, &row.died_bytes);
        add_list(&mut all.promoted_died, &row.promoted_died);
        add_list(&mut all.bytes_until_death, &row.bytes_until_death);
        all.alive = sum([all.alive, row.alive].into_iter());
        all.not_yet_collected = sum([all.not_yet_collected, row.not_yet_collected].into_iter());
        all.promoted = sum([all.promoted, row.promoted].into_iter());
        all.died_promoted = sum([all.died_promoted, row.died_promoted].into_iter());
    }
    all
}
