//! Values of counters at one moment, by thread.

use serde::{Deserialize, Serialize};

use super::run::AgentCost;
use crate::ids::{CallSiteId, CounterId, SiteId, ThreadId};

/// Values at one moment. A thread, counter or key that is not named keeps its value from the previous snapshot (at
/// first 0). Values are totals since the start, not differences.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Its number, ascending.
    pub sequence: u32,
    /// When, milliseconds since 1970.
    pub unix_millis: u64,
    /// `interval`, `exit`, `signal`, `demand`.
    pub cause: String,
    /// Values of threads with a block of their own.
    pub threads: Vec<ThreadCounts>,
    /// Counters of threads that had no block of their own yet; lost updates may make them too small.
    pub shared: Vec<(CounterId, u64)>,
    /// Bytes allocated by all Java threads since counting was ready, by the VM's own count, ended threads included.
    pub vm_allocated_bytes: Option<u64>,
    /// Bytes allocated before counting was ready, by the VM's own count.
    pub before_ready_bytes: Option<u64>,
    /// The cost of the agent itself so far.
    pub cost: AgentCost,
    /// True if further parts of this snapshot follow (with the same `sequence`), because one record would have been
    /// too large. All parts together are one snapshot, which counts only when the part with `false` is there.
    pub more: bool,
}

/// A thread, or a fold of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    /// Its id.
    pub id: ThreadId,
    /// Its name. Ended threads are folded by name, with each run of digits written as `#`.
    pub name: String,
    /// True for a fold of ended threads.
    pub folded: bool,
}

/// Values of one thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThreadCounts {
    /// The thread.
    pub thread: ThreadId,
    /// Bytes allocated by this thread since counting was ready, by the VM's own count. `None`: as in the previous
    /// snapshot.
    pub vm_allocated_bytes: Option<u64>,
    /// Values of counters.
    pub counters: Vec<(CounterId, u64)>,
    /// Counts by key.
    pub keyed: Vec<KeyedCount>,
}

/// Counts that depend on run-time data: the class of the object, or the caller to blame. They ADD to the counts from
/// the site's counters (each execution of a site is counted either by counters or by keys).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyedCount {
    /// The site.
    pub site: SiteId,
    /// The caller to blame. `None` if unknown (no tracked call was active).
    pub context: Option<CallSiteId>,
    /// The class of the object as a descriptor, if [`Site::ty`](crate::Site::ty) does not determine it.
    pub ty: Option<String>,
    /// Objects.
    pub count: u64,
    /// Bytes. 0 with a count that is not 0 means that they were not measured; the site's fixed size then applies, if
    /// it has one.
    pub bytes: u64,
}

/// The class at an address in the keyed entries of `counters.mapped`. If the address is named again, it means another class from then on:
/// the first was unloaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassAddress {
    /// Address of the class in the VM.
    pub klass: u64,
    /// The class as a descriptor.
    pub descriptor: String,
}

/// The values of a thread without a block, or of all threads with its row, when their block was given to another thread. They are totals; a
/// later record of the same thread replaces this one. Only needed for a trace without an end: snapshots have these values too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoldedBlock {
    /// Number of the block in `counters.mapped`; the largest number: it is not there.
    pub block: u32,
    /// The block's generation; the values include those of this generation and earlier ones.
    pub generation: u32,
    /// The values.
    pub counts: ThreadCounts,
}
