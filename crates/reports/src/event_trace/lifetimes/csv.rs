//! One row per site and caller.

use super::document::{LifetimeDoc, LifetimesReport};
use crate::event_trace::csv_rows::{
    ListColumns, PLACE, caller_field, no_place, place_fields, table,
};
use crate::json::CallerDoc;

const LIVES: [&str; 10] = [
    "caller",
    "count",
    "bytes",
    "eliminated",
    "alive_count",
    "alive_bytes",
    "not_yet_collected_count",
    "unknown_fate_count",
    "died_promoted_count",
    "died_promoted_bytes",
];

/// Deaths by collections survived, and by the power of two of the bytes that were allocated meanwhile.
struct Lists {
    died: ListColumns,
    bytes_until_death: ListColumns,
}

pub(super) fn csv(report: &LifetimesReport) -> String {
    let lives = || {
        let sites = report.sites.iter().map(|site| &site.lives);
        sites.chain(&report.unattributed)
    };
    let lists = Lists {
        died: ListColumns::of(lives().map(|lives| &lives.died)),
        bytes_until_death: ListColumns::of(lives().map(|lives| &lives.bytes_until_death)),
    };
    let header: Vec<String> = PLACE
        .into_iter()
        .chain(LIVES)
        .map(str::to_owned)
        .chain(lists.died.names("died_after"))
        .chain(lists.bytes_until_death.names("died_within_2_to"))
        .collect();
    let sites = report.sites.iter().flat_map(|site| {
        let place = place_fields(&site.place);
        let whole = site.context.is_empty().then_some((None, &site.lives));
        let parts = site.context.iter();
        let parts = parts.map(|part| (Some(&part.caller), &part.lives));
        let all: Vec<(Option<&CallerDoc>, &LifetimeDoc)> = whole.into_iter().chain(parts).collect();
        let row = |(caller, lives)| fields(place.clone(), caller, lives, &lists);
        all.into_iter().map(row).collect::<Vec<_>>()
    });
    let without = report
        .unattributed
        .iter()
        .map(|lives| fields(no_place(), None, lives, &lists));
    table(&header, sites.chain(without))
}

fn fields(
    mut row: Vec<String>,
    caller: Option<&CallerDoc>,
    lives: &LifetimeDoc,
    lists: &Lists,
) -> Vec<String> {
    row.extend([
        caller_field(caller),
        lives.count.to_string(),
        lives.bytes.to_string(),
        lives.eliminated.to_string(),
        lives.alive.count.to_string(),
        lives.alive.bytes.to_string(),
        lives.not_yet_collected.count.to_string(),
        lives.unknown_fate.count.to_string(),
        lives.died_promoted.count.to_string(),
        lives.died_promoted.bytes.to_string(),
    ]);
    row.extend(lists.died.fields(Some(&lives.died)));
    let until_death = Some(&lives.bytes_until_death);
    row.extend(lists.bytes_until_death.fields(until_death));
    row
}
