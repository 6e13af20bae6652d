//! Objects whose allocation is known but not their address: they are outside of thread-local buffers, or are arrays that went to
//! more than one buffer. If a collection finds objects that nothing else explains, it may settle them, where class and size allow
//! only one origin.
//!
//! Objects of the same size and class form a group. A group is settled if all its pending allocations have the same origin and are at least
//! as many as the found objects. If only their callers differ, the callers stay unknown. The class of a pending object is the one that its
//! event stated, or the one that all other objects of its site had. If no class is known, the size alone decides, and only from
//! [`TELLING_BYTES`] on.

use ducktrack_trace_format::HeapClassId;
use rustc_hash::FxHashMap;

use crate::origin::Origin;

/// Objects of at least this many bytes rarely have equal sizes by chance.
const TELLING_BYTES: u64 = 512;

/// Most pending objects; later ones stay unexplained.
const MOST: usize = 1 << 20;

/// Size and, if known, class.
type Group = (u64, Option<HeapClassId>);

/// A found object that may be a pending one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// Index among the survivors.
    pub(crate) survivor: usize,
    pub(crate) bytes: u64,
    pub(crate) class: HeapClassId,
}

/// All pending objects.
#[derive(Debug, Default)]
pub(crate) struct PendingObjects {
    groups: FxHashMap<Group, Vec<Origin>>,
    count: usize,
}

/// What a collection settled.
#[derive(Debug, Default)]
pub(crate) struct SettledObjects {
    /// Survivors by index, with their origins.
    pub(crate) explained: Vec<(usize, Origin)>,
    /// Found objects with more than one possible origin.
    pub(crate) ambiguous: u64,
}

impl PendingObjects {
    /// Adds an object; false if there are too many.
    pub(crate) fn push(&mut self, bytes: u64, class: Option<HeapClassId>, origin: Origin) -> bool {
        let fits = self.count < MOST;
        if fits {
            self.groups.entry((bytes, class)).or_default().push(origin);
            self.count += 1;
        }
        fits
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// True when an object of this size is pending.
    pub(crate) fn may_be(&self, bytes: u64, class: HeapClassId) -> bool {
        self.groups.contains_key(&(bytes, Some(class))) || self.groups.contains_key(&(bytes, None))
    }

    /// Fills in classes that have become known.
    pub(crate) fn learn(&mut self, class_of: impl Fn(Origin) -> Option<HeapClassId>) {
        let nameless: Vec<Group> = self
            .groups
            .keys()
            .copied()
            .filter(|g| g.1.is_none())
            .collect();
        for group in nameless {
            for origin in self.groups.remove(&group).unwrap_or_default() {
                let known = (group.0, class_of(origin));
                self.groups.entry(known).or_default().push(origin);
            }
        }
    }

    /// Forgets objects born before an epoch: a full collection has shown every live object.
    pub(crate) fn forget_before(&mut self, epoch: u32) {
        self.groups.retain(|_, origins| {
            origins.retain(|origin| origin.birth >= epoch);
            !origins.is_empty()
        });
        self.count = self.groups.values().map(Vec::len).sum();
    }

    /// Settles what can be settled; settled objects are no longer pending.
    pub(crate) fn settle(&mut self, candidates: &[Candidate]) -> SettledObjects {
        let mut settled = SettledObjects::default();
        let mut found: FxHashMap<Group, Vec<Candidate>> = FxHashMap::default();
        for candidate in candidates {
            match self.group_of(candidate) {
                Some(group) => found.entry(group).or_default().push(*candidate),
                None => settled.ambiguous += 1,
            }
        }
        for (group, candidates) in found {
            self.settle_group(group, &candidates, &mut settled);
        }
        settled
    }

    /// The one group that a candidate can belong to.
    fn group_of(&self, candidate: &Candidate) -> Option<Group> {
        let exact = (candidate.bytes, Some(candidate.class));
        let nameless = (candidate.bytes, None);
        match (
            self.groups.contains_key(&exact),
            self.groups.contains_key(&nameless),
        ) {
            (true, false) => Some(exact),
            (false, true) if candidate.bytes >= TELLING_BYTES => Some(nameless),
            _ => None,
        }
    }

    fn settle_group(&mut self, group: Group, found: &[Candidate], settled: &mut SettledObjects) {
        let one_class = found.windows(2).all(|pair| pair[0].class == pair[1].class);
        let origins = self.groups.entry(group).or_default();
        match common_origin(origins) {
            Some(common) if one_class && found.len() <= origins.len() => {
                let explained = found.iter().map(|candidate| (candidate.survivor, common));
                settled.explained.extend(explained);
                origins.truncate(origins.len() - found.len());
                self.count -= found.len();
            }
            _ => settled.ambiguous += found.len() as u64,
        }
        if self.groups.get(&group).is_some_and(Vec::is_empty) {
            self.groups.remove(&group);
        }
    }
}

/// What all origins have in common; `None` if they differ in site, thread or epoch, or if there are none.
fn common_origin(origins: &[Origin]) -> Option<Origin> {
    let (first, others) = origins.split_first()?;
    let mut common = *first;
    for other in others {
        if *other != common {
            common = common.without_caller();
        }
        if other.without_caller() != common.without_caller() {
            return None;
        }
    }
    Some(common)
}

#[cfg(test)]
mod tests {
    use ducktrack_trace_format::{CallSiteId, SiteId, ThreadId};

    use super::*;

    fn origin(site: u32, caller: u32) -> Origin {
        Origin {
            site: SiteId(site),
            thread: ThreadId(1),
            caller: CallSiteId(caller),
            birth: 3,
        }
    }

    #[test]
    fn callers_that_differ_stay_unknown_and_sites_that_differ_settle_nothing() {
        let class = HeapClassId(5);
        let settle = |origins: &[Origin]| {
            let mut pending = PendingObjects::default();
            for origin in origins {
                pending.push(64, Some(class), *origin);
            }
            let found = Candidate {
                survivor: 7,
                bytes: 64,
                class,
            };
            pending.settle(&[found]).explained
        };
        assert_eq!(settle(&[origin(20, 9)]), [(7, origin(20, 9))]);
        assert_eq!(
            settle(&[origin(20, 9), origin(20, 9)]),
            [(7, origin(20, 9))]
        );
        for callers in [[9, 8, 9], [0, 9, 9], [9, 0, 0]] {
            let origins = callers.map(|caller| origin(20, caller));
            assert_eq!(settle(&origins), [(7, origin(20, 0))]);
        }
        assert_eq!(settle(&[origin(20, 9), origin(21, 9)]), []);
    }
}
