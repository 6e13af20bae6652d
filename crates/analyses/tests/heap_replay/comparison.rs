//! What the naive machine expects, in the form in which it is compared with the model's answers.

use std::collections::BTreeMap;

use ducktrack_analyses::{CompositionPoint, Cost, GcCost, HeapAt, LiveSite, Lives};
use ducktrack_live_heap::Amount;

use ducktrack_test_support::naive_vm::{ExpectedHeap, NaiveVm, SITES, descriptor};

use crate::replaying::Replayed;

/// The same of an answer.
fn answered(heap: &HeapAt) -> ExpectedHeap {
    let types = heap
        .types
        .iter()
        .map(|row| (row.ty.as_deref().map(str::to_owned), row.live));
    let site = |site: &LiveSite| site.site.map(|index| index.get());
    let threads = heap
        .threads
        .iter()
        .map(|row| (row.name.as_deref().map(str::to_owned), row.live));
    ExpectedHeap {
        types: types.collect(),
        sites: heap.sites.iter().map(|row| (site(row), row.live)).collect(),
        callers: heap.sites.iter().flat_map(answered_callers).collect(),
        ages: heap
            .sites
            .iter()
            .map(|row| (site(row), row.ages.clone()))
            .collect(),
        threads: threads.collect(),
        new: heap.not_yet_collected,
    }
}

fn answered_callers(
    site: &LiveSite,
) -> impl Iterator<Item = ((usize, Option<usize>), Amount)> + use<'_> {
    // Without any caller there are no rows.
    let none = site.callers.is_empty().then_some((None, site.live));
    let rows = site.callers.iter().map(|row| (row.call, row.live));
    let rows = rows.chain(none);
    rows.filter_map(|(call, live)| Some(((site.site?.get(), call.map(|call| call.get())), live)))
}

/// Compares every answer of a trace that was read from its first file on.
pub(crate) fn check_all(vm: &NaiveVm, model: &Replayed) {
    check_heaps(vm, model, 0);
    check_lifetimes(vm, model);
    check_info(vm, model);
    check_timeline(vm, model);
    check_survivors(vm, model);
    check_costs(vm, model);
}

/// What the histories keep is the heap: that of the last look, if it counts, else that of the last collection, or before a loss; and no
/// more stays than was born in epochs whose collections are known, and in the others, whose births the trace does not show, by the machine.
fn check_survivors(vm: &NaiveVm, model: &Replayed) {
    let survivors = &model.survivors;
    let live = survivors.rows.iter().map(|row| row.history.live());
    let live = live.sum::<ducktrack_leaks::Amount>();
    assert_eq!(live, survivors.live);
    let judged = match survivors.look.filter(|_| survivors.is_at_look) {
        Some(look) => look.collection.0,
        None => vm.epoch,
    };
    let heap = judged.checked_sub(1);
    let heap = heap.and_then(|at| model.heaps[at as usize].as_ref());
    if let Some(heap) = heap.filter(|_| survivors.known) {
        let is_it =
            |heap: &HeapAt| (heap.total.count, heap.total.bytes) == (live.objects, live.bytes);
        // Where the heap was lost, it may be that of a collection before.
        let is_lost = vm.told.contains(&false);
        let is_before = is_lost && model.heaps.iter().flatten().any(is_it);
        assert!(is_it(heap) || is_before, "{live:?} of {:?}", heap.total);
    }
    for row in survivors.rows.iter().filter(|row| row.site.is_some()) {
        let born: ducktrack_leaks::Amount = row.history.born.iter().copied().sum();
        let kept: ducktrack_leaks::Amount = row.history.kept.iter().copied().sum();
        let of_row = vm.objects.iter().filter(|object| {
            let is_site = |site| row.sites.iter().any(|index| index.get() == site);
            let call = row.call.map_or(0, |call| call.get() as u32 + 1);
            object.site.is_some_and(is_site) && object.caller == call
        });
        let unseen = of_row.filter(|object| !vm.told.get(object.birth as usize).unwrap_or(&true));
        let most = born.objects + unseen.count() as u64;
        assert!(kept.objects <= most, "{} of {most}: {row:?}", kept.objects);
    }
}

