//! The profile: tables of frames, stacks and rows.

use std::sync::Arc;

use ducktrack_count_model::{SiteIndex, Tally};

use crate::interval::{Interval, Part, WeightSums, sum_interval};

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) usize);
        impl $name {
            /// The index in the table.
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

/// Exact totals distributed over stacks. Built by [`profile`](crate::profile).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The distinct frames.
    pub frames: Vec<Frame>,
    /// The tree of stacks; each parent precedes its children.
    pub stacks: Vec<StackNode>,
    /// The allocations, by stack, type, thread and site. The rows sum to `total`.
    pub rows: Vec<ProfileRow>,
    /// The exact totals.
    pub strata: Vec<Stratum>,
    /// Sum of all rows.
    pub total: Tally,
    /// The part of `total` in strata that have samples.
    pub with_stacks: Tally,
    /// The allocations at sites where no stack was sampled, including rows that [`retain`](Self::retain) has dropped. Any method may have been on those stacks.
    pub(crate) without_stacks: Tally,
    /// Number of samples in the trace.
    pub samples: u64,
    /// Samples that belong to no site: their objects are not counted anywhere.
    pub unmatched: u64,
    /// Samples that were dropped while the program ran.
    pub skipped: u64,
    /// Microseconds of CPU that sampling took of the program's threads.
    pub micros: u64,
}

/// A frame as shown to users.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Frame {
    /// A method at a line.
    Method {
        /// Internal name of the class, in its stable form.
        class: Arc<str>,
        /// Name of the method.
        method: Arc<str>,
        /// Descriptor of the method.
        descriptor: Arc<str>,
        /// The executing line.
        line: Option<u16>,
        /// A frame of another method reads alike: only the descriptor tells them apart.
        reads_alike: bool,
    },
    /// The frame above sites of which no stack was sampled.
    NoStack,
    /// Stands for frames that were too deep to be recorded.
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

/// The objects of one type that one thread allocated at one site through one stack.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileRow {
    /// The frame of the site, with its callers.
    pub stack: StackIndex,
    /// The type as a descriptor; `None` if the trace does not have it.
    pub ty: Option<Arc<str>>,
    /// Name of the thread.
    pub thread: Option<Arc<str>>,
    /// Objects and bytes.
    pub tally: Tally,
    /// Number of samples of this row.
    pub samples: u64,
    /// Index of its stratum.
    pub stratum: usize,
    /// Weights of its samples in the stratum, for objects and for bytes.
    pub(crate) weights: [f64; 2],
}

/// An exact total, and how often it was sampled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stratum {
    /// Objects and bytes.
    pub tally: Tally,
    /// Number of samples.
    pub samples: u64,
    /// The sites in this stratum.
    pub sites: Vec<SiteIndex>,
    /// Weights of the samples, for objects and for bytes.
    pub(crate) weights: [WeightSums; 2],
}

/// The summed amounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Objects.
    Objects,
    /// Bytes.
    #[default]
    Bytes,
}

impl Unit {
    /// The number in this unit.
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
    /// The frame at an index.
    ///
    /// # Panics
    /// If the index belongs to another profile.
    pub fn frame(&self, index: FrameIndex) -> &Frame {
        &self.frames[index.0]
    }

    /// The frames of a stack, top frame first.
    pub fn frames_of(&self, stack: StackIndex) -> impl Iterator<Item = FrameIndex> {
        let next = |node: &&StackNode| self.stacks.get(node.parent?.0);
        std::iter::successors(self.stacks.get(stack.0), next).map(|node| node.frame)
    }

    /// The share of all bytes (or objects) that has stacks, from 0 to 1.
    pub fn share_with_stacks(&self, unit: Unit) -> f64 {
        match unit.of(self.total) {
            0 => 0.0,
            total => unit.of(self.with_stacks) as f64 / total as f64,
        }
    }

    /// Keeps only some rows. Shares remain those of the whole strata.
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

    /// The interval of everything that a method made or caused. `rows` are the rows below it. Allocations without a stack may be below it, too.
    pub fn inclusive_interval<'a>(
        &self,
        rows: impl IntoIterator<Item = &'a ProfileRow> + Clone,
        unit: Unit,
    ) -> Interval {
        let own = rows.clone().into_iter().filter(|row| !self.has_stack(row));
        let own: i64 = own.map(|row| unit.of(row.tally)).sum();
        let interval = self.interval(rows, unit);
        Interval {
            low: interval.low,
            high: interval.high + (unit.of(self.without_stacks) - own).max(0) as f64,
        }
    }

    /// The interval of the sum of these rows. Rows without stacks are exact.
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
        // Fixes the order, because sums of floating-point numbers depend on it.
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
