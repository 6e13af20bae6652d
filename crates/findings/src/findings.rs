//! From evidence to findings, step by step.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, available_parallelism};

use ducktrack_holders::DumpError;
use ducktrack_leaks::{CONFIDENCE, Forecast, NotKnown, Verdict};

use crate::adding_line::AddingLines;
use crate::adviser::Adviser;
use crate::candidates::Candidates;
use crate::contradiction::Contradiction;
use crate::evidence::Evidence;
use crate::finding::{Finding, HeldBy, Standing};
use crate::held::Holders;
use crate::judged_row::{JudgedRow, judged};
use crate::off_heap_finding::OffHeapFinding;
use crate::off_heap_leaks::OffHeapLeaks;
use crate::run_verdict::{RunVerdict, Unknown, run_verdict};
use crate::softly_held::SoftlyHeld;
use crate::structures::Structures;
use crate::uses::uses as uses_of;

/// Findings that are kept; the rest keep less.
const MOST: usize = 50;

/// Findings whose holders are looked for: each takes several walks over the whole dump.
const MOST_HELD: usize = 10;

/// The verdicts on a run.
pub struct Findings<'a> {
    /// Where they come from.
    pub evidence: Evidence<'a>,
    /// Of the whole run.
    pub forecast: Forecast,
    /// Every line of source with its verdict, most kept bytes first.
    pub rows: Vec<JudgedRow<'a>>,
    /// Alarms first, most bytes first; then what fills, what may leak, and what is too little to matter.
    pub findings: Vec<Finding>,
    /// Memory outside of the heap that becomes more: alarms first, most bytes first.
    pub off_heap: Vec<OffHeapFinding>,
    /// What is said of the run.
    pub verdict: RunVerdict,
}

impl<'a> Findings<'a> {
    /// Judges a recording.
    ///
    /// # Errors
    /// When the dump cannot be read again, for the names of fields.
    pub fn of(evidence: Evidence<'a>) -> Result<Self, DumpError> {
        let forecast = evidence.forecast();
        let survivors = evidence.survivors;
        let completeness = &evidence.model.count.completeness;
        if let Some(contradiction) = Contradiction::of(survivors, completeness) {
            return Ok(Self::not_judged(evidence, contradiction));
        }
        let soft = evidence
            .holdings
            .map(|holdings| SoftlyHeld::of(holdings, survivors));
        let rows = judged(survivors, soft.as_ref());
        let candidates = Candidates::new(evidence, forecast, &rows);
        let step = Steps {
            evidence,
            forecast,
            rows: &rows,
        };
        let found = step.with_holders(candidates.all(), soft.as_ref())?;
        let found = found.into_iter().map(|one| step.with_uses(one));
        let found = found.map(|one| step.seen_in_dump(one)).collect();
        let mut findings = step.explained(step.one_for_each_structure(found));
        // What the program uses comes after what it does not.
        findings.sort_by_key(|one| (one.is_in_use(), !one.matters));
        let softly_held = soft.as_ref().map_or(0, |soft| soft.bytes);
        let off_heap = OffHeapLeaks::new(evidence, forecast);
        let off_heap = off_heap.all(step.holders(soft.as_ref()).as_ref())?;
        let verdict = run_verdict(survivors, &forecast, &findings, softly_held);
        Ok(Self {
            evidence,
            forecast,
            verdict: verdict.with_off_heap(&findings, &off_heap),
            findings,
            off_heap,
            rows,
        })
    }

    /// Nothing is said of a recording whose clock is wrong.
    fn not_judged(evidence: Evidence<'a>, contradiction: Contradiction) -> Self {
        Self {
            evidence,
            forecast: evidence.forecast(),
            rows: Vec::new(),
            findings: Vec::new(),
            off_heap: Vec::new(),
            verdict: RunVerdict::NotKnown(Unknown::Contradictory(contradiction)),
        }
    }

    /// The alarms.
    pub fn alarms(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|one| one.alarm.is_some())
    }

    /// The alarms outside of the heap.
    pub fn off_heap_alarms(&self) -> impl Iterator<Item = &OffHeapFinding> {
        self.off_heap.iter().filter(|one| one.is_alarm)
    }

    /// Bytes kept per megabyte that the program allocates, all alarms together.
    pub fn rate(&self) -> f64 {
        self.alarms().fold(0.0, |sum, one| sum + one.rate.value)
    }

    /// Seconds of work until the heap is full at this rate. `None`: not known, nothing leaks, or a line bends.
    pub fn seconds_until_full(&self) -> Option<f64> {
        let is_straight = self.alarms().all(|one| !one.slows());
        let seconds = self.forecast.seconds_until_full(self.rate());
        seconds.filter(|_| is_straight)
    }

    /// For each row what is said of it: its finding has the last word.
    pub fn standings(&self) -> Vec<Standing> {
        let own = |row: &JudgedRow<'_>| match row.judged.verdict {
            Verdict::Leaks => Standing::Rises,
            verdict => Standing::Other(verdict),
        };
        let mut all: Vec<Standing> = self.rows.iter().map(own).collect();
        for finding in &self.findings {
            for row in &finding.rows {
                if let Some(standing) = all.get_mut(*row) {
                    *standing = finding.standing();
                }
            }
        }
        all
    }
}