/// Compares the heaps after all collections from `first` on, and at the end.
pub(crate) fn check_heaps(vm: &NaiveVm, model: &Replayed, first: usize) {
    for (number, expected) in vm.heaps.iter().enumerate().skip(first) {
        let answer = model.heaps[number].as_ref();
        answer.iter().for_each(|heap| check_sums(heap));
        let answer = answer.map(answered);
        assert_eq!(&answer, expected, "after {}", number + 1);
    }
    let end = model.heaps.last().unwrap().as_ref();
    end.iter().for_each(|heap| check_sums(heap));
    let is_known = vm.heaps.last().is_none_or(Option::is_some);
    let expected = is_known.then(|| ExpectedHeap::of(&vm.objects, vm.epoch, true));
    let end = end.map(answered);
    assert_eq!(end, expected, "at the end");
}

fn check_sums(heap: &HeapAt) {
    let types: Amount = heap.types.iter().map(|row| row.live).sum();
    let threads: Amount = heap.threads.iter().map(|row| row.live).sum();
    assert_eq!((types, threads), (heap.total, heap.total));
    for site in &heap.sites {
        assert_eq!(
            site.types.iter().map(|row| row.live).sum::<Amount>(),
            site.live
        );
        assert_eq!(site.ages.iter().sum::<u64>(), site.live.count);
        for caller in &site.callers {
            let types = caller.types.iter().map(|row| row.live);
            assert_eq!(types.sum::<Amount>(), caller.live);
            assert_eq!(caller.ages.iter().sum::<u64>(), caller.live.count);
        }
    }
    assert_eq!(heap.ages.iter().sum::<u64>(), heap.total.count);
    assert_eq!(heap.quality.objects, heap.total.count);
}

/// Of the objects of a site, all or those of one caller. Which callers eliminated objects had is not known.
fn expected_lives(vm: &NaiveVm, site: Option<usize>, caller: Option<u32>) -> Lives {
    let of_all = |site: usize| vm.eliminated[site];
    let mut row = Lives {
        eliminated: site.filter(|_| caller.is_none()).map_or(0, of_all),
        ..Lives::default()
    };
    let add = |list: &mut Vec<u64>, survived: u32, by: u64| {
        let at = survived.min(31) as usize;
        if list.len() <= at {
            list.resize(at + 1, 0);
        }
        list[at] += by;
    };
    let is_caller = |its: u32| caller.is_none_or(|caller| caller == its);
    let objects = vm.objects.iter();
    for object in objects.filter(|object| object.site == site && is_caller(object.caller)) {
        let one = Amount {
            count: 1,
            bytes: object.bytes,
        };
        if site.is_none() && !object.found {
            // It was never seen, or only when the heap was known again.
            continue;
        }
        row.allocated += one;
        if object.promoted {
            row.promoted += one;
        }
        if object.lost {
            row.unknown_fate += one;
        } else if let Some(death) = object.death {
            let survived = object.survived(death);
            add(&mut row.died, survived, 1);
            add(&mut row.died_bytes, survived, object.bytes);
            if object.promoted {
                row.died_promoted += one;
                add(&mut row.promoted_died, survived, 1);
            }
        } else if object.is_in_heap(vm.epoch) {
            row.alive += one;
        } else if object.is_new(vm.epoch) {
            row.not_yet_collected += one;
        } else {
            // Its address was never told, and no collection has found it: taken for dead.
            add(&mut row.died, 0, 1);
            add(&mut row.died_bytes, 0, object.bytes);
        }
    }
    row
}

/// Without what the naive VM does not know.
fn comparable(lives: &Lives) -> Lives {
    assert!(lives.bytes_until_death.iter().sum::<u64>() <= lives.dead());
    Lives {
        bytes_until_death: Vec::new(),
        ..lives.clone()
    }
}

