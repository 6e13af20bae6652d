//! The verdict on the run as one sentence.

use ducktrack_analyses::Survivors;
use ducktrack_leaks::{COHORTS, Forecast, HORIZON, NotKnown};

use super::document::CandidateDoc;
use super::place_text::is_own_place;
use crate::quantity::{counted, short_bytes};

/// HotSpot gives up when full collections free less than this share of the heap (`GCHeapFreeLimit`).
const FREES_NOTHING: f64 = 0.02;

/// Objects by which something is seen in more than one piece of the run.
const SEEN: f64 = 4.0;

/// The word and the sentence.
pub(super) struct RunVerdict {
    pub(super) word: &'static str,
    pub(super) sentence: String,
}

fn not_known(sentence: String) -> RunVerdict {
    RunVerdict {
        word: "not known",
        sentence,
    }
}

pub(super) fn verdict(
    survivors: &Survivors,
    forecast: &Forecast,
    candidates: &[CandidateDoc],
    softly_held: u64,
) -> RunVerdict {
    let material = || {
        candidates
            .iter()
            .filter(|one| forecast.is_material(one.bytes_per_mb.value))
    };
    let alarms: Vec<&CandidateDoc> = candidates.iter().filter(|one| one.alarm).collect();
    if let Some(first) = alarms.first() {
        return RunVerdict {
            word: "leaks",
            sentence: leaks(first, alarms.len()),
        };
    }
    if !survivors.known {
        return not_known("where objects live is not known in this trace".to_owned());
    }
    let cohorts = survivors.clock.cells().iter().filter(|cell| cell.bytes > 0);
    if cohorts.count() < 4 {
        return not_known(format!(
            "the judged span has {}, and a verdict needs 4 pieces of the run with births and a look at what stays: run longer, or with a smaller heap",
            counted(u64::from(survivors.collections), "collection")
        ));
    }
    let unseen = material()
        .filter(|one| one.verdict == "not known" && !one.is_not_known(NotKnown::Starting));
    let unseen: Vec<&CandidateDoc> = unseen.collect();
    if let Some(sentence) = starting(candidates, forecast) {
        return not_known(sentence);
    }
    if let Some(first) = unseen.first() {
        return not_known(format!(
            "{}, {} {} leaks",
            unseen_why(first),
            first.target,
            made(first)
        ));
    }
    let cleared = Forecast {
        live_bytes: forecast.live_bytes.saturating_sub(softly_held),
        ..*forecast
    };
    if is_full(survivors, &cleared) {
        return not_known(format!(
            "{} of {} are alive and collections free nearly nothing, but no site rises as a straight line: see ducktrack heap",
            short_bytes(forecast.live_bytes),
            short_bytes(forecast.most_bytes)
        ));
    }
    if let Some(sentence) = too_young(survivors).or_else(|| lost(survivors)) {
        return not_known(sentence);
    }
    if (survivors.live.objects as f64) < SEEN * HORIZON {
        return not_known(format!(
            "{} alive: what doubles them in {HORIZON:.0} such runs would have left fewer than {SEEN:.0} in this one",
            counted(survivors.live.objects, "object")
        ));
    }
    let visible = visible(forecast);
    match material().find(|one| one.verdict == "fills") {
        Some(first) => RunVerdict {
            word: "fills",
            sentence: fills(first, &visible),
        },
        None => RunVerdict {
            word: "no leak",
            sentence: format!("no leak: {visible}{}", slower(candidates, forecast)),
        },
    }
}

fn fills(first: &CandidateDoc, visible: &str) -> String {
    let what = format!("{} {}", first.target, made(first));
    if first.softly {
        return format!(
            "no leak that fills the heap: {what} becomes more, but only soft references hold it, which the JVM clears before the heap is full. {}",
            capital(visible)
        );
    }
    let level = first.level_of_all().map_or_else(String::new, |level| {
        format!(" (towards {})", short_bytes(level as u64))
    });
    format!(
        "no straight line; {what} still becomes more, ever more slowly{level}: a bound may come. {}",
        capital(visible)
    )
}

/// As the first word of a sentence.
fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Why it is not known of the first that would leak.
fn unseen_why(first: &CandidateDoc) -> &'static str {
    if first.released {
        return "all was dropped before a collection had looked at the old space; if it was alive until then";
    }
    if first.is_not_known(NotKnown::OldestGone) {
        return "what is older than all that stays has gone, and no collection shows at what age; if it does not replace its oldest";
    }
    if first.is_not_known(NotKnown::Late) {
        return "what stays began to be kept late in the run; if that goes on";
    }
    match first.is_not_known(NotKnown::FewLooks) {
        true => {
            "fewer than 4 collections have looked at all of the old space; if it goes on as its births do"
        }
        false => {
            "no collection has looked at all of the old space in the second half of the run; if what is there is alive"
        }
    }
}

/// While a program starts, what it loads rises. Together such lines would be an alarm.
fn starting(candidates: &[CandidateDoc], forecast: &Forecast) -> Option<String> {
    let rising = || {
        candidates
            .iter()
            .filter(|one| one.is_not_known(NotKnown::Starting))
    };
    let rate: f64 = rising().map(|one| one.bytes_per_mb.value).sum();
    let first = rising().next().filter(|_| forecast.is_alarming(rate))?;
    Some(format!(
        "the program was still starting: in most of the second half of the run many lines allocated for the first time. Whether {} {} goes on when it has started is not known: run longer",
        first.target,
        made(first)
    ))
}

