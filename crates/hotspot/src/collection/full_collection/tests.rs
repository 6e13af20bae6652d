//! Small heaps in our own memory, and a naive collector that slides objects.

use super::coverage;
use super::live_objects::LiveWalk;
use super::order;
use crate::address::Address;
use crate::classes::class_table::{ClassId, ClassTable, tests::loaded};
use crate::collection::report::MovesFault;
use crate::collection::survivor::Survivor;
use crate::heap::object_walk::ObjectSizes;
use crate::heap::space::{Space, SpaceKind};
use crate::vm::collector::Collector;

/// Classes: two of the program, two fillers.
const CLASSES: [(&str, i32); 4] = [
    ("A", 16),
    ("B", 32),
    ("java/lang/Object", 16),
    ("jdk/internal/vm/FillerObject", 32),
];
const SIZES: [usize; 4] = [16, 32, 16, 32];
const KINDS: [SpaceKind; 2] = [SpaceKind::Old, SpaceKind::Eden];

/// Size of each of the two spaces in bytes.
const SPACE: usize = 4096;

struct Heap {
    classes: ClassTable,
    klasses: Vec<Address>,
    memory: Vec<u64>,
    tops: [Address; 2],
}

impl Heap {
    fn new() -> Self {
        let (classes, klasses) = loaded(&CLASSES);
        let memory = vec![0; 2 * SPACE / 8];
        let mut heap = Self {
            classes,
            klasses,
            memory,
            tops: [Address::NULL; 2],
        };
        heap.tops = [heap.bottom(0), heap.bottom(1)];
        heap
    }

    fn bottom(&self, space: usize) -> Address {
        Address(self.memory.as_ptr().expose_provenance()).plus(space * SPACE)
    }

    /// Adds an object at the top.
    fn add(&mut self, space: usize, class: usize, mark: u64) -> Address {
        let place = self.tops[space];
        let word = (place.0 - self.bottom(0).0) / 8;
        self.memory[word] = mark;
        self.memory[word + 1] = self.klasses[class].0 as u64;
        self.tops[space] = place.plus(SIZES[class]);
        place
    }

    fn spaces(&self, kinds: [SpaceKind; 2]) -> Vec<Space> {
        (0..2)
            .map(|index| Space {
                kind: kinds[index],
                index: u32::try_from(index).expect("few"),
                bottom: self.bottom(index),
                top: self.tops[index],
            })
            .collect()
    }

    fn class(&self, class: usize) -> ClassId {
        self.classes.find(self.klasses[class]).expect("loaded")
    }

    fn survivor(&self, from: Address, to: Address, class: usize) -> Survivor {
        Survivor::new(from, to, SIZES[class], self.class(class)).expect("small")
    }
}

/// The result of a naive collection of a random heap: the first objects of
/// the old space stay, with fillers over the dead; all others slide down.
struct Slid {
    before: Vec<Space>,
    after: Heap,
    /// Survivors with their new addresses.
    truth: Vec<Survivor>,
}

fn slide(seed: u64) -> Slid {
    let mut random = seed;
    let mut next = move |below: usize| {
        random = random
            .wrapping_mul(0x5851_F42D_4C95_7F2D)
            .wrapping_add(0x1405_7B7E_F767_814F);
        (random >> 33) as usize % below
    };
    let mut heap = Heap::new();
    let mut objects = Vec::new();
    for space in 0..2 {
        for _ in 0..next(60) {
            let class = next(2);
            objects.push((space, heap.add(space, class, 1), class, next(3) != 0));
        }
    }
    let before = heap.spaces(KINDS);
    let prefix = heap.bottom(0).plus(next(40) * 16);
    // Objects never move up, so the new heap can be built over the old one.
    heap.tops = [heap.bottom(0), heap.bottom(1)];
    let mut truth = Vec::new();
    // The old space may be too small for all of them.
    let room = heap.bottom(0).plus(next(SPACE)).max(before[0].top);
    let mut target = 0;
    for (space, from, class, lives) in objects {
        let stays = space == 0 && from < prefix;
        if !lives {
            if stays {
                heap.add(0, class + 2, 1);
            }
            continue;
        }
        if target == 0 && space == 1 && room.above(heap.tops[0]) < SIZES[class] {
            target = 1;
        }
        let to = heap.add(target, class, 1);
        assert!(space != target || to <= from);
        truth.push(heap.survivor(from, to, class));
    }
    Slid {
        before,
        after: heap,
        truth,
    }
}

fn in_place(truth: &[Survivor]) -> Vec<Survivor> {
    let stays = |&(mut survivor): &Survivor| {
        survivor.to = survivor.from;
        survivor
    };
    truth.iter().map(stays).collect()
}

fn place(slid: &Slid, survivors: &mut [Survivor]) -> Result<(), MovesFault> {
    let after = slid.after.spaces(KINDS);
    let sizes = ObjectSizes::made_up();
    // SAFETY: the addresses are inside memory of the made-up heap, which lives as long as the test.
    unsafe { order::place(survivors, &slid.before, &after, &slid.after.classes, &sizes) }
}

fn check(
    heap: &Heap,
    before: &[Space],
    kinds: [SpaceKind; 2],
    collector: Collector,
    survivors: &[Survivor],
) -> Result<(), MovesFault> {
    let sizes = ObjectSizes::made_up();
    let after = heap.spaces(kinds);
    // SAFETY: the addresses are inside memory of the made-up heap, which lives as long as the test.
    unsafe { coverage::check(survivors, before, &after, collector, &heap.classes, &sizes) }
}

