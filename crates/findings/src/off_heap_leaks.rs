//! Judges memory outside of the heap, line by line: by the rule for objects, applied to the objects that are made with the memory.

use ducktrack_count_model::Tally;
use ducktrack_holders::DumpError;
use ducktrack_leaks::{
    Amount, COHORTS, FEWEST_COHORTS, Forecast, History, Interval, Judgement, Verdict, judge,
};

use crate::evidence::Evidence;
use crate::held::Holders;
use crate::off_heap_finding::{OffHeapFinding, OffHeapOwner, OffHeapUnknown, OffHeapVerdict};
use crate::off_heap_makers::OffHeapMakers;
use crate::off_heap_witness::{Witness, witness};

const MB: f64 = 1_048_576.0;
/// Findings whose holders are looked for: each takes walks over the whole dump.
const MOST_HELD: usize = 3;

/// Judges the makers of one recording.
pub(crate) struct OffHeapLeaks<'a> {
    evidence: Evidence<'a>,
    forecast: Forecast,
    makers: Vec<OffHeapMakers>,
}

/// The history of a line's blocks, as far as objects tell it.
struct Dated {
    history: History,
    owner: OffHeapOwner,
    /// Blocks for each object that is alive: below 1 where some were released before their objects died.
    blocks: f64,
}

impl<'a> OffHeapLeaks<'a> {
    /// The forecast is of all that is alive, in the heap and outside of it.
    pub(crate) fn new(evidence: Evidence<'a>, heap: Forecast) -> Self {
        let makers = OffHeapMakers::of(&evidence.model.count.off_heap);
        let live = makers.iter().map(OffHeapMakers::live).sum::<Tally>();
        let live = u64::try_from(live.bytes).unwrap_or(0);
        Self {
            forecast: Forecast {
                live_bytes: heap.live_bytes.saturating_add(live),
                // Where this memory ends, at a limit of the container, no recording has.
                most_bytes: 0,
                ..heap
            },
            evidence,
            makers,
        }
    }

    /// What becomes more, alarms first, most bytes first.
    pub(crate) fn all(
        &self,
        holders: Option<&Holders<'_>>,
    ) -> Result<Vec<OffHeapFinding>, DumpError> {
        let found = self.makers.iter();
        let found = found.filter_map(|one| Some((one, self.finding(one)?)));
        let mut found: Vec<_> = found.collect();
        found.sort_by_key(|(_, one)| {
            let is_known = !matches!(one.verdict, OffHeapVerdict::NotKnown(_));
            core::cmp::Reverse((one.is_alarm, is_known, one.live.bytes))
        });
        let mut all = Vec::with_capacity(found.len());
        for (place, (makers, finding)) in found.into_iter().enumerate() {
            all.push(match holders.filter(|_| place < MOST_HELD) {
                Some(holders) => self.with_holder(makers, finding, holders)?,
                None => finding,
            });
        }
        Ok(all)
    }

    fn finding(&self, makers: &OffHeapMakers) -> Option<OffHeapFinding> {
        let live = makers.live();
        if live.count <= 0 || live.bytes <= 0 {
            return None;
        }
        match self.dated(makers)? {
            Ok(dated) => self.judged(makers, dated),
            Err((why, owner)) => self.not_judged(makers, why, owner),
        }
    }

    /// The history of its blocks. `None`: there is nothing to say.
    fn dated(
        &self,
        makers: &OffHeapMakers,
    ) -> Option<Result<Dated, (OffHeapUnknown, OffHeapOwner)>> {
        let unknown = |why| Some(Err((why, OffHeapOwner::NotKnown)));
        let Some(witness) = witness(makers.kind) else {
            return unknown(OffHeapUnknown::NoObject);
        };
        let survivors = self.evidence.survivors;
        let asked = (
            &self.evidence.model.count,
            survivors.rows.as_slice(),
            self.makers.as_slice(),
        );
        let found = makers.made_with(witness.dated_by, asked);
        let mut history = History::default();
        found.own.iter().for_each(|row| history.add(&row.history));
        let alive = history.live().objects;
        let live = u64::try_from(makers.live().count).unwrap_or(0);
        if !found.shared.is_empty() && alive.saturating_mul(2) < live {
            return unknown(OffHeapUnknown::Shared);
        }
        if found.own.is_empty() {
            return unknown(OffHeapUnknown::NoObject);
        }
        if alive > live.saturating_mul(2) {
            // The memory is released, and only its objects stay: they are in the heap.
            return None;
        }
        if alive.saturating_mul(2) >= live {
            return Some(Ok(Dated {
                history,
                owner: OffHeapOwner::Held(None),
                blocks: (live as f64 / alive as f64).min(1.0),
            }));
        }
        match found.has_dead_of_others && !witness.is_collected {
            true => Some(Err((OffHeapUnknown::Shared, OffHeapOwner::Dropped))),
            false => self.dropped(makers, &witness, history),
        }
    }

