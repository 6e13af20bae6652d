//! The values of keys that have a word for each of a few cases.

use ducktrack_findings::RunVerdict;
use ducktrack_leaks::{Alarm, Measure, NotKnown, Verdict};
use serde::{Deserialize, Serialize};

/// Each case has one word, in JSON, CSV and text.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$case_doc:meta])* $case:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
        pub enum $name {
            $($(#[$case_doc])* #[serde(rename = $word)] $case,)*
        }

        impl $name {
            /// The word.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$case => $word,)*
                }
            }
        }
    };
}

words! {
    /// The verdict on a run.
    RunVerdictDoc {
        /// There is an alarm.
        Leaks = "leaks",
        /// No line is straight, but something becomes more.
        Fills = "fills",
        /// A sure line, too slow for an alarm after this run.
        Rises = "rises",
        /// Nothing leaks.
        NoLeak = "no leak",
        /// There is no verdict.
        NotKnown = "not known",
    }
}

words! {
    /// The verdict on objects.
    VerdictDoc {
        /// A straight line.
        Leaks = "leaks",
        /// A curve that bends towards a bound.
        Fills = "fills",
        /// Too little is known.
        NotKnown = "not known",
        /// Up and down.
        Periodic = "periodic",
        /// Around one level.
        Bounded = "bounded",
        /// Made as the program started.
        LoadedOnce = "loaded once",
    }
}

words! {
    /// Why there is no verdict on objects.
    UnknownDoc {
        /// No collection has looked at the old space.
        Unseen = "unseen",
        /// Too few collections have.
        FewLooks = "few looks",
        /// What is older than all that stays has gone.
        OldestGone = "oldest gone",
        /// As much of it has died as stays, and no collection shows when.
        DeathsUndated = "deaths undated",
        /// It began late.
        Late = "late",
        /// Only a dump shows whether the keys of these entries are alive.
        WeakTable = "weak table",
        /// The program was still starting.
        Starting = "starting",
        /// There were too few collections.
        FewCollections = "few collections",
    }
}

words! {
    /// Why a line is an alarm.
    AlarmDoc {
        /// It doubles the live heap within the horizon.
        Doubles = "doubles the live heap",
        /// It fills the heap within the horizon.
        FillsHeap = "fills the heap",
        /// It does so together with others.
        Together = "with others",
    }
}

impl From<Alarm> for AlarmDoc {
    fn from(alarm: Alarm) -> Self {
        match alarm {
            Alarm::Doubles => Self::Doubles,
            Alarm::FillsHeap => Self::FillsHeap,
            Alarm::Together => Self::Together,
        }
    }
}

words! {
    /// What a verdict rests on.
    MeasureDoc {
        /// The number of objects.
        Objects = "objects",
        /// Their bytes: few objects that become large.
        Bytes = "bytes",
    }
}

words! {
    /// Why a judged span ends.
    SpanEndDoc {
        /// The program's shutdown began.
        Shutdown = "shutdown",
        /// It was asked for.
        Until = "until",
        /// The run ends.
        End = "end",
        /// The heap is not known after it.
        Lost = "lost",
    }
}

impl From<RunVerdict> for RunVerdictDoc {
    fn from(verdict: RunVerdict) -> Self {
        match verdict {
            RunVerdict::Leaks { .. } | RunVerdict::LeaksOffHeap { .. } => Self::Leaks,
            RunVerdict::Fills { .. } => Self::Fills,
            RunVerdict::Rises { .. } => Self::Rises,
            RunVerdict::NoLeak { .. } => Self::NoLeak,
            RunVerdict::NotKnown(_) => Self::NotKnown,
        }
    }
}

words! {
    /// What became of the objects that would release memory outside of the heap.
    MemoryOwnerDoc {
        /// They are alive.
        Held = "held",
        /// They are dead, and nobody closed them.
        Dropped = "dropped",
        /// The recording does not tell.
        NotKnown = "not known",
    }
}

words! {
    /// Why there is no verdict on memory outside of the heap.
    MemoryUnknownDoc {
        /// The recording follows no object that is made with it.
        NoObject = "no object",
        /// Those objects are not told apart from those of other lines.
        Shared = "shared",
        /// When it was released is not recorded.
        Undated = "undated",
    }
}

impl From<Verdict> for VerdictDoc {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Leaks => Self::Leaks,
            Verdict::Fills => Self::Fills,
            Verdict::NotKnown(_) => Self::NotKnown,
            Verdict::Periodic => Self::Periodic,
            Verdict::Bounded => Self::Bounded,
            Verdict::LoadedOnce => Self::LoadedOnce,
        }
    }
}

/// Why there is no verdict; `None`: there is one.
pub(super) fn reason(verdict: Verdict) -> Option<UnknownDoc> {
    let Verdict::NotKnown(why) = verdict else {
        return None;
    };
    Some(unknown(why))
}

/// The word for it.
pub(super) fn unknown(why: NotKnown) -> UnknownDoc {
    match why {
        NotKnown::Unseen => UnknownDoc::Unseen,
        NotKnown::FewLooks => UnknownDoc::FewLooks,
        NotKnown::OldestGone => UnknownDoc::OldestGone,
        NotKnown::DeathsUndated => UnknownDoc::DeathsUndated,
        NotKnown::Late => UnknownDoc::Late,
        NotKnown::WeakTable => UnknownDoc::WeakTable,
        NotKnown::Starting => UnknownDoc::Starting,
        NotKnown::FewCollections => UnknownDoc::FewCollections,
    }
}

impl From<Measure> for MeasureDoc {
    fn from(measure: Measure) -> Self {
        match measure {
            Measure::Objects => Self::Objects,
            Measure::Bytes => Self::Bytes,
        }
    }
}
