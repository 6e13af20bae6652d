//! The heap after survivors of a concurrent cycle that contradicted their events. The agent does not
//! know of it and lists nothing anew, but what the next cycles show adds up to all objects again.
//!
//! | heap | all objects are known after | because |
//! |---|---|---|
//! | without generations | one cycle | it lists everything that lives |
//! | with generations | two old cycles and a young one | the second old one begins after the contradiction, and lists what was old then; young ones list what they promote since; the last young one lists what is young |
//!
//! Objects that were allocated before have their class, and no site.

use ducktrack_heap_mirror::{Mirror, SiteCache};
use ducktrack_trace_format::{Collection, CollectionKind, HeapClass, Survivor};

/// Old cycles after the contradiction until one has begun after it.
const OLD_CYCLES: u32 = 2;

/// Fault of the collection after which the heap is known again.
pub(crate) const REGAINED: &str =
    "the heap before this collection is not known; after it, all objects are listed";

/// What is known of the heap since the contradiction.
#[derive(Default)]
pub(crate) struct RegainedHeap {
    pub(crate) mirror: Mirror,
    /// Classes with smaller ids were announced.
    pub(crate) classes: u32,
    old_cycles: u32,
}

impl RegainedHeap {
    /// Takes a collection of which the survivors are known. Gives the
    /// contents of a synchronization point if all objects are known after it.
    ///
    /// # Errors
    /// These survivors contradict events as well.
    pub(crate) fn collection(
        &mut self,
        collection: &mut Collection,
        survivors: &mut [Survivor],
        facts: &SiteCache,
    ) -> Result<Option<Vec<Vec<u8>>>, &'static str> {
        self.mirror.collect(collection, survivors, facts)?;
        let lists_all = match collection.kind {
            _ if !collection.went_on_beside() => false,
            CollectionKind::Full => true,
            CollectionKind::Old => {
                self.old_cycles += 1;
                false
            }
            CollectionKind::Young => self.old_cycles >= OLD_CYCLES,
            _ => false,
        };
        let is_whole = lists_all && self.mirror.is_settled();
        Ok(is_whole.then(|| self.mirror.sync_point(collection.number)))
    }

    /// Announces classes that are new.
    pub(crate) fn announce<'a>(&mut self, new: impl Iterator<Item = &'a HeapClass>, until: u32) {
        new.for_each(|class| self.mirror.class(class));
        self.classes = self.classes.max(until);
    }
}
