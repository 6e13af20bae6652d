//! One row per site and caller, with columns for each level of staleness.

use std::collections::BTreeSet;

use super::build::stale_of;
use super::document::{StalePartDoc, StaleReport};
use crate::event_trace::csv_rows::{PLACE, caller_field, no_place, place_fields, table};
use crate::json::CallerDoc;

/// A level, by its first number: `2-3` stands after `1`.
type Levels = BTreeSet<(u64, String)>;

pub(super) fn csv(report: &StaleReport) -> String {
    let levels = levels(report);
    let of_level = |level: &(u64, String)| {
        let name = &level.1;
        [
            format!("unused_{name}_count"),
            format!("unused_{name}_bytes"),
        ]
    };
    let header: Vec<String> = PLACE
        .into_iter()
        .chain(["caller", "count", "bytes", "stale_count", "stale_bytes"])
        .map(str::to_owned)
        .chain(levels.iter().flat_map(of_level))
        .collect();
    let sites = report.sites.iter().flat_map(|site| {
        let place = place_fields(&site.place);
        let whole = site.context.is_empty().then_some((None, &site.part));
        let parts = site.context.iter();
        let parts = parts.map(|one| (Some(&one.caller), &one.part));
        let all: Vec<(Option<&CallerDoc>, &StalePartDoc)> =
            whole.into_iter().chain(parts).collect();
        let row = |(caller, part)| fields(place.clone(), caller, part, &levels);
        all.into_iter().map(row).collect::<Vec<_>>()
    });
    let without = report
        .unattributed
        .iter()
        .map(|part| fields(no_place(), None, part, &levels));
    table(&header, sites.chain(without))
}

fn levels(report: &StaleReport) -> Levels {
    let sites = report.sites.iter().flat_map(|site| {
        let callers = site.context.iter().map(|one| &one.part);
        std::iter::once(&site.part).chain(callers)
    });
    let parts = sites.chain(&report.unattributed);
    let named = |level: &str| {
        let digits = level.split(|letter: char| !letter.is_ascii_digit()).next();
        let first = digits.and_then(|digits| digits.parse().ok());
        (first.unwrap_or(u64::MAX), level.to_owned())
    };
    let levels = parts.flat_map(|part| part.staleness.iter().map(|one| named(&one.level)));
    levels.collect()
}

fn fields(
    mut row: Vec<String>,
    caller: Option<&CallerDoc>,
    part: &StalePartDoc,
    levels: &Levels,
) -> Vec<String> {
    let stale = stale_of(&part.staleness);
    row.extend([
        caller_field(caller),
        part.count.to_string(),
        part.bytes.to_string(),
        stale.count.to_string(),
        stale.bytes.to_string(),
    ]);
    row.extend(levels.iter().flat_map(|(_, level)| {
        let mut known = part.staleness.iter();
        let known = known.find(|one| one.level == *level);
        let (count, bytes) = known.map_or((0, 0), |one| (one.count, one.bytes));
        [count.to_string(), bytes.to_string()]
    }));
    row
}
