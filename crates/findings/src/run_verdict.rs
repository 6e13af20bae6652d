//! The verdict on the whole run.

use ducktrack_analyses::Survivors;
use ducktrack_leaks::{
    COHORTS, FEWEST_COHORTS, FREES_NOTHING, Forecast, HORIZON, NotKnown, Verdict,
};

use crate::contradiction::Contradiction;
use crate::finding::Finding;
use crate::off_heap_finding::OffHeapFinding;

/// What is said of the run. Numbers of findings are places in [`Findings::findings`](crate::Findings::findings).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunVerdict {
    /// The finding at this place is an alarm, the first of so many.
    Leaks {
        /// The first alarm.
        first: usize,
        /// All of them.
        alarms: usize,
    },
    /// Memory outside of the heap leaks, faster than anything in it: the
    /// first of so many in [`Findings::off_heap`](crate::Findings::off_heap).
    LeaksOffHeap {
        /// Alarms outside of the heap.
        alarms: usize,
        /// Alarms in it.
        in_heap: usize,
    },
    /// There is no verdict.
    NotKnown(Unknown),
    /// No line is straight, but this finding becomes more.
    Fills {
        /// The finding.
        first: usize,
    },
    /// A sure line, too slow for an alarm after this run.
    Rises {
        /// The fastest of them.
        first: usize,
        /// All of them.
        lines: usize,
    },
    /// Nothing leaks.
    NoLeak {
        /// Straight lines that are too slow to matter, none of them sure.
        rising: usize,
    },
}

/// Why there is no verdict on the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// Where objects live is not known in this trace.
    Heap,
    /// The recording has more bytes than the JVM has allocated, so that its clock is wrong: nothing is judged by it.
    Contradictory(Contradiction),
    /// The program hardly worked: what it allocated would be no alarm if all of it were kept.
    Idle {
        /// Bytes that it allocated.
        allocated: u64,
    },
    /// The span has fewer pieces than a verdict needs.
    FewPieces,
    /// The program was still starting; the finding at this place rises.
    Starting(usize),
    /// The finding at this place leaks if what is not known is so.
    Finding(usize),
    /// The heap is full, and no line rises.
    Full,
    /// Too many of the live objects were made after all that can be judged.
    Young {
        /// Bytes that were.
        young: u64,
        /// All live bytes.
        all: u64,
    },
    /// Nothing leaked until the last look at the old space; what was made since then and is not known to be dead may be a leak.
    Unlooked {
        /// Bytes that may be alive of these.
        alive: u64,
    },
    /// The heap is known only up to some moment.
    Lost,
    /// So few objects are alive that a leak would not have been seen.
    FewObjects,
}

impl RunVerdict {
    /// The same, where memory outside of the heap may leak faster.
    pub(crate) fn with_off_heap(self, findings: &[Finding], off_heap: &[OffHeapFinding]) -> Self {
        let alarms = off_heap.iter().filter(|one| one.is_alarm);
        let rate = alarms.clone().map(OffHeapFinding::drawn_rate);
        let Some(fastest) = rate.max_by(f64::total_cmp) else {
            return self;
        };
        let in_heap = findings.iter().filter(|one| one.alarm.is_some());
        let is_faster = |one: &Finding| one.drawn_rate() > fastest;
        match in_heap.clone().any(is_faster) {
            true => self,
            false => Self::LeaksOffHeap {
                alarms: alarms.count(),
                in_heap: in_heap.count(),
            },
        }
    }
}

/// Judges the run. `softly_held`: live bytes that the JVM clears before the heap is full.
pub(crate) fn run_verdict(
    survivors: &Survivors,
    forecast: &Forecast,
    findings: &[Finding],
    softly_held: u64,
) -> RunVerdict {
    let alarms = findings.iter().filter(|one| one.alarm.is_some()).count();
    let first = findings.iter().position(|one| one.alarm.is_some());
    if let Some(first) = first {
        return RunVerdict::Leaks { first, alarms };
    }
    if let Some(why) = unknown(survivors, forecast, findings, softly_held) {
        return RunVerdict::NotKnown(why);
    }
    let is_sure = |one: &Finding| one.is_sure && !one.is_in_use();
    let lines = || (0..).zip(findings).filter(|(_, one)| is_sure(one));
    let fastest = lines().max_by(|(_, a), (_, b)| a.drawn_rate().total_cmp(&b.drawn_rate()));
    if let Some((first, _)) = fastest {
        let lines = lines().count();
        return RunVerdict::Rises { first, lines };
    }
    let fills = |one: &Finding| one.verdict == Verdict::Fills && is_material(one, forecast);
    match findings.iter().position(fills) {
        Some(first) => RunVerdict::Fills { first },
        None => RunVerdict::NoLeak {
            rising: findings.iter().filter(|one| rises(one)).count(),
        },
    }
}

