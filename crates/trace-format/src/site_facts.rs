//! The facts about a site that decoding needs, such as the size of its objects.

use std::num::NonZeroU32;

use crate::{CallSiteId, ReferenceLayout, SiteId};

/// Facts about sites. In the agent they come from the registry, in the reader from the definitions of the trace.
pub trait SiteFacts {
    /// Bytes of each object of the site, if all have the same size and it is known (the class may not be laid out
    /// yet).
    fn fixed_bytes(&self, site: SiteId) -> Option<u32>;

    /// True for sites whose events carry the size of the object (arrays, clones, ...): the units of a word are then
    /// the object's and never include a gap.
    fn is_measured(&self, site: SiteId) -> bool;

    /// Site and caller of a [`CalledSite`](crate::CalledSite); `None` if the number is that of a site. The other functions answer for the
    /// site of a called site.
    fn called(&self, site: SiteId) -> Option<(SiteId, CallSiteId)> {
        let _ = site;
        None
    }

    /// The layout of the arrays of a site (a level of a `multianewarray`).
    fn array_layout(&self, site: SiteId) -> Option<ArrayLayout> {
        let _ = site;
        None
    }

    /// The class name of every object of the site, if bytecode alone determines it (`new`, arrays, boxes).
    fn class_name(&self, site: SiteId) -> Option<ClassNameHash> {
        let _ = site;
        None
    }

    /// How references in records of `mode=full` are encoded.
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

/// A hash of a class name. Different hashes mean different classes. Equal hashes prove nothing (loaders may have classes of the same
/// name).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClassNameHash(NonZeroU32);

impl ClassNameHash {
    /// The hash of a name as in [`crate::HeapClass::name`], or of a descriptor: `java/lang/String`, `Ljava/lang/String;`, `[I`. `None` for
    /// hidden classes, which have another name in their own bytecode.
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

    /// The hash with these [`bits`](Self::bits); `None` for 0.
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

/// The layout of an array type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayLayout {
    /// Offset of the first element.
    pub base: u32,
    /// Bytes of one element.
    pub element: u32,
    /// Arrays end at multiples of this (8 in almost every VM).
    pub alignment: u32,
}

impl ArrayLayout {
    /// Bytes of an array with this many elements; `None` if it would fit no heap.
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
