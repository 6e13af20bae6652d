//! Profiles of runs whose truth is known: sums are exact, and intervals cover the truth.

mod made_up_run;

use std::collections::BTreeMap;

use ducktrack_count_model::Tally;
use ducktrack_profile::{
    CallTree, Direction, Frame, MethodTotal, NodeLabel, Profile, Unit, method_totals, profile,
};
use made_up_run::{MadeUpRun, Random};

fn name(profile: &Profile, total: &MethodTotal) -> String {
    match profile.frame(total.frame) {
        Frame::Method { method, .. } => method.to_string(),
        other => format!("{other:?}"),
    }
}

fn totals(profile: &Profile) -> BTreeMap<String, MethodTotal> {
    let totals = method_totals(profile, Unit::Bytes);
    let named = totals
        .into_iter()
        .map(|total| (name(profile, &total), total));
    named.collect()
}

fn sum(profile: &Profile) -> Tally {
    profile.rows.iter().map(|row| row.tally).sum()
}

#[test]
fn a_site_is_exact_and_its_stacks_share_it() {
    let mut run = MadeUpRun::default();
    let (a, b) = (run.stack(&[1, 2, 9]), run.stack(&[1, 3, 9]));
    run.made(1, 9, None, (1000, 24_000));
    for _ in 0..3 {
        run.sampled(1, a, 24, 0);
    }
    run.sampled(1, b, 24, 0);
    let profile = profile(&run.model());
    assert_eq!(sum(&profile), profile.total);
    let totals = totals(&profile);
    let of = |name: &str| (totals[name].inclusive.count, totals[name].own.bytes);
    assert_eq!(of("m9"), (1000, 24_000));
    assert_eq!(
        (of("m2"), of("m3"), of("m1")),
        ((750, 0), (250, 0), (1000, 0))
    );
    assert_eq!(profile.share_with_stacks(Unit::Bytes), 1.0);
}

#[test]
fn a_caller_that_is_known_is_a_stratum_of_its_own() {
    let mut run = MadeUpRun::default();
    let (called, other) = (run.stack(&[1, 2, 9]), run.stack(&[1, 3, 9]));
    let call = run.call(2);
    run.made(1, 9, Some(call), (10, 1000));
    run.made(1, 9, None, (90, 9000));
    // The samples suggest another share: the totals of callers are exact all the same.
    for _ in 0..2 {
        run.sampled(1, called, 100, 0);
    }
    for _ in 0..8 {
        run.sampled(1, other, 100, 0);
    }
    let profile = profile(&run.model());
    let totals = totals(&profile);
    assert_eq!(totals["m2"].inclusive.bytes, 1000);
    assert_eq!(totals["m3"].inclusive.bytes, 9000);
}

#[test]
fn a_caller_that_is_known_late_gets_what_it_made_before() {
    // Half of the run without callers. 60 of 100 bytes are of m2, 40 of m3, before and after; m3 makes no tracked call.
    let (mut covered, mut estimates) = (0, 0.0);
    for seed in 0..200 {
        let (mut run, mut random) = (MadeUpRun::default(), Random(seed));
        let (called, other) = (run.stack(&[1, 2, 9]), run.stack(&[1, 3, 9]));
        let call = run.call(2);
        run.made(1, 9, Some(call), (300, 30_000));
        run.made(1, 9, None, (700, 70_000));
        for _ in 0..60 {
            let stack = if random.part() < 0.6 { called } else { other };
            run.sampled(1, stack, 100, 4000);
        }
        let profile = profile(&run.model());
        let totals = totals(&profile);
        let total = &totals["m2"];
        estimates += total.inclusive.bytes as f64 / 200.0;
        covered += u32::from(total.interval(&profile, Unit::Bytes).contains(60_000.0));
    }
    assert!(covered >= 190, "{covered} of 200");
    assert!((estimates - 60_000.0).abs() < 2000.0, "{estimates}");
}

#[test]
fn a_line_whose_callers_are_all_known_late_has_stacks() {
    let mut run = MadeUpRun::default();
    let called = run.stack(&[1, 2, 9]);
    let call = run.call(2);
    run.made(1, 9, Some(call), (46, 4600));
    run.made(1, 9, None, (54, 5400));
    for _ in 0..100 {
        run.sampled(1, called, 100, 0);
    }
    let profile = profile(&run.model());
    assert_eq!(profile.share_with_stacks(Unit::Bytes), 1.0);
    assert_eq!(totals(&profile)["m2"].inclusive.bytes, 10_000);
}

#[test]
fn a_site_without_samples_stays_at_its_site() {
    let mut run = MadeUpRun::default();
    let a = run.stack(&[1, 2]);
    run.made(1, 2, None, (10, 300));
    run.made(1, 5, None, (10, 700));
    run.sampled(1, a, 30, 0);
    let profile = profile(&run.model());
    assert_eq!(
        (profile.total.bytes, profile.with_stacks.bytes),
        (1000, 300)
    );
    let tree = CallTree::new(&profile, Direction::TopDown, Unit::Bytes);
    let first = tree.node(tree.node(0).children[0]);
    let NodeLabel::Frame(frame) = first.label else {
        panic!("{first:?}")
    };
    assert_eq!(
        (profile.frame(frame), first.tally.bytes),
        (&Frame::NoStack, 700)
    );
}

