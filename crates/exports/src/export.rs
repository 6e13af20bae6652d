//! The input of every exporter.

use ducktrack_count_model::Tally;
use ducktrack_profile::{Profile, ProfileRow, Unit};
use ducktrack_reports::{frame_name, type_name};

/// A profile and the run it is of.
#[derive(Clone, Copy, Debug)]
pub struct Export<'a> {
    /// The stacks.
    pub profile: &'a Profile,
    /// The live objects of each row, if a trace has them.
    pub live: Option<&'a [Tally]>,
    /// The live memory outside of the heap of each row, if there is any: [`Profile::with_off_heap`].
    pub off_heap: Option<&'a [Tally]>,
    /// The program.
    pub name: &'a str,
    /// Its process id.
    pub pid: u32,
    /// Milliseconds since 1970.
    pub start_unix_millis: u64,
    /// How long it was counted, in milliseconds.
    pub duration_millis: u64,
}

/// One number of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The allocated amount.
    Made(Unit),
    /// The live amount.
    Live(Unit),
    /// Live memory outside of the heap: blocks, bytes.
    OffHeap(Unit),
}

impl Measure {
    /// As people read it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Made(Unit::Objects) => "allocated objects",
            Self::Made(Unit::Bytes) => "allocated bytes",
            Self::Live(Unit::Objects) => "live objects",
            Self::Live(Unit::Bytes) => "live bytes",
            Self::OffHeap(Unit::Objects) => "live blocks outside of the heap",
            Self::OffHeap(Unit::Bytes) => "live bytes outside of the heap",
        }
    }

    pub(crate) fn unit(self) -> Unit {
        match self {
            Self::Made(unit) | Self::Live(unit) | Self::OffHeap(unit) => unit,
        }
    }

    /// The word for it and its unit, as pprof and OpenTelemetry have it.
    pub(crate) fn sample_type(self) -> (&'static str, &'static str) {
        match self {
            Self::Made(Unit::Objects) => ("alloc_objects", "count"),
            Self::Made(Unit::Bytes) => ("alloc_space", "bytes"),
            Self::Live(Unit::Objects) => ("inuse_objects", "count"),
            Self::Live(Unit::Bytes) => ("inuse_space", "bytes"),
            Self::OffHeap(Unit::Objects) => ("off_heap_blocks", "count"),
            Self::OffHeap(Unit::Bytes) => ("off_heap_space", "bytes"),
        }
    }
}

impl<'a> Export<'a> {
    /// The measures that it has.
    pub(crate) fn measures(&self) -> Vec<Measure> {
        let made = [Measure::Made(Unit::Objects), Measure::Made(Unit::Bytes)];
        let live = [Measure::Live(Unit::Objects), Measure::Live(Unit::Bytes)];
        let live = live.into_iter().filter(|_| self.live.is_some());
        let off_heap = [
            Measure::OffHeap(Unit::Objects),
            Measure::OffHeap(Unit::Bytes),
        ];
        let off_heap = off_heap.into_iter().filter(|_| self.off_heap.is_some());
        made.into_iter().chain(live).chain(off_heap).collect()
    }

    /// Rows with their positions that have something above zero.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, &'a ProfileRow)> {
        let rows = self.profile.rows.iter().enumerate();
        let this = *self;
        rows.filter(move |(at, row)| {
            let any = |measure: &Measure| this.value(*measure, *at, row) > 0;
            this.measures().iter().any(any)
        })
    }

    /// One number of a row, not below zero.
    pub(crate) fn value(&self, measure: Measure, at: usize, row: &ProfileRow) -> i64 {
        let of_row = |tallies: Option<&[Tally]>| tallies?.get(at).copied();
        let tally = match measure {
            Measure::Made(_) => row.tally,
            Measure::Live(_) => of_row(self.live).unwrap_or_default(),
            Measure::OffHeap(_) => of_row(self.off_heap).unwrap_or_default(),
        };
        measure.unit().of(tally).max(0)
    }

    /// The frame that makes the objects, as a label.
    pub(crate) fn site(&self, row: &ProfileRow) -> String {
        let mut frames = self.profile.frames_of(row.stack);
        let top = frames.next().map(|frame| self.profile.frame(frame));
        top.map(frame_name).unwrap_or_default()
    }

    /// The type of the objects as Java source would write it.
    pub(crate) fn type_of(&self, row: &ProfileRow) -> String {
        type_name(row.ty.as_deref())
    }

    /// The thread, by name.
    pub(crate) fn thread_of(&self, row: &'a ProfileRow) -> &'a str {
        row.thread.as_deref().unwrap_or("(thread not known)")
    }
}
