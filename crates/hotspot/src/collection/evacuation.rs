//! Spaces that a collection evacuated: the collector copied their survivors elsewhere and left an address in each old copy.

pub(crate) mod evacuation_failure;
pub(crate) mod evacuation_walk;
pub(crate) mod forwarding_scan;
pub(crate) mod lanes;
#[cfg(test)]
mod made_up_heap;
pub(crate) mod new_places;
pub(crate) mod piecewise_walk;
mod placement_sum;
mod stretch;
pub(crate) mod young_coverage;
