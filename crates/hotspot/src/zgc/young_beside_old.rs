//! A young cycle that was not through when an old one's driver went on, and so may promote objects to memory that the old cycle frees.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::address::Address;
use crate::heap::address_range::{AddressRange, MemoryRange};
use crate::zgc::address_key::OLD_GENERATION;
use crate::zgc::capture::Outcome;

/// With generations only: at most one such cycle.
#[derive(Default)]
pub(crate) struct YoungBesideOld(Mutex<Beside>);

#[derive(Default)]
struct Beside {
    young: Option<u32>,
    /// Where it promoted objects to, once it is over.
    promoted: Option<Vec<Address>>,
}

impl YoungBesideOld {
    /// There is none.
    pub(crate) fn forget(&self) {
        *self.beside() = Beside::default();
    }

    /// The young cycle of this number goes on beside the old one.
    pub(crate) fn goes_on(&self, young: u32) {
        self.beside().young = Some(young);
    }

    /// Notes where a young cycle promoted objects to, if an old one did not wait for it.
    pub(crate) fn note_promotions(&self, number: u32, outcome: &Outcome) {
        let mut beside = self.beside();
        if beside.young == Some(number) {
            let promoted = outcome.survivors.iter().filter(|survivor| {
                survivor.to.0 & OLD_GENERATION != 0 && survivor.from.0 & OLD_GENERATION == 0
            });
            beside.promoted = Some(promoted.map(|survivor| survivor.to).collect());
        }
    }

    /// Whether an old cycle can count as one that came after the young cycle beside it.
    pub(crate) fn is_ordered(&self, outcome: &Outcome) -> bool {
        let beside = std::mem::take(&mut *self.beside());
        let Some(promoted) = beside.promoted else {
            return beside.young.is_none();
        };
        let is_judged =
            |place: &Address| AddressRange::position(&outcome.collected, *place).is_some();
        !promoted.iter().any(is_judged)
    }

    fn beside(&self) -> MutexGuard<'_, Beside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
