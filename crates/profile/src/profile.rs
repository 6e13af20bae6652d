//! The profile: tables of frames, stacks and rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use ducktrack_count_model::{ContextName, MethodIndex, SiteIndex, Tally};

use crate::interval::{Interval, Part, sum_interval};
use crate::layers::{LayerSums, Layers};
use crate::unit::Unit;

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
    /// The allocations at sites where no stack was sampled, including rows that
    /// [`retain`](Self::retain) has dropped. Any method may have been on those stacks.
    pub(crate) without_stacks: Tally,
    /// Objects, and bytes, at sites with stacks, but of sizes that no sample has.
    pub(crate) unseen: [f64; 2],
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
        /// A frame of another method reads alike: only the descriptors differ.
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

/// The objects of one type and size class that one thread allocated at one site through one stack.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileRow {
    /// The frame of the site, with its callers.
    pub stack: StackIndex,
    /// The type as a descriptor; `None` if the trace does not have it.
    pub ty: Option<Arc<str>>,
    /// Name of the thread.
    pub thread: Option<Arc<str>>,
    /// The contexts that it was in, one of each kind; only [`profile_in_contexts`](crate::profile_in_contexts) tells them.
    pub contexts: Arc<[ContextName]>,
    /// Objects and bytes.
    pub tally: Tally,
    /// Number of samples of this row.
    pub samples: u64,
    /// Index of its stratum.
    pub stratum: usize,
    /// Index of the layer in the stratum.
    pub(crate) layer: usize,
    /// Weights of its samples in the layer, for objects and for bytes.
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
    /// The method and the line of the call to blame, if one is known.
    pub caller: Option<(MethodIndex, Option<u16>)>,
    /// The samples by the sizes of their objects.
    pub(crate) layers: Layers,
}

impl ProfileRow {
    /// Objects and bytes that its samples stand for: of those on the heap.
    pub fn sampled(&self) -> [f64; 2] {
        self.weights
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

    /// Lets each stack begin at the outermost of these frames; one without any stays whole.
    pub fn begin_at(&mut self, is_wanted: impl Fn(FrameIndex) -> bool) {
        let mut is_inside = Vec::with_capacity(self.stacks.len());
        for node in &mut self.stacks {
            let parent = node.parent.and_then(|parent| is_inside.get(parent.get()));
            let is_below = parent.copied().unwrap_or(false);
            let begins = !is_below && is_wanted(node.frame);
            if begins {
                node.parent = None;
            }
            is_inside.push(is_below || begins);
        }
    }

    /// Whether a stack was sampled for the row.
    pub fn has_stack(&self, row: &ProfileRow) -> bool {
        self.strata
            .get(row.stratum)
            .is_some_and(|stratum| stratum.samples > 0)
    }

    /// The interval of everything that a method made or caused. `rows` are the rows below it.
    /// Allocations without a stack may be below it, too; nothing is more than all of the run.
    pub fn inclusive_interval<'a>(
        &self,
        rows: impl IntoIterator<Item = &'a ProfileRow> + Clone,
        unit: Unit,
    ) -> Interval {
        let own = rows.clone().into_iter().filter(|row| !self.has_stack(row));
        let own: i64 = own.map(|row| unit.of(row.tally)).sum();
        let interval = self.interval(rows, unit);
        let others = (unit.of(self.without_stacks) - own).max(0) as f64;
        let high = interval.high + others + unit.pick(self.unseen);
        Interval {
            low: interval.low,
            high: high.min(unit.of(self.total) as f64),
        }
    }

    /// The interval of the sum of these rows. Rows without stacks are exact.
    pub fn interval<'a>(
        &self,
        rows: impl IntoIterator<Item = &'a ProfileRow>,
        unit: Unit,
    ) -> Interval {
        let mut weights: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        let (mut exact, mut value) = (0.0, 0.0);
        for row in rows {
            let amount = unit.of(row.tally) as f64;
            let Some(stratum) = self.strata.get(row.stratum).filter(|one| one.samples > 0) else {
                exact += amount;
                continue;
            };
            value += amount;
            let layers = weights
                .entry(row.stratum)
                .or_insert_with(|| vec![0.0; stratum.layers.sums.len()]);
            if let Some(weight) = layers.get_mut(row.layer) {
                *weight += unit.pick(row.weights);
            }
        }
        let (mut parts, mut spread) = (Vec::new(), [0.0; 2]);
        for (stratum, weights) in weights {
            let Some(stratum) = self.strata.get(stratum) else {
                continue;
            };
            let (of_layers, [less, more]) = stratum.parts(&weights, unit);
            parts.extend(of_layers);
            spread = [spread[0] + less, spread[1] + more];
        }
        let estimated = sum_interval(value, parts, spread);
        Interval {
            low: estimated.low + exact,
            high: estimated.high + exact,
        }
    }
}

impl Stratum {
    /// An upper bound of the objects, and bytes, whose sizes no sample has: any stack may have made them.
    pub fn unseen(&self) -> Tally {
        let [count, bytes] = self.layers.unseen.map(|amount| amount.ceil() as i64);
        Tally { count, bytes }
    }

    /// What samples of these weights, by layer, are of each layer, and by how much their sum may be less and more than it seems.
    fn parts(&self, weights: &[f64], unit: Unit) -> (Vec<Part>, [f64; 2]) {
        let layers = &self.layers;
        let part = |((sums, totals), weight): ((&LayerSums, &[f64; 2]), &f64)| {
            let all = unit.pick(sums.weights);
            let share = if all.sum > 0.0 { weight / all.sum } else { 0.0 };
            Part {
                total: unit.pick(*totals),
                share: share.clamp(0.0, 1.0),
                all,
            }
        };
        let known = layers.sums.iter().zip(&layers.totals).zip(weights);
        let parts: Vec<Part> = known.map(part).collect();
        let shares: Vec<f64> = parts.iter().map(|part| part.share).collect();
        let [less, more] = layers.spread(&shares, unit);
        let value: f64 = parts.iter().map(|part| part.total * part.share).sum();
        let total = unit.of(self.tally) as f64;
        let share = if total > 0.0 {
            (value / total).min(1.0)
        } else {
            0.0
        };
        // Objects of sizes without a sample may all be of other parts. That they may all be of this one is for the caller to add.
        let unseen = unit.pick(layers.unseen);
        (parts, [less + unseen * share, more])
    }
}
