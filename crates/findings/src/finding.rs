//! Objects that become more and more, for one reason.

use std::sync::Arc;

use ducktrack_count_model::{CallIndex, CountModel, SiteIndex};
use ducktrack_holders::{HolderPath, LastUse, NamedField, NamedRoot, PathNumber, TypeNumber};
use ducktrack_leaks::{Alarm, Amount, Forecast, Interval, Judgement, NotKnown, Verdict};

use crate::advice::Advice;
use crate::places::Place;
use crate::softly_held::Part;

/// A verdict with all that is known about it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What the objects do.
    pub verdict: Verdict,
    /// It leaks, and enough to matter: why.
    pub alarm: Option<Alarm>,
    /// The line is sure, also as one of all lines that were judged.
    pub is_sure: bool,
    /// A person should look at it: it is an alarm, or may be one, or is sure, or in use.
    pub matters: bool,
    /// The figures of the driver.
    pub judged: Judgement,
    /// What was made, where and for whom.
    pub maker: Maker,
    /// The part of the driver's objects.
    pub part: Part,
    /// Kept in the judged span, companions included.
    pub kept: Amount,
    /// Bytes kept per megabyte (2^20 bytes) that the program allocates, companions included.
    pub rate: Interval,
    /// By cohort: what stays of what was born in it.
    pub stays: Vec<(Amount, Amount)>,
    /// Bytes kept up to the end of each cell of the clock, companions included.
    pub curve: Vec<u64>,
    /// Since when it is kept, microseconds since 1970.
    pub since: u64,
    /// Sites that rise with it, most bytes first.
    pub with: Vec<Companion>,
    /// Last uses; `None`: not recorded.
    pub uses: Option<Uses>,
    /// Who holds the objects.
    pub holder: Holder,
    /// The line that adds to the structure.
    pub added_by: Option<AddedBy>,
    /// The line of the program's own project for which a library adds to it. `None`: not known, or no library does.
    pub added_for: Option<Place>,
    /// Code of the JDK made it for a caller that is not known: who made the nearest holder that was made for it alone.
    pub holder_made: Option<HolderMade>,
    /// What a person would do next.
    pub advice: Advice,
    /// Its rows, driver first: places in [`Findings::rows`](crate::Findings::rows).
    pub rows: Vec<usize>,
}

/// What is said of objects, from what needs a person to what needs none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// They leak, and enough to matter.
    Alarm,
    /// They become more as a straight line, and are in use or too few for an alarm.
    Rises,
    /// No straight line.
    Other(Verdict),
}

impl Standing {
    /// The word for it in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alarm => Verdict::Leaks.name(),
            Self::Rises => "rises",
            Self::Other(verdict) => verdict.name(),
        }
    }
}

/// Who made objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Maker {
    /// Descriptor of their type, with stable names. `None`: not known.
    pub ty: Option<Arc<str>>,
    /// The line. `None`: made by the VM or native code.
    pub site: Option<SiteIndex>,
    /// For whom.
    pub call: Option<CallIndex>,
    /// Class loaders whose classes have this line.
    pub loaders: u32,
}

/// A site that rises with another.
#[derive(Clone, Debug, PartialEq)]
pub struct Companion {
    /// What was made, where and for whom.
    pub maker: Maker,
    /// Objects for each one of the driver; 0: in no fixed ratio: in the same structure; without a dump, arrays that grow in step.
    pub each: u64,
    /// Bytes kept in the span.
    pub kept_bytes: u64,
}

/// When the live objects of the driver were last used.
#[derive(Clone, Debug, PartialEq)]
pub struct Uses {
    /// By collections since then.
    pub last: LastUse,
    /// At least half of them have not been used for at least this many collections. `None`: there are none.
    pub unused_for: Option<u32>,
    /// About when that was, microseconds since 1970.
    pub unused_since: Option<u64>,
}

impl Uses {
    /// More than half of them were used since the last collection: they are more, and needed.
    pub fn are_now(&self) -> bool {
        matches!(self.unused_for, None | Some(0))
    }
}

/// Who holds objects.
#[derive(Clone, Debug)]
pub enum Holder {
    /// Nobody looked: there is no dump, or other findings keep more.
    NotAsked,
    /// The dump has no path to them.
    Outside(Outside),
    /// The path that holds most of them.
    Path(Box<HeldBy>),
}

