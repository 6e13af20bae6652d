//! What connects counters that ran with the next version of a method.

/// The counters of one version of a method that tell when and how to re-instrument it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfilePoints {
    /// Index of the method in the class file.
    pub method: u16,
    /// Counts the entries.
    pub entry_counter: u32,
    /// Counters on edges of the method's graph: number of the edge, number of the counter.
    pub edges: Vec<(u32, u32)>,
    /// How many different counters the version has: what may be saved.
    pub counters: u32,
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
