//! The class of each site's objects, as long as all objects seen had the same.
//!
//! A site whose events state no class has one class: the one that its bytecode names, or one that only the run shows. If an object of
//! another class but the same size is where one of its events puts an object, the JIT eliminated the event's object, and the VM moved the
//! top for an object of its own.

use ducktrack_trace_format::{ClassNameHash, HeapClass, HeapClassId, SiteFacts, SiteId};
use rustc_hash::FxHashMap;

use crate::site_cache::SiteCache;

const NONE_SEEN: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;

/// How many objects of a class a site must have had before one of another class is doubted: the first may be the wrong one.
const TRUSTED: u32 = 2;

#[derive(Clone, Copy, Debug)]
struct SiteClass {
    class: u32,
    times: u32,
    /// The class whose name was last compared with the one that the bytecode names, and did not differ.
    named: u32,
}

const NOTHING: SiteClass = SiteClass {
    class: NONE_SEEN,
    times: 0,
    named: NONE_SEEN,
};

/// Classes by site.
#[derive(Debug, Default)]
pub(crate) struct SiteClasses {
    seen: Vec<SiteClass>,
    names: FxHashMap<HeapClassId, ClassNameHash>,
}

impl SiteClasses {
    /// Learns the name of a class.
    pub(crate) fn name(&mut self, class: &HeapClass) {
        if let Some(name) = ClassNameHash::of(class.name.as_bytes()) {
            self.names.insert(class.id, name);
        }
    }

    fn at(&mut self, site: SiteId) -> Option<&mut SiteClass> {
        let index = site.0 as usize;
        if index >= self.seen.len() {
            self.seen.resize(index + 1, NOTHING);
        }
        self.seen.get_mut(index)
    }

    /// Notes the class of an object of a site.
    #[inline]
    pub(crate) fn see(&mut self, site: SiteId, class: HeapClassId) {
        let Some(seen) = self.at(site) else { return };
        if seen.class == class.0 {
            seen.times = seen.times.saturating_add(1);
        } else {
            *seen = SiteClass {
                named: seen.named,
                class: if seen.class == NONE_SEEN {
                    class.0
                } else {
                    SEVERAL
                },
                times: 1,
            };
        }
    }

    /// Notes that events of this site state the class: it may have several.
    pub(crate) fn has_several(&mut self, site: SiteId) {
        if let Some(seen) = self.at(site) {
            seen.class = SEVERAL;
        }
    }

    /// The class that all seen objects of a site had.
    pub(crate) fn class_of(&self, site: SiteId) -> Option<HeapClassId> {
        let class = self.seen.get(site.0 as usize)?.class;
        (class < SEVERAL).then_some(HeapClassId(class))
    }

    /// Whether an object of this class cannot be of this site.
    pub(crate) fn is_foreign(
        &mut self,
        site: SiteId,
        class: HeapClassId,
        facts: &SiteCache,
    ) -> bool {
        if self.was_never(site, class) {
            return true;
        }
        let seen = self.seen.get(site.0 as usize);
        if seen.is_some_and(|seen| seen.named == class.0) {
            return false;
        }
        if self.has_another_name(site, class, facts) {
            return true;
        }
        let is_named = self.names.contains_key(&class);
        if let Some(seen) = self.at(site).filter(|_| is_named) {
            seen.named = class.0;
        }
        false
    }

    /// Whether the site's bytecode names another class than this.
    pub(crate) fn has_another_name(
        &self,
        site: SiteId,
        class: HeapClassId,
        facts: &SiteCache,
    ) -> bool {
        let name = self.names.get(&class);
        name.zip(facts.class_name(site))
            .is_some_and(|(name, stated)| *name != stated)
    }

    /// Whether all objects of the site so far had one other class.
    fn was_never(&self, site: SiteId, class: HeapClassId) -> bool {
        let seen = self.seen.get(site.0 as usize);
        seen.is_some_and(|seen| {
            seen.times >= TRUSTED && seen.class < SEVERAL && seen.class != class.0
        })
    }
}

#[cfg(test)]
mod tests {
    use ducktrack_trace_format::HeapClassSize;

    use super::*;
    use crate::named_sites::named_sites;

    #[test]
    fn what_was_seen_twice_is_trusted() {
        let (site, ours, other) = (SiteId(20), HeapClassId(3), HeapClassId(4));
        let mut classes = SiteClasses::default();
        classes.see(site, ours);
        assert!(!classes.was_never(site, other));
        classes.see(site, ours);
        assert!(classes.was_never(site, other) && !classes.was_never(site, ours));
        assert_eq!(classes.class_of(site), Some(ours));
        classes.has_several(site);
        assert!(!classes.was_never(site, other));
        classes.see(site, ours);
        classes.see(site, ours);
        assert_eq!(classes.class_of(site), None);
        assert!(!classes.was_never(site, other));
    }

    #[test]
    fn the_class_that_bytecode_names_is_trusted_at_once() {
        let facts = named_sites(&[(20, "[Ljava/lang/Object;")]);
        let mut classes = SiteClasses::default();
        for (id, name) in [(3, "[B"), (4, "[Ljava/lang/Object;")] {
            classes.name(&HeapClass {
                id: HeapClassId(id),
                name: name.to_owned(),
                size: HeapClassSize::PerObject,
                klass: u64::from(id),
                fields: Vec::new(),
            });
        }
        assert!(classes.is_foreign(SiteId(20), HeapClassId(3), &facts));
        assert!(!classes.is_foreign(SiteId(20), HeapClassId(4), &facts));
        assert!(!classes.is_foreign(SiteId(20), HeapClassId(5), &facts));
        assert!(!classes.is_foreign(SiteId(21), HeapClassId(3), &facts));
    }
}
