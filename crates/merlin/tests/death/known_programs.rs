//! Programs whose answer can be read off.

use ducktrack_merlin::{
    Allocation, Definition, Fate, MethodId, ObjectId, Reading, Record, SiteId, SlotId, ThreadId,
    TypeId,
};

use crate::replay::replay;

fn object(id: u64) -> ObjectId {
    ObjectId::new(id).expect("small")
}

fn new(id: u64) -> Record {
    Record::Allocation(Allocation {
        object: object(id),
        bytes: 16,
        length: None,
        ty: TypeId(1),
        site: SiteId(1),
    })
}

fn put(source: u64, slot: u32, old: u64, new: u64) -> Record {
    Record::Update {
        source: ObjectId::new(source),
        slot: SlotId(slot),
        old: ObjectId::new(old),
        new: ObjectId::new(new),
    }
}

fn collect(number: u64, dead: &[u64]) -> Vec<Record> {
    let mut out = vec![Record::Collection {
        number,
        complete: true,
    }];
    out.extend(dead.iter().map(|id| Record::Dead(object(*id))));
    out.push(Record::CollectionEnd);
    out
}

fn fate(fates: &[Fate], id: u64) -> Fate {
    *fates
        .iter()
        .find(|fate| fate.object == object(id))
        .expect("its fate")
}

fn death(fates: &[Fate], id: u64) -> u64 {
    fate(fates, id).unreachable.expect("dead").time
}

/// A global variable holds a list of three; it is emptied at moment 8.
#[test]
fn a_list_that_is_dropped_dies_at_the_drop() {
    let mut records = vec![new(1), new(2), new(3)];
    records.extend([
        put(2, 0, 0, 3),
        put(1, 0, 0, 2),
        put(0, 7, 0, 1),
        Record::Use(object(1)),
        put(0, 7, 1, 0),
    ]);
    records.push(new(4));
    records.extend(collect(1, &[1, 2, 3]));
    let (fates, totals) = replay(&records);
    assert_eq!([1, 2, 3].map(|id| death(&fates, id)), [8, 8, 8]);
    assert_eq!(
        [1, 2, 3].map(|id| fate(&fates, id).is_key),
        [true, false, false]
    );
    assert_eq!(fate(&fates, 2).used.expect("used").time, 4);
    assert_eq!(fate(&fates, 4).unreachable, None);
    assert_eq!(totals.shape.groups.largest, 3);
    assert_eq!(totals.dead.objects, 3);
}

/// A cache entry is used last at moment 5 and removed from the cache at moment 8: drag begins at 5, death is at 8.
#[test]
fn a_cache_entry_dies_when_it_is_removed_and_drags_since_its_last_use() {
    let mut records = vec![
        new(1),
        put(0, 0, 0, 1),
        new(2),
        put(1, 5, 0, 2),
        Record::Use(object(2)),
    ];
    records.extend([Record::Use(object(1)), new(3), put(1, 5, 2, 0), new(4)]);
    records.extend(collect(1, &[2, 3, 4]));
    let (fates, _) = replay(&records);
    let entry = fate(&fates, 2);
    assert_eq!(entry.used.expect("used").time, 5);
    assert_eq!(entry.unreachable.expect("dead").time, 8);
    assert_eq!(entry.collected.expect("collected").time, 9);
    assert_eq!(entry.born.bytes, 32);
    assert_eq!(entry.unreachable.expect("dead").bytes, 48);
}

/// The receiver is used last when its method begins; what the method does then, and its exit, come after its death.
#[test]
fn a_receiver_may_die_inside_its_own_method() {
    let (method, receiver) = (MethodId(1), Some(object(1)));
    let mut records = vec![
        new(1),
        Record::Entry { method, receiver },
        new(2),
        new(3),
        Record::Exit { method, receiver },
    ];
    records.extend(collect(1, &[1, 2, 3]));
    let (fates, totals) = replay(&records);
    assert_eq!(death(&fates, 1), 2);
    assert_eq!(fate(&fates, 1).unreachable.expect("dead").calls, 1);
    assert!(totals.clocks.calls);
}

/// An exception flies through two frames and is not looked at again.
#[test]
fn an_exception_dies_at_the_last_frame_that_it_ends() {
    let throw = |method| Record::ExceptionalExit {
        method: MethodId(method),
        receiver: None,
        exception: Some(object(1)),
    };
    let entry = |method| Record::Entry {
        method: MethodId(method),
        receiver: None,
    };
    let mut records = vec![entry(1), entry(2), new(1), throw(2), throw(1), new(2)];
    records.extend(collect(1, &[1]));
    let (fates, _) = replay(&records);
    assert_eq!(death(&fates, 1), 5);
}

/// A dead object of an earlier collection held an object that outlived it.
#[test]
fn a_survivor_is_held_until_the_death_of_what_referred_to_it() {
    let mut records = vec![
        new(1),
        new(2),
        put(1, 0, 0, 2),
        new(3),
        Record::Use(object(1)),
        new(4),
    ];
    let partial = |dead: u64, number| {
        vec![
            Record::Collection {
                number,
                complete: false,
            },
            Record::Dead(object(dead)),
            Record::CollectionEnd,
        ]
    };
    records.extend(partial(1, 1));
    records.push(new(5));
    records.extend(partial(2, 2));
    let (fates, _) = replay(&records);
    assert_eq!(death(&fates, 1), 5);
    assert_eq!(death(&fates, 2), 5);
}

