//! What is found of a subject.

use crate::amount::Amount;
use crate::interval::Interval;

/// What its live objects do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Of every part of the run some stay, and the line is straight.
    Leaks,
    /// More stay all the time, and ever fewer: a bound may come.
    Fills,
    /// Too little is known.
    NotKnown(NotKnown),
    /// Up and down.
    Periodic,
    /// Around one level: what is old goes.
    Bounded,
    /// What stays was made as the program started.
    LoadedOnce,
}

/// Why there is no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotKnown {
    /// If all in the old space is alive it leaks; no collection has looked there.
    Unseen,
    /// Births tell that it became larger; no collection has looked whether it still does.
    FewLooks,
    /// What is older than all that stays has gone: a cache that replaces its
    /// oldest looks so, and a leak that began when all was dropped once.
    OldestGone,
    /// As much of it has died as stays, and no collection tells when: a cache that is full and replaces what it has looks so.
    DeathsUndated,
    /// It began to be kept in the second half of the span, too late to say that it goes on.
    Late,
    /// Entries of a table with weak keys: only a dump shows whether the keys are alive.
    WeakTable,
    /// The program was still starting: it ran lines that it had never run before.
    Starting,
    /// There were too few collections.
    FewCollections,
}

impl NotKnown {
    /// The words for it in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unseen => "unseen",
            Self::FewLooks => "few looks",
            Self::OldestGone => "oldest gone",
            Self::DeathsUndated => "deaths undated",
            Self::Late => "late",
            Self::WeakTable => "weak table",
            Self::Starting => "starting",
            Self::FewCollections => "few collections",
        }
    }
}

impl Verdict {
    /// The word for it in text and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Leaks => "leaks",
            Self::Fills => "fills",
            Self::NotKnown(_) => "not known",
            Self::Periodic => "periodic",
            Self::Bounded => "bounded",
            Self::LoadedOnce => "loaded once",
        }
    }
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The number of objects.
    Objects,
    /// Their bytes: few objects that become large.
    Bytes,
}

impl Measure {
    pub(crate) fn of(self, amount: Amount) -> f64 {
        match self {
            Self::Objects => amount.objects as f64,
            Self::Bytes => amount.bytes as f64,
        }
    }
}

/// A verdict with its figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What it rests on.
    pub measure: Measure,
    /// Alive, whenever it was born.
    pub live: Amount,
    /// Of these: born in the judged span.
    pub kept: Amount,
    /// Objects kept per megabyte (2^20 bytes) allocated by the program.
    pub objects_per_mb: Interval,
    /// Bytes kept per megabyte allocated by the program.
    pub bytes_per_mb: Interval,
    /// Of the objects born in the span (without its last cohort): the share that stays.
    pub share: Interval,
    /// The probability that the rate is above zero; 0.5: nothing is known.
    pub sure: f64,
    /// The probability that the line bends down.
    pub bends: f64,
    /// Cohorts of which something stays, and all.
    pub cohorts: (usize, usize),
    /// Where on the clock, in bytes from its start, it began to be kept.
    pub since: u64,
    /// Bytes at which a curve that fills would end.
    pub level: Option<f64>,
    /// It rises ever more slowly, and has no bound: in the horizon it adds this
    /// part of what a straight line would at the rate of the span's second half.
    pub slows: Option<f64>,
    /// The part of the clock over which it has been kept, and that its rates are
    /// of: 1 where it began with the span. A line is drawn on for so much less.
    pub part: f64,
    /// It was dropped before the span ended, and is judged by an earlier collection.
    pub released: bool,
    /// It leaks, but as much of it has died as was kept in the last cohorts, and no collection shows when: it may stand still since then.
    pub may_have_stopped: bool,
}

impl Judgement {
    /// Of objects that the JVM clears before the heap is full: they fill, however straight their line is.
    pub fn that_can_be_cleared(self) -> Self {
        let verdict = match self.may_leak() {
            true => Verdict::Fills,
            false => self.verdict,
        };
        Self { verdict, ..self }
    }

    /// It gets more: it leaks, or it fills.
    pub fn grows(&self) -> bool {
        matches!(self.verdict, Verdict::Leaks | Verdict::Fills)
    }

    /// It leaks, or would if all in the old space is alive and the program has started.
    pub fn may_leak(&self) -> bool {
        matches!(
            self.verdict,
            Verdict::Leaks
                | Verdict::NotKnown(
                    NotKnown::Unseen
                        | NotKnown::FewLooks
                        | NotKnown::OldestGone
                        | NotKnown::DeathsUndated
                        | NotKnown::Late
                        | NotKnown::WeakTable
                        | NotKnown::Starting
                )
        )
    }
}
