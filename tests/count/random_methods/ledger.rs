//! The sites that were generated: what the report must name, and the cell in which the program counts by itself.

use std::collections::BTreeMap;
use std::fmt;

/// Where an object is made, as the report names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SiteName {
    pub(crate) class: String,
    pub(crate) method: String,
    pub(crate) descriptor: String,
    pub(crate) bci: u64,
    /// As in Java source: the levels of a many-dimensional array differ in it.
    pub(crate) ty: String,
}

impl SiteName {
    /// Class, method and descriptor.
    pub(crate) fn full_method(&self) -> String {
        format!("{}.{}{}", self.class, self.method, self.descriptor)
    }
}

impl fmt::Display for SiteName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}.{} bci {} {}",
            self.class, self.method, self.bci, self.ty
        )
    }
}

/// All sites, with the cell of each; none where the program does not count, so that nothing but the allocation stands there.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) sites: BTreeMap<SiteName, Option<usize>>,
    cells: usize,
}

impl Ledger {
    /// A new cell.
    pub(crate) fn cell(&mut self) -> usize {
        self.cells += 1;
        self.cells - 1
    }

    /// How many cells the program needs.
    pub(crate) fn cells(&self) -> usize {
        self.cells
    }
}
