//! Which class files have which numbers, and which classes are defined from them.
//!
//! ```text
//! definition   loader and name ── entry, versions of methods       until the loader is gone
//! entry        the numbers of a class file ([`ClassEntry`])         while it has definitions, and some time longer
//! content      hash of a class file ── the entry of its latest definition
//! ```
//!
//! A class that is defined again from equal bytes, by another loader or as a hidden class, gets the entry that is there: the same line of
//! source has one site. Only where a site allocates a class of which each loader may have its own, its size may differ between loaders;
//! such a class file gets an entry for each loader, until [`LOADERS_THAT_AGREE`] loaders have shown the same sizes.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::class_entry::ClassEntry;
use super::identity::{ClassContent, ClassKey, EntryId, LoaderId};

/// Definitions with an entry of their own, before a class file whose sizes depend on the loader is shared.
const LOADERS_THAT_AGREE: u32 = 4;

/// Entries without a definition that are kept for the next one.
const MOST_IDLE: usize = 512;

/// A class that a loader has defined.
struct Definition {
    entry: EntryId,
    /// Versions of its methods that are not the first. Other definitions of the entry may have others.
    versions: FxHashMap<u16, u16>,
}

/// What is known of a content.
struct Sharing {
    /// The latest entry. `None`: a hidden class that was defined once, which most never are again.
    entry: Option<EntryId>,
    definitions: u32,
}

/// See the module.
#[derive(Default)]
pub(super) struct Contents {
    definitions: FxHashMap<ClassKey, Definition>,
    entries: FxHashMap<EntryId, ClassEntry>,
    shared: FxHashMap<ClassContent, Sharing>,
    /// Entries by the time since which they have had no definition.
    idle: VecDeque<EntryId>,
    last_entry: u32,
}

impl Contents {
    /// The entry whose numbers a class gets. `agree` tells whether all loaders have the same size of a class.
    pub(super) fn find(
        &self,
        key: &ClassKey,
        content: ClassContent,
        agree: impl Fn(&[u8]) -> bool,
    ) -> Option<EntryId> {
        let own = self.definitions.get(key).map(|known| known.entry);
        if own.is_some_and(|own| self.has_content(own, content)) {
            return own;
        }
        let sharing = self.shared.get(&content)?;
        let entry = self.entries.get(&sharing.entry?)?;
        let is_shared = entry.of_loader.is_empty()
            || sharing.definitions >= LOADERS_THAT_AGREE
                && entry.of_loader.iter().all(|class| agree(class));
        sharing.entry.filter(|_| is_shared)
    }

    fn has_content(&self, id: EntryId, content: ClassContent) -> bool {
        self.get(id).is_some_and(|entry| entry.content == content)
    }

    /// Entries that have definitions.
    pub(super) fn living(&self) -> impl Iterator<Item = &ClassEntry> {
        self.entries.values().filter(|entry| entry.live > 0)
    }

    pub(super) fn get(&self, id: EntryId) -> Option<&ClassEntry> {
        self.entries.get(&id)
    }

    /// Takes the entry of a class out, or makes one, until [`Contents::put`].
    pub(super) fn take(
        &mut self,
        known: Option<EntryId>,
        content: ClassContent,
    ) -> (EntryId, ClassEntry) {
        if let Some(id) = known
            && let Some(entry) = self.entries.remove(&id)
        {
            return (id, entry);
        }
        self.last_entry += 1;
        (EntryId(self.last_entry), ClassEntry::of(content))
    }

    /// Puts an entry back that a class was defined from.
    pub(super) fn put(&mut self, key: &ClassKey, hidden: bool, id: EntryId, entry: ClassEntry) {
        let content = entry.content;
        let versions = entry.versions();
        let is_known = self.shared.contains_key(&content);
        let sharing = self.shared.entry(content).or_insert(Sharing {
            entry: None,
            definitions: 0,
        });
        if hidden {
            sharing.definitions += 1;
            if is_known {
                sharing.entry = Some(id);
                self.entries.insert(id, entry);
                self.retire(id);
            }
            return;
        }
        sharing.entry = Some(id);
        self.entries.insert(id, entry);
        let definition = Definition {
            entry: id,
            versions,
        };
        let before = self.definitions.insert(key.clone(), definition);
        if before.as_ref().is_some_and(|before| before.entry == id) {
            return;
        }
        sharing.definitions += 1;
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.live += 1;
        }
        if let Some(before) = before {
            self.release(before.entry);
        }
    }

    /// Forgets the definitions of loaders that are gone.
    pub(super) fn forget_loaders(&mut self, gone: &FxHashSet<LoaderId>) {
        let is_gone = |key: &ClassKey, _: &mut Definition| gone.contains(&key.loader);
        let ended: Vec<EntryId> = self
            .definitions
            .extract_if(is_gone)
            .map(|(_, definition)| definition.entry)
            .collect();
        for entry in ended {
            self.release(entry);
        }
    }

    /// An entry has one definition fewer.
    fn release(&mut self, id: EntryId) {
        let Some(entry) = self.entries.get_mut(&id) else {
            return;
        };
        entry.live = entry.live.saturating_sub(1);
        if entry.live == 0 {
            self.retire(id);
        }
    }

    /// Keeps an entry without definitions for a while; the oldest of these goes.
    fn retire(&mut self, id: EntryId) {
        if self
            .idle
            .iter()
            .rev()
            .take(MOST_IDLE / 2)
            .any(|idle| *idle == id)
        {
            return;
        }
        self.idle.push_back(id);
        while self.idle.len() > MOST_IDLE {
            let Some(oldest) = self.idle.pop_front() else {
                return;
            };
            let is_live = self.get(oldest).is_none_or(|entry| entry.live > 0);
            if is_live || self.idle.contains(&oldest) {
                continue;
            }
            if let Some(entry) = self.entries.remove(&oldest)
                && let Some(sharing) = self.shared.get_mut(&entry.content)
                && sharing.entry == Some(oldest)
            {
                self.shared.remove(&entry.content);
            }
        }
    }

    /// The classes that are defined.
    pub(super) fn keys(&self) -> impl Iterator<Item = &ClassKey> {
        self.definitions.keys()
    }

    /// The entry of a class, and the version of a method that the class has.
    pub(super) fn of(&self, key: &ClassKey) -> Option<(&ClassEntry, impl Fn(u16) -> u16)> {
        let definition = self.definitions.get(key)?;
        let version = |method: u16| definition.versions.get(&method).copied().unwrap_or(0);
        Some((self.get(definition.entry)?, version))
    }

    /// Visits each defined class with its entry and the versions of its methods.
    pub(super) fn each(&self, mut visit: impl FnMut(&ClassKey, &ClassEntry, &dyn Fn(u16) -> u16)) {
        for key in self.definitions.keys() {
            if let Some((entry, version)) = self.of(key) {
                visit(key, entry, &version);
            }
        }
    }

    /// Whether several loaders share sites that allocate this class, of which each may have one of its own.
    pub(super) fn is_shared(&self, descriptor: &[u8]) -> bool {
        let many = self
            .shared
            .values()
            .filter(|sharing| sharing.definitions > LOADERS_THAT_AGREE);
        let mut entries = many.filter_map(|sharing| self.get(sharing.entry?));
        entries.any(|entry| entry.of_loader.iter().any(|class| **class == *descriptor))
    }
}
