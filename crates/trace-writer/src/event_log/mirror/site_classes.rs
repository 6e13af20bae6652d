//! The class of the objects of each site, as far as all that were seen had the same.

use ducktrack_trace_format::{HeapClassId, SiteId};

const NONE_SEEN: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;

/// Classes by site.
#[derive(Debug, Default)]
pub(crate) struct SiteClasses {
    classes: Vec<u32>,
}

impl SiteClasses {
    /// An object of a site was seen.
    #[inline]
    pub(crate) fn see(&mut self, site: SiteId, class: HeapClassId) {
        let index = site.0 as usize;
        if index >= self.classes.len() {
            self.classes.resize(index + 1, NONE_SEEN);
        }
        if let Some(known) = self.classes.get_mut(index)
            && *known != class.0
        {
            *known = if *known == NONE_SEEN {
                class.0
            } else {
                SEVERAL
            };
        }
    }

    /// The class of all objects of a site that were seen.
    pub(crate) fn class_of(&self, site: SiteId) -> Option<HeapClassId> {
        let class = *self.classes.get(site.0 as usize)?;
        (class < SEVERAL).then_some(HeapClassId(class))
    }
}
