//! What connects counters that ran with the next version of a method.

/// The counters of one version of a method that tell when and how to re-instrument it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfilePoints {
    /// Index of the method in the class file.
    pub method: u16,
    /// Counts the entries; `None` in a version for a measured hot path, which needs no entry counter.
    pub entry_counter: Option<u32>,
    /// Counters on edges of the method's graph: number of the edge, number of the counter.
    pub edges: Vec<(u32, u32)>,
    /// Increments that a run through the version is expected to execute, entry counter left out.
    pub increments_per_entry: f64,
    /// The counter that is expected to be incremented most often, and its expected share of all increments.
    pub hottest: Option<(u32, f64)>,
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

/// What a version of a method measured: entries and the frequencies of the edges that had counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodProfile {
    /// Index of the method in the class file.
    pub method: u16,
    /// How often it was entered.
    pub entries: u64,
    /// Edge number and how often it was taken.
    pub edges: Vec<(u32, u64)>,
}