/// A path, and the structure that a person would change.
#[derive(Clone, Debug)]
pub struct HeldBy {
    /// The path.
    pub path: HolderPath,
    /// The field of the program's own class that holds the structure.
    pub field: Option<NamedField>,
    /// The field is that of a `ThreadLocal`, which is no step of the path.
    pub is_thread_local: bool,
    /// What hangs on the structure goes on from this path.
    pub within: Option<PathNumber>,
}

impl HeldBy {
    /// The dump shows what begins the path.
    pub fn is_in_dump(&self) -> bool {
        self.path.root != NamedRoot::NotInDump
    }
}

/// Why a dump has no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// It has none of the objects.
    NotThere,
    /// Those that it has are dead in it.
    Dead,
}

/// The line that adds to a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedBy {
    /// The line.
    pub place: Place,
    /// It makes what is added, and is not known to add it.
    pub is_near: bool,
}

/// Who made the nearest holder of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolderMade {
    /// The line.
    pub place: Place,
    /// The type of the holder.
    pub ty: TypeNumber,
    /// The class that the holder is, for a class object (VM's form).
    pub class: Option<String>,
}

impl Finding {
    /// It rises ever more slowly, without a bound.
    pub fn slows(&self) -> bool {
        self.judged.slows.is_some()
    }

    /// Bytes per megabyte of a straight line from the start of the span that adds as much within
    /// the horizon: a line that began late is drawn on for less, and one that slows adds less.
    pub fn drawn_rate(&self) -> f64 {
        self.rate.value * self.judged.part * self.judged.slows.unwrap_or(1.0)
    }

    /// Only soft references hold the objects.
    pub fn is_soft(&self) -> bool {
        self.part == Part::Soft
    }

    /// Uses are recorded, and most of the objects were used since the last collection.
    pub fn is_in_use(&self) -> bool {
        self.uses.as_ref().is_some_and(Uses::are_now)
    }

    /// What is said of its objects.
    pub fn standing(&self) -> Standing {
        match (self.alarm, self.verdict) {
            (Some(_), _) => Standing::Alarm,
            (None, Verdict::Leaks) => Standing::Rises,
            (None, verdict) => Standing::Other(verdict),
        }
    }

    /// Why it is not known.
    pub fn unknown(&self) -> Option<NotKnown> {
        match self.verdict {
            Verdict::NotKnown(why) => Some(why),
            _ => None,
        }
    }

    /// The path, where the dump has one.
    pub fn held_by(&self) -> Option<&HeldBy> {
        match &self.holder {
            Holder::Path(held) => Some(held),
            Holder::NotAsked | Holder::Outside(_) => None,
        }
    }

    /// Bytes more per second of work, companions included.
    pub fn bytes_per_second(&self, forecast: &Forecast) -> f64 {
        forecast.per_second(self.rate.value)
    }

    /// Seconds of work until the heap is full of it alone. `None`: not known, or the line bends.
    pub fn seconds_until_full(&self, forecast: &Forecast) -> Option<f64> {
        forecast
            .seconds_until_full(self.rate.value)
            .filter(|_| !self.slows())
    }

    /// Seconds of work until the live heap has doubled by it alone. `None`: not known, or the line bends.
    pub fn seconds_until_doubled(&self, forecast: &Forecast) -> Option<f64> {
        forecast
            .seconds_until_doubled(self.rate.value)
            .filter(|_| !self.slows())
    }

    /// Bytes at which a curve that fills would end, companions included.
    pub fn level(&self) -> Option<f64> {
        let all = self.kept.bytes as f64 / self.judged.live.bytes.max(1) as f64;
        self.judged.level.map(|level| level * all.max(1.0))
    }

    /// Where it is made.
    pub fn made(&self) -> Option<Place> {
        self.maker.site.map(Place::Site)
    }

    /// For whom.
    pub fn caller(&self) -> Option<Place> {
        self.maker.call.map(Place::Call)
    }

    /// A place in the program's own code, or else where it is made.
    pub fn place(&self, model: &CountModel) -> Option<Place> {
        let own = |place: &Place| place.is_own(model);
        let added = self.added_by.as_ref().map(|added| added.place.clone());
        let holder = self.holder_made.as_ref().map(|made| made.place.clone());
        let places = [self.caller(), added, holder, self.made()];
        let first = places.into_iter().flatten().find(own);
        first.or(self.caller()).or(self.made())
    }
}
