//! What the live bytes of a heap dump are wasted on, by kind of waste and by the field that holds it.
//!
//! ```text
//! dump -> reach (holders, in-degrees) -> contents (hashes, tails, sizes) -> one judge for each family of kinds -> findings
//! ```
//!
//! All rules come from the layouts of classes in the dump. Objects that no root reaches are no waste: the collector takes them.
//! Figures of a kind are exact for the dump; a byte that two kinds could save is in both, and in the total once (`claims`).
//!
//! Beside the graph this keeps 26 bytes for each object while it works, and 16 for each string, array or value whose equals are looked for.
#![forbid(unsafe_code)]

mod atomics;
mod boxes;
mod claims;
mod collection_parts;
mod collection_shapes;
mod collections;
mod compact;
mod contents;
mod default_fields;
mod equality;
mod field_use;
mod findings;
mod held_apart;
mod holder;
mod kind;
mod reach;
mod regions;
mod tails;
mod value_classes;
mod wrappers;

use ducktrack_heap_dump::{DumpError, HeapGraph};

pub use findings::{MakerAmount, Waste, WasteRow};
pub use kind::{Advice, Kind};
pub use regions::{LargeObjects, REGIONS, RegionLoss, Regions};

use crate::contents::Contents;
use crate::findings::Findings;
use crate::reach::Reach;

/// Finds the waste of a dump. `maker_of` numbers who made an object, where that is known.
///
/// # Errors
/// If the dump cannot be read again.
pub fn waste(graph: &HeapGraph, maker_of: &dyn Fn(u32) -> Option<u32>) -> Result<Waste, DumpError> {
    let reach = Reach::of(graph)?;
    let contents = Contents::read(graph, &reach)?;
    let mut findings = Findings::new(graph, &reach, maker_of);
    held_apart::judge(graph, &reach, &contents, &mut findings);
    let owned = collections::judge(graph, &reach, &contents, &mut findings);
    boxes::judge(graph, &reach, &contents, &mut findings);
    let parts = equality::judge(graph, &reach, (&contents, &owned), &mut findings);
    let is_owned = |object: u32| owned.contains(&object) || parts.is_part(object);
    tails::judge(graph, &reach, (&contents, &is_owned), &mut findings);
    wrappers::judge(graph, &reach, &mut findings);
    atomics::judge(graph, &reach, &mut findings);
    default_fields::judge(graph, &reach, &contents, &mut findings);
    let regions = regions::regions(graph, &reach, maker_of);
    Ok(findings.finish(contents.compact_saves, regions))
}
