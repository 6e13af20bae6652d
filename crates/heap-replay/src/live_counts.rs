//! How many objects of each site and type live.

use crate::live_object::LiveObject;
use ducktrack_count_model::SiteColumn;
use ducktrack_live_heap::Amount;

/// Live objects, kept up to date with every birth and death.
#[derive(Clone, Debug, Default)]
pub struct LiveCounts {
    /// By site column.
    pub sites: Vec<Amount>,
    /// By type column.
    pub types: Vec<Amount>,
    /// All.
    pub total: Amount,
    /// Of `types`: objects without a site that are older than the gap in which the heap was not known.
    pub forgotten: Vec<Amount>,
    /// Births before this epoch are older.
    since: u32,
}

fn at(list: &mut Vec<Amount>, position: usize) -> &mut Amount {
    if list.len() <= position {
        list.resize(position + 1, Amount::default());
    }
    &mut list[position]
}

impl LiveCounts {
    pub(crate) fn add(&mut self, object: &LiveObject) {
        let one = Amount::one(object.bytes());
        *at(&mut self.sites, object.site.position()) += one;
        *at(&mut self.types, object.ty.position()) += one;
        self.total += one;
        if self.is_forgotten(object) {
            *at(&mut self.forgotten, object.ty.position()) += one;
        }
    }

    pub(crate) fn remove(&mut self, object: &LiveObject) {
        let one = Amount::one(object.bytes());
        *at(&mut self.sites, object.site.position()) -= one;
        *at(&mut self.types, object.ty.position()) -= one;
        self.total -= one;
        if self.is_forgotten(object) {
            *at(&mut self.forgotten, object.ty.position()) -= one;
        }
    }

    fn is_forgotten(&self, object: &LiveObject) -> bool {
        object.site == SiteColumn::NONE && object.birth < self.since
    }

    /// Live objects whose site is known.
    pub fn with_site(&self) -> u64 {
        let without = self.sites.first().map_or(0, |amount| amount.count);
        self.total.count.saturating_sub(without)
    }

    pub(crate) fn clear(&mut self) {
        *self = Self {
            since: self.since,
            ..Self::default()
        };
    }

    /// Nothing, before a heap is taken that is known from this epoch on (0: from the first at hand).
    pub(crate) fn begin(&mut self, since: u32) {
        *self = Self {
            since,
            ..Self::default()
        };
    }
}