fn check_lifetimes(vm: &NaiveVm, model: &Replayed) {
    let lifetimes = &model.lifetimes;
    let told = vm.told.iter().filter(|told| **told).count() as u64;
    let is_known = told > 0 || vm.told.is_empty();
    for site in (0..SITES.len()).map(Some).chain([None]) {
        let found = lifetimes
            .sites
            .iter()
            .find(|row| row.site.map(|index| index.get()) == site);
        let found = found.cloned().unwrap_or_default();
        let lives = comparable(&found.lives);
        assert_eq!(lives, expected_lives(vm, site, None), "{site:?}");
        let mut of_site = vm.objects.iter().filter(|object| object.site == site);
        let has_callers = site.is_some() && of_site.any(|object| object.caller > 0);
        assert!(!has_callers || !found.callers.is_empty(), "{site:?}");
        for row in &found.callers {
            let caller = row.call.map_or(0, |call| call.get() as u32 + 1);
            let mut lives = comparable(&row.lives);
            lives.eliminated = 0;
            let expected = expected_lives(vm, site, Some(caller));
            assert_eq!(lives, expected, "{site:?}, caller {caller}");
        }
        let allocated: Amount = found.callers.iter().map(|row| row.lives.allocated).sum();
        let eliminated: u64 = found.callers.iter().map(|row| row.lives.eliminated).sum();
        let all = (found.lives.allocated, found.lives.eliminated);
        assert!(
            found.callers.is_empty() || all == (allocated, eliminated),
            "{site:?}"
        );
    }
    // Known again, but no collection more: nothing to tell of deaths, but of what is there.
    let known_at_end = vm.heaps.last().is_some_and(Option::is_some);
    assert_eq!(lifetimes.known, is_known || known_at_end);
    let expected = match lifetimes.known {
        true => told,
        false => vm.told.len() as u64,
    };
    assert_eq!(lifetimes.collections, expected);
    let total = &lifetimes.total;
    let ends = [total.alive, total.not_yet_collected, total.unknown_fate];
    let ends: u64 = ends.iter().map(|amount| amount.count).sum();
    assert_eq!(total.allocated.count, total.dead() + ends);
}

fn check_info(vm: &NaiveVm, model: &Replayed) {
    let info = &model.info;
    let made = vm.objects.iter().filter(|object| object.site.is_some());
    let made: Amount = made
        .map(|object| Amount {
            count: 1,
            bytes: object.bytes,
        })
        .sum();
    let straggling = vm
        .objects
        .iter()
        .filter(|object| object.site.is_some())
        .count() as u64;
    assert_eq!(info.sums.allocated, made);
    assert_eq!(straggling, made.count);
    assert_eq!(info.sums.eliminated, vm.eliminated.iter().sum::<u64>());
    assert_eq!(info.sums.events, made.count + info.sums.eliminated);
    let faults = (
        info.unexplained_survivors,
        info.conflicts,
        info.sums.malformed,
        info.sums.size_unknown,
    );
    assert_eq!(faults, (0, 0, 0, 0));
    assert_eq!(info.collections, vm.heaps.len() as u64);
    for rotation in &info.rotations {
        let is_told = vm.told[rotation.collection as usize - 1];
        assert_eq!(rotation.differences, is_told.then_some(0), "{rotation:?}");
    }
}

fn check_timeline(vm: &NaiveVm, model: &Replayed) {
    let timeline = &model.timeline;
    assert_eq!(timeline.points.len(), vm.heaps.len());
    for (number, (point, heap)) in timeline.points.iter().zip(&vm.heaps).enumerate() {
        let heap = heap.as_ref().filter(|_| vm.told[number]);
        let live = heap.map(|heap| heap.sites.values().copied().sum::<Amount>());
        assert_eq!(point.collection as usize, number + 1);
        assert_eq!(point.live, live);
        assert_eq!(point.pause_micros(), 100_000);
    }
    let allocated: u64 = timeline
        .points
        .iter()
        .map(|point| point.allocated.count)
        .sum();
    assert_eq!(
        allocated + timeline.allocated_after.count,
        model.info.sums.allocated.count
    );
    for point in &timeline.composition {
        check_composition(point, model);
    }
}

