//! The counts of one version of a method, as the input of the next version.

use ducktrack_classfile::CodeOffset;
use serde::{Deserialize, Serialize};

/// The counters of one version of a method that tell when and how to re-instrument it. They are the counters that count
/// allocations; a version has no counters for measuring only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfilePoints {
    /// Index of the method in the class file.
    pub method: u16,
    /// All counters on the normal (not exceptional) paths of the version.
    pub counters: Vec<u32>,
    /// Counters that tell how often an edge of the method's graph is taken: number of the edge, number of the counter.
    pub edges: Vec<(u32, u32)>,
    /// Counters that tell how often an instruction runs: its place, number of the counter. In the order of the code.
    pub sites: Vec<(CodeOffset, u32)>,
    /// The expected number of increments per execution of the version; `None` if nobody has asked for it.
    pub increments_per_entry: Option<f64>,
    /// Set in a version that was placed for measured frequencies.
    pub measured: Option<MeasuredPlacement>,
}

impl ProfilePoints {
    /// The numbers of its counters.
    pub(crate) fn counter_numbers(&mut self) -> impl Iterator<Item = &mut u32> {
        let edges = self.edges.iter_mut().map(|(_, counter)| counter);
        let sites = self.sites.iter_mut().map(|(_, counter)| counter);
        let hottest = self.measured.iter_mut().map(|placed| &mut placed.hottest);
        let all = self.counters.iter_mut().chain(edges);
        all.chain(sites).chain(hottest)
    }
}

/// The frequencies that the counters of a version were placed for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredPlacement {
    /// Executions of the previous version, as its counters measured them.
    pub runs: u64,
    /// The counter that is expected to be incremented most often.
    pub hottest: u32,
    /// Its expected share of all increments.
    pub share: f64,
}

/// The debts of frames of one version of a method: counters whose meaning is the debt. A run that ends while such frames are on a
/// stack has executed that much more than it counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwedByFrames {
    /// Index of the method in the class file.
    pub method: u16,
    /// From this bytecode index of the rewritten code on, in ascending order, the counter; `None`: nothing is owed.
    pub from: Vec<(u32, Option<u32>)>,
}

/// The measurements of a version of a method: entries, if they are known, and the frequencies of the edges that had counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodProfile {
    /// Index of the method in the class file.
    pub method: u16,
    /// How often it was entered, if that is known.
    pub entries: Option<u64>,
    /// Increments that it executed, if they are known: a new version must need fewer.
    pub increments: Option<u64>,
    /// Edge number and how often it was taken.
    pub edges: Vec<(u32, u64)>,
    /// Instructions and how often they ran, in the order of the code.
    pub sites: Vec<(CodeOffset, u64)>,
}
