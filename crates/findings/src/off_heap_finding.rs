//! Memory outside of the heap that becomes more and more.

use ducktrack_count_model::{OffHeapFrame, OffHeapKind, Tally};
use ducktrack_leaks::{Forecast, Interval, Judgement, NotKnown};

use crate::finding::HeldBy;

/// Memory of a kind that one line makes, with its verdict.
#[derive(Clone, Debug)]
pub struct OffHeapFinding {
    /// The kind.
    pub kind: OffHeapKind,
    /// The line that makes it. `None`: not known.
    pub maker: Option<OffHeapFrame>,
    /// Blocks made while it was recorded.
    pub made: Tally,
    /// Those of them that were not released.
    pub live: Tally,
    /// What it does.
    pub verdict: OffHeapVerdict,
    /// It leaks, and enough to double within the horizon what is alive in the heap and outside of it.
    pub is_alarm: bool,
    /// The figures of the objects that date it. `None`: none do.
    pub judged: Option<Judgement>,
    /// Bytes kept per megabyte (2^20 bytes) that the program allocates in the heap.
    pub rate: Interval,
    /// What became of the objects that would release it.
    pub owner: OffHeapOwner,
}

/// What memory of a line does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffHeapVerdict {
    /// A straight line.
    Leaks,
    /// A curve that bends.
    Fills,
    /// Too little is known.
    NotKnown(OffHeapUnknown),
}

/// Why it is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffHeapUnknown {
    /// No object that the recording follows is made with it: memory of `Unsafe`.
    NoObject,
    /// The objects that are made with it were made by lines that are not told apart.
    Shared,
    /// Those objects died, and some of the memory was released: when is not recorded.
    Undated,
    /// The rule has no verdict on these objects.
    Objects(NotKnown),
}

/// What became of the objects that would release it.
#[derive(Clone, Debug)]
pub enum OffHeapOwner {
    /// They are alive: something holds them. The path is that of most of them; `None`: there is no dump, or it has none.
    Held(Option<Box<HeldBy>>),
    /// They are dead, and nobody closed them: nothing will release the memory.
    Dropped,
    /// The recording does not tell.
    NotKnown,
}

impl OffHeapFinding {
    /// Bytes per megabyte of a straight line from the start of the span that adds as much within the horizon.
    pub fn drawn_rate(&self) -> f64 {
        let judged = self.judged.as_ref();
        let part = judged.map_or(1.0, |one| one.part * one.slows.unwrap_or(1.0));
        self.rate.value * part
    }

    /// Bytes more per second of work.
    pub fn bytes_per_second(&self, forecast: &Forecast) -> f64 {
        forecast.per_second(self.rate.value)
    }
}
