//! Last uses of random objects in random programs, followed through all moves by a naive list of objects.

use std::collections::BTreeMap;

use ducktrack_analyses::{Levels, StalenessAt};
use ducktrack_heap_replay::Moment;
use ducktrack_live_heap::Amount;
use ducktrack_trace_format::{AddressRange, Collection, CollectionKind, UseEncoder, UsesHead};
use proptest::prelude::*;

use ducktrack_test_support::naive_vm::{NaiveSurvivor, NaiveVm, Piece};

use crate::program::{cases, plain_programs};
use crate::replaying::replay;

/// An object that a collection has left.
#[derive(Clone, Copy, Debug)]
struct Tracked {
    bytes: u64,
    used: u32,
    /// As far as the trace has said it.
    known: u32,
}

/// The program's uses, and what the trace says of them.
#[derive(Debug, Default)]
struct Uses {
    objects: BTreeMap<u64, Tracked>,
    /// Stamps by address; nothing clears them.
    shadow: BTreeMap<u64, u32>,
    /// Everything was looked at in this epoch.
    all_until: Option<u32>,
    kinds: Vec<CollectionKind>,
    random: u64,
}

impl Uses {
    fn chance(&mut self, of: u64) -> bool {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.random >> 33).is_multiple_of(of)
    }

    /// Uses before a collection, and the content of the block that tells them.
    fn before(&mut self, collection: &Collection, survivors: &[NaiveSurvivor]) -> Vec<Vec<u8>> {
        let epoch = collection.number - 1;
        let addresses: Vec<u64> = self.objects.keys().copied().collect();
        for address in addresses {
            if self.chance(3)
                && let Some(object) = self.objects.get_mut(&address)
            {
                object.used = epoch;
                self.shadow.insert(address, epoch);
            }
        }
        // New objects leave stamps, too.
        for survivor in survivors {
            if !self.objects.contains_key(&survivor.from) && self.chance(2) {
                self.shadow.insert(survivor.from, epoch);
            }
        }
        let all = self.chance(2);
        self.told(epoch, all, &collection.collected)
    }

    fn told(&mut self, epoch: u32, all: bool, collected: &[AddressRange]) -> Vec<Vec<u8>> {
        let is_told = |address: u64| all || collected.iter().any(|range| range.contains(address));
        let mut encoder = UseEncoder::new(UsesHead { epoch, all });
        for (address, stamp) in &self.shadow {
            let is_new = self.all_until.is_none_or(|until| *stamp > until);
            if is_told(*address) && is_new {
                encoder.push(*address, *stamp);
            }
        }
        for (address, object) in &mut self.objects {
            if is_told(*address) {
                object.known = object.used;
            }
        }
        if all {
            self.all_until = Some(epoch);
        }
        encoder.finish()
    }

    /// What a collection left, and where.
    fn after(&mut self, collection: &Collection, survivors: &[NaiveSurvivor]) {
        let epoch = collection.number - 1;
        self.kinds.push(collection.kind);
        let in_collected = |address: &u64| {
            let mut ranges = collection.collected.iter();
            ranges.any(|range| range.contains(*address))
        };
        let mut arrived = BTreeMap::new();
        for survivor in survivors {
            let made = Tracked {
                bytes: survivor.bytes,
                used: epoch,
                known: epoch,
            };
            let object = self.objects.get(&survivor.from).copied().unwrap_or(made);
            arrived.insert(survivor.to, object);
        }
        self.objects.retain(|address, _| !in_collected(address));
        self.objects.extend(arrived);
    }

    /// By level, after the last collection.
    fn levels(&self) -> Vec<Amount> {
        let mut levels = vec![Amount::default(); 33];
        for object in self.objects.values() {
            let later = self.kinds.iter().skip(object.known as usize);
            let collected = later.filter(|kind| **kind != CollectionKind::Cleanup);
            let staleness = collected.count().saturating_sub(1);
            let level = (u64::BITS - (staleness as u64).leading_zeros()) as usize;
            levels[level] += Amount {
                count: 1,
                bytes: object.bytes,
            };
        }
        while levels.last().is_some_and(|last| last.count == 0) {
            levels.pop();
        }
        levels
    }
}

/// The pieces with blocks of uses, and what they say.
fn with_uses(vm: &NaiveVm, seed: u64) -> (Vec<Piece>, Uses) {
    let mut uses = Uses {
        random: seed,
        ..Uses::default()
    };
    let mut pieces = Vec::new();
    let mut survivors = vm.survivors.iter();
    for piece in &vm.pieces {
        if let Piece::Collection(collection, _) = piece {
            let survivors = survivors.next().expect("one list a collection");
            let contents = uses.before(collection, survivors);
            pieces.extend(contents.into_iter().map(Piece::Uses));
            uses.after(collection, survivors);
        }
        pieces.push(piece.clone());
    }
    (pieces, uses)
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn levels_are_those_of_a_naive_list(program in plain_programs(), seed: u64) {
        let vm = NaiveVm::run(&program);
        let (pieces, uses) = with_uses(&vm, seed);
        let (_, staleness) = replay(&pieces, StalenessAt::new(Moment::End), 2);
        if vm.epoch == 0 {
            prop_assert!(staleness.is_none());
            return Ok(());
        }
        let staleness = staleness.expect("uses are in the trace");
        prop_assert_eq!(staleness.levels.amounts(), uses.levels());
        let of_sites: Amount = staleness.sites.iter().map(|site| site.levels.total()).sum();
        prop_assert_eq!(of_sites, staleness.levels.total());
        let of_types: Amount = staleness.types.iter().map(|ty| ty.levels.from_level(1)).sum();
        prop_assert_eq!(of_types, staleness.levels.from_level(1));
        // The trend's last point is the answer, and it is summed up in another way than earlier ones.
        let last = staleness.points.last().map(|point| &point.levels);
        prop_assert_eq!(last, Some(&staleness.levels));
        for point in &staleness.points {
            prop_assert_eq!(Levels::level_of(0), 0);
            prop_assert!(point.collection <= staleness.collection);
        }
    }
}
