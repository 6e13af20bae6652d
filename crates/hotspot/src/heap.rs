//! The heap of Serial, Parallel and G1: its spaces, the objects in them, and the shadow that has a word for each object of any heap.

pub(crate) mod address_range;
pub(crate) mod class_cache;
pub(crate) mod class_lines;
pub(crate) mod g1_regions;
pub(crate) mod heap_spaces;
pub(crate) mod object_header;
pub(crate) mod object_walk;
pub(crate) mod reference_form;
pub(crate) mod shadow;
pub(crate) mod shadow_views;
pub(crate) mod shadowed_heap;
pub(crate) mod space;