#[test]
fn order_finds_every_new_place() {
    for seed in 0..500 {
        let slid = slide(seed);
        let mut survivors = in_place(&slid.truth);
        assert_eq!(place(&slid, &mut survivors), Ok(()), "seed {seed}");
        assert_eq!(survivors, slid.truth, "seed {seed}");
        assert_eq!(
            check(
                &slid.after,
                &slid.before,
                KINDS,
                Collector::Parallel,
                &survivors
            ),
            Ok(()),
            "seed {seed}"
        );
    }
}

#[test]
fn a_survivor_too_few_or_too_many_is_a_fault() {
    let mut faults = 0;
    for seed in 0..100 {
        let slid = slide(seed);
        if slid.truth.len() < 3 {
            continue;
        }
        let middle = slid.truth.len() / 2;
        let mut fewer = in_place(&slid.truth);
        fewer.remove(middle);
        assert!(place(&slid, &mut fewer).is_err(), "seed {seed}");
        let fewer: Vec<Survivor> = [&slid.truth[..middle], &slid.truth[middle + 1..]].concat();
        let outcome = check(&slid.after, &slid.before, KINDS, Collector::Serial, &fewer);
        assert!(outcome.is_err(), "seed {seed}");
        // Two at one place.
        let mut doubled = slid.truth.clone();
        doubled[middle].to = doubled[middle - 1].to;
        let outcome = check(
            &slid.after,
            &slid.before,
            KINDS,
            Collector::Serial,
            &doubled,
        );
        assert!(outcome.is_err(), "seed {seed}");
        faults += 1;
    }
    assert!(faults > 50);
}

#[test]
fn the_example_of_order() {
    for with_filler in [false, true] {
        let mut heap = Heap::new();
        let olds: Vec<Address> = (0..4).map(|_| heap.add(0, 0, 1)).collect();
        let young = heap.add(1, 0, 1);
        let before = heap.spaces(KINDS);
        heap.tops = [heap.bottom(0), heap.bottom(1)];
        let mut truth = Vec::new();
        for (index, &from) in olds.iter().chain([&young]).enumerate() {
            if index != 1 {
                let to = heap.add(0, 0, 1);
                truth.push(heap.survivor(from, to, 0));
            } else if with_filler {
                heap.add(0, 2, 1);
            }
        }
        let slid = Slid {
            before,
            after: heap,
            truth,
        };
        let mut survivors = in_place(&slid.truth);
        assert_eq!(place(&slid, &mut survivors), Ok(()));
        assert_eq!(survivors, slid.truth);
        let after_the_filler = if with_filler { 16 } else { 0 };
        assert_eq!(survivors[3].to, olds[3].plus(after_the_filler));
    }
}

#[test]
fn regions_are_filled_in_any_order_or_left_alone() {
    let kinds = [SpaceKind::Old, SpaceKind::Old];
    let mut heap = Heap::new();
    let stayed = [heap.add(0, 0, 1), heap.add(0, 0, 1), heap.add(0, 1, 1)];
    let moved = [heap.add(1, 0, 1), heap.add(1, 1, 1)];
    let before = heap.spaces(kinds);
    // The second object of the first region is dead and still in place; the two of the second region have swapped places.
    heap.tops[1] = heap.bottom(1);
    let first = heap.add(1, 1, 1);
    let second = heap.add(1, 0, 1);
    let survivors = [
        heap.survivor(stayed[0], stayed[0], 0),
        heap.survivor(stayed[2], stayed[2], 1),
        heap.survivor(moved[0], second, 0),
        heap.survivor(moved[1], first, 1),
    ];
    let outcome = |survivors: &[Survivor]| check(&heap, &before, kinds, Collector::G1, survivors);
    assert_eq!(outcome(&survivors), Ok(()));
    // Without one survivor of the second region, an object is there that did not move.
    assert!(matches!(
        outcome(&survivors[..3]),
        Err(MovesFault::Coverage { .. })
    ));
    let mut wrong = survivors;
    wrong[2].to = first;
    assert!(matches!(
        outcome(&wrong),
        Err(MovesFault::Destination { .. })
    ));
    wrong[2].to = heap.tops[1];
    assert!(matches!(
        outcome(&wrong),
        Err(MovesFault::Destination { .. })
    ));
}

#[test]
fn live_objects_by_their_mark_words() {
    let mut heap = Heap::new();
    let first = heap.add(0, 0, 0b11);
    heap.add(0, 1, 0b01);
    let last = heap.add(0, 1, 0b11);
    let sizes = ObjectSizes::made_up();
    let mut walk = LiveWalk::new(&heap.classes, &sizes, None);
    // SAFETY: the addresses are inside memory of the made-up heap, which lives as long as the test.
    unsafe { walk.by_mark_words(&heap.spaces(KINDS)[0]) }.expect("parses");
    let survivors = [heap.survivor(first, first, 0), heap.survivor(last, last, 1)];
    assert_eq!(walk.found.survivors, survivors);
    assert_eq!((walk.found.dead, walk.found.walked), (1, 3));
    heap.tops[0] = heap.tops[0].plus(8);
    let mut walk = LiveWalk::new(&heap.classes, &sizes, None);
    // SAFETY: the addresses are inside memory of the made-up heap, which lives as long as the test.
    let outcome = unsafe { walk.by_mark_words(&heap.spaces(KINDS)[0]) };
    assert!(matches!(
        outcome,
        Err(MovesFault::Unparsed { space: 0, .. })
    ));
}
