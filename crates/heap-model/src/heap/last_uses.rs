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

use rustc_hash::FxHashMap;

use crate::Amount;
use crate::heap::live_object::LiveObject;

/// What is known of an object that has moved, or was used after the epoch of its birth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LastUse {
    /// The first epoch in which the object was at its address.
    arrived: u32,
    used: u32,
}

/// The last uses of all live objects.
#[derive(Debug, Default)]
pub(crate) struct LastUses {
    /// The trace states uses. Until then every object was used last when it was made, and nothing is kept of its moves.
    are_stated: bool,
    objects: FxHashMap<u64, LastUse>,
    /// Objects that have moved in the collection under way.
    arriving: Vec<(u64, LastUse)>,
    /// Live objects by the epoch of their last use.
    by_epoch: Vec<Amount>,
}

impl LastUses {
    /// From here on the trace states uses.
    pub(crate) fn begin(&mut self) {
        self.are_stated = true;
    }

    /// In which epoch an object was used last.
    pub(crate) fn of(&self, object: &LiveObject) -> u32 {
        self.known(object, object.address()).used
    }

    /// The same of an object that a collection has just moved, and that is still noted at the place where it was.
    pub(crate) fn before_move(&self, object: &LiveObject, from: u64) -> u32 {
        self.known(object, from).used
    }

    /// Live objects by the epoch of their last use.
    pub(crate) fn by_epoch(&self) -> &[Amount] {
        &self.by_epoch
    }

    fn known(&self, object: &LiveObject, address: u64) -> LastUse {
        let at_birth = LastUse {
            arrived: object.birth,
            used: object.birth,
        };
        self.objects.get(&address).copied().unwrap_or(at_birth)
    }

    fn amount(&mut self, epoch: u32) -> &mut Amount {
        let at = epoch as usize;
        if self.by_epoch.len() <= at {
            self.by_epoch.resize(at + 1, Amount::default());
        }
        &mut self.by_epoch[at]
    }

    /// An object that lives was used.
    pub(crate) fn used(&mut self, object: &LiveObject, epoch: u32) {
        let known = self.known(object, object.address());
        if epoch < known.arrived || epoch <= known.used {
            return;
        }
        let one = Amount::one(object.bytes());
        *self.amount(known.used) -= one;
        *self.amount(epoch) += one;
        let now = LastUse {
            used: epoch,
            ..known
        };
        self.objects.insert(object.address(), now);
    }

    /// An object is live from now on, for all that is known since its birth.
    pub(crate) fn added(&mut self, object: &LiveObject) {
        let used = match self.arriving.last() {
            Some((address, arriving)) if *address == object.address() => arriving.used,
            _ => self.of(object),
        };
        *self.amount(used) += Amount::one(object.bytes());
    }

    /// A collection has moved an object, which is at its new address.
    pub(crate) fn moved(&mut self, object: &LiveObject, from: u64, collection: u32) {
        if !self.are_stated {
            return;
        }
        let known = self.known(object, from);
        self.objects.remove(&from);
        let arrived = LastUse {
            arrived: collection,
            ..known
        };
        self.arriving.push((object.address(), arrived));
    }

    /// An object has died.
    pub(crate) fn died(&mut self, object: &LiveObject) {
        let used = self.of(object);
        *self.amount(used) -= Amount::one(object.bytes());
        self.objects.remove(&object.address());
    }

    /// All moves of a collection are known.
    pub(crate) fn settle(&mut self) {
        self.objects.extend(self.arriving.drain(..));
    }

    /// Starts again with these objects, of which only the birth is known.
    pub(crate) fn restart<'a>(&mut self, objects: impl Iterator<Item = &'a LiveObject>) {
        *self = Self {
            are_stated: self.are_stated,
            ..Self::default()
        };
        for object in objects {
            self.added(object);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::column::{SiteColumn, TypeColumn};

    fn object(address: u64, birth: u32) -> LiveObject {
        LiveObject::new(address + 16, 16, SiteColumn::NONE, TypeColumn::NONE, birth)
    }

    /// The numbers of objects by the epoch of their last use.
    fn counts(uses: &LastUses) -> Vec<u64> {
        uses.by_epoch().iter().map(|amount| amount.count).collect()
    }

    fn stated() -> LastUses {
        let mut uses = LastUses::default();
        uses.begin();
        uses
    }

    #[test]
    fn nothing_is_kept_of_objects_whose_uses_are_not_stated() {
        let mut uses = LastUses::default();
        let moved = object(496, 3);
        uses.moved(&moved, 96, 4);
        uses.added(&moved);
        uses.settle();
        assert!(uses.objects.is_empty());
        assert_eq!((uses.of(&moved), counts(&uses)), (3, vec![0, 0, 0, 1]));
        uses.begin();
        uses.used(&moved, 5);
        assert_eq!(
            (uses.of(&moved), counts(&uses)),
            (5, vec![0, 0, 0, 0, 0, 1])
        );
    }

    #[test]
    fn the_example() {
        let mut uses = stated();
        let moved = object(496, 3);
        uses.moved(&moved, 96, 4);
        uses.added(&moved);
        uses.settle();
        assert_eq!((uses.of(&moved), counts(&uses)), (3, vec![0, 0, 0, 1]));
        uses.used(&moved, 5);
        uses.used(&moved, 3);
        assert_eq!(uses.of(&moved), 5);
        assert_eq!(counts(&uses), [0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn a_use_before_the_arrival_was_of_another_object() {
        let mut uses = stated();
        let moved = object(496, 1);
        uses.moved(&moved, 96, 4);
        uses.added(&moved);
        uses.settle();
        uses.used(&moved, 3);
        assert_eq!(uses.of(&moved), 1);
        uses.used(&moved, 4);
        assert_eq!(uses.of(&moved), 4);
    }

    #[test]
    fn objects_may_move_to_each_others_places() {
        let mut uses = stated();
        let (a, b) = (object(96, 0), object(496, 0));
        uses.added(&a);
        uses.added(&b);
        uses.used(&a, 2);
        uses.used(&b, 3);
        let (a_then, b_then) = (object(496, 0), object(96, 0));
        uses.moved(&a_then, 96, 4);
        uses.moved(&b_then, 496, 4);
        uses.settle();
        assert_eq!((uses.of(&a_then), uses.of(&b_then)), (2, 3));
        uses.died(&a_then);
        assert_eq!(counts(&uses), [0, 0, 0, 1]);
    }
}
