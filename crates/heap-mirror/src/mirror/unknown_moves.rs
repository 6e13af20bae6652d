//! Reconstructs the moves of a collection of which only the resulting heap is known, from the mirror and the events of its epoch.
//!
//! [`super::reconciliation`] finds which object each one was, and that becomes its move. An object that matches no known one comes from
//! *nowhere*: addresses after the heap at which nothing ever lives, so that a reader takes it for a found object. From there on the
//! collection is handled like any other; its ranges are the whole heap, and nowhere.
//!
//! ```text
//! old space [0x1000, 0x1040): A B    eden [0x8000, 0x8040): C D    afterwards old: B X
//! ranges    [0x1000, 0x1040) [0x8000, 0x8040) [0x100000, 0x100010)
//! moves     B: 0x1020 -> 0x1000      X: 0x100000 -> 0x1020, found
//! ```
//!
//! Serial and Parallel slide within the old space, but their full collections also move the young objects there, in an unknown order; G1
//! keeps no order at all. So only objects of an old space are ordered.
//!
//! Memory: the live objects, and those objects of the epoch whose shape occurs afterwards; per shape and origin at most as many as occur.

use std::collections::HashMap;

use ducktrack_trace_format::{
    AddressRange, Collection, CollectionKind, HeapClassId, SiteFacts, SiteId, Space, SpaceKind,
};

use super::end_index::is_in;
use super::matching::class_at;
use super::reconciliation::{Former, Match, Present, Sides, reconcile};
use super::{Mirror, ascending};
use crate::kept_pieces::Neighbours;
use crate::origin::{CLASS_OF_SITE, Origin};
use crate::site_cache::SiteCache;
use ducktrack_trace_format::Survivor;

/// Class and size in units of 8 bytes.
type Shape = (HeapClassId, u32);

/// Nowhere begins at a multiple of this.
const NOWHERE_ALIGNMENT: u64 = 1 << 20;

/// The objects before the collection, as they are added.
struct Formers {
    spaces: Vec<AddressRange>,
    /// The space in which objects keep their order.
    old: Option<AddressRange>,
    /// How many objects have each shape afterwards.
    wanted: HashMap<Shape, u32>,
    /// How many objects of the epoch were added, by shape and origin.
    taken: HashMap<(Shape, Origin), u32>,
    ordered: Vec<Former<Shape, Origin>>,
    loose: Vec<Former<Shape, Origin>>,
}

impl Mirror {
    /// Gives each object of the heap after a collection the address that it may have come from, and counts the ambiguous ones.
    /// `is_complete`: the mirror knew the heap before.
    pub fn reconcile(
        &mut self,
        collection: &mut Collection,
        objects: &mut [Survivor],
        is_complete: bool,
        facts: &SiteCache,
    ) {
        // Before the first collection, only objects with events are known.
        let is_complete = is_complete && !self.live.is_empty();
        let old = old_space(&collection.after);
        let is_old = |address| old.is_some_and(|old: AddressRange| old.contains(address));
        objects.sort_unstable_by_key(|object| (!is_old(object.to), object.to));
        let formers = self.formers(collection, objects, facts);
        let (before, ordered) = formers.in_order();
        let present = objects.iter().map(|object| Present {
            shape: (object.class, object.units),
            address: object.to,
        });
        let after: Vec<_> = present.collect();
        let mut matches = reconcile(&Sides {
            before: &before,
            ordered,
            after: &after,
            first: objects.partition_point(|object| is_old(object.to)),
            in_place: collection.kind != CollectionKind::Full,
        });
        without_overlaps(&mut matches, &before);
        collection.collected = spaces(&collection.before);
        let nowhere = past_all_spaces(collection);
        let mut next = nowhere;
        for (object, known) in objects.iter_mut().zip(matches) {
            let former = match known {
                Match::Certain(former) | Match::Ambiguous(former) => before.get(former),
                Match::Unmatched => None,
            };
            let is_certain = is_complete && matches!(known, Match::Certain(_));
            collection.counts.ambiguous += u64::from(former.is_some() && !is_certain);
            object.from = former.map_or(next, |former| former.address);
            if former.is_none() {
                next += object.bytes();
            }
        }
        collection.collected.push(AddressRange {
            start: nowhere,
            end: next,
        });
    }

