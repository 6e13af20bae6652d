//! Watching collections: which objects moved where, which died.
//!
//! ```text
//! VM thread:  GarbageCollectionStart   -> start():  spaces as they are, classes
//!             (the collection)         -> hook inside the pause, level exact only
//!             GarbageCollectionFinish  -> finish(): one report for each collection of this pair of events
//! ```
//!
//! The world is stopped from the first to the last of these. Everything the watch knows is in one [`Pause`], in a place of its own that the hook
//! can point at.

use crate::class_table::ClassTable;
use crate::collection_report::{CollectionReport, MovesLevel};
use crate::collector::Collector;
use crate::error::Error;
use crate::jvm_flags::JvmFlags;
use crate::pause::Pause;
use crate::vm_structs::VmStructs;

/// Knows of every collection what it did with the objects.
#[derive(Debug)]
pub struct CollectionWatch {
    pause: Box<Pause>,
}

impl CollectionWatch {
    /// Prepares for the collector in use. In or after `VMInit`; [`Error::UnsupportedCollector`] for others than Serial, Parallel and G1.
    pub fn new(
        vm: &VmStructs,
        flags: &JvmFlags,
        collector: Collector,
        level: MovesLevel,
    ) -> Result<Self, Error> {
        Ok(Self {
            pause: Box::new(Pause::new(vm, flags, collector, level)?),
        })
    }

    /// Call it in `GarbageCollectionStart`.
    pub fn start(&mut self) {
        self.pause.start();
    }

    /// Call it in `GarbageCollectionFinish`, on the same thread. Adds one report for each collection since [`CollectionWatch::start`].
    pub fn finish(&mut self, reports: &mut Vec<CollectionReport>) {
        self.pause.finish(reports);
    }

    /// How exactly moves are known.
    #[must_use]
    pub fn level(&self) -> MovesLevel {
        self.pause.level
    }

    /// Every class that the VM had at the start of a collection. A row never changes its meaning.
    #[must_use]
    pub fn classes(&self) -> &ClassTable {
        &self.pause.classes
    }

    /// Tells the offset of the field `size` of `jdk.internal.vm.StackChunk` (JDK 21 and later), as `Unsafe.objectFieldOffset` gives it. Without
    /// it a pause of a program with virtual threads cannot be read.
    pub fn set_stack_chunk_size_offset(&mut self, offset: usize) {
        self.pause.sizes.set_stack_chunk_size_offset(offset);
    }
}
