//! In which epoch each live object was used last.
//!
//! An object is used when it is made. Later uses are stated by address, before the collection that ends their epoch, and an address may have had another
//! object before: a use counts if it is not older than the object's arrival there.
//!
//! ```text
//! epoch 3         4               5                6
//! born at 100     moved to 500    a use of 500     a use of 500 in epoch 3: of another object
//! used 3          arrived 4       used 5           used 5
//! ```

use ducktrack_heap_replay::LiveObject;
use ducktrack_live_heap::Amount;

/// The last uses of all live objects together; each object knows its own.
#[derive(Debug, Default)]
pub(crate) struct LastUses {
    /// Live objects by the epoch of their last use.
    by_epoch: Vec<Amount>,
}

impl LastUses {
    /// Live objects by the epoch of their last use.
    pub(crate) fn by_epoch(&self) -> &[Amount] {
        &self.by_epoch
    }

    fn amount(&mut self, epoch: u32) -> &mut Amount {
        let at = epoch as usize;
        if self.by_epoch.len() <= at {
            self.by_epoch.resize(at + 1, Amount::default());
        }
        &mut self.by_epoch[at]
    }

    /// The object at an address was used in an epoch, if it was there by then.
    pub(crate) fn used(&mut self, object: &mut LiveObject, epoch: u32) {
        if epoch < object.arrived || epoch <= object.used {
            return;
        }
        let one = Amount::one(object.bytes());
        *self.amount(object.used) -= one;
        *self.amount(epoch) += one;
        object.used = epoch;
    }

    /// An object is live from now on.
    pub(crate) fn added(&mut self, object: &LiveObject) {
        *self.amount(object.used) += Amount::one(object.bytes());
    }

    /// An object has died.
    pub(crate) fn died(&mut self, object: &LiveObject) {
        *self.amount(object.used) -= Amount::one(object.bytes());
    }

    /// Starts again with these objects, of which only the birth is known.
    pub(crate) fn restart<'a>(&mut self, objects: impl Iterator<Item = &'a mut LiveObject>) {
        self.by_epoch.clear();
        for object in objects {
            (object.arrived, object.used) = (object.birth, object.birth);
            self.added(object);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ducktrack_count_model::{SiteColumn, TypeColumn};

    /// An object that has been at its address since an epoch.
    fn object(address: u64, birth: u32, arrived: u32) -> LiveObject {
        let mut object =
            LiveObject::new(address + 16, 16, SiteColumn::NONE, TypeColumn::NONE, birth);
        object.arrived = arrived;
        object
    }

    /// The numbers of objects by the epoch of their last use.
    fn counts(uses: &LastUses) -> Vec<u64> {
        uses.by_epoch().iter().map(|amount| amount.count).collect()
    }

    #[test]
    fn the_example() {
        let mut uses = LastUses::default();
        let mut moved = object(496, 3, 4);
        uses.added(&moved);
        assert_eq!((moved.used, counts(&uses)), (3, vec![0, 0, 0, 1]));
        uses.used(&mut moved, 5);
        uses.used(&mut moved, 3);
        assert_eq!((moved.used, counts(&uses)), (5, vec![0, 0, 0, 0, 0, 1]));
        uses.died(&moved);
        assert_eq!(counts(&uses), [0; 6]);
    }

    #[test]
    fn a_use_before_the_arrival_was_of_another_object() {
        let mut uses = LastUses::default();
        let mut moved = object(496, 1, 4);
        uses.added(&moved);
        uses.used(&mut moved, 3);
        assert_eq!(moved.used, 1);
        uses.used(&mut moved, 4);
        assert_eq!(moved.used, 4);
    }

    #[test]
    fn after_a_restart_only_births_are_known() {
        let mut uses = LastUses::default();
        let mut all = [object(96, 0, 2), object(496, 1, 1)];
        all.iter().for_each(|object| uses.added(object));
        uses.used(&mut all[0], 5);
        uses.restart(all.iter_mut());
        assert_eq!((all[0].arrived, all[0].used), (0, 0));
        assert_eq!(counts(&uses), [1, 1]);
    }
}
