//! What decoding needs to know of a site: how large its objects are.

use std::num::NonZeroU32;

use crate::{CallSiteId, ReferenceLayout, SiteId};

/// Sizes of the objects of sites. In the agent the registry answers, in the reader the definitions of the trace.
pub trait SiteFacts {
    /// Bytes of each object of the site, if all have the same and it is known (the class may not be laid out yet).
    fn fixed_bytes(&self, site: SiteId) -> Option<u32>;

    /// True for sites whose events carry the bytes of the object (arrays, clones, ...): the units of a word are then
    /// the object's and never a gap's.
    fn is_measured(&self, site: SiteId) -> bool;

    /// Site and caller of a [`CalledSite`](crate::CalledSite); `None`: the number is that of a site. All else that is asked of such a number is told of its
    /// site.
    fn called(&self, site: SiteId) -> Option<(SiteId, CallSiteId)> {
        let _ = site;
        None
    }

    /// How the array that a site (a level of a `multianewarray`) makes is laid out.
    fn array_layout(&self, site: SiteId) -> Option<ArrayLayout> {
        let _ = site;
        None
    }

    /// The name of the class of every object of the site, where bytecode alone says it (`new`, arrays, boxes).
    fn class_name(&self, site: SiteId) -> Option<ClassNameHash> {
        let _ = site;
        None
    }

    /// What references are that records of `mode=witness` have.
    fn references(&self) -> ReferenceLayout {
        ReferenceLayout::default()
    }
}

impl<F: SiteFacts + ?Sized> SiteFacts for &F {
    fn fixed_bytes(&self, site: SiteId) -> Option<u32> {
        (**self).fixed_bytes(site)
    }

    fn is_measured(&self, site: SiteId) -> bool {
        (**self).is_measured(site)
    }

    fn called(&self, site: SiteId) -> Option<(SiteId, CallSiteId)> {
        (**self).called(site)
    }

    fn array_layout(&self, site: SiteId) -> Option<ArrayLayout> {
        (**self).array_layout(site)
    }

    fn class_name(&self, site: SiteId) -> Option<ClassNameHash> {
        (**self).class_name(site)
    }

    fn references(&self) -> ReferenceLayout {
        (**self).references()
    }
}

/// A hash of a class name. Different hashes: different classes. Equal ones say nothing for sure (loaders may have classes of one name).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClassNameHash(NonZeroU32);

impl ClassNameHash {
    /// Of a class as [`crate::HeapClass::name`] or a descriptor says it: `java/lang/String`, `Ljava/lang/String;`, `[I`. `None` for hidden classes,
    /// which go by another name in their own bytecode.
    pub fn of(name: &[u8]) -> Option<Self> {
        let is_hidden = name.iter().any(|byte| matches!(byte, b'+' | b'.'));
        if is_hidden {
            return None;
        }
        let of_descriptor = name
            .strip_prefix(b"L")
            .and_then(|name| name.strip_suffix(b";"));
        Self::from_bits(fnv_1a(of_descriptor.unwrap_or(name)))
    }

    /// The hash from what [`Self::bits`] gave; `None` from 0.
    pub fn from_bits(bits: u32) -> Option<Self> {
        NonZeroU32::new(bits).map(Self)
    }

    /// The hash as a number, never 0.
    pub fn bits(self) -> u32 {
        self.0.get()
    }
}

fn fnv_1a(bytes: &[u8]) -> u32 {
    let hash = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811c_9dc5, hash)
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
    /// Bytes of an array with this many elements; `None` where no heap has room for it.
    pub fn bytes(self, length: u32) -> Option<u64> {
        let plain = u64::from(self.base) + u64::from(self.element) * u64::from(length);
        plain.checked_next_multiple_of(u64::from(self.alignment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_descriptors_of_one_class_are_equal() {
        let of = |name: &str| ClassNameHash::of(name.as_bytes());
        assert!(of("java/lang/String").is_some());
        assert_eq!(of("java/lang/String"), of("Ljava/lang/String;"));
        assert_ne!(of("[B"), of("[Ljava/lang/Object;"));
        assert_eq!(of("a/Hidden+0x0000000800c03000"), None);
        assert_eq!(of("La/Hidden.0x0000000800c03000;"), None);
    }
}
