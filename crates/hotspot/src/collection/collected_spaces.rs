//! Derives what a pause collected by comparing the spaces before and after it.
//!
//! Serial and Parallel: a young collection empties eden and the from-space into the to-space and the old space; `from` and `to` swap roles.
//!
//! G1, region by region, matched by index because a heap that grows or shrinks shifts the list:
//!
//! | before | after | |
//! |---|---|---|
//! | young | free, or young again as a new region | evacuated |
//! | young | old | kept: its evacuation failed |
//! | old | free or of another kind | evacuated (mixed), or freed without a live object (Remark, Cleanup) |
//! | humongous | free or of another kind | its object died |
//! | every young region kept its kind and did not shrink | | nothing was evacuated: Remark or Cleanup |

use crate::collection::report::MovesFault;
use crate::heap::space::{Space, SpaceKind};

/// The result of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CollectedSpaces {
    /// Emptied spaces: their objects moved out or died.
    pub(crate) evacuated: Vec<Space>,
    /// Start regions of humongous objects that died, with the end of the object as top.
    pub(crate) humongous: Vec<Space>,
    /// Young spaces or regions whose evacuation failed in part, so they still hold live objects.
    pub(crate) kept: Vec<Space>,
    /// Whether objects moved at all. Not at Remark and Cleanup.
    pub(crate) evacuation: bool,
}

impl CollectedSpaces {
    /// Whether old regions were evacuated.
    pub(crate) fn is_mixed(&self) -> bool {
        self.evacuation && self.evacuated.iter().any(|space| !space.kind.is_young())
    }
}

/// Compares the spaces of Serial or Parallel.
pub(crate) fn generations(before: &[Space], after: &[Space]) -> CollectedSpaces {
    let mut young: Vec<Space> = before
        .iter()
        .filter(|space| space.kind.is_young() && space.bottom < space.top)
        .copied()
        .collect();
    // The from-space may lie on either side of the to-space.
    young.sort_unstable_by_key(|space| space.bottom);
    let (evacuated, kept) = if young_was_kept(before, after) {
        (Vec::new(), young)
    } else {
        (young, Vec::new())
    };
    CollectedSpaces {
        evacuated,
        humongous: Vec::new(),
        kept,
        evacuation: true,
    }
}

/// Whether eden is still full and the former from-space (now in the other role) keeps its objects: the sign of a failed evacuation.
fn young_was_kept(before: &[Space], after: &[Space]) -> bool {
    let of = |spaces: &[Space], kind| spaces.iter().find(|space| space.kind == kind).copied();
    let Some((eden, eden_after)) = of(before, SpaceKind::Eden).zip(of(after, SpaceKind::Eden))
    else {
        return false;
    };
    let from_is_kept = of(before, SpaceKind::Survivor).is_none_or(|from| {
        from.bottom == from.top
            || after.iter().any(|space| {
                space.kind != SpaceKind::Eden
                    && (space.bottom, space.top) == (from.bottom, from.top)
            })
    });
    eden.bottom < eden.top && eden.top == eden_after.top && from_is_kept
}

/// Compares the regions of G1. `counted`: whether the VM counted a collection in this pause.
pub(crate) fn regions(
    before: &[Space],
    after: &[Space],
    counted: bool,
) -> Result<CollectedSpaces, MovesFault> {
    let mut collected = CollectedSpaces {
        evacuation: counted && !young_regions_stayed(before, after),
        ..CollectedSpaces::default()
    };
    for (place, old) in before.iter().enumerate() {
        if old.bottom >= old.top {
            continue;
        }
        let new = region(after, old.index);
        let is_the_same = new.is_some_and(|new| new.kind == old.kind && new.top >= old.top);
        match old.kind {
            SpaceKind::Eden | SpaceKind::Survivor if collected.evacuation => {
                if new.is_some_and(|new| new.kind == SpaceKind::Old) {
                    collected.kept.push(*old);
                } else {
                    collected.evacuated.push(*old);
                }
            }
            SpaceKind::Old if !is_the_same => collected.evacuated.push(*old),
            SpaceKind::HumongousStart if !is_the_same => {
                collected.humongous.push(whole_object(before, place));
            }
            SpaceKind::HumongousContinues
            | SpaceKind::Old
            | SpaceKind::HumongousStart
            | SpaceKind::Archive
            | SpaceKind::Free => {}
            _ if is_the_same => {}
            _ => return Err(MovesFault::RegionChange { index: old.index }),
        }
    }
    Ok(collected)
}

/// Whether every young region kept its kind and all of its contents. Without young regions this is unknown; true is safe, because a region
/// that was not evacuated has no forwarded object.
fn young_regions_stayed(before: &[Space], after: &[Space]) -> bool {
    let mut young = before
        .iter()
        .filter(|space| space.kind.is_young() && space.bottom < space.top)
        .peekable();
    young.peek().is_some()
        && young.all(|old| {
            region(after, old.index).is_some_and(|new| new.kind == old.kind && new.top >= old.top)
        })
}

/// The region with this index. `regions` is ascending.
fn region(regions: &[Space], index: u32) -> Option<&Space> {
    let place = regions
        .binary_search_by_key(&index, |space| space.index)
        .ok()?;
    regions.get(place)
}

/// The start region at `place`, with the top of the last region its object reaches.
fn whole_object(regions: &[Space], place: usize) -> Space {
    let mut whole = regions[place];
    let next = regions.iter().skip(place + 1);
    for region in next.take_while(|space| space.kind == SpaceKind::HumongousContinues) {
        whole.top = region.top;
    }
    whole
}
