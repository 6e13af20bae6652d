//! Model figures under the keys of the report.

use ducktrack_analyses::{
    Deaths, DemographicsPoint, HeapShape, Level, LifeTally, PointerDistances, ProgramClock,
    QuantileHistogram, RunTotals, Spans, SurvivalPoint, Uses,
};

use super::document::{
    ContradictionDoc, DeathClocksDoc, DeathSpansDoc, DemographicsDoc, DistancesDoc, EventCountsDoc,
    GroupsDoc, LivesDoc, OnClocksDoc, QuantilesDoc, ShapeDoc, SurvivalDoc,
};
use crate::event_trace::amounts::{amount, ratio};

pub(super) fn lives(tally: &LifeTally) -> LivesDoc {
    LivesDoc {
        objects: tally.allocated.count,
        bytes: tally.allocated.bytes,
        alive: amount(tally.alive),
        spans: spans(&tally.spans),
    }
}

fn spans(spans: &Spans) -> DeathSpansDoc {
    DeathSpansDoc {
        lifetime: quantiles(&spans.lifetime),
        drag: quantiles(&spans.drag),
        floating: quantiles(&spans.floating),
        drag_so_far: quantiles(&spans.drag_so_far),
    }
}

fn quantiles(histogram: &QuantileHistogram) -> Option<QuantilesDoc> {
    histogram.quantiles().map(|found| QuantilesDoc {
        p50: found.p50,
        p90: found.p90,
        max: found.max,
    })
}

pub(super) fn on_clocks(deaths: &Deaths) -> OnClocksDoc {
    let [bytes, calls, micros] = &deaths.on_clocks;
    let known = &deaths.run.clocks;
    OnClocksDoc {
        bytes: Some(spans(bytes)),
        calls: known.calls.then(|| spans(calls)),
        micros: known.micros.then(|| spans(micros)),
    }
}

pub(super) fn end(run: &RunTotals) -> DeathClocksDoc {
    DeathClocksDoc {
        bytes: run.end.bytes,
        calls: run.clocks.calls.then_some(run.end.calls),
        micros: run.clocks.micros.then_some(run.end.micros),
    }
}

pub(super) fn events(run: &RunTotals) -> EventCountsDoc {
    let events = &run.events;
    EventCountsDoc {
        allocations: events.allocations,
        updates: events.updates,
        uses: events.uses,
        roots: events.roots,
        entries: events.entries,
        exits: events.exits,
        stamps: events.stamps,
    }
}

pub(super) fn contradictions(run: &RunTotals) -> Vec<ContradictionDoc> {
    let named = run.contradictions.named().into_iter();
    let seen = named.filter(|(_, count)| *count > 0);
    seen.map(|(what, count)| ContradictionDoc {
        what: what.to_owned(),
        count,
    })
    .collect()
}

/// The questions that the stream cannot answer.
pub(super) fn missing(deaths: &Deaths) -> Vec<String> {
    let run = &deaths.run;
    let mut missing = Vec::new();
    if run.level == Level::Bounds {
        missing.push(
            "no death time is exact: this stream tells only which collection found an object dead; lifetimes are upper bounds"
                .to_owned(),
        );
    }
    if run.level == Level::Deaths || run.uses == Uses::Stamps {
        missing.push(
            "uses were stamped while the program ran: a JIT removes fewer objects then, so there are more than without"
                .to_owned(),
        );
    }
    if run.uses == Uses::None {
        missing.push(
            "this stream tells when objects could be reached last, and no uses: no drag is known"
                .to_owned(),
        );
    }
    if run.unstamped > 0 {
        missing.push(format!(
            "{} dead objects have no stamp (an evacuation that failed): of their deaths only bounds are known",
            crate::quantity::grouped(run.unstamped)
        ));
    }
    if run.replaced > 0 {
        missing.push(format!(
            "{} arrays were replaced by equal ones of other strings (-XX:+UseStringDeduplication): each died between the last collection that kept it and the next",
            crate::quantity::grouped(run.replaced)
        ));
    }
    if run.unseen_updates > 0 {
        missing.push(format!(
            "{} references were changed by what the stream does not tell (copies, native code): distances of stored references lack them, deaths do not",
            crate::quantity::grouped(run.unseen_updates)
        ));
    }
    let has_clock = match deaths.clock {
        ProgramClock::Bytes => true,
        ProgramClock::Calls => run.clocks.calls,
        ProgramClock::Micros => run.clocks.micros,
    };
    if !has_clock {
        missing.push(format!(
            "this stream has no clock of {}: ages are 0",
            deaths.clock.name()
        ));
    }
    if run.collections.is_empty() {
        missing.push("no collection is in this stream: no object is known to be dead".to_owned());
    }
    if run.raised > 0 {
        missing.push(format!(
            "{} deaths were moved to a collection that still found the object reachable: the stream does not tell what held it",
            crate::quantity::grouped(run.raised)
        ));
    }
    missing
}

pub(super) fn survival(point: &SurvivalPoint) -> SurvivalDoc {
    SurvivalDoc {
        below: point.below,
        died: amount(point.died),
        alive: amount(point.alive),
        objects: ratio(point.objects),
        bytes: ratio(point.bytes),
    }
}

pub(super) fn demographics(point: &DemographicsPoint) -> DemographicsDoc {
    DemographicsDoc {
        at: point.at,
        counts: point.ages.iter().map(|age| age.count).collect(),
        sizes: point.ages.iter().map(|age| age.bytes).collect(),
    }
}

pub(super) fn shape(run: &RunTotals) -> ShapeDoc {
    if run.level == Level::Bounds {
        return ShapeDoc::default();
    }
    ShapeDoc {
        stores: (run.level == Level::Full).then(|| distances(&run.shape.stores)),
        at_death: Some(distances(&run.shape.at_death)),
        groups: Some(groups(run, &run.shape)),
    }
}

fn distances(found: &PointerDistances) -> DistancesDoc {
    DistancesDoc {
        to_older: found.to_older.entries().to_vec(),
        to_younger: found.to_younger.entries().to_vec(),
        to_itself: found.to_itself,
        from_globals: found.from_globals,
        emptied: found.emptied,
    }
}

fn groups(run: &RunTotals, shape: &HeapShape) -> GroupsDoc {
    let groups = &shape.groups;
    let keys = groups.sizes.total();
    GroupsDoc {
        keys,
        followers: run.dead.objects.saturating_sub(keys),
        sizes: groups.sizes.entries().to_vec(),
        largest: groups.largest,
        unreferenced: groups.unreferenced,
        referrers: groups.referrers.entries().to_vec(),
        references: groups.references.entries().to_vec(),
    }
}
