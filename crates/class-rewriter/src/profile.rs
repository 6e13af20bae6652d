//! What connects counters that ran with the next version of a method.

/// The counters of one version of a method that tell when and how to re-instrument it. They are the counters that count
/// allocations: a version has none that only measures.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfilePoints {
    /// Index of the method in the class file.
    pub method: u16,
    /// All counters that the normal way through the version increments.
    pub counters: Vec<u32>,
    /// Counters that tell how often an edge of the method's graph is taken: number of the edge, number of the counter.
    pub edges: Vec<(u32, u32)>,
    /// Increments that a run through the version is expected to execute.
    pub increments_per_entry: f64,
    /// Set in a version that was placed for measured frequencies.
    pub measured: Option<MeasuredPlacement>,
}

/// What a version was placed for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredPlacement {
    /// Runs through the version before, as far as its counters told them.
    pub runs: u64,
    /// The counter that is expected to be incremented most often.
    pub hottest: u32,
    /// Its expected share of all increments.
    pub share: f64,
}

/// What frames of one version of a method owe: counters whose meaning is the debt. A run that ends while such frames are on a
/// stack has executed that much more than it counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwedByFrames {
    /// Index of the method in the class file.
    pub method: u16,
    /// From this bytecode index of the rewritten code on, in ascending order, the counter; `None`: nothing is owed.
    pub from: Vec<(u32, Option<u32>)>,
}

/// What a version of a method measured: entries, where they are known, and the frequencies of the edges that had counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodProfile {
    /// Index of the method in the class file.
    pub method: u16,
    /// How often it was entered, where that is known.
    pub entries: Option<u64>,
    /// Increments that it executed, where they are known: a new version must need fewer.
    pub increments: Option<u64>,
    /// Edge number and how often it was taken.
    pub edges: Vec<(u32, u64)>,
}
