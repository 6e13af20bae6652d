//! The survivors of a collection as the threads have found them: in several lists, one after the other.
//!
//! A pause has some hundred thousand survivors. To make one list of them would be to write them twice, into memory that is not touched yet; the receiver can do
//! that when the world goes on.

use crate::survivor::Survivor;

/// The lists.
#[derive(Debug, Clone, Default)]
pub struct SurvivorList {
    parts: Vec<Vec<Survivor>>,
}

impl SurvivorList {
    pub(crate) fn of_parts(parts: Vec<Vec<Survivor>>) -> Self {
        Self { parts }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Survivor> + Clone {
        self.parts.iter().flatten()
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    /// Are there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As the threads have found them.
    #[must_use]
    pub fn into_parts(self) -> Vec<Vec<Survivor>> {
        self.parts
    }

    /// A copy, as one list.
    #[must_use]
    pub fn to_vec(&self) -> Vec<Survivor> {
        self.iter().copied().collect()
    }

    pub(crate) fn clear(&mut self) {
        self.parts.clear();
    }

    /// Adds others, and sorts all by where they were.
    pub(crate) fn add_sorted(&mut self, others: impl IntoIterator<Item = Survivor>) {
        let mut all = self.to_vec();
        all.extend(others);
        all.sort_unstable_by_key(|survivor| survivor.from);
        self.parts = vec![all];
    }
}

impl From<Vec<Survivor>> for SurvivorList {
    fn from(survivors: Vec<Survivor>) -> Self {
        Self {
            parts: vec![survivors],
        }
    }
}

/// The same survivors in the same order, however they are cut.
impl PartialEq for SurvivorList {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for SurvivorList {}
