//! All objects that a collection left, one by one, by their addresses: what a heap dump is joined with.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::heap::live_object::LiveObject;
use crate::heap::space_map::SpaceMap;
use crate::heap::staleness_builder::StalenessBuilder;
use crate::heap::trace_names::TraceNames;
use crate::{CallIndex, CollectionNumber, SiteIndex};

/// Why the JVM collects before it writes a heap dump, in its own words.
pub(crate) const HEAP_DUMP: &str = "Heap Dump Initiated GC";

/// The objects that a collection left. 20 bytes for each, 24 with their staleness.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveObjects {
    /// After which collection.
    pub collection: CollectionNumber,
    /// When it ended, microseconds since 1970.
    pub unix_micros: u64,
    /// Ascending.
    addresses: Vec<u64>,
    /// Bytes in units of 8, by place.
    units: Vec<u32>,
    /// By place.
    births: Vec<u32>,
    /// By place; empty when uses are not recorded.
    staleness: Vec<u32>,
    /// By place: in `makers`.
    made_by: Vec<u32>,
    makers: Vec<ObjectMaker>,
}

/// Who made an object; many objects have the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectMaker {
    /// Row in [`CountModel::sites`](crate::CountModel::sites). `None`: made by the VM or native code, or its event is lost.
    pub site: Option<SiteIndex>,
    /// Row in [`CountModel::calls`](crate::CountModel::calls): the caller to blame.
    pub call: Option<CallIndex>,
    /// Descriptor with stable names. `None`: not known.
    pub ty: Option<Arc<str>>,
    /// The thread that allocated it.
    pub thread: Option<Arc<str>>,
    /// It lies in an archive of the JDK that is mapped into the heap.
    pub is_archived: bool,
}

/// One object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectFacts {
    /// Its length.
    pub bytes: u64,
    /// Collections survived.
    pub age: u32,
    /// Collections since its last use. `None`: uses are not recorded.
    pub staleness: Option<u32>,
    /// Which of [`LiveObjects::makers`] made it.
    pub maker: u32,
}

impl LiveObjects {
    pub(crate) fn new<'a>(
        (collection, unix_micros): (u32, u64),
        objects: impl Iterator<Item = &'a LiveObject>,
        stale: Option<&StalenessBuilder>,
        spaces: &SpaceMap,
        names: &TraceNames,
    ) -> Self {
        let stale = stale.filter(|stale| stale.knows_uses());
        let mut all = Self {
            collection: CollectionNumber(collection),
            unix_micros,
            ..Self::default()
        };
        let mut numbers = FxHashMap::default();
        for object in objects {
            let address = object.address();
            let is_archived = spaces
                .kind(address)
                .is_some_and(|kind| kind == ducktrack_trace_format::SpaceKind::Archive);
            let key = (object.origin(), object.ty, object.thread(), is_archived);
            let next = u32::try_from(all.makers.len()).unwrap_or(u32::MAX);
            let maker = *numbers.entry(key).or_insert_with(|| {
                all.makers.push(ObjectMaker {
                    site: object.site.site(),
                    call: object.caller.call(),
                    ty: names.types.name(object.ty).cloned(),
                    thread: names.thread(object.thread()),
                    is_archived,
                });
                next
            });
            all.addresses.push(address);
            all.units
                .push(u32::try_from(object.bytes() / 8).unwrap_or(u32::MAX));
            all.births.push(object.birth);
            all.staleness
                .extend(stale.map(|stale| stale.of(object, collection)));
            all.made_by.push(maker);
        }
        all
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// True when the heap is empty.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// All addresses, ascending.
    pub fn addresses(&self) -> &[u64] {
        &self.addresses
    }

    /// Who makes objects.
    pub fn makers(&self) -> &[ObjectMaker] {
        &self.makers
    }

    /// The object with a place in [`LiveObjects::addresses`].
    pub fn facts(&self, place: usize) -> Option<ObjectFacts> {
        Some(ObjectFacts {
            bytes: u64::from(*self.units.get(place)?) * 8,
            age: self.collection.0.saturating_sub(*self.births.get(place)?),
            staleness: self.staleness.get(place).copied(),
            maker: *self.made_by.get(place)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::column::{SiteColumn, TypeColumn};

    #[test]
    fn objects_with_the_same_maker_share_it() {
        let object = |end, site, birth| {
            LiveObject::new(end, 24, SiteColumn::at(site), TypeColumn::NONE, birth)
        };
        let objects = [object(24, 1, 0), object(48, 2, 3), object(72, 1, 5)];
        let all = LiveObjects::new(
            (5, 77),
            objects.iter(),
            None,
            &SpaceMap::default(),
            &TraceNames::default(),
        );
        assert_eq!((all.len(), all.makers().len()), (3, 2));
        assert_eq!(all.addresses(), [0, 24, 48]);
        let facts = |place| all.facts(place).map(|facts| (facts.age, facts.maker));
        assert_eq!(facts(0), Some((5, 0)));
        assert_eq!(facts(1), Some((2, 1)));
        assert_eq!(facts(2), Some((0, 0)));
        assert_eq!(facts(3), None);
        assert_eq!(all.makers()[1].site, Some(SiteIndex(1)));
    }
}
