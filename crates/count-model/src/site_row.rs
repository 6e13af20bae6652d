//! The facts about one allocation site, one method and one call of a tracked method.

use std::sync::Arc;

use ducktrack_trace_format::AllocationKind;

use crate::{CallIndex, MethodIndex, SiteFacts, Tally, ThreadIndex};

/// A method that has sites (or calls of tracked methods). Generated classes of one pattern are one class here.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodRow {
    /// Stable class name in internal form: `java/util/HashMap$Node`, `Main$$Lambda`, `jdk/proxy#/$Proxy#`.
    pub class: Arc<str>,
    /// `boot`, `platform`, `app`, or the loader's class name and a number.
    pub loader: Arc<str>,
    /// File name the class was compiled from.
    pub source_file: Option<Arc<str>>,
    /// True when the name stands for a pattern of generated or hidden classes.
    pub generated: bool,
    /// Method name, `<init>` for a constructor.
    pub name: Arc<str>,
    /// Descriptor, `(Ljava/lang/String;I)V`, type names made stable.
    pub descriptor: Arc<str>,
    /// Another method of the class has the same name and a place with the
    /// same line, or without lines: only the descriptor tells them apart.
    pub reads_alike: bool,
    /// Executed counter increments of this method's counters (see [`Increments::executed`](crate::Increments)).
    pub increments: u64,
    /// Increments that one counter per site would have executed: the sum of what counters say of its sites.
    pub one_per_site: i64,
}

/// One allocation site with all its values.
///
/// Sites that a reader cannot distinguish (same stable class, loader, method, bytecode index, line, kind and type)
/// are merged into one row. Zero rows are kept: a site that never ran is information too. Values of sites that the
/// trace does not introduce (its definitions are damaged) are in one row of kind `other` in the class `?`.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteRow {
    /// Where it is.
    pub method: MethodIndex,
    /// Bytecode index in the class file as loaded without the agent.
    pub bci: u16,
    /// Source line.
    pub line: Option<u16>,
    /// The way of allocating.
    pub kind: AllocationKind,
    /// The allocated type, as a descriptor with stable names (`[Ljava/lang/String;`). `None`: see [`SiteRow::parts`].
    pub ty: Option<Arc<str>>,
    /// Facts that its bytecode has.
    pub facts: SiteFacts,
    /// Size of one object, where it is fixed, known, and the same for all merged sites.
    pub size: Option<u32>,
    /// How many sites of the trace are in this row.
    pub merged: u32,
    /// Executed objects and their bytes: all counters of all versions and threads, plus keyed counts.
    pub total: Tally,
    /// Objects of `total.count` whose bytes are not in `total.bytes`, because no size is known.
    pub bytes_unknown: i64,
    /// The objects that reached the heap, where that was measured (`record=materialized`); the rest of `total` was eliminated.
    pub materialized: Option<Tally>,
    /// Arrays by length, ascending, only buckets that are not zero. Empty unless lengths were recorded.
    pub lengths: Vec<LengthBucket>,
    /// `total` split by caller to blame and by type of object. The sum of the parts is `total`.
    pub parts: Vec<SitePart>,
    /// `total` split by thread, ascending, only threads that are not zero.
    pub threads: Vec<ThreadPart>,
}

/// Arrays of one range of lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthBucket {
    /// `64 - leading_zeros(length)`: 0, 1, 2-3, 4-7, ...
    pub bucket: u8,
    /// Arrays.
    pub count: i64,
}

impl LengthBucket {
    /// Smallest and largest length of the bucket.
    pub fn range(self) -> (u64, u64) {
        match self.bucket {
            0 => (0, 0),
            bucket @ 1..=63 => (1 << (bucket - 1), (1 << bucket) - 1),
            _ => (1 << 63, u64::MAX),
        }
    }
}

/// The part of a site's total that belongs to one caller and one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitePart {
    /// The caller to blame. `None`: the site itself (no tracked call was under way, or none is tracked here).
    pub context: Option<CallIndex>,
    /// Type of the objects as a descriptor with stable names. `None`: not known.
    pub ty: Option<Arc<str>>,
    /// Objects and bytes.
    pub tally: Tally,
    /// `tally` split by thread, ascending, only threads that are not zero.
    pub threads: Vec<ThreadPart>,
}

/// The part of a site's total, or of one part of it, that one thread executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadPart {
    /// Which thread.
    pub thread: ThreadIndex,
    /// Objects and bytes.
    pub tally: Tally,
}

/// A call of a tracked method: the caller that is to blame for what the method allocates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// The method that calls.
    pub method: MethodIndex,
    /// Bytecode index of the call.
    pub bci: u16,
    /// Source line of the call.
    pub line: Option<u16>,
    /// The called method, `java/util/Arrays.copyOf`.
    pub target: Arc<str>,
    /// All parts of all sites with this context.
    pub total: Tally,
}
