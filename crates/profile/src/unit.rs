//! What is added up: objects or bytes.

use ducktrack_count_model::Tally;

/// The summed amounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Objects.
    Objects,
    /// Bytes.
    #[default]
    Bytes,
}

impl Unit {
    /// The number in this unit.
    pub fn of(self, tally: Tally) -> i64 {
        match self {
            Self::Objects => tally.count,
            Self::Bytes => tally.bytes,
        }
    }

    pub(crate) fn pick<T: Copy>(self, [objects, bytes]: [T; 2]) -> T {
        match self {
            Self::Objects => objects,
            Self::Bytes => bytes,
        }
    }
}
