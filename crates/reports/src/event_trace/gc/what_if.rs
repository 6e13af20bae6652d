//! Runs under other conditions, from the costs of this one.

use ducktrack_analyses::{Cost, Estimate, GcCost, HeapWhatIf, TraceModel};

use super::document::WhatIfDoc;
use super::micros::micros;
use crate::class_name::printable;
use crate::event_trace::place::PlaceDoc;
use crate::quantity::bytes;

/// What is different in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The heap has this many bytes; the young space stays.
    Heap(u64),
    /// This many bytes fit between two young collections.
    Young(u64),
    /// Sites in this method (`com.acme.Cache.put`) or class allocate half.
    Halve(String),
}

pub(super) fn what_ifs(model: &TraceModel, costs: &GcCost, changes: &[Change]) -> Vec<WhatIfDoc> {
    let what_if = |change: &Change| match change {
        Change::Heap(size) => heap(costs, *size),
        Change::Young(size) => young(costs, *size),
        Change::Halve(name) => halve(model, costs, name),
    };
    changes.iter().map(what_if).collect()
}

fn heap(costs: &GcCost, size: u64) -> WhatIfDoc {
    let what = format!("a heap of {}", bytes(size));
    match costs.with_heap(size) {
        Some(HeapWhatIf::Pauses(pauses)) => known(what, pauses),
        Some(HeapWhatIf::TooSmall { live }) => unknown(
            what,
            format!("too small: {} live after full collections", bytes(live)),
        ),
        None => unknown(what, "no full collection came for want of room".to_owned()),
    }
}

fn young(costs: &GcCost, size: u64) -> WhatIfDoc {
    let what = format!("{} between two young collections", bytes(size));
    match costs.with_young(size) {
        Some(pauses) => known(what, pauses),
        None => unknown(what, "there was no young collection".to_owned()),
    }
}

fn halve(model: &TraceModel, costs: &GcCost, name: &str) -> WhatIfDoc {
    let what = format!("{} allocates half", printable(name));
    let mut cost = Cost::default();
    let mut sites = 0;
    for row in &costs.sites {
        let place = row.site.and_then(|site| PlaceDoc::of(&model.count, site));
        let is_it = place.is_some_and(|place| {
            let class = &place.location.class;
            *class == name || format!("{class}.{}", place.location.method) == name
        });
        if is_it {
            sites += 1;
            cost += &row.cost;
        }
    }
    if sites == 0 {
        return unknown(
            what,
            "no site is in a class or method of this name".to_owned(),
        );
    }
    let saved = costs.saved_by_half(&cost);
    let all = costs.pause_nanos() as f64;
    let left = Estimate {
        value: all - saved.value,
        low: all - saved.high,
        high: all - saved.low,
    };
    known(what, left)
}

fn known(what: String, pauses: Estimate) -> WhatIfDoc {
    let (value, interval) = micros(pauses);
    WhatIfDoc {
        what,
        pause_micros: Some(value),
        pause_interval: Some(interval),
        unknown: None,
    }
}

fn unknown(what: String, why: String) -> WhatIfDoc {
    WhatIfDoc {
        what,
        pause_micros: None,
        pause_interval: None,
        unknown: Some(why),
    }
}
