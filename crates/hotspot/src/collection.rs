//! One collection of Serial, Parallel or G1: which objects survived, where they are, and which died.

pub(crate) mod collected_spaces;
pub(crate) mod dead_objects;
pub(crate) mod evacuation;
pub(crate) mod first_inventory;
pub(crate) mod full_collection;
pub(crate) mod report;
pub(crate) mod survivor;
pub(crate) mod survivor_list;
