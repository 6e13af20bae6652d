//! Collections of a mirror, by hand.

use ducktrack_trace_format::{EventBlockHeader, EventFlags, HeapClassSize};

use crate::named_sites::named_sites;
use ducktrack_trace_format::HeapClassId;

use super::*;

fn class(id: u32, name: &str, klass: u64) -> HeapClass {
    HeapClass {
        id: HeapClassId(id),
        name: name.to_owned(),
        size: HeapClassSize::PerObject,
        klass,
        fields: Vec::new(),
    }
}

/// A piece of the first epoch.
fn piece(last_top: u64) -> EventBlockHeader {
    EventBlockHeader {
        thread: ThreadId(1),
        epoch: 0,
        begun: 0,
        handed_over: 0,
        flags: EventFlags::NONE,
        last_top,
    }
}

/// Of the addresses from 0x1000 to 0x2000.
fn first_collection() -> Collection {
    Collection {
        number: 1,
        collected: vec![AddressRange {
            start: 0x1000,
            end: 0x2000,
        }],
        ..Collection::default()
    }
}

/// A collection after an event that gave its class as address 0x70; the agent announces that class only with the
/// collection.
fn collected(class_of_survivor: HeapClassId) -> Collection {
    let mut mirror = Mirror::new();
    let mut objects = PieceObjects::default();
    let site = mirror.kept_site(SiteId(20), None).unwrap();
    assert!(objects.push(site, Some(32), 0x1020));
    objects.say_klass(0x70);
    mirror.says_its_classes(SiteId(20));
    mirror.end_piece(&piece(0), &mut objects);
    mirror.class(&class(7, "[Ljava/lang/Object;", 0x70));
    let mut collection = first_collection();
    let mut survivors = [Survivor::new(0x1000, 0x8000, 32, class_of_survivor)];
    let facts = named_sites(&[]);
    let moves = mirror.collect(&mut collection, &mut survivors, &facts);
    assert!(moves.is_ok());
    collection
}

#[test]
fn a_class_that_comes_with_the_collection_is_compared() {
    let same = collected(HeapClassId(7));
    assert_eq!((same.counts.moved, same.counts.found), (1, 0));
    let another = collected(HeapClassId(8));
    assert_eq!((another.counts.moved, another.counts.found), (1, 1));
}

#[test]
fn both_generations_far_apart_are_listed_at_once() {
    let mut mirror = Mirror::new();
    let range = |start| AddressRange {
        start,
        end: start + 0x1000,
    };
    let (young, old) = (1 << 42, OLD_GENERATION | 1 << 42);
    let mut collection = Collection {
        number: 1,
        collected: vec![range(young), range(old)],
        ..Collection::default()
    };
    let class = HeapClassId(0);
    let mut survivors = [
        Survivor::new(young, old + 0x800, 32, class),
        Survivor::new(old, old, 32, class),
    ];
    let facts = named_sites(&[]);
    let moves = mirror.collect(&mut collection, &mut survivors, &facts);
    assert!(moves.is_ok());
    assert_eq!(mirror.live.len(), 2);
}

/// Classes of a program whose events of site 20 claim a `Buffer` of 64 bytes.
fn texts_and_buffers() -> Mirror {
    let mut mirror = Mirror::new();
    for (id, name) in [(1, "java/lang/String"), (2, "[B"), (3, "Buffer")] {
        mirror.class(&class(id, name, u64::from(id)));
    }
    mirror
}

/// A cycle of ZGC after two objects side by side: one of 32 bytes, and a
/// `Buffer` of 64. The survivors lie where that is, one beside the other.
fn after_a_buffer(survivors: &[(u64, u32)]) -> (Result<Moves, &'static str>, Collection) {
    let mut mirror = texts_and_buffers();
    let mut objects = PieceObjects::default();
    for (site, bytes, end) in [(21, 32, 0x1020), (20, 64, 0x1060)] {
        let site = mirror.kept_site(SiteId(site), None).unwrap();
        assert!(objects.push(site, Some(bytes), end));
    }
    mirror.end_piece(&piece(0x1060), &mut objects);
    let mut collection = Collection {
        collector_nanos: 1,
        ..first_collection()
    };
    let mut at = 0x1060 - survivors.iter().map(|(bytes, _)| bytes).sum::<u64>();
    let survivors = survivors.iter().map(|(bytes, class)| {
        let from = at;
        at += bytes;
        Survivor::new(from, from + 0x7000, *bytes, HeapClassId(*class))
    });
    let mut survivors: Vec<_> = survivors.collect();
    let facts = named_sites(&[(20, "Buffer")]);
    let moves = mirror.collect(&mut collection, &mut survivors, &facts);
    (moves, collection)
}

#[test]
fn two_objects_of_the_vm_are_as_large_as_an_eliminated_one() {
    // A constant of text, which the VM makes when it is first needed.
    let (moves, collection) = after_a_buffer(&[(32, 1), (32, 2)]);
    assert!(moves.is_ok());
    assert_eq!((collection.counts.moved, collection.counts.found), (2, 2));
    let (moves, collection) = after_a_buffer(&[(64, 3)]);
    assert!(moves.is_ok());
    assert_eq!((collection.counts.moved, collection.counts.found), (1, 0));
}

#[test]
fn a_cycle_with_a_contradiction_is_not_known() {
    // The same class in another size, and an object that reaches into the one before it.
    for survivors in [[(32, 3)], [(96, 2)]] {
        let (moves, _) = after_a_buffer(&survivors);
        assert_eq!(moves.err(), Some(CONTRADICTED));
    }
}
