//! All objects of a heap with two generations, put together from their cycles: for
//! a recording that does not know the heap (it was attached, or a check failed).
//!
//! ```text
//! old    Mark Start ─────────────── Mark End ── relocated               what it left of the old generation
//! young  Y0, in the same pause ── Y1 ── Y2 ───────────────── Y3         what Y0 to Y2 promoted: no old cycle has judged it
//!                                                            └─ what it left of the young generation, at its own Mark Start
//! ```
//!
//! The three are all objects at the Mark Start of Y3, if no other old cycle passed its Mark End before that.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::address::Address;
use crate::collection::survivor::Survivor;
use crate::heap::address_range::AddressRange;
use crate::zgc::address_key::{Generation, OLD_GENERATION};
use crate::zgc::capture::Outcome;

/// Pages are multiples of it.
const GRANULE: usize = 2 << 20;

/// What is known so far. Numbers of young cycles grow by one; they do not wrap in any run.
#[derive(Debug, Default)]
struct Inventory {
    is_wanted: bool,
    /// The first young cycle whose promotions are here.
    since: Option<u32>,
    /// What each young cycle promoted, where it is now.
    promoted: Vec<(u32, Vec<Survivor>)>,
    /// The latest old cycle, and what it left.
    old: Option<(u32, Vec<Survivor>)>,
}

impl Inventory {
    /// An inventory is wanted, if it is not yet.
    fn want(&mut self) {
        self.is_wanted = true;
    }

    /// A young cycle is over.
    fn young_is_over(&mut self, number: u32, outcome: &Outcome) {
        if !self.is_wanted {
            return;
        }
        self.since.get_or_insert(number);
        let survivors = outcome.survivors.iter();
        let promoted = survivors.filter(|one| is_old(one.to) && !is_old(one.from));
        self.promoted
            .push((number, promoted.map(settled).collect()));
    }

    /// An old cycle is over, which began in the same pause as the young cycle `beside`.
    fn old_is_over(&mut self, number: u32, beside: u32, outcome: &Outcome) {
        if self.since.is_none_or(|since| since > beside) {
            return;
        }
        self.old = Some((number, outcome.survivors.iter().map(settled).collect()));
        self.promoted.retain(|(young, _)| *young >= beside);
    }

    /// A cycle is not known.
    fn is_lost(&mut self) {
        *self = Self {
            is_wanted: self.is_wanted,
            ..Self::default()
        };
    }

    /// The outcome of the young cycle that is over now as one of the whole heap, if the rest is known; `old` is
    /// the last old cycle that had passed its Mark End when this cycle began. Everything else is forgotten then.
    fn whole(&mut self, number: u32, old: u32, outcome: &Outcome) -> Option<Outcome> {
        let is_there = self.old.as_ref().is_some_and(|(known, _)| *known == old);
        if !is_there {
            return None;
        }
        let Self { promoted, old, .. } = std::mem::take(self);
        let before = promoted.into_iter().filter(|(young, _)| *young < number);
        let mut rest = old.map(|(_, survivors)| survivors).unwrap_or_default();
        rest.extend(before.flat_map(|(_, survivors)| survivors));
        rest.sort_unstable_by_key(|one| one.from);
        let young = outcome.survivors.iter().copied();
        let whole = Outcome {
            collected: [&*outcome.collected, &granules(&rest)].concat(),
            survivors: young.chain(rest).collect(),
            uses: None,
        };
        let is_sound = whole.survivors.is_sorted_by(|a, b| a.from < b.from);
        self.is_wanted = !is_sound;
        is_sound.then_some(whole)
    }
}

/// The inventory of a heap, with what pauses say of how its cycles overlap.
#[derive(Debug, Default)]
pub(crate) struct InventoryKeeper {
    inventory: Mutex<Inventory>,
    /// The latest old cycle that was seen to begin, and the young one of the same pause.
    old_begun: AtomicU64,
    /// The latest young cycle, and the last old one that had passed its Mark End when it began.
    old_marked: AtomicU64,
}

impl InventoryKeeper {
    fn inventory(&self) -> MutexGuard<'_, Inventory> {
        self.inventory
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// See [`Inventory::want`].
    pub(crate) fn want(&self) {
        self.inventory().want();
    }

    /// See [`Inventory::is_lost`].
    pub(crate) fn is_lost(&self) {
        self.inventory().is_lost();
    }

    /// In the Mark Start of a young cycle: the latest old cycle, whether it marks, and whether it began in this pause.
    pub(crate) fn young_begins(&self, young: u32, old: u32, (marks, begins): (bool, bool)) {
        if begins {
            self.old_begun.store(pair(old, young), Ordering::Release);
        }
        let marked = old.wrapping_sub(u32::from(marks));
        self.old_marked
            .store(pair(young, marked), Ordering::Release);
    }

    /// At the Mark End of a cycle: the cycle of the other generation beside it. Of a young one, the last
    /// old cycle that had passed its Mark End when it began; of an old one, the young cycle that began
    /// in the same pause. Later it is not known: the next cycle may begin before this one is read.
    pub(crate) fn beside(&self, generation: Generation, number: u32) -> Option<u32> {
        let pair = match generation {
            Generation::Young => &self.old_marked,
            Generation::Old => &self.old_begun,
        };
        let (cycle, beside) = parts(pair.load(Ordering::Acquire));
        (cycle == number).then_some(beside)
    }

