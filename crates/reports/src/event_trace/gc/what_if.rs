//! Runs under other conditions, from the costs of this one.

use ducktrack_analyses::{Cost, Estimate, GcCost, HeapWhatIf, TraceModel};
use ducktrack_count_model::{CallIndex, MethodIndex, SiteIndex};
use ducktrack_profile::{Below, Frame, Interval, Profile, Unit, profile};
use rustc_hash::FxHashMap;

use super::document::WhatIfDoc;
use super::micros::micros;
use crate::class_name::{printable, readable_class};
use crate::quantity::{bytes, short_bytes};

const HALF: f64 = 0.5;

/// Method and line of a call.
type Caller = (MethodIndex, Option<u16>);

/// What is different in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The heap has this many bytes; the young space stays.
    Heap(u64),
    /// This many bytes fit between two young collections.
    Young(u64),
    /// This method (`com.acme.Cache.put`) or class causes half of what it does: half of what is allocated in it, and in what it calls.
    Halve(String),
}

pub(super) fn what_ifs(model: &TraceModel, costs: &GcCost, changes: &[Change]) -> Vec<WhatIfDoc> {
    const OWN_RULES: &str = "ZGC begins its cycles by rules of its own";
    let what_if = |change: &Change| match change {
        Change::Heap(size) if costs.is_concurrent => {
            unknown(format!("a heap of {}", bytes(*size)), OWN_RULES.to_owned())
        }
        Change::Young(size) if costs.is_concurrent => {
            let what = format!("{} between two young collections", bytes(*size));
            unknown(what, OWN_RULES.to_owned())
        }
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

/// Half of what is allocated while a method (or a method of a class) is on the stack, each
/// object once. Which part of a site's objects that is, is an estimate from sampled stacks.
fn halve(model: &TraceModel, costs: &GcCost, name: &str) -> WhatIfDoc {
    let profile = profile(&model.count);
    let is_it = |frame: &Frame| is_method(frame, name);
    let what = format!("{} allocates half", printable(name));
    let Some(below) = profile.below(is_it, Unit::Bytes) else {
        let why = "no sampled stack and no site has a class or method of this name";
        return unknown(what, why.to_owned());
    };
    let sums = bytes_below(&profile, &below);
    let mut half = Cost::default();
    for row in &costs.sites {
        let share = |call: Option<CallIndex>| {
            let caller = call.map(|call| model.count.call(call));
            let caller = caller.map(|call| (call.method, call.line));
            let known = row.site.and_then(|site| sums.get(&(site, caller)));
            known.map_or(0.0, |[part, all]| HALF * part / all)
        };
        half += &row.part(share);
    }
    let saved = costs.without(&half);
    let Interval { low, high } = below.interval;
    let saved = with_error_of(saved, below.amount.max(1) as f64, below.interval);
    let all = costs.pause_nanos() as f64;
    let left = Estimate {
        value: all - saved.value,
        low: all - saved.high.min(all),
        high: all - saved.low,
    };
    let caused = format!(
        "{} ({} to {}) with what it calls",
        short_bytes(below.amount.unsigned_abs()),
        short_bytes(low as u64),
        short_bytes(high as u64)
    );
    known(format!("{what} of {caused}"), left)
}

/// What is saved, with what is not known of the bytes: the two errors have nothing to do with each other, so their squares add up.
fn with_error_of(saved: Estimate, amount: f64, bytes: Interval) -> Estimate {
    let of_bytes = |bound: f64| saved.value * (bound / amount - 1.0);
    Estimate {
        value: saved.value,
        low: saved.value - (saved.value - saved.low).hypot(of_bytes(bytes.low)),
        high: saved.value + (saved.high - saved.value).hypot(of_bytes(bytes.high)),
    }
}

fn is_method(frame: &Frame, name: &str) -> bool {
    let Frame::Method { class, method, .. } = frame else {
        return false;
    };
    let class = readable_class(class);
    let rest = name.strip_prefix(&class);
    rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.') == Some(&printable(method)))
}

/// Of each site and caller the bytes below the chosen frames, and all.
fn bytes_below(
    profile: &Profile,
    below: &Below,
) -> FxHashMap<(SiteIndex, Option<Caller>), [f64; 2]> {
    let mut sums: FxHashMap<_, [f64; 2]> = FxHashMap::default();
    for (stratum, share) in profile.strata.iter().zip(&below.shares) {
        let bytes = stratum.tally.bytes.max(1) as f64;
        for site in &stratum.sites {
            let [part, all] = sums.entry((*site, stratum.caller)).or_default();
            *part += bytes * share;
            *all += bytes;
        }
    }
    sums
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