/// Straight lines that are no alarm.
fn slower(candidates: &[CandidateDoc], forecast: &Forecast) -> String {
    let lines = candidates.iter().filter(|one| one.verdict == "leaks");
    let smallest = forecast.smallest_rate();
    match lines.filter(|one| one.is_small(smallest)).count() {
        0 => String::new(),
        1 => "; 1 site rises, by less".to_owned(),
        more => format!("; {more} sites rise, by less"),
    }
}

/// The piece of the run before its shutdown is not judged: no other came after it. If it is longer than a cohort and keeps more than an average piece of the whole
/// heap, nobody can say that nothing leaks.
fn too_young(survivors: &Survivors) -> Option<String> {
    let (young, judged) = (survivors.alive_after.bytes, survivors.live.bytes);
    let all = young.saturating_add(judged);
    let pieces = survivors.clock.cells().len() as u64 + 1;
    let cohort = survivors.clock.bytes() / COHORTS as u64;
    (survivors.unjudged > cohort && young > all / pieces).then(|| {
        format!(
            "{} of the {} alive were made in the last piece of the run, after all that can be judged: run longer; ducktrack heap has them by site",
            short_bytes(young),
            short_bytes(all)
        )
    })
}

/// A leak that began after the heap was lost has not been seen, unless the rest is shorter than a cohort.
fn lost(survivors: &Survivors) -> Option<String> {
    let judged = survivors.clock.bytes();
    (survivors.lost > judged / COHORTS as u64).then(|| {
        format!(
            "where objects live is known only while the program allocated {}, and nothing leaked then; not for {} after that",
            short_bytes(judged),
            short_bytes(survivors.lost)
        )
    })
}

fn is_full(survivors: &Survivors, forecast: &Forecast) -> bool {
    let frees_nothing = survivors.last_full.is_some_and(|(before, after)| {
        before.saturating_sub(after) as f64 <= FREES_NOTHING * before as f64
    });
    forecast.is_nearly_full() || frees_nothing && forecast.most_bytes > 0
}

fn leaks(first: &CandidateDoc, alarms: usize) -> String {
    let more = match alarms {
        1 => String::new(),
        more => format!("; and {}", counted(more as u64 - 1, "more leak")),
    };
    let full = match first.seconds_until_full {
        Some(seconds) => format!(
            ": by itself it fills the heap in {} of work",
            duration(seconds)
        ),
        None if first.slows => ", ever more slowly and without a bound".to_owned(),
        None => String::new(),
    };
    let field = first
        .structure
        .as_ref()
        .and_then(|structure| structure.field.as_ref());
    let kept = field.map_or_else(String::new, |field| format!(", kept in {field},"));
    format!(
        "{} {}{kept} leaks {} of each MB that the program allocates{full}{more}",
        first.target,
        made(first),
        short_bytes(first.bytes_per_mb.value as u64)
    )
}

/// Where it is made; code of the JDK is made use of by a caller.
fn made(row: &CandidateDoc) -> String {
    let Some(place) = row.made.as_deref() else {
        return "made at a place that is not known (the VM or native code)".to_owned();
    };
    let caller = row.caller.as_deref().filter(|_| !is_own_place(place));
    match caller.and_then(|caller| caller.split(" calls ").next()) {
        Some(caller) => format!("made for {caller}"),
        None => format!("made at {place}"),
    }
}

/// What the run would have shown.
fn visible(forecast: &Forecast) -> String {
    let smallest = forecast.smallest_rate();
    let per_second = match forecast.per_second(smallest) {
        rate if rate >= 1.0 => format!(", {} per second", short_bytes(rate as u64)),
        _ => String::new(),
    };
    format!(
        "a leak of {} or more of each MB allocated{per_second} would have been seen",
        short_bytes(smallest.ceil().max(1.0) as u64)
    )
}

pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        ..1.5 => "about a second".to_owned(),
        ..120.0 => format!("{seconds:.0} seconds"),
        ..7200.0 => format!("{:.0} minutes", seconds / 60.0),
        ..172_800.0 => format!("{:.0} hours", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ducktrack_leaks::{Amount, Cell, Clock};

    #[test]
    fn a_last_piece_that_keeps_more_than_its_share_is_not_known() {
        let run = |young: u64| Survivors {
            clock: Clock::new(vec![
                Cell {
                    bytes: 100,
                    micros: 1
                };
                5
            ]),
            live: Amount {
                objects: 1,
                bytes: 15_000_000,
            },
            alive_after: Amount {
                objects: 1,
                bytes: young,
            },
            unjudged: 100,
            ..Survivors::default()
        };
        // Six pieces: 2.5 MB are less than a sixth of 17.5 MB, 5.3 MB more than a sixth of 20.3 MB.
        assert_eq!(too_young(&run(2_500_000)), None);
        let sentence = too_young(&run(5_300_000)).expect("it is not known");
        assert!(sentence.starts_with("5.3 MB of the 20.3 MB"), "{sentence}");
        // A part that is shorter than a cohort has no leak that did not show before.
        let short = Survivors {
            unjudged: 31,
            ..run(5_300_000)
        };
        assert_eq!(too_young(&short), None);
    }

    #[test]
    fn what_comes_after_the_heap_was_lost_is_not_judged() {
        let run = |lost: u64| Survivors {
            clock: Clock::new(vec![
                Cell {
                    bytes: 1_000_000,
                    micros: 1
                };
                16
            ]),
            lost,
            ..Survivors::default()
        };
        assert_eq!(super::lost(&run(1_000_000)), None);
        let sentence = super::lost(&run(1_100_000)).expect("it is not known");
        assert!(sentence.contains("16.0 MB"), "{sentence}");
        assert!(
            sentence.ends_with("not for 1.1 MB after that"),
            "{sentence}"
        );
    }
}
