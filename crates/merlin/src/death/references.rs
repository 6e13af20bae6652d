//! Which object refers to which: the references of each object in a list of its own, all lists in one arena.

use rustc_hash::FxHashMap;

/// No entry.
pub(crate) const NONE: u32 = u32::MAX;
/// Longer lists get an index by slot.
const LONG: u32 = 16;

/// The target of a reference: a place of the object table, and which of its tenants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) place: u32,
    pub(crate) tenant: u32,
}

/// Head of an object's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReferenceList {
    first: u32,
    len: u32,
}

impl Default for ReferenceList {
    fn default() -> Self {
        Self {
            first: NONE,
            len: 0,
        }
    }
}

impl ReferenceList {
    pub(crate) fn len(self) -> u32 {
        self.len
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    slot: u32,
    target: Target,
    next: u32,
    previous: u32,
}

/// The arena.
#[derive(Debug, Default)]
pub(crate) struct References {
    entries: Vec<Entry>,
    free: Vec<u32>,
    /// (place of the source, slot) to entry, of long lists.
    index: FxHashMap<(u32, u32), u32>,
}

impl References {
    /// Puts the target into the slot and gives what was there. `None` empties the slot.
    pub(crate) fn set(
        &mut self,
        source: u32,
        list: &mut ReferenceList,
        slot: u32,
        target: Option<Target>,
    ) -> Option<Target> {
        let found = self.find(source, *list, slot);
        match (found, target) {
            (NONE, None) => None,
            (NONE, Some(target)) => {
                self.insert(source, list, slot, target);
                None
            }
            (at, Some(target)) => {
                let entry = self.entries.get_mut(at as usize)?;
                Some(std::mem::replace(&mut entry.target, target))
            }
            (at, None) => self.remove(source, list, at),
        }
    }

    /// The targets of a list.
    pub(crate) fn targets(&self, list: ReferenceList) -> impl Iterator<Item = Target> + '_ {
        let mut at = list.first;
        std::iter::from_fn(move || {
            let entry = self.entries.get(at as usize)?;
            at = entry.next;
            Some(entry.target)
        })
    }

    /// Lets go of a whole list.
    pub(crate) fn clear(&mut self, source: u32, list: &mut ReferenceList) {
        let mut at = list.first;
        while let Some(entry) = self.entries.get(at as usize) {
            if list.len > LONG {
                self.index.remove(&(source, entry.slot));
            }
            self.free.push(at);
            at = entry.next;
        }
        *list = ReferenceList::default();
    }

    fn find(&self, source: u32, list: ReferenceList, slot: u32) -> u32 {
        if list.len > LONG {
            return self.index.get(&(source, slot)).copied().unwrap_or(NONE);
        }
        let mut at = list.first;
        while let Some(entry) = self.entries.get(at as usize) {
            if entry.slot == slot {
                return at;
            }
            at = entry.next;
        }
        NONE
    }

    fn insert(&mut self, source: u32, list: &mut ReferenceList, slot: u32, target: Target) {
        let entry = Entry {
            slot,
            target,
            next: list.first,
            previous: NONE,
        };
        let at = self.place(entry);
        if let Some(first) = self.entries.get_mut(list.first as usize) {
            first.previous = at;
        }
        list.first = at;
        list.len += 1;
        match list.len {
            len if len == LONG + 1 => self.index_all(source, *list),
            len if len > LONG => {
                self.index.insert((source, slot), at);
            }
            _ => {}
        }
    }

    fn place(&mut self, entry: Entry) -> u32 {
        if let Some(at) = self.free.pop()
            && let Some(place) = self.entries.get_mut(at as usize)
        {
            *place = entry;
            return at;
        }
        self.entries.push(entry);
        // 2^32 references would be 80 GB: memory ends first.
        (self.entries.len() - 1) as u32
    }

    fn index_all(&mut self, source: u32, list: ReferenceList) {
        let mut at = list.first;
        while let Some(entry) = self.entries.get(at as usize) {
            self.index.insert((source, entry.slot), at);
            at = entry.next;
        }
    }

    fn remove(&mut self, source: u32, list: &mut ReferenceList, at: u32) -> Option<Target> {
        let entry = *self.entries.get(at as usize)?;
        if list.len > LONG {
            self.index.remove(&(source, entry.slot));
        }
        match self.entries.get_mut(entry.previous as usize) {
            Some(previous) => previous.next = entry.next,
            None => list.first = entry.next,
        }
        if let Some(next) = self.entries.get_mut(entry.next as usize) {
            next.previous = entry.previous;
        }
        list.len -= 1;
        if list.len == LONG {
            self.unindex_all(source, *list);
        }
        self.free.push(at);
        Some(entry.target)
    }

    fn unindex_all(&mut self, source: u32, list: ReferenceList) {
        let mut at = list.first;
        while let Some(entry) = self.entries.get(at as usize) {
            self.index.remove(&(source, entry.slot));
            at = entry.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The arena is a map from slot to target for each source.
        #[test]
        fn lists_are_maps(steps in prop::collection::vec((0_u32..3, 0_u32..40, prop::option::of(0_u32..9), any::<u8>()), 0..400)) {
            let mut references = References::default();
            let mut lists = [ReferenceList::default(); 3];
            let mut maps: [HashMap<u32, Target>; 3] = Default::default();
            for (source, slot, target, dice) in steps {
                let list = &mut lists[source as usize];
                let map = &mut maps[source as usize];
                if dice < 4 {
                    references.clear(source, list);
                    map.clear();
                }
                let target = target.map(|place| Target { place, tenant: 1 });
                let before = references.set(source, list, slot, target);
                let expected = match target {
                    Some(target) => map.insert(slot, target),
                    None => map.remove(&slot),
                };
                prop_assert_eq!(before, expected);
                prop_assert_eq!(list.len() as usize, map.len());
                let mut found: Vec<u32> = references.targets(*list).map(|target| target.place).collect();
                let mut all: Vec<u32> = map.values().map(|target| target.place).collect();
                found.sort_unstable();
                all.sort_unstable();
                prop_assert_eq!(found, all);
            }
            let long: usize = maps.iter().map(HashMap::len).filter(|len| *len > LONG as usize).sum();
            prop_assert_eq!(references.index.len(), long);
        }
    }
}
