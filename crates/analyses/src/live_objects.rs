//! All objects that a collection left, one by one, by their addresses: what a heap dump is joined with.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::program_addresses::program_address;
use crate::staleness::clock::StalenessClock;
use ducktrack_count_model::{CallIndex, SiteIndex, TraceNames};
use ducktrack_heap_replay::{CollectionNumber, LiveObject, SpaceMap};

/// Why the JVM collects before it writes a heap dump, in its own words.
pub(crate) const HEAP_DUMP: &str = "Heap Dump Initiated GC";

/// The address of at least one object in this many is kept; the addresses of the others follow from lengths.
const OBJECTS_PER_START: usize = 64;

/// The objects that a collection left. 8 bytes for each where they lie close together, as after a full collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveObjects {
    /// After which collection.
    pub collection: CollectionNumber,
    /// When it ended, microseconds since 1970.
    pub unix_micros: u64,
    /// The dump that was asked for did not begin with this collection: objects may have been made in between.
    pub is_before_dump: bool,
    /// The collection went on while the program ran: objects may have been made and lost between it and the dump, whatever it was for.
    pub went_on_beside: bool,
    /// Objects made after the collection that the next one has kept, where they were made: no address is used again in between.
    pub made_since: Option<Box<Self>>,
    starts: Vec<Start>,
    /// Bytes in units of 8, by place.
    units: Vec<u32>,
    /// By place: in `facts`.
    facts_of: Vec<u32>,
    facts: Vec<CommonFacts>,
    makers: Vec<ObjectMaker>,
}

/// Where an object is; those up to the next start follow it without a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Start {
    place: usize,
    address: u64,
}

/// Properties that many objects have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CommonFacts {
    /// Which of [`LiveObjects::makers`] made them.
    pub maker: u32,
    /// Collections survived.
    pub age: u32,
    /// Collections since their last use. `None`: uses are not recorded.
    pub staleness: Option<u32>,
    /// Collections, of those that staleness counts, from its birth to its last use. `None`: uses are not recorded.
    pub age_at_use: Option<u32>,
}

/// Who made an object; many objects have the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectMaker {
    /// Row in [`CountModel::sites`](ducktrack_count_model::CountModel::sites). `None`: made by the VM or native code, or its event is lost.
    pub site: Option<SiteIndex>,
    /// Row in [`CountModel::calls`](ducktrack_count_model::CountModel::calls): the caller to blame.
    pub call: Option<CallIndex>,
    /// Descriptor with stable names. `None`: not known.
    pub ty: Option<Arc<str>>,
    /// The thread that allocated it.
    pub thread: Option<Arc<str>>,
    /// It lies in an archive of the JDK that is mapped into the heap.
    pub is_archived: bool,
}

impl LiveObjects {
    pub(crate) fn new<'a>(
        (collection, unix_micros): (u32, u64),
        objects: impl Iterator<Item = &'a LiveObject>,
        stale: &StalenessClock,
        spaces: &SpaceMap,
        names: &TraceNames,
    ) -> Self {
        let stale = Some(stale).filter(|stale| stale.since.is_some());
        let mut all = Self {
            collection: CollectionNumber(collection),
            unix_micros,
            ..Self::default()
        };
        let mut makers = Numbers::default();
        let mut facts = Numbers::default();
        let mut end = None;
        for object in objects {
            let address = object.address();
            let is_archived = spaces
                .kind(address)
                .is_some_and(|kind| kind == ducktrack_trace_format::SpaceKind::Archive);
            let maker = (object.origin(), object.ty, object.thread(), is_archived);
            let maker = makers.of(maker, || {
                all.makers.push(ObjectMaker {
                    site: object.site.site(),
                    call: object.caller.call(),
                    ty: names.types.name(object.ty).cloned(),
                    thread: names.thread(object.thread()),
                    is_archived,
                });
            });
            let common = CommonFacts {
                maker,
                age: collection.saturating_sub(object.birth),
                staleness: stale.map(|stale| stale.of(object, collection)),
                age_at_use: stale.map(|stale| stale.age_at_use(object)),
            };
            let (place, address) = (all.units.len(), program_address(address));
            if end != Some(address) || place.is_multiple_of(OBJECTS_PER_START) {
                all.starts.push(Start { place, address });
            }
            end = Some(program_address(object.end));
            all.facts_of
                .push(facts.of(common, || all.facts.push(common)));
            all.units
                .push(u32::try_from(object.bytes() / 8).unwrap_or(u32::MAX));
        }
        all
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// True when the heap is empty.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// All addresses as the program sees them, ascending.
    pub fn addresses(&self) -> impl Iterator<Item = u64> {
        let mut starts = self.starts.iter().peekable();
        let mut address = 0_u64;
        self.units.iter().enumerate().map(move |(place, units)| {
            if let Some(start) = starts.next_if(|start| start.place == place) {
                address = start.address;
            }
            let here = address;
            address = address.saturating_add(u64::from(*units) * 8);
            here
        })
    }

    /// The place of the object at an address.
    pub fn place(&self, address: u64) -> Option<usize> {
        let after = self
            .starts
            .partition_point(|start| start.address <= address);
        let start = self.starts.get(after.checked_sub(1)?)?;
        let end = self.starts.get(after).map_or(self.len(), |next| next.place);
        let mut here = start.address;
        (start.place..end).find(|place| {
            let is_here = here == address;
            here = here.saturating_add(self.bytes(*place));
            is_here
        })
    }

    /// The length of the object at a place.
    pub fn bytes(&self, place: usize) -> u64 {
        self.units
            .get(place)
            .map_or(0, |units| u64::from(*units) * 8)
    }

    /// Who makes objects.
    pub fn makers(&self) -> &[ObjectMaker] {
        &self.makers
    }

    /// All combinations of facts that objects have.
    pub fn facts(&self) -> &[CommonFacts] {
        &self.facts
    }

    /// Which of [`LiveObjects::facts`] the object at a place has.
    pub fn facts_number(&self, place: usize) -> Option<u32> {
        self.facts_of.get(place).copied()
    }

    /// The facts of the object at a place.
    pub fn facts_of(&self, place: usize) -> Option<&CommonFacts> {
        self.facts.get(self.facts_number(place)? as usize)
    }
}