/// The steps that complete findings, one after the other.
struct Steps<'a> {
    evidence: Evidence<'a>,
    forecast: Forecast,
    rows: &'a [JudgedRow<'a>],
}

impl<'a> Steps<'a> {
    /// Looks for holders; `None`: there is no dump.
    fn holders(&self, soft: Option<&'a SoftlyHeld<'a>>) -> Option<Holders<'a>> {
        let (holdings, soft) = self.evidence.holdings.zip(soft)?;
        Some(Holders {
            model: self.evidence.model,
            holdings,
            soft,
            rows: self.rows,
        })
    }

    /// The first ones with the paths that hold them. Each takes walks over the whole dump, so all processors take part.
    fn with_holders(
        &self,
        mut found: Vec<Finding>,
        soft: Option<&'a SoftlyHeld<'a>>,
    ) -> Result<Vec<Finding>, DumpError> {
        let Some(holders) = self.holders(soft) else {
            return Ok(found);
        };
        let rest = found.split_off(found.len().min(MOST_HELD));
        let workers = available_parallelism().map_or(1, usize::from);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let place = next.fetch_add(1, Ordering::Relaxed)
                && let Some(finding) = found.get(place)
            {
                done.push((place, holders.with_holder(finding.clone())));
            }
            done
        };
        let mut all = thread::scope(|scope| {
            let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
            let mut all = work();
            for other in others {
                match other.join() {
                    Ok(done) => all.extend(done),
                    Err(panic) => resume_unwind(panic),
                }
            }
            all
        });
        all.sort_by_key(|(place, _)| *place);
        let all = all.into_iter().map(|(_, finding)| finding);
        all.chain(rest.into_iter().map(Ok)).collect()
    }

    /// Adds the last uses of the driver's live objects. What is in use is no alarm.
    fn with_uses(&self, finding: Finding) -> Finding {
        let driver = finding.rows.first().and_then(|row| self.rows.get(*row));
        let uses = self.evidence.staleness.zip(driver);
        let uses = uses.and_then(|(staleness, driver)| uses_of(staleness, driver.row));
        let are_now = uses.as_ref().is_some_and(|uses| uses.are_now());
        Finding {
            alarm: finding.alarm.filter(|_| !are_now),
            uses,
            ..finding
        }
    }

    /// What would leak if it were alive leaks, where the dump shows that most of it is held.
    fn seen_in_dump(&self, finding: Finding) -> Finding {
        let count = |held: &HeldBy| held.path.steps.last().map_or(0, |step| step.objects);
        let held = finding.held_by().filter(|held| held.is_in_dump());
        let is_held = held
            .map(count)
            .is_some_and(|held| held.saturating_mul(2) >= finding.judged.live.objects);
        if finding.unknown() != Some(NotKnown::Unseen) || !is_held {
            return finding;
        }
        Finding {
            verdict: Verdict::Leaks,
            alarm: self.forecast.alarm(finding.drawn_rate()),
            ..finding
        }
    }

    fn one_for_each_structure(&self, found: Vec<Finding>) -> Vec<Finding> {
        let mut structures = Structures::new(self.evidence.holdings, self.rows);
        found
            .into_iter()
            .take(MOST)
            .for_each(|finding| structures.add(finding));
        structures.into_findings()
    }

    /// Adds the line that adds to each structure, for which line of the project it does, and the advice.
    fn explained(&self, found: Vec<Finding>) -> Vec<Finding> {
        let model = self.evidence.model;
        let adding = AddingLines::new(&model.count);
        let adviser = Adviser::new(model, self.evidence.holdings);
        let explained = |finding: Finding| {
            let finding = adding.named(finding);
            let project = adviser.project.as_ref();
            let finding = Finding {
                added_for: project.and_then(|project| adding.for_project(&finding, project)),
                ..finding
            };
            Finding {
                advice: adviser.advice(&finding),
                ..finding
            }
        };
        let explained = found.into_iter().map(explained);
        explained.map(|one| self.weighed(one)).collect()
    }

    /// A line is sure if chance alone makes it one in twenty runs at most: among so many lines as were judged (Bonferroni).
    fn weighed(&self, finding: Finding) -> Finding {
        let lines = self.rows.iter().filter(|row| !row.judged.live.is_zero());
        let chance = (1.0 - CONFIDENCE) / lines.count().max(1) as f64;
        let is_line = finding.verdict == Verdict::Leaks;
        let is_sure = is_line && 1.0 - finding.judged.sure <= chance;
        let is_slow = is_line || !self.forecast.is_material(finding.drawn_rate());
        Finding {
            is_sure,
            matters: !is_slow || is_sure || finding.alarm.is_some() || finding.is_in_use(),
            ..finding
        }
    }
}
