//! The result of one trial of `ducktrack impact`: times of collections and of the agent's own work, what was removed, and how that affected
//! the program.

use serde::{Deserialize, Serialize};

/// A trial; the last record of its trace before the end record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// Nanoseconds from the moment at which counting was ready until the program ended.
    pub run_nanos: u64,
    /// CPU time of the process in that time.
    pub run_cpu_nanos: u64,
    /// Number of the collector's pauses.
    pub pauses: u64,
    /// Total length of the pauses.
    pub pause_nanos: u64,
    /// CPU time of the threads that collect, during the pauses.
    pub pause_cpu_nanos: u64,
    /// Largest number of bytes in use after a pause.
    pub most_used_bytes: u64,
    /// How often the agent searched for references to remove.
    pub looks: u64,
    /// How long these searches stopped the program.
    pub stopped_nanos: u64,
    /// CPU time of all searches.
    pub look_cpu_nanos: u64,
    /// The removed references, by pair of types.
    pub removals: Vec<Removal>,
    /// Places where `NullPointerException`s were thrown.
    pub null_uses: Vec<NullUse>,
    /// The reason, in one sentence, if nothing could be removed.
    pub fault: Option<String>,
}

/// The references between one pair of types that were set to null.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removal {
    /// The referring class, like `java.util.HashMap$Node` or `java.lang.Object[]`.
    pub source: String,
    /// The class of the referenced objects.
    pub target: String,
    /// References that were set to null.
    pub references: u64,
    /// How many of them were in final fields.
    pub finals: u64,
    /// Objects to which they referred.
    pub objects: u64,
    /// Shallow bytes of these objects.
    pub bytes: u64,
    /// How many of these objects were used later, through another path.
    pub used_again: u64,
    /// How many of these objects were not freed at the last search, because another path holds them or because no collection
    /// has processed them yet.
    pub still_held: u64,
    /// Objects of the pair at the last search.
    pub seen: u64,
}

/// A place where a `NullPointerException` was thrown.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NullUse {
    /// The class, with dots.
    pub class: String,
    /// The method.
    pub method: String,
    /// The line, if known.
    pub line: Option<u16>,
    /// Number of exceptions.
    pub count: u64,
}