    /// All objects before that may be an object afterwards.
    fn formers(
        &mut self,
        collection: &Collection,
        objects: &[Survivor],
        facts: &SiteCache,
    ) -> Formers {
        let mut formers = Formers::new(collection, objects);
        let site_classes = &self.site_classes;
        let class_of = |site: SiteId| {
            let named = site_classes.named_by(site, facts);
            named.or_else(|| site_classes.class_of(site))
        };
        self.live.put_in_order();
        for (address, object) in self.live.iter() {
            let class = match object.class {
                CLASS_OF_SITE => class_of(object.origin.site),
                class => Some(class),
            };
            formers.add(address, class, object.units, object.origin, false);
        }
        for object in &self.carried {
            let stated = class_at(&self.klasses, object.klass);
            let class = stated.or_else(|| class_of(object.origin.site));
            let units = object.bytes.and_then(|bytes| u32::try_from(bytes / 8).ok());
            formers.add(object.start, class, units.unwrap_or(0), object.origin, true);
        }
        let pieces = self.pieces.take();
        for piece in &pieces {
            piece.for_each_stretch(|stretch| {
                for object in stretch.parts().flat_map(Neighbours::objects) {
                    let stated = class_at(&self.klasses, piece.klass_of(&object));
                    let (site, caller) = self.kept_sites.resolve(object.site, facts);
                    let origin = Origin {
                        site,
                        thread: piece.thread,
                        caller,
                        birth: piece.epoch,
                    };
                    let class = stated.or_else(|| class_of(site));
                    let fixed = || facts.fixed_bytes(site).map(u64::from);
                    let of_class = || site_classes.bytes_of(class?);
                    let bytes = object.bytes.or_else(fixed).or_else(of_class).unwrap_or(0);
                    let start = object.end.wrapping_sub(bytes);
                    formers.add(start, class, (bytes / 8) as u32, origin, true);
                }
            });
        }
        for piece in pieces {
            self.pieces.put_back(piece);
        }
        formers
    }
}

impl Formers {
    fn new(collection: &Collection, objects: &[Survivor]) -> Self {
        let mut wanted: HashMap<Shape, u32> = HashMap::new();
        for object in objects {
            *wanted.entry((object.class, object.units)).or_default() += 1;
        }
        Self {
            spaces: spaces(&collection.before),
            old: old_space(&collection.before),
            wanted,
            taken: HashMap::new(),
            ordered: Vec::new(),
            loose: Vec::new(),
        }
    }

    /// Adds an object, if it may be one of those afterwards.
    fn add(
        &mut self,
        address: u64,
        class: Option<HeapClassId>,
        units: u32,
        origin: Origin,
        is_new: bool,
    ) {
        let Some(class) = class.filter(|_| units > 0) else {
            return;
        };
        let shape = (class, units);
        let Some(&wanted) = self.wanted.get(&shape) else {
            return;
        };
        let former = Former {
            shape,
            address,
            origin,
        };
        if self.old.is_some_and(|old| old.contains(address)) {
            self.ordered.push(former);
            return;
        }
        if !is_in(&self.spaces, address) {
            return;
        }
        if is_new {
            let taken = self.taken.entry((shape, origin)).or_default();
            if *taken > wanted {
                return;
            }
            *taken += 1;
        }
        self.loose.push(former);
    }

    /// The ordered objects, then the loose ones, and how many are ordered.
    fn in_order(mut self) -> (Vec<Former<Shape, Origin>>, usize) {
        self.ordered.sort_by_key(|former| former.address);
        self.loose.sort_by_key(|former| former.address);
        let ordered = self.ordered.len();
        self.ordered.append(&mut self.loose);
        (self.ordered, ordered)
    }
}

