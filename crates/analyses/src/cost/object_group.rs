//! Objects whose cost is asked for together: those that one candidate of a leak holds.

use rustc_hash::FxHashMap;

use ducktrack_count_model::{SiteColumn, SiteIndex};

/// The question about costs.
#[derive(Clone, Debug, PartialEq)]
pub struct CostQuestion {
    /// Objects are taken to die when they have not been used for this many
    /// collections. Where the trace states no uses, from their birth on.
    pub unused_for: u32,
    /// Groups of objects.
    pub groups: Vec<ObjectGroup>,
}

impl Default for CostQuestion {
    fn default() -> Self {
        Self {
            unused_for: Self::UNUSED_FOR,
            groups: Vec::new(),
        }
    }
}

impl CostQuestion {
    /// As `ducktrack impact --after` has it.
    pub const UNUSED_FOR: u32 = 8;
}

/// Parts of the objects of some sites.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectGroup {
    /// For each site the share of its objects, by bytes: that of those that were alive when the group was found.
    pub shares: Vec<(Option<SiteIndex>, f64)>,
}

/// Which groups the objects of a site are in, and with which share.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupsOfSites {
    by_site: FxHashMap<SiteColumn, Vec<(usize, f64)>>,
}

impl GroupsOfSites {
    pub(super) fn new(groups: &[ObjectGroup]) -> Self {
        let mut by_site: FxHashMap<SiteColumn, Vec<(usize, f64)>> = FxHashMap::default();
        for (group, parts) in groups.iter().enumerate() {
            for (site, share) in &parts.shares {
                let column = site.map_or(SiteColumn::NONE, SiteColumn::of);
                by_site
                    .entry(column)
                    .or_default()
                    .push((group, share.clamp(0.0, 1.0)));
            }
        }
        Self { by_site }
    }

    pub(super) fn of(&self, site: SiteColumn) -> &[(usize, f64)] {
        self.by_site.get(&site).map_or(&[], Vec::as_slice)
    }
}
