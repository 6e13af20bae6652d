//! The survivors of a collection as the threads found them: several lists in sequence.
//!
//! A pause can have some hundred thousand survivors. Merging the lists would write all of them a second time, into memory not touched
//! before. The receiver can do that after the pause.

use crate::collection::survivor::Survivor;

/// The lists.
#[derive(Debug, Clone, Default)]
pub struct SurvivorList {
    parts: Vec<Vec<Survivor>>,
}

impl SurvivorList {
    pub(crate) fn of_parts(parts: Vec<Vec<Survivor>>) -> Self {
        Self { parts }
    }

    /// All survivors.
    pub fn iter(&self) -> impl Iterator<Item = &Survivor> + Clone {
        self.parts.iter().flatten()
    }

    /// The number of survivors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    /// Whether there are no survivors.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lists of the threads.
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

    /// Adds survivors, and sorts all by their old address.
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

/// Equal if the survivors and their order are equal, however they are split.
impl PartialEq for SurvivorList {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for SurvivorList {}
