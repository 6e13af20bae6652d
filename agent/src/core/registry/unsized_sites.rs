//! Sites whose class has no known size yet, by the descriptor of that class.

use ducktrack_trace_format::SiteId;
use rustc_hash::FxHashMap;

use super::identity::LoaderId;

/// A site and the loader of its class, which decides which class the descriptor means.
type Waiting = (SiteId, LoaderId);

/// Waiting sites.
#[derive(Default)]
pub(super) struct UnsizedSites {
    by_class: FxHashMap<Box<[u8]>, Vec<Waiting>>,
}

impl UnsizedSites {
    /// Adds a site, in a class of this loader, that waits for the size of a class.
    pub(super) fn wait(&mut self, site: SiteId, descriptor: &[u8], loader: LoaderId) {
        match self.by_class.get_mut(descriptor) {
            Some(waiting) => waiting.push((site, loader)),
            None => {
                self.by_class
                    .insert(descriptor.into(), vec![(site, loader)]);
            }
        }
    }

    fn place(&mut self, site: SiteId, descriptor: &[u8]) -> Option<&mut Waiting> {
        let waiting = self.by_class.get_mut(descriptor)?;
        waiting.iter_mut().find(|(waits, _)| *waits == site)
    }

    /// A site that waits is now one of a class of this loader, too, which is
    /// likely to be the next that knows the size. Returns whether it waits.
    pub(super) fn wait_for(&mut self, site: SiteId, descriptor: &[u8], by: LoaderId) -> bool {
        let place = self.place(site, descriptor);
        place.map(|(_, loader)| *loader = by).is_some()
    }

    /// The descriptors that sites wait for.
    pub(super) fn descriptors(&self) -> Vec<Box<[u8]>> {
        self.by_class.keys().cloned().collect()
    }

    /// Removes the sites of a class whose size is known, by loader.
    pub(super) fn take(
        &mut self,
        descriptor: &[u8],
        size_for: impl Fn(LoaderId) -> Option<u32>,
    ) -> Vec<(SiteId, u32)> {
        let Some(waiting) = self.by_class.get_mut(descriptor) else {
            return Vec::new();
        };
        let mut sized = Vec::new();
        waiting.retain(|(site, loader)| {
            let size = size_for(*loader);
            sized.extend(size.map(|bytes| (*site, bytes)));
            size.is_none()
        });
        if waiting.is_empty() {
            self.by_class.remove(descriptor);
        }
        sized
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_that_came_last_has_the_size() {
        let mut sites = UnsizedSites::default();
        assert!(!sites.wait_for(SiteId(16), b"LPoint;", LoaderId(1)));
        sites.wait(SiteId(16), b"LPoint;", LoaderId(1));
        assert!(sites.wait_for(SiteId(16), b"LPoint;", LoaderId(2)));
        let of_second = |loader| (loader == LoaderId(2)).then_some(24);
        assert_eq!(sites.take(b"LPoint;", of_second), [(SiteId(16), 24)]);
    }

    #[test]
    fn a_site_waits_until_its_loader_has_a_size() {
        let mut sites = UnsizedSites::default();
        sites.wait(SiteId(16), b"LPoint;", LoaderId(1));
        sites.wait(SiteId(17), b"LPoint;", LoaderId(2));
        let of_first = |loader| (loader == LoaderId(1)).then_some(24);
        assert_eq!(sites.take(b"LLine;", of_first), []);
        assert_eq!(sites.take(b"LPoint;", of_first), [(SiteId(16), 24)]);
        assert_eq!(sites.descriptors(), [b"LPoint;".as_slice().into()]);
        assert_eq!(sites.take(b"LPoint;", |_| Some(32)), [(SiteId(17), 32)]);
        assert!(sites.descriptors().is_empty());
    }
}
