//! One line of source is one row, whichever loader its class came from.

use std::collections::{BTreeMap, BTreeSet};

use super::document::{HeapPartDoc, HeapSiteDoc};
use crate::event_trace::amounts::add_list;
use crate::event_trace::place::PlaceDoc;
use crate::json::{ContextDoc, TypeDoc};

/// The site of a class from one loader.
pub(super) struct LoadedSite<'a> {
    pub(super) loader: &'a str,
    pub(super) place: PlaceDoc,
    pub(super) live: HeapPartDoc,
}

/// Sites of one place become one; each row says how many loaders its class came from.
pub(super) fn merged(sites: Vec<LoadedSite<'_>>) -> Vec<HeapSiteDoc> {
    let mut places: BTreeMap<PlaceDoc, (HeapPartDoc, BTreeSet<&str>)> = BTreeMap::new();
    for site in sites {
        let (live, loaders) = places.entry(site.place).or_default();
        match loaders.is_empty() {
            true => *live = site.live,
            false => add(live, site.live),
        }
        loaders.insert(site.loader);
    }
    places
        .into_iter()
        .map(|(place, (live, loaders))| HeapSiteDoc {
            place,
            loaders: u32::try_from(loaders.len()).unwrap_or(u32::MAX),
            live,
        })
        .collect()
}

fn add(sum: &mut HeapPartDoc, part: HeapPartDoc) {
    let known = !sum.ages.is_empty() && !part.ages.is_empty();
    match known {
        true => add_list(&mut sum.ages, &part.ages),
        // The filter cuts through one of them.
        false => sum.ages.clear(),
    }
    add_types(&mut sum.types, part.types);
    add_callers(sum, &part.context, (part.count, part.bytes));
    sum.count = sum.count.saturating_add(part.count);
    sum.bytes = sum.bytes.saturating_add(part.bytes);
}

fn add_types(sum: &mut Vec<TypeDoc>, types: Vec<TypeDoc>) {
    for ty in types {
        match sum.iter_mut().find(|known| known.ty == ty.ty) {
            Some(known) => {
                known.count = known.count.saturating_add(ty.count);
                known.bytes = known.bytes.saturating_add(ty.bytes);
            }
            None => sum.push(ty),
        }
    }
    sum.sort_by(|a, b| (b.bytes, b.count, &a.ty).cmp(&(a.bytes, a.count, &b.ty)));
}

/// Callers sum to the whole, or none is known: where one site knows callers and another does not, the other's objects have none.
fn add_callers(sum: &mut HeapPartDoc, callers: &[ContextDoc], (count, bytes): (i64, i64)) {
    if sum.context.is_empty() && callers.is_empty() {
        return;
    }
    let without = |count, bytes| ContextDoc {
        count,
        bytes,
        ..ContextDoc::default()
    };
    if sum.context.is_empty() {
        sum.context.push(without(sum.count, sum.bytes));
    }
    let unknown = [without(count, bytes)];
    let callers = match callers {
        [] => &unknown[..],
        known => known,
    };
    for caller in callers {
        match sum
            .context
            .iter_mut()
            .find(|known| known.caller == caller.caller)
        {
            Some(known) => {
                known.count = known.count.saturating_add(caller.count);
                known.bytes = known.bytes.saturating_add(caller.bytes);
                add_types(&mut known.types, caller.types.clone());
            }
            None => sum.context.push(caller.clone()),
        }
    }
    sum.context
        .sort_by_key(|part| core::cmp::Reverse((part.bytes, part.count)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Location;

    fn site(loader: &str, line: u16, bytes: i64) -> LoadedSite<'_> {
        let place = PlaceDoc {
            location: Location {
                class: "a.B".to_owned(),
                line: Some(line),
                ..Location::default()
            },
            ty: None,
            kind: "new".to_owned(),
        };
        let ty = TypeDoc {
            ty: "byte[]".to_owned(),
            count: 1,
            bytes,
        };
        let live = HeapPartDoc {
            count: 1,
            bytes,
            ages: vec![0, 1],
            types: vec![ty],
            context: Vec::new(),
        };
        LoadedSite {
            loader,
            place,
            live,
        }
    }

    #[test]
    fn the_same_line_from_three_loaders_is_one_row() {
        let rows = merged(vec![
            site("x 1", 7, 16),
            site("x 2", 7, 24),
            site("x 1", 8, 8),
            site("app", 7, 40),
        ]);
        let figures: Vec<_> = rows
            .iter()
            .map(|row| (row.place.location.line, row.loaders, row.live.bytes))
            .collect();
        assert_eq!(figures, [(Some(7), 3, 80), (Some(8), 1, 8)]);
        let first = &rows[0].live;
        assert_eq!((first.count, first.ages.as_slice()), (3, &[0, 3][..]));
        assert_eq!((first.types.len(), first.types[0].bytes), (1, 80));
        assert_eq!(first.context, []);
    }

    #[test]
    fn objects_without_a_caller_stay_beside_those_with_one() {
        let caller = ContextDoc {
            count: 1,
            bytes: 24,
            caller: crate::json::CallerDoc {
                class: Some("a.C".to_owned()),
                ..Default::default()
            },
            ..ContextDoc::default()
        };
        let mut second = site("x 2", 7, 24);
        second.live.context = vec![caller.clone()];
        let rows = merged(vec![site("x 1", 7, 16), second]);
        let context = &rows[0].live.context;
        assert_eq!(context.len(), 2);
        assert_eq!(context[0], caller);
        assert_eq!((context[1].count, context[1].bytes), (1, 16));
    }
}