    /// A young cycle is over, with the old one beside it. If that is wanted and the rest is known: the outcome of the whole heap.
    pub(crate) fn young_is_over(
        &self,
        number: u32,
        beside: Option<u32>,
        outcome: &Outcome,
    ) -> Option<Outcome> {
        let mut inventory = self.inventory();
        inventory.young_is_over(number, outcome);
        inventory.whole(number, beside?, outcome)
    }

    /// An old cycle is over, with the young one beside it.
    pub(crate) fn old_is_over(&self, number: u32, beside: Option<u32>, outcome: &Outcome) {
        if let Some(beside) = beside {
            self.inventory().old_is_over(number, beside, outcome);
        }
    }
}

fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn parts(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

/// An object of the old generation stays.
fn settled(survivor: &Survivor) -> Survivor {
    let mut settled = *survivor;
    settled.from = survivor.to;
    settled
}

fn is_old(address: Address) -> bool {
    address.0 & OLD_GENERATION != 0
}

/// The granules in which these objects are, which ascend.
fn granules(objects: &[Survivor]) -> Vec<AddressRange> {
    let mut ranges: Vec<AddressRange> = Vec::new();
    for object in objects {
        let start = object.from.0 / GRANULE * GRANULE;
        let end = (object.from.0 + object.bytes() as usize).next_multiple_of(GRANULE);
        match ranges.last_mut() {
            Some(last) if last.end.0 >= start => last.end = Address(end.max(last.end.0)),
            _ => ranges.push(AddressRange {
                start: Address(start),
                end: Address(end),
            }),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::class_table::ClassId;

    const OLD: usize = OLD_GENERATION;

    fn outcome(moves: &[(usize, usize)]) -> Outcome {
        let survivor = |(from, to): &(usize, usize)| {
            Survivor::new(Address(*from), Address(*to), 8, ClassId(0)).expect("a size")
        };
        Outcome {
            collected: Vec::new(),
            survivors: moves.iter().map(survivor).collect(),
            uses: None,
        }
    }

    fn ends(outcome: &Outcome) -> Vec<usize> {
        outcome.survivors.iter().map(|one| one.to.0).collect()
    }

    /// Young cycles 5 to 8; an old one begins with 6.
    fn known() -> Inventory {
        let mut inventory = Inventory::default();
        inventory.want();
        inventory.young_is_over(5, &outcome(&[(8, OLD | 80)]));
        inventory.young_is_over(6, &outcome(&[(8, 16), (16, OLD | 96)]));
        inventory.old_is_over(2, 6, &outcome(&[(OLD | 80, OLD | 64)]));
        inventory.young_is_over(7, &outcome(&[(24, OLD | 40)]));
        inventory
    }

    #[test]
    fn the_heap_is_both_generations_and_what_was_promoted_since() {
        let mut inventory = known();
        let last = outcome(&[(8, 32), (48, OLD | 8)]);
        inventory.young_is_over(8, &last);
        let whole = inventory.whole(8, 2, &last).expect("all is known");
        assert_eq!(ends(&whole), [32, OLD | 8, OLD | 40, OLD | 64, OLD | 96]);
        assert!(inventory.whole(9, 2, &last).is_none(), "it is told once");
    }

    #[test]
    fn another_old_cycle_in_between_must_be_waited_for() {
        let mut inventory = known();
        let last = outcome(&[]);
        inventory.young_is_over(8, &last);
        assert!(inventory.whole(8, 3, &last).is_none());
        inventory.old_is_over(3, 7, &outcome(&[(OLD | 96, OLD | 96)]));
        inventory.young_is_over(9, &last);
        let whole = inventory.whole(9, 3, &last).expect("all is known");
        assert_eq!(ends(&whole), [OLD | 40, OLD | 96]);
    }

    #[test]
    fn an_old_cycle_that_began_before_is_none() {
        let mut inventory = Inventory::default();
        inventory.want();
        inventory.young_is_over(7, &outcome(&[]));
        inventory.old_is_over(2, 6, &outcome(&[]));
        inventory.young_is_over(8, &outcome(&[]));
        assert!(inventory.whole(8, 2, &outcome(&[])).is_none());
    }

    #[test]
    fn a_cycle_that_begins_before_the_last_one_is_read_changes_nothing() {
        let keeper = InventoryKeeper::default();
        keeper.want();
        keeper.young_begins(6, 2, (true, true));
        let sixth = keeper.beside(Generation::Young, 6);
        let second = keeper.beside(Generation::Old, 2);
        keeper.young_begins(7, 2, (false, false));
        keeper.young_is_over(6, sixth, &outcome(&[(8, OLD | 8)]));
        keeper.old_is_over(2, second, &outcome(&[(OLD | 80, OLD | 64)]));
        let seventh = keeper.beside(Generation::Young, 7);
        keeper.young_begins(8, 3, (true, true));
        let whole = keeper.young_is_over(7, seventh, &outcome(&[(8, 16)]));
        assert_eq!(ends(&whole.expect("all is known")), [16, OLD | 8, OLD | 64]);
    }

    #[test]
    fn a_lost_cycle_begins_it_anew() {
        let mut inventory = known();
        inventory.is_lost();
        inventory.young_is_over(8, &outcome(&[]));
        assert!(inventory.whole(8, 2, &outcome(&[])).is_none());
        inventory.old_is_over(3, 8, &outcome(&[(OLD | 8, OLD | 8)]));
        inventory.young_is_over(9, &outcome(&[]));
        assert!(inventory.whole(9, 3, &outcome(&[])).is_some());
    }
}
