//! The heap that is replayed, as analyses see it.

use ducktrack_count_model::{SiteColumn, TraceNames, TypeColumn};

use crate::epoch_sums::EpochSums;
use crate::knowledge::Knowledge;
use crate::live_counts::LiveCounts;
use crate::live_object::{LiveHeap, LiveObject};
use crate::slices::Slice;
use crate::space_map::SpaceMap;
use crate::trace_info::TraceInfo;

/// The live heap after a collection, and what is known of the trace so far.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    /// Meanings of columns.
    pub names: TraceNames,
    /// Collections so far.
    pub epoch: u32,
    /// Live objects by site and type.
    pub counts: LiveCounts,
    /// Bytes allocated up to each collection.
    pub clock: EpochSums,
    /// Of the epoch that ended last: its slices, in order. None: its events come again with those of the next one.
    pub slices: Vec<Slice>,
    /// Spaces after the last collection.
    pub spaces: SpaceMap,
    /// When the live heap is known.
    pub knowledge: Knowledge,
    /// The outline of the trace.
    pub info: TraceInfo,
    pub(crate) objects: LiveHeap,
    site_types: Vec<TypeColumn>,
}

impl Heap {
    pub(crate) fn new(names: TraceNames) -> Self {
        let mut heap = Self::default();
        heap.set_names(names);
        heap
    }

    pub(crate) fn set_names(&mut self, names: TraceNames) {
        self.site_types = names.column_types();
        self.names = names;
    }

    /// The live objects are known.
    pub fn is_known(&self) -> bool {
        self.knowledge.is_known()
    }

    /// All live objects, by address.
    pub fn objects(&self) -> impl Iterator<Item = &LiveObject> {
        self.objects.iter().map(|(_, object)| object)
    }

    /// The type that a site states.
    pub fn site_type(&self, site: SiteColumn) -> TypeColumn {
        let ty = self.site_types.get(site.position());
        ty.copied().unwrap_or_default()
    }

    /// Collections of which deaths are known, and whether there are any such; else the number of all.
    pub fn collections_known(&self) -> (u64, bool) {
        let stretches = self.knowledge.stretches().iter();
        match self.is_known() || self.knowledge.follows_any() {
            true => (stretches.map(|stretch| stretch.collections()).sum(), true),
            false => (self.info.collections, false),
        }
    }
}