/// Resolves overlaps: two objects cannot have been at the same place, but the event of an eliminated object may seem to say so. Of two
/// chosen objects that overlap, the larger one is then unmatched.
fn without_overlaps(matches: &mut [Match], before: &[Former<Shape, Origin>]) {
    let former_of = |known: &Match| match known {
        Match::Certain(former) | Match::Ambiguous(former) => before.get(*former),
        Match::Unmatched => None,
    };
    let chosen = matches.iter().enumerate();
    let chosen = chosen.filter_map(|(index, known)| Some((former_of(known)?, index)));
    let mut chosen: Vec<_> = chosen.collect();
    chosen.sort_unstable_by_key(|(former, _)| former.address);
    let end = |former: &Former<Shape, Origin>| former.address + u64::from(former.shape.1) * 8;
    let mut kept: Option<(&Former<Shape, Origin>, usize)> = None;
    for (former, index) in chosen {
        match kept.filter(|(known, _)| end(known) > former.address) {
            Some((known, _)) if known.shape.1 <= former.shape.1 => {
                matches[index] = Match::Unmatched;
                continue;
            }
            Some((_, larger)) => matches[larger] = Match::Unmatched,
            None => {}
        }
        kept = Some((former, index));
    }
}

/// The old space of a collector that slides within it; only such a collector has a to-space.
fn old_space(spaces: &[Space]) -> Option<AddressRange> {
    spaces.iter().find(|space| space.kind == SpaceKind::To)?;
    let old = spaces.iter().find(|space| space.kind == SpaceKind::Old)?;
    Some(AddressRange {
        start: old.bottom,
        end: old.top,
    })
}

/// The memory in use in all spaces, ascending.
fn spaces(spaces: &[Space]) -> Vec<AddressRange> {
    let filled = spaces.iter().filter(|space| space.bottom < space.top);
    let ranges: Vec<AddressRange> = filled
        .map(|space| AddressRange {
            start: space.bottom,
            end: space.top,
        })
        .collect();
    ascending(&ranges)
}

/// Where nowhere begins.
fn past_all_spaces(collection: &Collection) -> u64 {
    let spaces = collection.before.iter().chain(&collection.after);
    let top = spaces.map(|space| space.top).max().unwrap_or(0);
    top.next_multiple_of(NOWHERE_ALIGNMENT)
}

#[cfg(test)]
mod tests {
    use ducktrack_trace_format::{
        EventBlockHeader, EventFlags, HeapClass, HeapClassSize, MovesLevel, ThreadId,
    };

    use super::*;
    use crate::PieceObjects;
    use crate::kept_site::KeptSite;
    use crate::named_sites::named_sites;

    const ELEMENT: HeapClassId = HeapClassId(1);
    const PAIR: HeapClassId = HeapClassId(2);
    const OF_VM: HeapClassId = HeapClassId(3);

    const SITES: &[(u32, &str)] = &[(20, "Element"), (21, "Element"), (22, "Pair")];

    fn mirror() -> Mirror {
        let mut mirror = Mirror::new();
        for (id, name) in [(ELEMENT, "Element"), (PAIR, "Pair"), (OF_VM, "OfVm")] {
            mirror.class(&HeapClass {
                id,
                name: name.to_owned(),
                size: HeapClassSize::PerObject,
                klass: u64::from(id.0),
                fields: Vec::new(),
            });
        }
        mirror
    }

    /// Objects that a thread allocates in eden: sites and units, one after the other.
    fn keep(mirror: &mut Mirror, epoch: u32, objects: &[(u32, u32)]) {
        let mut piece = PieceObjects::default();
        let kept = |site| KeptSite::alone(SiteId(site)).unwrap();
        let objects: Vec<_> = objects
            .iter()
            .map(|(site, units)| (kept(*site), *units))
            .collect();
        piece.push_plain(0x8000, &objects);
        let header = EventBlockHeader {
            thread: ThreadId(3),
            epoch,
            begun: 0,
            handed_over: 0,
            flags: EventFlags::NONE,
            last_top: 0,
        };
        mirror.end_piece(&header, &mut piece);
    }