#[test]
fn threads_are_exact_where_they_have_samples_and_where_they_have_none() {
    let mut run = MadeUpRun::default();
    let (a, b) = (run.stack(&[1, 9]), run.stack(&[2, 9]));
    for (thread, bytes) in [(1, 1000), (2, 5000), (3, 70)] {
        run.made(thread, 9, None, (bytes / 10, bytes));
    }
    run.sampled(1, a, 10, 0);
    run.sampled(2, b, 10, 0);
    let profile = profile(&run.model());
    let mut by_thread: BTreeMap<String, i64> = BTreeMap::new();
    for row in &profile.rows {
        let thread = row.thread.as_deref().unwrap_or("?").to_owned();
        *by_thread.entry(thread).or_default() += row.tally.bytes;
    }
    let expected = [("t1", 1000), ("t2", 5000), ("t3", 70)];
    let expected = expected.map(|(name, bytes)| (name.to_owned(), bytes));
    assert_eq!(by_thread, BTreeMap::from(expected));
    let totals = totals(&profile);
    // For thread 3 there are only the samples of the other threads.
    assert_eq!(totals["m1"].inclusive.bytes, 1035);
}

#[test]
fn a_sample_without_a_counted_site_is_reported() {
    let mut run = MadeUpRun::default();
    let (known, unknown) = (run.stack(&[1, 2]), run.stack(&[1, 7]));
    run.made(1, 2, None, (1, 100));
    run.sampled(1, known, 100, 0);
    run.sampled(1, unknown, 100, 0);
    let profile = profile(&run.model());
    assert_eq!((profile.samples, profile.unmatched), (2, 1));
    assert_eq!(sum(&profile).bytes, 100);
}

#[test]
fn recursion_counts_a_method_once() {
    let mut run = MadeUpRun::default();
    let deep = run.stack(&[1, 2, 2, 2, 9]);
    run.made(1, 9, None, (4, 400));
    run.sampled(1, deep, 100, 0);
    let profile = profile(&run.model());
    assert_eq!(totals(&profile)["m2"].inclusive.bytes, 400);
}

#[test]
fn both_trees_sum_to_everything_and_types_and_sites_are_exact() {
    let mut run = MadeUpRun::default();
    let stacks = [
        run.stack(&[1, 2, 8]),
        run.stack(&[1, 3, 8]),
        run.stack(&[4, 9]),
    ];
    run.made(1, 8, None, (100, 3000));
    run.made(1, 9, None, (50, 1001));
    for (stack, times) in stacks.into_iter().zip([5, 2, 3]) {
        for _ in 0..times {
            run.sampled(1, stack, 30, 0);
        }
    }
    let profile = profile(&run.model());
    for direction in [Direction::TopDown, Direction::BottomUp] {
        let tree = CallTree::new(&profile, direction, Unit::Bytes);
        assert_eq!(tree.node(0).tally, profile.total);
        for node in &tree.nodes {
            let below: i64 = node
                .children
                .iter()
                .map(|at| tree.node(*at).tally.bytes)
                .sum();
            assert!(node.children.is_empty() || below == node.tally.bytes);
        }
        let inner = tree.nodes.iter().position(|node| match &node.label {
            NodeLabel::Frame(frame) => {
                matches!(profile.frame(*frame), Frame::Method { method, .. } if &**method == "m2")
            }
            _ => false,
        });
        let inner = inner.expect("m2");
        assert!(!tree.is_exact(inner));
        let interval = tree.interval(inner);
        assert!(interval.contains(tree.node(inner).tally.bytes as f64));
        assert!(interval.high > interval.low);
    }
    let tree = CallTree::new(&profile, Direction::BottomUp, Unit::Bytes);
    let ty = tree.node(0).children[0];
    assert!(tree.is_exact(ty) && tree.is_exact(tree.node(ty).children[0]));
}

/// The objects of one site that are allocated through one stack.
struct Path {
    stack: usize,
    objects: u64,
    size: u64,
}

/// A run with sites of several sizes, each called through several stacks, and the true bytes below each calling
/// method.
fn sampled_run(random: &mut Random, interval: u64) -> (MadeUpRun, BTreeMap<String, f64>) {
    let mut run = MadeUpRun::default();
    let mut truth: BTreeMap<String, f64> = BTreeMap::new();
    for site in 0..6_u32 {
        let leaf = 500 + site;
        let (mut objects, mut bytes) = (0, 0);
        for path in 0..5_u32 {
            // Sites share their callers, so the total below a caller is a sum over strata.
            let caller = 10 + path;
            let path = Path {
                stack: run.stack(&[1, caller, leaf]),
                objects: 500 + random.below(4000 * (u64::from(path) + 1)),
                size: 16 * (1 + u64::from(site) + random.below(4)),
            };
            objects += path.objects;
            bytes += path.objects * path.size;
            *truth.entry(format!("m{caller}")).or_default() += (path.objects * path.size) as f64;
            sample(&mut run, &path, random, interval);
        }
        run.made(1, leaf, None, (objects, bytes));
    }
    (run, truth)
}

fn sample(run: &mut MadeUpRun, path: &Path, random: &mut Random, interval: u64) {
    let probability = 1.0 - (-(path.size as f64) / interval as f64).exp();
    for _ in 0..path.objects {
        if random.part() < probability {
            run.sampled(1, path.stack, path.size, interval);
        }
    }
}

#[test]
fn intervals_hold_in_95_of_100_runs() {
    let mut random = Random(17);
    for interval in [4 << 10, 32 << 10] {
        let (mut held, mut all) = (0_u32, 0_u32);
        for _ in 0..120 {
            let (run, truth) = sampled_run(&mut random, interval);
            let profile = profile(&run.model());
            let totals = totals(&profile);
            for (name, bytes) in truth {
                let Some(total) = totals.get(&name) else {
                    all += 1;
                    continue;
                };
                all += 1;
                held += u32::from(total.interval(&profile, Unit::Bytes).contains(bytes));
            }
        }
        let share = f64::from(held) / f64::from(all);
        println!("interval {interval}: {held} of {all} hold");
        assert!(
            share >= 0.95,
            "sampling each {interval} bytes: {held} of {all} intervals hold"
        );
    }
}
