//! Whether a collection can be applied to a heap: every rule about that, for all who keep one.

use ducktrack_trace_format::{Collection, CollectionKind, MovesLevel, Survivor};

/// The reason why a heap is not known where a trace has no moves.
pub const WITHOUT_MOVES: &str =
    "moves of objects are not recorded (the collector does not show them, or moves=off)";

/// Checks a collection against the heap after `epoch` collections. `moves` are the
/// survivors that its moves name, `complete` says whether all parts of them are there.
///
/// # Errors
/// Why the heap is not known from here on, as a sentence.
pub fn check_collection(
    collection: &Collection,
    epoch: u32,
    moves: u64,
    complete: bool,
) -> Result<(), String> {
    let number = collection.number;
    let counts = collection.counts;
    if number != epoch.saturating_add(1) {
        Err(format!(
            "collections between {epoch} and {number} are missing"
        ))
    } else if let Some(fault) = &collection.fault {
        Err(fault.clone())
    } else if collection.level == MovesLevel::Off || collection.kind == CollectionKind::Other {
        Err(WITHOUT_MOVES.to_owned())
    } else if !complete || moves != counts.moved.saturating_add(counts.stayed) {
        Err(format!(
            "moves of collection {number} are damaged or missing"
        ))
    } else {
        Ok(())
    }
}

/// Checks survivors, which ascend by their old addresses.
///
/// # Errors
/// They overlap, as a sentence.
pub fn check_survivors<'a>(
    survivors: impl Iterator<Item = &'a Survivor>,
) -> Result<(), &'static str> {
    let mut end = 0;
    for survivor in survivors {
        if survivor.from < end {
            return Err("survivors of the collection overlap");
        }
        end = survivor.end_before();
    }
    Ok(())
}