/// Numbers for what comes again and again, in the order in which it comes first.
struct Numbers<K> {
    numbers: FxHashMap<K, u32>,
    last: Option<(K, u32)>,
}

impl<K> Default for Numbers<K> {
    fn default() -> Self {
        Self {
            numbers: FxHashMap::default(),
            last: None,
        }
    }
}

impl<K: Copy + Eq + core::hash::Hash> Numbers<K> {
    /// `add` is called when the key is new.
    fn of(&mut self, key: K, add: impl FnOnce()) -> u32 {
        if let Some((_, number)) = self.last.filter(|(last, _)| *last == key) {
            return number;
        }
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(key).or_insert_with(|| {
            add();
            next
        });
        self.last = Some((key, number));
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ducktrack_count_model::{SiteColumn, TypeColumn};
    use proptest::prelude::*;

    #[test]
    fn objects_with_the_same_maker_share_it() {
        let object = |end, site, birth| {
            LiveObject::new(end, 24, SiteColumn::at(site), TypeColumn::NONE, birth)
        };
        let objects = [object(24, 1, 0), object(48, 2, 3), object(72, 1, 5)];
        let all = LiveObjects::new(
            (5, 77),
            objects.iter(),
            &StalenessClock::default(),
            &SpaceMap::default(),
            &TraceNames::default(),
        );
        assert_eq!((all.len(), all.makers().len()), (3, 2));
        assert_eq!(all.addresses().collect::<Vec<_>>(), [0, 24, 48]);
        let facts = |place| all.facts_of(place).map(|facts| (facts.age, facts.maker));
        assert_eq!(facts(0), Some((5, 0)));
        assert_eq!(facts(1), Some((2, 1)));
        assert_eq!(facts(2), Some((0, 0)));
        assert_eq!(facts(3), None);
        assert_eq!(all.makers()[1].site, Some(SiteIndex::at(1)));
    }

    proptest! {
        #[test]
        fn addresses_follow_from_starts_and_lengths(gaps in prop::collection::vec((prop_oneof![9 => Just(0_u64), 1 => 1..9_u64], 1..5_u64), 0..400)) {
            let mut end = 0;
            let objects: Vec<LiveObject> = gaps.iter().map(|(gap, units)| {
                end += (gap + units) * 8;
                LiveObject::new(end, units * 8, SiteColumn::NONE, TypeColumn::NONE, 0)
            }).collect();
            let (spaces, names) = (SpaceMap::default(), TraceNames::default());
            let all = LiveObjects::new((1, 0), objects.iter(), &StalenessClock::default(), &spaces, &names);
            let expected: Vec<u64> = objects.iter().map(LiveObject::address).collect();
            prop_assert_eq!(&all.addresses().collect::<Vec<_>>(), &expected);
            for address in 0..end + 8 {
                prop_assert_eq!(all.place(address), expected.binary_search(&address).ok());
            }
            for (place, object) in objects.iter().enumerate() {
                prop_assert_eq!(all.bytes(place), object.bytes());
            }
        }
    }
}
