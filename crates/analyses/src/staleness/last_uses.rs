//! In which epoch each live object was used last.
//!
//! An object is used when it is made. Later uses are stated by address, before the collection that ends their epoch,
//! and an address may have had another object before: a use counts if it is not older than the object's arrival there.
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

    /// An object was used, and last in an epoch `before` that.
    pub(crate) fn used(&mut self, object: &LiveObject, before: u32) {
        let one = Amount::one(object.bytes());
        *self.amount(before) -= one;
        *self.amount(object.used) += one;
    }

    /// An object is live from now on.
    pub(crate) fn added(&mut self, object: &LiveObject) {
        *self.amount(object.used) += Amount::one(object.bytes());
    }

    /// An object has died.
    pub(crate) fn died(&mut self, object: &LiveObject) {
        *self.amount(object.used) -= Amount::one(object.bytes());
    }

    /// Starts again with these objects.
    pub(crate) fn restart<'a>(&mut self, objects: impl IntoIterator<Item = &'a LiveObject>) {
        self.by_epoch.clear();
        objects.into_iter().for_each(|object| self.added(object));
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

    fn use_in(uses: &mut LastUses, object: &mut LiveObject, epoch: u32) {
        if let Some(before) = object.use_in(epoch) {
            uses.used(object, before);
        }
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
        use_in(&mut uses, &mut moved, 5);
        use_in(&mut uses, &mut moved, 3);
        assert_eq!((moved.used, counts(&uses)), (5, vec![0, 0, 0, 0, 0, 1]));
        uses.died(&moved);
        assert_eq!(counts(&uses), [0; 6]);
    }

    #[test]
    fn a_use_before_the_arrival_was_of_another_object() {
        let mut uses = LastUses::default();
        let mut moved = object(496, 1, 4);
        uses.added(&moved);
        use_in(&mut uses, &mut moved, 3);
        assert_eq!(moved.used, 1);
        use_in(&mut uses, &mut moved, 4);
        assert_eq!(moved.used, 4);
    }

    #[test]
    fn after_a_restart_other_objects_count() {
        let mut uses = LastUses::default();
        let all = [object(96, 0, 0), object(496, 1, 1)];
        all.iter().for_each(|object| uses.added(object));
        uses.added(&object(960, 0, 0));
        uses.restart(&all);
        assert_eq!(counts(&uses), [1, 1]);
    }
}