fn unknown(
    survivors: &Survivors,
    forecast: &Forecast,
    findings: &[Finding],
    softly_held: u64,
) -> Option<Unknown> {
    if !survivors.known {
        return Some(Unknown::Heap);
    }
    let allocated = forecast
        .span_bytes
        .saturating_add(survivors.allocated_after);
    let whole = Forecast {
        span_bytes: allocated,
        ..*forecast
    };
    if allocated > 0 && whole.is_idle() {
        return Some(Unknown::Idle { allocated });
    }
    let pieces = survivors.clock.cells().iter().filter(|cell| cell.bytes > 0);
    if pieces.count() < FEWEST_COHORTS {
        return Some(Unknown::FewPieces);
    }
    if let Some(first) = starting(findings, forecast) {
        return Some(Unknown::Starting(first));
    }
    let may_leak = |one: &Finding| {
        let why = one.unknown();
        why.is_some_and(|why| why != NotKnown::Starting) && is_material(one, forecast)
    };
    if let Some(first) = findings.iter().position(may_leak) {
        return Some(Unknown::Finding(first));
    }
    let cleared = Forecast {
        live_bytes: forecast.live_bytes.saturating_sub(softly_held),
        ..*forecast
    };
    if is_full(survivors, &cleared) {
        return Some(Unknown::Full);
    }
    if let Some(why) = too_young(survivors) {
        return Some(why);
    }
    if let Some(why) = unlooked(survivors, forecast) {
        return Some(why);
    }
    if is_lost(survivors) {
        return Some(Unknown::Lost);
    }
    let fewest = FEWEST_COHORTS as f64 * HORIZON;
    ((survivors.live.objects as f64) < fewest).then_some(Unknown::FewObjects)
}

fn is_material(one: &Finding, forecast: &Forecast) -> bool {
    forecast.is_material(one.drawn_rate())
}

/// A straight line that is no alarm, and not in use.
fn rises(one: &Finding) -> bool {
    one.verdict == Verdict::Leaks && !one.matters
}

/// While a program starts, what it loads rises. Together such lines would be an alarm.
fn starting(findings: &[Finding], forecast: &Forecast) -> Option<usize> {
    let is_starting = |one: &Finding| one.unknown() == Some(NotKnown::Starting);
    let rising = findings.iter().filter(|one| is_starting(one));
    let rate: f64 = rising.map(Finding::drawn_rate).sum();
    forecast.alarm(rate)?;
    findings.iter().position(is_starting)
}

/// The piece of the run before its shutdown is not judged: no other came after it. If it is longer
/// than a cohort and keeps more than an average piece of the whole heap, a leak may have begun in it.
fn too_young(survivors: &Survivors) -> Option<Unknown> {
    let (young, judged) = (survivors.alive_after.bytes, survivors.live.bytes);
    let all = young.saturating_add(judged);
    let pieces = survivors.clock.cells().len() as u64 + 1;
    let cohort = survivors.clock.bytes() / COHORTS as u64;
    (survivors.unjudged > cohort && young > all / pieces).then_some(Unknown::Young { young, all })
}

/// A leak that began after the last look has not been seen. If more than a cohort came then,
/// and what it may have left would be an alarm, there is no verdict.
fn unlooked(survivors: &Survivors, forecast: &Forecast) -> Option<Unknown> {
    let alive = survivors.alive_since_look;
    let cohort = survivors.clock.bytes() / COHORTS as u64;
    let may_harm = forecast.is_material(forecast.rate_of(alive));
    (survivors.allocated_after > cohort && may_harm).then_some(Unknown::Unlooked { alive })
}

/// A leak that began after the heap was lost has not been seen, unless the rest is shorter than a cohort.
fn is_lost(survivors: &Survivors) -> bool {
    survivors.lost > survivors.clock.bytes() / COHORTS as u64
}

fn is_full(survivors: &Survivors, forecast: &Forecast) -> bool {
    let frees_nothing = survivors.last_full.is_some_and(|(before, after)| {
        before.saturating_sub(after) as f64 <= FREES_NOTHING * before as f64
    });
    forecast.is_nearly_full() || frees_nothing && forecast.most_bytes > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use ducktrack_leaks::{Amount, Cell, Clock};

    fn survivors(cells: usize, bytes: u64) -> Survivors {
        Survivors {
            clock: Clock::new(vec![Cell { bytes, micros: 1 }; cells]),
            ..Survivors::default()
        }
    }

    #[test]
    fn a_last_piece_that_keeps_more_than_its_share_is_not_known() {
        let run = |young: u64| Survivors {
            live: Amount::of(1, 15_000_000),
            alive_after: Amount::of(1, young),
            unjudged: 100,
            ..survivors(5, 100)
        };
        // Six pieces: 2.5 MB are less than a sixth of 17.5 MB, 5.3 MB more than a sixth of 20.3 MB.
        assert_eq!(too_young(&run(2_500_000)), None);
        let expected = Unknown::Young {
            young: 5_300_000,
            all: 20_300_000,
        };
        assert_eq!(too_young(&run(5_300_000)), Some(expected));
        // A part that is shorter than a cohort has no leak that did not show before.
        let short = Survivors {
            unjudged: 31,
            ..run(5_300_000)
        };
        assert_eq!(too_young(&short), None);
    }

    /// A look after 60 % of the run: of 4 MB that came to be alive since then, a line would double the heap.
    #[test]
    fn what_nobody_has_looked_at_since_is_not_known() {
        let run = |allocated_after: u64, alive_since_look: u64| Survivors {
            live: Amount::of(1, 10_000_000),
            allocated_after,
            alive_since_look,
            ..survivors(16, 1_000_000)
        };
        let judged = |survivors: &Survivors| {
            let forecast = Forecast::of(&survivors.clock, survivors.live.bytes, 0);
            unlooked(survivors, &forecast)
        };
        let alive = 4_000_000;
        let expected = Some(Unknown::Unlooked { alive });
        assert_eq!(judged(&run(10_000_000, alive)), expected);
        // Objects in flight, and a look near the end.
        assert_eq!(judged(&run(10_000_000, 500_000)), None);
        assert_eq!(judged(&run(900_000, alive)), None);
    }

    #[test]
    fn what_comes_after_the_heap_was_lost_is_not_judged() {
        let run = |lost: u64| Survivors {
            lost,
            ..survivors(16, 1_000_000)
        };
        assert!(!is_lost(&run(1_000_000)));
        assert!(is_lost(&run(1_100_000)));
    }
}
