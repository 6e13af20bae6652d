//! Places in code that is being built, and where they ended up.

use super::fields::fits;
use crate::error::{Error, Part, Rule};

/// A place in code that is being built; made by [`CodeBuilder::label`](super::CodeBuilder::label).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label(pub(super) u32);

/// Where labels were placed.
#[derive(Debug, Clone, Default)]
pub(super) struct PlacedLabels {
    pub(super) offsets: Vec<Option<u32>>,
}

impl PlacedLabels {
    pub(super) fn offset(&self, label: Label) -> Result<u32, Error> {
        let offset = self.offsets.get(label.0 as usize).copied().flatten();
        offset.ok_or(Error::new(Rule::UnplacedLabel(label.0), 0, Part::Builder))
    }

    pub(super) fn offset16(&self, label: Label) -> Result<u16, Error> {
        fits(self.offset(label)?)
    }
}
