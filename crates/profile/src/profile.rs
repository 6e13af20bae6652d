//! The profile: tables of frames, stacks and rows.

use std::sync::Arc;

use ducktrack_heap_model::{SiteIndex, Tally};

use crate::interval::{Interval, Part, WeightSums, sum_interval};

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) usize);
        impl $name {
            /// The position in the table.
            pub fn get(self) -> usize {
                self.0
            }
        }
    };
}

index!(/// A position in [`Profile::frames`].
    FrameIndex);
index!(/// A position in [`Profile::stacks`].
    StackIndex);

/// Exact totals distributed over stacks. Made by [`profile`](crate::profile).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Each frame once.
    pub frames: Vec<Frame>,
    /// The tree of stacks; a parent stands before its children.
    pub stacks: Vec<StackNode>,
    /// What was made, by stack, type, thread and site. Sums to `total`.
    pub rows: Vec<ProfileRow>,
    /// What is known exactly.
    pub strata: Vec<Stratum>,
    /// All rows.
    pub total: Tally,
    /// The part of `total` in strata that have samples.
    pub with_stacks: Tally,
    /// Samples that the trace has.
    pub samples: u64,
    /// Those of them that belong to no site: what they sampled is not counted at a place.
    pub unmatched: u64,
    /// Samples that were dropped while the program ran.
    pub skipped: u64,
}

/// A frame as people read it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Frame {
    /// A method at a line.
    Method {
        /// Class in internal form, with a stable name.
        class: Arc<str>,
        /// Its name.
        method: Arc<str>,
        /// Its descriptor.
        descriptor: Arc<str>,
        /// The line that runs.
        line: Option<u16>,
    },
    /// Below it are sites of which no stack was sampled.
    NoStack,
    /// Stands for frames that were too deep to be kept.
    Deeper,
}

/// A frame with its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StackNode {
    /// The caller.
    pub parent: Option<StackIndex>,
    /// The frame.
    pub frame: FrameIndex,
}

/// Objects of one type that one thread made at one site, called in one way.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileRow {
    /// The frame of the site, with its callers.
    pub stack: StackIndex,
    /// The type as a descriptor; `None` where the trace does not tell it.
    pub ty: Option<Arc<str>>,
    /// The thread by name.
    pub thread: Option<Arc<str>>,
    /// Objects and bytes.
    pub tally: Tally,
    /// Samples that say so.
    pub samples: u64,
    /// Position of its stratum.
    pub stratum: usize,
    /// Weight of its samples in the stratum: of objects and of bytes.
    pub(crate) weights: [f64; 2],
}

/// What is known exactly, and how often it was sampled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stratum {
    /// Objects and bytes.
    pub tally: Tally,
    /// Samples.
    pub samples: u64,
    /// The sites that are in it.
    pub sites: Vec<SiteIndex>,
    /// Of objects and of bytes.
    pub(crate) weights: [WeightSums; 2],
}

/// What is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Objects.
    Objects,
    /// Bytes.
    #[default]
    Bytes,
}

impl Unit {
    /// The number of this unit.
    pub fn of(self, tally: Tally) -> i64 {
        match self {
            Self::Objects => tally.count,
            Self::Bytes => tally.bytes,
        }
    }

    pub(crate) fn pick<T: Copy>(self, [objects, bytes]: [T; 2]) -> T {
        match self {
            Self::Objects => objects,
            Self::Bytes => bytes,
        }
    }
}

impl Profile {
    /// The row of a frame.
    ///
    /// # Panics
    /// When the index is of another profile.
    pub fn frame(&self, index: FrameIndex) -> &Frame {
        &self.frames[index.0]
    }

    /// The frames of a stack, the topmost first.
    pub fn frames_of(&self, stack: StackIndex) -> impl Iterator<Item = FrameIndex> {
        let next = |node: &&StackNode| self.stacks.get(node.parent?.0);
        std::iter::successors(self.stacks.get(stack.0), next).map(|node| node.frame)
    }

    /// The part of all bytes (or objects) that has stacks, from 0 to 1.
    pub fn share_with_stacks(&self, unit: Unit) -> f64 {
        match unit.of(self.total) {
            0 => 0.0,
            total => unit.of(self.with_stacks) as f64 / total as f64,
        }
    }

    /// Keeps some of the rows. Shares stay those of the whole strata.
    pub fn retain(&mut self, keep: impl Fn(&Self, &ProfileRow) -> bool) {
        let rows = std::mem::take(&mut self.rows);
        let kept = rows.into_iter().filter(|row| keep(self, row)).collect();
        self.rows = kept;
        self.total = self.rows.iter().map(|row| row.tally).sum();
        let sampled = self.rows.iter().filter(|row| self.has_stack(row));
        self.with_stacks = sampled.map(|row| row.tally).sum();
    }

    /// Whether a stack was sampled for the row.
    pub fn has_stack(&self, row: &ProfileRow) -> bool {
        self.strata
            .get(row.stratum)
            .is_some_and(|stratum| stratum.samples > 0)
    }

    /// The interval of what these rows sum to. Rows without stacks are exact.
    pub fn interval<'a>(
        &self,
        rows: impl IntoIterator<Item = &'a ProfileRow>,
        unit: Unit,
    ) -> Interval {
        let mut weights: rustc_hash::FxHashMap<usize, f64> = rustc_hash::FxHashMap::default();
        let (mut exact, mut value) = (0.0, 0.0);
        for row in rows {
            let amount = unit.of(row.tally) as f64;
            if self.has_stack(row) {
                value += amount;
                *weights.entry(row.stratum).or_default() += unit.pick(row.weights);
            } else {
                exact += amount;
            }
        }
        let mut parts: Vec<(usize, f64)> = weights.into_iter().collect();
        // Sums of floating point numbers depend on their order.
        parts.sort_unstable_by_key(|(stratum, _)| *stratum);
        let parts = parts.into_iter().filter_map(|(stratum, weight)| {
            let stratum = self.strata.get(stratum)?;
            Some(Part {
                total: unit.of(stratum.tally) as f64,
                weight,
                all: unit.pick(stratum.weights),
            })
        });
        let estimated = sum_interval(value, parts);
        Interval {
            low: estimated.low + exact,
            high: estimated.high + exact,
        }
    }
}
