//! An object in the mirror: 28 bytes with its origin, 16 where a reader keeps only what it needs of that.

use ducktrack_live_heap::{AddressMap, HasAddress};
use ducktrack_trace_format::{CallSiteId, HeapClassId, SiteId, ThreadId};

/// Class of an object that no collection has shown yet and whose event stated none: that of its site.
pub const CLASS_OF_SITE: HeapClassId = HeapClassId(u32::MAX);

/// Where and when an object was allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// 0 if unknown.
    pub site: SiteId,
    /// The thread that allocated it.
    pub thread: ThreadId,
    /// The caller to blame; 0 if there is none or it is unknown.
    pub caller: CallSiteId,
    /// Number of collections before its allocation.
    pub birth: u32,
}

impl Origin {
    /// The same origin without the caller.
    pub(crate) fn without_caller(self) -> Self {
        Self {
            caller: CallSiteId(0),
            ..self
        }
    }
}

/// The part of an origin that a mirror keeps of an object that lives on.
pub trait Kept: Copy + From<Origin> {
    /// The site is known.
    fn has_site(self) -> bool;

    /// Number of collections before its allocation.
    fn birth(self) -> u32;
}

impl Kept for Origin {
    fn has_site(self) -> bool {
        self.site != SiteId(0)
    }

    fn birth(self) -> u32 {
        self.birth
    }
}

/// All that a reader asks of the origin later: the replay has the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Birth(u32);

/// In [`Birth`]: the site is known.
const HAS_SITE: u32 = 1 << 31;

impl From<Origin> for Birth {
    fn from(origin: Origin) -> Self {
        let has_site = if origin.has_site() { HAS_SITE } else { 0 };
        Self(origin.birth & !HAS_SITE | has_site)
    }
}

impl Kept for Birth {
    fn has_site(self) -> bool {
        self.0 & HAS_SITE != 0
    }

    fn birth(self) -> u32 {
        self.0 & !HAS_SITE
    }
}

/// A live object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LiveObject<K> {
    /// The low bits of its address.
    low: u32,
    pub(crate) units: u32,
    pub(crate) class: HeapClassId,
    pub(crate) origin: K,
}

/// All live objects, in chunks of 1 MB of heap.
pub(crate) type LiveObjects<K> = AddressMap<LiveObject<K>, 20>;

impl<K> LiveObject<K> {
    pub(crate) fn new(address: u64, units: u32, class: HeapClassId, origin: K) -> Self {
        Self {
            low: address as u32,
            units,
            class,
            origin,
        }
    }
}

impl<K> HasAddress for LiveObject<K> {
    #[inline]
    fn low(&self) -> u32 {
        self.low
    }

    #[inline]
    fn bytes(&self) -> u64 {
        u64::from(self.units) * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_keeps_less() {
        assert_eq!(size_of::<LiveObject<Origin>>(), 28);
        assert_eq!(size_of::<LiveObject<Birth>>(), 16);
        let mut origin = Origin {
            site: SiteId(7),
            thread: ThreadId(1),
            caller: CallSiteId(2),
            birth: 9,
        };
        let kept = Birth::from(origin);
        assert_eq!((kept.has_site(), kept.birth()), (true, 9));
        origin.site = SiteId(0);
        let kept = Birth::from(origin);
        assert_eq!((kept.has_site(), kept.birth()), (false, 9));
    }
}
