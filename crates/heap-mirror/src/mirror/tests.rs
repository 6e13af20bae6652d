//! Collections of a mirror, by hand.

use ducktrack_trace_format::{EventBlockHeader, EventFlags, HeapClassSize};

use crate::named_sites::named_sites;
use ducktrack_trace_format::HeapClassId;

use super::*;

/// A collection after an event that gave its class as address 0x70; the agent announces that class only with the
/// collection.
fn collected(class_of_survivor: HeapClassId) -> Collection {
    let mut mirror = Mirror::new();
    let mut objects = PieceObjects::default();
    let site = mirror.kept_site(SiteId(20), None).unwrap();
    assert!(objects.push(site, Some(32), 0x1020));
    objects.say_klass(0x70);
    let header = EventBlockHeader {
        thread: ThreadId(1),
        epoch: 0,
        begun: 0,
        handed_over: 0,
        flags: EventFlags::NONE,
        last_top: 0,
    };
    mirror.says_its_classes(SiteId(20));
    mirror.end_piece(&header, &mut objects);
    mirror.class(&HeapClass {
        id: HeapClassId(7),
        name: "[Ljava/lang/Object;".to_owned(),
        size: HeapClassSize::PerObject,
        klass: 0x70,
        fields: Vec::new(),
    });
    let mut collection = Collection {
        number: 1,
        collected: vec![AddressRange {
            start: 0x1000,
            end: 0x2000,
        }],
        ..Collection::default()
    };
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
