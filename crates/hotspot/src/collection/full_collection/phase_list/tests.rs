//! Phase lists as the VM keeps them, built in our own memory.

use super::{LEVELS, PhaseList, Stage, later_stage};
use crate::address::Address;
use crate::vm::libjvm::Libjvm;

const CONSTANTS: &[u8] =
    b"\0GC Pause\0Phase 1: Mark live objects\0Reference Processing\0Phase 2: Compute new object addresses\0\
      Phase 3: Adjust pointers\0Phase 4: Move objects\0Marking Phase\0";

/// A timer in its own memory.
struct Timer {
    /// The vtable, two times, `_phases`, the open phases.
    words: Vec<u64>,
    array: Box<[u64; 2]>,
    entries: Vec<u8>,
    entry_bytes: usize,
}

impl Timer {
    fn new(entry_bytes: usize) -> Self {
        Self {
            words: vec![0; 16],
            array: Box::new([0; 2]),
            entries: Vec::with_capacity(64 * entry_bytes),
            entry_bytes,
        }
    }

    fn begin(&mut self, name: &str) {
        let place = CONSTANTS
            .windows(name.len() + 1)
            .position(|window| window == [name.as_bytes(), b"\0"].concat())
            .expect("a constant");
        let mut entry = vec![0xEE; self.entry_bytes];
        let name = CONSTANTS.as_ptr().expose_provenance() + place;
        let level = u32::try_from(self.open().len()).expect("few");
        entry[..8].copy_from_slice(&name.to_ne_bytes());
        entry[8..12].copy_from_slice(&level.to_ne_bytes());
        let number = self.entries.len() / self.entry_bytes;
        self.entries.extend(entry);
        let mut open = self.open();
        open.push(u32::try_from(number).expect("few"));
        self.store(&open);
    }

    fn end(&mut self) {
        let mut open = self.open();
        open.pop();
        self.store(&open);
    }

    /// Indices of open phases.
    fn open(&self) -> Vec<u32> {
        let halves: Vec<u32> = self.words[4..8]
            .iter()
            .flat_map(|word| [*word as u32, (word >> 32) as u32])
            .collect();
        halves[..halves[LEVELS] as usize].to_vec()
    }

    fn store(&mut self, open: &[u32]) {
        let mut halves = [0_u32; 8];
        halves[..open.len()].copy_from_slice(open);
        halves[LEVELS] = u32::try_from(open.len()).expect("few");
        for (word, pair) in self.words[4..8].iter_mut().zip(halves.chunks(2)) {
            *word = u64::from(pair[0]) | u64::from(pair[1]) << 32;
        }
        let length = (self.entries.len() / self.entry_bytes) as u64;
        self.array[0] = length | 64 << 32;
        self.array[1] = self.entries.as_ptr().expose_provenance() as u64;
        self.words[3] = self.array.as_ptr().expose_provenance() as u64;
    }

    fn place(&self) -> Address {
        Address(self.words.as_ptr().expose_provenance())
    }
}

fn list() -> PhaseList {
    PhaseList::load(&Libjvm::made_up(CONSTANTS)).expect("titles")
}

/// The stage that this timer's list shows; `None` if it is not recognized.
fn stage(list: &mut PhaseList, timer: &Timer) -> Option<Stage> {
    let snapshot = list.snapshot(timer.place().plus(24))?;
    let bytes = list.entry_bytes(&snapshot)?;
    assert_eq!(bytes, timer.entry_bytes);
    list.stage_of(&snapshot, bytes)
}

#[test]
fn every_stage_of_a_collection() {
    for entry_bytes in [40, 56] {
        let mut list = list();
        let mut timer = Timer::new(entry_bytes);
        timer.begin("GC Pause");
        assert_eq!(stage(&mut list, &timer), None, "one entry tells no length");
        timer.begin("Phase 1: Mark live objects");
        assert_eq!(stage(&mut list, &timer), Some(Stage::Marking));
        timer.begin("Reference Processing");
        timer.end();
        assert_eq!(stage(&mut list, &timer), Some(Stage::Marking));
        timer.end();
        assert_eq!(stage(&mut list, &timer), Some(Stage::Marked));
        timer.begin("Phase 2: Compute new object addresses");
        assert_eq!(stage(&mut list, &timer), Some(Stage::Preparing));
        timer.end();
        timer.begin("Phase 3: Adjust pointers");
        assert_eq!(stage(&mut list, &timer), Some(Stage::Preparing));
        timer.end();
        assert_eq!(stage(&mut list, &timer), Some(Stage::Prepared));
        timer.begin("Phase 4: Move objects");
        assert_eq!(stage(&mut list, &timer), Some(Stage::Moving));
        timer.end();
        timer.end();
        assert_eq!(stage(&mut list, &timer), Some(Stage::Moved));
    }
}

#[test]
fn a_timer_is_found_while_marking_is_open() {
    let list = list();
    let mut timer = Timer::new(56);
    timer.begin("GC Pause");
    timer.begin("Marking Phase");
    assert_eq!(list.phases_in(timer.place()), Some(timer.place().plus(24)));
    timer.end();
    // Leftovers of an earlier collection.
    assert_eq!(list.phases_in(timer.place()), None);
    assert_eq!(list.phases_in(Address(8)), None);
    assert_eq!(list.phases_in(Address::NULL), None);
}

#[test]
fn the_stack_leads_to_the_timer() {
    let mut list = list();
    let mut timer = Timer::new(40);
    timer.begin("GC Pause");
    timer.begin("Phase 1: Mark live objects");
    // The record of an open phase: vtable, title, timer.
    let record = std::hint::black_box([7, list.titles[0].0, timer.place().0]);
    assert_eq!(list.stage(), Some(Stage::Marking));
    timer.end();
    assert_eq!(list.stage(), Some(Stage::Marked));
    list.forget();
    assert_eq!(list.stage(), None, "{record:?}");
}

#[test]
fn torn_lists_are_none() {
    let mut list = list();
    let mut timer = Timer::new(56);
    timer.begin("GC Pause");
    timer.begin("Marking Phase");
    // More entries than the array has room for.
    timer.array[0] = 3 | 2 << 32;
    assert_eq!(stage(&mut list, &timer), None);
    timer.array[0] = 2 | 64 << 32;
    assert_eq!(stage(&mut list, &timer), Some(Stage::Marking));
    // An open phase that is not in the list.
    timer.words[4] |= 9 << 32;
    assert_eq!(stage(&mut list, &timer), None);
    timer.words[3] = 16;
    assert_eq!(stage(&mut list, &timer), None);
}

#[test]
fn stages_are_in_order() {
    assert!(Stage::Marking < Stage::Marked && Stage::Marked < Stage::Preparing);
    assert!(Stage::Preparing < Stage::Prepared && Stage::Prepared < Stage::Moving);
    assert_eq!(later_stage("Summary Phase", false), Stage::Preparing);
    assert_eq!(later_stage("Adjust Roots", false), Stage::Prepared);
    assert_eq!(later_stage("Compaction Phase", true), Stage::Moving);
    assert_eq!(later_stage("Post Compact", true), Stage::Preparing);
}
