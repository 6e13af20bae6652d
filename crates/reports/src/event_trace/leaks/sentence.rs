//! The verdict on the run as one sentence.

use ducktrack_findings::{Finding, Findings, RunVerdict, Unknown};
use ducktrack_leaks::{Alarm, FEWEST_COHORTS, HORIZON, NotKnown, latest_beginning};

use super::names::{Names, field_name};
use super::off_heap::made;
use crate::event_trace::duration::duration;
use crate::quantity::{counted, short_bytes};

/// Writes about the findings of one run.
pub(super) struct Sentence<'a> {
    pub(super) names: Names<'a>,
    pub(super) findings: &'a Findings<'a>,
}

impl Sentence<'_> {
    pub(super) fn of_run(&self) -> String {
        let of = |place: usize, sentence: &dyn Fn(&Finding) -> String| {
            let finding = self.findings.findings.get(place);
            finding.map(sentence).unwrap_or_default()
        };
        match self.findings.verdict {
            RunVerdict::Leaks { first, alarms } => of(first, &|one| self.leaks(one, alarms)),
            RunVerdict::LeaksOffHeap { alarms, in_heap } => self.off_heap((alarms, in_heap)),
            RunVerdict::Rises { first, lines } => of(first, &|one| self.rises(one, lines)),
            RunVerdict::Fills { first } => of(first, &|one| self.fills(one)),
            RunVerdict::NoLeak { rising } => self.no_leak(rising),
            RunVerdict::NotKnown(Unknown::Starting(first)) => of(first, &|one| self.starting(one)),
            RunVerdict::NotKnown(Unknown::Finding(first)) => of(first, &|one| {
                format!("{}, {} leaks", condition(one), self.objects(one))
            }),
            RunVerdict::NotKnown(why) => self.not_known(why),
        }
    }

    /// `com.acme.Order made at ...`
    fn objects(&self, finding: &Finding) -> String {
        let target = self.names.target(&finding.maker);
        format!("{target} {}", self.names.made_for(finding))
    }

    fn leaks(&self, first: &Finding, alarms: usize) -> String {
        let more = match alarms {
            1 => String::new(),
            more => format!("; and {}", counted(more as u64 - 1, "more leak")),
        };
        let harm = self.harm(first);
        let kept = kept_in(first);
        let doubt = match first.judged.may_have_stopped {
            true => {
                ". As much of it has died as was kept in the last quarter of the run, and no collection shows when: run longer to be sure that it goes on"
            }
            false => "",
        };
        format!(
            "{}{kept} leaks {} of each MB that the program allocates{harm}{more}{doubt}",
            self.objects(first),
            short_bytes(first.rate.value as u64)
        )
    }

    /// `4.2 MB of direct-buffer made at ... leaks`
    fn off_heap(&self, (alarms, in_heap): (usize, usize)) -> String {
        let Some(first) = self.findings.off_heap.first() else {
            return String::new();
        };
        let more = |others: usize, place: &str| match others {
            0 => String::new(),
            others => format!("; and {} {place}", counted(others as u64, "more leak")),
        };
        let others = more(alarms.saturating_sub(1), "outside of the heap");
        format!(
            "memory outside of the heap leaks: {} made at {}, {} of each MB that the program allocates in the heap{others}{}",
            first.kind.name(),
            made(first),
            short_bytes(first.rate.value as u64),
            more(in_heap, "in it")
        )
    }

    /// What an alarm is about, and when: the heap is full, or twice as much is alive.
    fn harm(&self, finding: &Finding) -> String {
        if finding.slows() {
            return ", ever more slowly and without a bound".to_owned();
        }
        let forecast = &self.findings.forecast;
        let full = finding.seconds_until_full(forecast).map(duration);
        let doubled = finding.seconds_until_doubled(forecast).map(duration);
        match (finding.alarm, doubled, full) {
            (Some(Alarm::Doubles), Some(doubled), Some(full)) => format!(
                ": by itself it doubles what is alive in {doubled} of work, and fills the heap in {full}"
            ),
            (Some(Alarm::Doubles), Some(doubled), None) => {
                format!(": by itself it doubles what is alive in {doubled} of work")
            }
            (_, _, Some(full)) => format!(": by itself it fills the heap in {full} of work"),
            _ => String::new(),
        }
    }

    fn rises(&self, first: &Finding, lines: usize) -> String {
        let forecast = &self.findings.forecast;
        let full = first.seconds_until_full(forecast).map(duration);
        let full = full.map_or_else(String::new, |full| {
            format!(", which fills the heap in {full} of work")
        });
        let more = match lines {
            1 => String::new(),
            more => format!("; and {}", counted(more as u64 - 1, "more such line")),
        };
        format!(
            "{}{} rises surely, by {} of each MB that the program allocates{full}: too slowly for an alarm after this run{more}. Run longer to be sure that it goes on. {}",
            self.objects(first),
            kept_in(first),
            short_bytes(first.rate.value as u64),
            capital(&self.visible_alarm())
        )
    }

    fn fills(&self, first: &Finding) -> String {
        let objects = self.objects(first);
        let visible = capital(&self.visible());
        if first.is_soft() {
            return format!(
                "no leak that fills the heap: {objects} becomes more, but only soft references hold it, which the JVM clears before the heap is full. {visible}"
            );
        }
        let level = first.level().map_or_else(String::new, |level| {
            format!(" (towards {})", short_bytes(level as u64))
        });
        format!(
            "no straight line; {objects} still becomes more, ever more slowly{level}: a bound may come. {visible}"
        )
    }

    fn no_leak(&self, rising: usize) -> String {
        let slower = match rising {
            0 => String::new(),
            1 => "; 1 site rises, by less".to_owned(),
            more => format!("; {more} sites rise, by less"),
        };
        format!("no leak: {}{slower}", self.visible())
    }

    fn starting(&self, first: &Finding) -> String {
        format!(
            "the program was still starting: in most of the second half of the run many lines allocated for the first time. Whether {} goes on when it has started is not known: run longer",
            self.objects(first)
        )
    }

    fn not_known(&self, why: Unknown) -> String {
        let survivors = self.findings.evidence.survivors;
        let forecast = &self.findings.forecast;
        match why {
            Unknown::Starting(_) | Unknown::Finding(_) => String::new(),
            Unknown::Heap => "where objects live is not known in this trace".to_owned(),
            Unknown::Contradictory(figures) => format!(
                "contradictory: the recording has {} allocated, and the JVM's own counters have {}. By such a clock nothing is judged; record again, and report it",
                short_bytes(figures.recorded),
                short_bytes(figures.allocated)
            ),
            Unknown::FewPieces => format!(
                "the judged span has {}, and a verdict needs {FEWEST_COHORTS} pieces of the run with births and a look at what stays: run longer, or with a smaller heap",
                counted(u64::from(survivors.collections), "collection")
            ),
            Unknown::Idle { allocated } => format!(
                "the program hardly worked: it allocated {}, and if all of that had stayed, it would be little beside the {} that are alive. Record it while it works",
                short_bytes(allocated),
                short_bytes(forecast.live_bytes)
            ),
            Unknown::Full => format!(
                "{} of {} are alive and collections free nearly nothing, but no site rises as a straight line: see ducktrack heap",
                short_bytes(forecast.live_bytes),
                short_bytes(forecast.most_bytes)
            ),
            Unknown::Young { young, all } => format!(
                "{} of the {} alive were made in the last piece of the run, after all that can be judged: run longer; ducktrack heap has them by site",
                short_bytes(young),
                short_bytes(all)
            ),
            Unknown::Unlooked { alive } => format!(
                "nothing leaked until {}, when a collection last looked at all of the old space. The program has allocated {} since then, and {} of that may be alive: take a heap dump or a full collection near the end",
                self.looked(),
                short_bytes(survivors.allocated_after),
                short_bytes(alive)
            ),
            Unknown::Lost => format!(
                "where objects live is known only while the program allocated {}, and nothing leaked then; not for {} after that",
                short_bytes(survivors.clock.bytes()),
                short_bytes(survivors.lost)
            ),
            Unknown::FewObjects => format!(
                "{} alive: what doubles them in {HORIZON:.0} such runs would have left fewer than {FEWEST_COHORTS} in this one",
                counted(survivors.live.objects, "object")
            ),
        }
    }

    /// `12 seconds after the start`
    fn looked(&self) -> String {
        let start = self.findings.evidence.model.count.run.start_unix_millis;
        let look = self.findings.evidence.survivors.look;
        let micros = look.map_or(0, |look| look.unix_micros);
        let seconds = micros.saturating_sub(start.saturating_mul(1_000)) as f64 / 1e6;
        format!("{} after the start", duration(seconds))
    }

    /// From which rate on a line would be an alarm.
    fn visible_alarm(&self) -> String {
        let smallest = self.findings.forecast.smallest_rate();
        let smallest = short_bytes(smallest.ceil().max(1.0) as u64);
        format!("from {smallest} of each MB on it would be an alarm")
    }

    /// What the run would have shown.
    fn visible(&self) -> String {
        let forecast = &self.findings.forecast;
        let smallest = forecast.smallest_rate();
        let per_second = match forecast.per_second(smallest) {
            rate if rate >= 1.0 => format!(", {} per second", short_bytes(rate as u64)),
            _ => String::new(),
        };
        format!(
            "a leak of {} or more of each MB allocated{per_second} would have been seen if it began in the first {:.0} % of the run",
            short_bytes(smallest.ceil().max(1.0) as u64),
            (100.0 * latest_beginning(&self.findings.evidence.survivors.clock)).floor()
        )
    }
}

