//! What decoding needs to know of a site: how large its objects are.

use crate::SiteId;

/// Sizes of the objects of sites. In the agent the registry answers, in the reader the definitions of the trace.
pub trait SiteFacts {
    /// Bytes of each object of the site, if all have the same and it is known (the class may not be laid out yet).
    fn fixed_bytes(&self, site: SiteId) -> Option<u32>;

    /// True for sites whose events carry the bytes of the object (arrays, clones, ...): the units of a word are then
    /// the object's and never a gap's.
    fn is_measured(&self, site: SiteId) -> bool;

    /// How the array that a site (a level of a `multianewarray`) makes is laid out.
    fn array_layout(&self, site: SiteId) -> Option<ArrayLayout> {
        let _ = site;
        None
    }
}

impl<F: SiteFacts + ?Sized> SiteFacts for &F {
    fn fixed_bytes(&self, site: SiteId) -> Option<u32> {
        (**self).fixed_bytes(site)
    }

    fn is_measured(&self, site: SiteId) -> bool {
        (**self).is_measured(site)
    }

    fn array_layout(&self, site: SiteId) -> Option<ArrayLayout> {
        (**self).array_layout(site)
    }
}

/// How an array is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayLayout {
    /// Where the elements start.
    pub base: u32,
    /// Bytes of one element.
    pub element: u32,
    /// Arrays end at multiples of this (8 in almost every VM).
    pub alignment: u32,
}

impl ArrayLayout {
    /// Bytes of an array with so many elements; `None` where no heap has room for it.
    pub fn bytes(self, length: u32) -> Option<u64> {
        let plain = u64::from(self.base) + u64::from(self.element) * u64::from(length);
        plain.checked_next_multiple_of(u64::from(self.alignment))
    }
}