/// Nothing is known of what held object 1, but a complete collection found it reachable.
#[test]
fn complete_collections_bound_deaths_from_below() {
    let mut records = vec![new(1), new(2), new(3)];
    records.extend(collect(1, &[2]));
    records.push(new(4));
    records.extend(collect(2, &[1, 3, 4]));
    let (fates, totals) = replay(&records);
    assert_eq!([1, 2, 3, 4].map(|id| death(&fates, id)), [3, 2, 3, 4]);
    assert_eq!(totals.raised, 1);
    assert_eq!(fate(&fates, 1).kept.expect("seen").time, 3);
}

#[test]
fn bounds_say_no_exact_times() {
    let level = Definition::Fact {
        key: "level".to_owned(),
        value: "bounds".to_owned(),
    };
    let mut records = vec![
        Record::Definition(Box::new(level)),
        Record::Thread(ThreadId(7)),
        new(1),
        new(2),
    ];
    records.extend([
        Record::Collection {
            number: 1,
            complete: false,
        },
        Record::Kept(object(1)),
        Record::Dead(object(2)),
        Record::CollectionEnd,
    ]);
    records.push(Record::Tick {
        advance: 5,
        reading: Reading {
            micros: Some(90),
            ..Reading::default()
        },
    });
    records.extend(collect(2, &[1]));
    let (fates, totals) = replay(&records);
    let first = fate(&fates, 1);
    assert_eq!((first.used, first.unreachable), (None, None));
    assert_eq!(first.kept.expect("kept").time, 2);
    assert_eq!(first.collected.expect("dead").micros, 90);
    assert_eq!(first.thread, ThreadId(7));
    assert_eq!(totals.collections.len(), 2);
}

#[test]
fn contradictions_are_counted_by_kind() {
    let mut records = vec![
        new(1),
        new(1),
        Record::Use(object(9)),
        new(2),
        put(1, 0, 0, 2),
        put(1, 0, 0, 2),
        put(0, 0, 0, 2),
    ];
    records.extend([Record::Dead(object(1)), Record::CollectionEnd]);
    records.extend(collect(1, &[2]));
    let (_, totals) = replay(&records);
    let found = totals.contradictions;
    assert_eq!((found.doubled_allocations, found.unknown_objects), (1, 1));
    assert_eq!(
        (
            found.other_old_targets,
            found.dead_but_referenced,
            found.misplaced
        ),
        (1, 1, 1)
    );
}

/// At level `deaths` an object without a stamp has no death but the collections
/// around it; one with a stamp that knows no use dies at its birth.
#[test]
fn a_death_without_a_stamp_is_not_known() {
    let mut records = vec![Record::Definition(Box::new(Definition::Fact {
        key: "level".to_owned(),
        value: "deaths".to_owned(),
    }))];
    records.extend([new(1), new(2), new(3)]);
    records.push(Record::Collection {
        number: 1,
        complete: false,
    });
    records.push(Record::Dead(object(1)));
    for (id, used) in [(2, None), (3, Some(3))] {
        records.push(Record::Dead(object(id)));
        records.push(Record::Stamp {
            object: object(id),
            used,
            lost: None,
        });
    }
    records.push(Record::CollectionEnd);
    let (fates, totals) = replay(&records);
    assert_eq!(fate(&fates, 1).unreachable, None);
    assert_eq!(fate(&fates, 1).used, None);
    assert!(fate(&fates, 1).collected.is_some());
    assert_eq!((death(&fates, 2), death(&fates, 3)), (2, 3));
    assert_eq!(totals.unstamped, 1);
}

/// A runtime lets one string use the array of an equal one, without a record: what it used before died after the collection that kept it.
#[test]
fn the_death_of_what_the_runtime_replaced_lies_between_two_collections() {
    let define = |definition| Record::Definition(Box::new(definition));
    let fact = |key: &str, value: &str| {
        let (key, value) = (key.to_owned(), value.to_owned());
        define(Definition::Fact { key, value })
    };
    let array = TypeId(7);
    let collection = |number| Record::Collection {
        number,
        complete: false,
    };
    let stamped = |id| {
        let (object, used, lost) = (object(id), Some(id), None);
        [Record::Dead(object), Record::Stamp { object, used, lost }]
    };
    for (is_replaced, held) in [(true, false), (false, false), (true, true)] {
        let mut records = vec![fact("level", "deaths")];
        if is_replaced {
            records.push(fact("replaced", "[B"));
        }
        let name = "[B".to_owned();
        records.push(define(Definition::Type { ty: array, name }));
        // An array that is found dead, with or without the string, and an object of another type.
        for (id, ty) in [(1, array), (2, TypeId(3)), (3, TypeId(3))] {
            let Record::Allocation(allocation) = new(id) else {
                panic!("no allocation");
            };
            records.push(Record::Allocation(Allocation { ty, ..allocation }));
        }
        records.push(collection(1));
        records.extend([1, 2, 3].map(|id| Record::Kept(object(id))));
        records.push(Record::CollectionEnd);
        records.push(new(4));
        records.push(collection(2));
        records.extend(stamped(1));
        if held {
            records.extend(stamped(2));
            let (slot, target) = (SlotId(0), object(1));
            records.push(Record::Reference { slot, target });
        }
        records.extend(stamped(3));
        records.push(Record::CollectionEnd);
        let (fates, totals) = replay(&records);
        let is_open = is_replaced && !held;
        assert_eq!(fate(&fates, 1).unreachable.is_none(), is_open);
        assert!(fate(&fates, 1).kept.is_some() && fate(&fates, 1).collected.is_some());
        assert_eq!(death(&fates, 3), 3, "of another type");
        assert_eq!((totals.replaced, totals.unstamped), (u64::from(is_open), 0));
    }
}
