//! Things the trace introduces by id, in the order in which it does.

use core::hash::Hash;

use rustc_hash::FxHashMap;

/// Ids and definitions. Ids come from an untrusted file, so they are keys, never positions.
#[derive(Clone, Debug)]
pub(crate) struct DefinitionTable<I, T> {
    items: Vec<T>,
    position: FxHashMap<I, usize>,
    redefined: Option<(u64, I)>,
}

impl<I, T> Default for DefinitionTable<I, T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            position: FxHashMap::default(),
            redefined: None,
        }
    }
}

impl<I: Copy + Eq + Hash, T: PartialEq> DefinitionTable<I, T> {
    /// Introduces something. A second, different definition of an id is noted and not used.
    pub(crate) fn define(&mut self, id: I, item: T) {
        match self.position.get(&id) {
            None => {
                self.position.insert(id, self.items.len());
                self.items.push(item);
            }
            Some(&known) if self.items.get(known) != Some(&item) => {
                let (times, first) = self.redefined.unwrap_or((0, id));
                self.redefined = Some((times + 1, first));
            }
            Some(_) => {}
        }
    }

    pub(crate) fn position(&self, id: I) -> Option<usize> {
        self.position.get(&id).copied()
    }

    pub(crate) fn get(&self, id: I) -> Option<&T> {
        self.items.get(self.position(id)?)
    }

    /// All definitions, in order.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    /// How often an id was defined again with another meaning, and the first of these ids.
    pub(crate) fn redefined(&self) -> Option<(u64, I)> {
        self.redefined
    }
}