/// Parts add up to sites and types, and are those of the heap at the same moment.
fn check_composition(point: &CompositionPoint, model: &Replayed) {
    let (mut by_site, mut by_type) = (BTreeMap::new(), BTreeMap::new());
    let mut by_caller: BTreeMap<_, Amount> = BTreeMap::new();
    for (part, live) in &point.parts {
        *by_site.entry(part.origin.site).or_insert(Amount::default()) += *live;
        *by_type.entry(part.ty).or_insert(Amount::default()) += *live;
        let caller = (part.origin.site.site(), part.origin.caller.call());
        *by_caller.entry(caller).or_default() += *live;
    }
    assert_eq!(by_site.into_iter().collect::<Vec<_>>(), point.sites);
    assert_eq!(by_type.into_iter().collect::<Vec<_>>(), point.types);
    assert_eq!(by_caller.values().copied().sum::<Amount>(), point.total);
    let mut heaps = model.heaps.iter().flatten();
    let Some(heap) = heaps.find(|heap| heap.collection == Some(point.collection)) else {
        return;
    };
    for site in &heap.sites {
        let of_site = by_caller.iter().filter(|((of, _), _)| *of == site.site);
        let live = of_site.map(|(_, live)| *live).sum::<Amount>();
        assert_eq!(live, site.live);
        for caller in &site.callers {
            assert_eq!(by_caller[&(site.site, caller.call)], caller.live);
        }
    }
}

/// Copies by type are those of the machine; what all sites pay for is what all pauses took.
fn check_costs(vm: &NaiveVm, model: &Replayed) {
    let costs = &model.costs;
    let told = vm.told.iter().filter(|told| **told).count() as u64;
    let pauses: u64 = costs.models.iter().map(|model| model.pauses).sum();
    assert_eq!((pauses, costs.unknown), (told, vm.told.len() as u64 - told));
    let mut copied: BTreeMap<Option<String>, Amount> = BTreeMap::new();
    for (survivors, _) in vm.survivors.iter().zip(&vm.told).filter(|(_, told)| **told) {
        for survivor in survivors.iter().filter(|one| one.from != one.to) {
            let ty = Some(descriptor(survivor.class));
            *copied.entry(ty).or_default() += Amount::one(survivor.bytes);
        }
    }
    let rows = costs.types.iter();
    let rows = rows.map(|row| (row.ty.as_deref().map(str::to_owned), row.cost.copied));
    let answered: BTreeMap<_, _> = rows.filter(|(_, copied)| !copied.is_zero()).collect();
    assert_eq!(answered, copied);
    let promoted = model.timeline.points.iter();
    let promoted: Amount = promoted.filter_map(|point| point.promoted).sum();
    assert_eq!(costs.total.promoted, promoted);
    check_cost_sums(costs);
}

fn check_cost_sums(costs: &GcCost) {
    let by_type = costs.types.iter().map(|row| &row.cost);
    let by_site = costs.sites.iter().map(|row| &row.cost);
    for sum in [summed(by_type), summed(by_site)] {
        assert_eq!(sum.copied, costs.total.copied);
        assert_eq!(sum.promoted, costs.total.promoted);
        assert_eq!(sum.promoted_soon_dead, costs.total.promoted_soon_dead);
        let ages: u64 = sum.copied_by_age.iter().sum();
        assert_eq!(ages, sum.copied.bytes);
        for (kind, model) in sum.kinds.iter().zip(&costs.models) {
            assert!((kind.brought_on - (model.pauses - model.asked) as f64).abs() < 1e-6);
            assert_eq!(kind.work, model.work);
        }
        let nanos: u64 = costs.models.iter().map(|model| model.nanos).sum();
        let asked = costs.models.iter();
        let asked = asked.map(|model| model.asked as f64 * model.constant_nanos());
        let explained = sum.pause_nanos(&costs.models).value + asked.sum::<f64>();
        assert!((explained - nanos as f64).abs() < 1e-6 * nanos as f64 + 1.0);
    }
    for site in &costs.sites {
        let callers = summed(site.callers.iter().map(|row| &row.cost));
        assert!(site.callers.is_empty() || callers.copied == site.cost.copied);
        let saved = costs.without(&site.cost);
        assert!(
            saved.low <= saved.value && saved.value <= saved.high,
            "{saved:?}"
        );
    }
}

fn summed<'a>(costs: impl Iterator<Item = &'a Cost>) -> Cost {
    let mut sum = Cost::default();
    costs.for_each(|cost| sum += cost);
    sum
}