    fn space(kind: SpaceKind, bottom: u64, top: u64) -> Space {
        Space {
            kind,
            index: 0,
            bottom,
            top,
        }
    }

    /// A full collection that leaves these objects in the old space.
    fn collect(
        mirror: &mut Mirror,
        number: u32,
        old_top: u64,
        listed: &[(HeapClassId, u64)],
    ) -> Collection {
        let mut at = 0x1000;
        let mut survivors = Vec::new();
        for (class, bytes) in listed {
            survivors.push(Survivor::new(at, at, *bytes, *class));
            at += bytes;
        }
        let spaces = |old, eden| {
            vec![
                space(SpaceKind::Old, 0x1000, old),
                space(SpaceKind::Eden, 0x8000, eden),
                space(SpaceKind::To, 0xa000, 0xa000),
            ]
        };
        let mut collection = Collection {
            number,
            kind: CollectionKind::Full,
            level: MovesLevel::Finish,
            before: spaces(old_top, 0x9000),
            after: spaces(at, 0x8000),
            ..Collection::default()
        };
        let facts = named_sites(SITES);
        mirror.reconcile(&mut collection, &mut survivors, true, &facts);
        mirror
            .collect(&mut collection, &mut survivors, &facts)
            .unwrap();
        assert_eq!(mirror.contradictions, 0);
        collection
    }

    fn sites(mirror: &mut Mirror) -> Vec<(u64, u32, u32)> {
        let mut sites = Vec::new();
        mirror.live.put_in_order();
        for (address, object) in mirror.live.iter() {
            sites.push((address, object.origin.site.0, object.origin.birth));
        }
        sites
    }

    #[test]
    fn a_heap_that_is_only_listed_keeps_its_origins() {
        let mut mirror = mirror();
        keep(&mut mirror, 0, &[(20, 2), (22, 3), (20, 2)]);
        let heap = [(ELEMENT, 16), (PAIR, 24), (ELEMENT, 16)];
        let first = collect(&mut mirror, 1, 0x1000, &heap);
        // Nothing was known of the heap before, so there may have been other objects.
        assert_eq!((first.counts.ambiguous, first.counts.found), (3, 0));
        keep(&mut mirror, 1, &[(21, 2), (22, 3), (21, 2)]);
        let heap = [(ELEMENT, 16), (PAIR, 24), (OF_VM, 32), (ELEMENT, 16)];
        let second = collect(&mut mirror, 2, 0x1038, &heap);
        let counts = second.counts;
        assert_eq!((counts.found, counts.live, counts.dead), (1, 4, 3));
        assert!(counts.ambiguous > 0);
        let expected = [(0x1000, 20, 0), (0x1010, 22, 0), (0x1028, 0, 1)];
        assert_eq!(sites(&mut mirror)[..3], expected);
        assert!(mirror.is_settled());
    }

    #[test]
    fn order_tells_what_died() {
        let mut mirror = mirror();
        keep(&mut mirror, 0, &[(20, 2), (22, 3)]);
        collect(&mut mirror, 1, 0x1000, &[(ELEMENT, 16), (PAIR, 24)]);
        keep(&mut mirror, 1, &[(21, 2)]);
        // The element now comes after the pair, so it is not the one that came before it.
        let second = collect(&mut mirror, 2, 0x1028, &[(PAIR, 24), (ELEMENT, 16)]);
        assert_eq!((second.counts.ambiguous, second.counts.dead), (0, 1));
        assert_eq!(sites(&mut mirror), [(0x1000, 22, 0), (0x1018, 21, 1)]);
    }
}
