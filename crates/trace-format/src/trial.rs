//! What one trial of `ducktrack impact` came to: times of collections and of the agent's own work, what was removed, and what that did to the program.

use serde::{Deserialize, Serialize};

/// A trial; the last record but one of its trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// From when counting was ready until the program ended, nanoseconds.
    pub run_nanos: u64,
    /// CPU time of the process in that time.
    pub run_cpu_nanos: u64,
    /// Pauses of the collector.
    pub pauses: u64,
    /// How long they took together.
    pub pause_nanos: u64,
    /// CPU time of the process in them.
    pub pause_cpu_nanos: u64,
    /// Bytes in use after a pause, the most.
    pub most_used_bytes: u64,
    /// How often the agent looked for references to remove.
    pub looks: u64,
    /// How long the program was stopped by that.
    pub stopped_nanos: u64,
    /// CPU time of all looks.
    pub look_cpu_nanos: u64,
    /// What was removed, by pair.
    pub removals: Vec<Removal>,
    /// Where `NullPointerException`s were thrown.
    pub null_uses: Vec<NullUse>,
    /// Why nothing could be removed, if so: one sentence.
    pub fault: Option<String>,
}

/// References of one pair of types that were set to null.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removal {
    /// The class whose objects refer, as `java.util.HashMap$Node` or `java.lang.Object[]`.
    pub source: String,
    /// The class that is referred to.
    pub target: String,
    /// References that were set to null.
    pub references: u64,
    /// Of these: of final fields.
    pub finals: u64,
    /// Objects that they referred to.
    pub objects: u64,
    /// Bytes of these objects alone.
    pub bytes: u64,
    /// Of these objects: used later, by another path.
    pub used_again: u64,
    /// Of these objects: not freed at the last look, because another path holds them or no collection has looked at them yet.
    pub still_held: u64,
    /// Objects of the pair at the last look.
    pub seen: u64,
}

/// A place where a `NullPointerException` was thrown.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NullUse {
    /// The class, with dots.
    pub class: String,
    /// The method.
    pub method: String,
    /// The line, if it is known.
    pub line: Option<u16>,
    /// How often.
    pub count: u64,
}