/// `, kept in com.acme.Shop.OPEN,`
fn kept_in(finding: &Finding) -> String {
    let field = finding.held_by().and_then(|held| held.field.as_ref());
    field.map_or_else(String::new, |field| {
        format!(", kept in {},", field_name(field))
    })
}

/// As the first word of a sentence.
fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// What must be so for a finding that is not known to leak.
fn condition(finding: &Finding) -> &'static str {
    if finding.judged.released {
        return "all was dropped before a collection had looked at the old space; if it was alive until then";
    }
    match finding.unknown() {
        Some(NotKnown::OldestGone) => {
            "what is older than all that stays has gone, and no collection shows at what age; if it does not replace its oldest"
        }
        Some(NotKnown::DeathsUndated) => {
            "as much of it has died as was kept since the middle of the run, and no collection shows when; if it does not replace what it has"
        }
        Some(NotKnown::Late) => "what stays began to be kept late in the run; if that goes on",
        Some(NotKnown::WeakTable) => {
            "they are of entries of a table with weak keys, and without a heap dump the keys are not known; if these are alive"
        }
        Some(NotKnown::FewLooks) => {
            "fewer than 4 collections have looked at all of the old space; if it goes on as its births do"
        }
        _ => {
            "no collection has looked at all of the old space in the second half of the run; if what is there is alive"
        }
    }
}
