//! The live heap at one moment.

pub(crate) mod builder;
pub(crate) mod live_rows;
pub(crate) mod moments;

use std::sync::Arc;

use ducktrack_count_model::{CallIndex, SiteIndex};
use ducktrack_heap_replay::{CollectionNumber, Moment, Quality};
use ducktrack_live_heap::Amount;

/// The heap right after a collection, or at the end of the trace.
///
/// After a collection these are the objects that it left. At the end everything allocated since the last
/// collection is there too, as objects of age 0: some of them may be dead, no collection has looked yet.
#[derive(Clone, Debug, PartialEq)]
pub struct HeapAt {
    /// The moment that was asked for.
    pub moment: Moment,
    /// The last collection before (or at) this moment. `None`: there was none.
    pub collection: Option<CollectionNumber>,
    /// When that collection ended (at the end of the trace: when the last buffer was handed over), microseconds since 1970. 0: not known.
    pub unix_micros: u64,
    /// All objects.
    pub total: Amount,
    /// Objects of `total` that no collection has seen yet.
    pub not_yet_collected: Amount,
    /// By type, most bytes first.
    pub types: Vec<LiveType>,
    /// Of `types`, those in an archive of the JDK that is mapped into the heap (G1 up to JDK 18),
    /// most bytes first. No collection decides about them: those that are dead are among them.
    pub archived: Vec<LiveType>,
    /// By allocation site, most bytes first.
    pub sites: Vec<LiveSite>,
    /// By allocating thread, most bytes first.
    pub threads: Vec<LiveThread>,
    /// By space, in the order of the trace; empty at collections whose spaces are not recorded.
    pub spaces: Vec<LiveSpace>,
    /// Objects by collections survived; see [`Lifetimes::MOST_SURVIVED`](crate::Lifetimes::MOST_SURVIVED). No zeros at the end.
    pub ages: Vec<u64>,
    /// Share of objects whose site is known.
    pub quality: Quality,
}

/// The live objects of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveType {
    /// Descriptor with stable names (`[Ljava/lang/String;`). `None`: not known.
    pub ty: Option<Arc<str>>,
    /// Its live objects.
    pub live: Amount,
}

/// The live objects of one site.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveSite {
    /// Row in [`CountModel::sites`](ducktrack_count_model::CountModel::sites). `None`: objects without
    /// an event (made by the VM or JNI, or before the agent was ready), or whose event is lost.
    pub site: Option<SiteIndex>,
    /// Its live objects.
    pub live: Amount,
    /// Objects by collections survived, as [`HeapAt::ages`].
    pub ages: Vec<u64>,
    /// `live` by type, most bytes first.
    pub types: Vec<LiveType>,
    /// `live` by caller to blame, most bytes first; empty when no caller is known.
    pub callers: Vec<LiveCaller>,
}

/// The live objects of one site that one caller is to blame for.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveCaller {
    /// Row in [`CountModel::calls`](ducktrack_count_model::CountModel::calls). `None`: no tracked call was under way, or it is not known.
    pub call: Option<CallIndex>,
    /// Its live objects.
    pub live: Amount,
    /// Objects by collections survived, as [`HeapAt::ages`].
    pub ages: Vec<u64>,
    /// `live` by type, most bytes first.
    pub types: Vec<LiveType>,
}

/// The live objects that one thread allocated.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveThread {
    /// Its name. `None`: not known, as for objects without an event.
    pub name: Option<Arc<str>>,
    /// Live objects.
    pub live: Amount,
}

/// A space or region, and the objects in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveSpace {
    /// `eden`, `survivor`, `old`, `humongous`, ...
    pub kind: Arc<str>,
    /// G1: the index of the region.
    pub index: u32,
    /// First byte.
    pub bottom: u64,
    /// End of the last object.
    pub top: u64,
    /// Live objects that start in it.
    pub live: Amount,
}
