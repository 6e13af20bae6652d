//! A synchronization point: the live heap as the writer knew it, to start from or to compare with.

use crate::live_counts::LiveCounts;
use crate::live_object::{LiveHeap, LiveObject};
use ducktrack_count_model::{SiteColumn, TypeColumn};

/// A synchronization point that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SyncCheck {
    pub(crate) collection: u32,
    /// It is taken as it is; else it is compared with the heap rebuilt so far.
    pub(crate) replaces: bool,
    pub(crate) objects: u64,
    pub(crate) with_site: u64,
    /// Objects that are in the heap rebuilt, too.
    seen: u64,
    differences: u64,
}

impl SyncCheck {
    pub(crate) fn new(collection: u32, replaces: bool) -> Self {
        Self {
            collection,
            replaces,
            objects: 0,
            with_site: 0,
            seen: 0,
            differences: 0,
        }
    }

    /// Takes the next object.
    pub(crate) fn take(
        &mut self,
        object: LiveObject,
        heap: &mut LiveHeap,
        counts: &mut LiveCounts,
    ) {
        self.objects += 1;
        self.with_site += u64::from(object.site != SiteColumn::NONE);
        if self.replaces {
            counts.add(&object);
            heap.push(object.address(), object);
            return;
        }
        let known = heap.get(object.address());
        self.seen += u64::from(known.is_some());
        match known {
            Some(known) if known.agrees_with(&object) => {
                // The writer had the class of the object, an event has only the type of its site.
                if known.ty != object.ty && object.ty != TypeColumn::NONE {
                    counts.remove(known);
                    known.ty = object.ty;
                    counts.add(known);
                }
            }
            _ => self.differences += 1,
        }
    }

    /// Objects that are different, only there or only here, where `live` are here.
    pub(crate) fn differences(&self, live: u64) -> Option<u64> {
        let only_here = live.saturating_sub(self.seen);
        (!self.replaces).then(|| self.differences + only_here)
    }
}