    /// The objects are dead, and their memory is not released. A collection
    /// does that for some kinds, a little later; for the others nothing does.
    fn dropped(
        &self,
        makers: &OffHeapMakers,
        witness: &Witness,
        history: History,
    ) -> Option<Result<Dated, (OffHeapUnknown, OffHeapOwner)>> {
        if witness.is_collected {
            return None;
        }
        if makers.released.count > 0 || !self.has_early_deaths(&history) {
            return Some(Err((OffHeapUnknown::Undated, OffHeapOwner::Dropped)));
        }
        Some(Ok(Dated {
            history: History {
                kept: history.born.clone(),
                born: history.born,
                ..History::default()
            },
            owner: OffHeapOwner::Dropped,
            blocks: 1.0,
        }))
    }

    /// Objects of the span's first half died before the last of several collections: what collections release, they would have released.
    fn has_early_deaths(&self, history: &History) -> bool {
        let survivors = self.evidence.survivors;
        let half = survivors.clock.cells().len() / 2;
        let early = |amounts: &[Amount]| amounts.iter().take(half).copied().sum::<Amount>();
        let is_dead = early(&history.kept).objects < early(&history.born).objects;
        is_dead && survivors.collections as usize >= FEWEST_COHORTS
    }

    /// By the rule for objects. `None`: it does not become more.
    fn judged(&self, makers: &OffHeapMakers, dated: Dated) -> Option<OffHeapFinding> {
        let judged = judge(&self.evidence.survivors.clock, &dated.history);
        let verdict = match judged.verdict {
            Verdict::Leaks => OffHeapVerdict::Leaks,
            Verdict::Fills => OffHeapVerdict::Fills,
            Verdict::NotKnown(why) => OffHeapVerdict::NotKnown(OffHeapUnknown::Objects(why)),
            Verdict::Periodic | Verdict::Bounded | Verdict::LoadedOnce => return None,
        };
        let bytes = makers.block_bytes() * dated.blocks;
        let finding = OffHeapFinding {
            is_alarm: false,
            verdict,
            rate: judged.objects_per_mb.times(bytes),
            judged: Some(judged),
            owner: dated.owner,
            ..described(makers)
        };
        let is_material = self.forecast.is_material(finding.drawn_rate());
        let is_alarm = is_material && verdict == OffHeapVerdict::Leaks;
        let is_shown = is_material && (judged.grows() || judged.may_leak())
            || verdict == OffHeapVerdict::Leaks;
        is_shown.then_some(OffHeapFinding {
            is_alarm,
            ..finding
        })
    }

    /// It is said only where it would matter if all of it came evenly, and of no
    /// fewer blocks than the run has pieces: an even line leaves one in each.
    fn not_judged(
        &self,
        makers: &OffHeapMakers,
        why: OffHeapUnknown,
        owner: OffHeapOwner,
    ) -> Option<OffHeapFinding> {
        let live = makers.live();
        let span = self.forecast.span_bytes.max(1) as f64;
        let is_material = self.forecast.is_material(live.bytes as f64 * MB / span);
        (is_material && live.count >= COHORTS as i64).then(|| OffHeapFinding {
            verdict: OffHeapVerdict::NotKnown(why),
            owner,
            ..described(makers)
        })
    }

    /// Adds the path that holds most of the objects.
    fn with_holder(
        &self,
        makers: &OffHeapMakers,
        finding: OffHeapFinding,
        holders: &Holders<'_>,
    ) -> Result<OffHeapFinding, DumpError> {
        let types = witness(makers.kind).map_or(&[] as &[&str], |one| one.held_as);
        if !matches!(finding.owner, OffHeapOwner::Held(_)) {
            return Ok(finding);
        }
        let asked = (
            &self.evidence.model.count,
            self.evidence.survivors.rows.as_slice(),
            self.makers.as_slice(),
        );
        for row in makers.made_with(types, asked).own {
            if let Some(held) = holders.of_row(row)? {
                return Ok(OffHeapFinding {
                    owner: OffHeapOwner::Held(Some(Box::new(held))),
                    ..finding
                });
            }
        }
        Ok(finding)
    }
}

/// A finding without a verdict.
fn described(makers: &OffHeapMakers) -> OffHeapFinding {
    OffHeapFinding {
        kind: makers.kind,
        maker: makers.maker.clone(),
        made: makers.made,
        live: makers.live(),
        verdict: OffHeapVerdict::NotKnown(OffHeapUnknown::NoObject),
        is_alarm: false,
        judged: None::<Judgement>,
        rate: Interval::default(),
        owner: OffHeapOwner::NotKnown,
    }
}
