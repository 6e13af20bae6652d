//! How many objects of each site and type live.

use crate::live_object::LiveObject;
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
    }

    pub(crate) fn remove(&mut self, object: &LiveObject) {
        let one = Amount::one(object.bytes());
        *at(&mut self.sites, object.site.position()) -= one;
        *at(&mut self.types, object.ty.position()) -= one;
        self.total -= one;
    }

    /// Live objects whose site is known.
    pub fn with_site(&self) -> u64 {
        let without = self.sites.first().map_or(0, |amount| amount.count);
        self.total.count.saturating_sub(without)
    }
}
