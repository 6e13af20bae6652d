//! Random programs for the naive machine.

use ducktrack_test_support::naive_vm::{Kind, SITES, Step, THREADS};
use proptest::prelude::*;

fn step() -> impl Strategy<Value = Step> {
    let thread = 0..THREADS;
    let site = 0..SITES.len();
    let allocate =
        (thread.clone(), site.clone(), 0_u32..2_000).prop_map(|(thread, site, length)| {
            Step::Allocate {
                thread,
                site,
                length,
            }
        });
    let eliminate =
        (thread.clone(), site.clone()).prop_map(|(thread, site)| Step::Eliminate { thread, site });
    let outside = (
        thread.clone(),
        site,
        0_u32..50_000,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(thread, site, length, old, told)| Step::Outside {
            thread,
            site,
            length,
            old,
            told,
        });
    let internal =
        (thread.clone(), 2_u32..40).prop_map(|(thread, units)| Step::Internal { thread, units });
    let levels =
        (thread.clone(), 0_u32..6, 0_u32..9).prop_map(|(thread, outer, inner)| Step::Levels {
            thread,
            outer,
            inner,
        });
    let flush = thread.clone().prop_map(|thread| Step::Flush { thread });
    let kind = prop_oneof![6 => Just(Kind::Young), 2 => Just(Kind::Full), 1 => Just(Kind::Cleanup)];
    let straggler = prop::option::weighted(0.3, thread);
    let collect = (kind, 0_u32..9, straggler, prop::bool::weighted(0.2)).prop_map(
        |(kind, chance, straggler, sync)| Step::Collect {
            kind,
            chance,
            straggler,
            sync,
        },
    );
    prop_oneof![
        60 => allocate,
        10 => eliminate,
        4 => outside,
        4 => internal,
        3 => levels,
        6 => flush,
        4 => collect,
    ]
}

/// Random programs.
pub(crate) fn programs() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 0..400)
}

/// Random programs in which the heap is lost on the way, some of them again and again.
pub(crate) fn programs_that_lose_the_heap() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![50 => step(), 1 => Just(Step::LoseHeap)];
    prop::collection::vec(step, 0..600)
}

/// Random programs whose objects are all told as they are made, and whose heap is never lost.
pub(crate) fn plain_programs() -> impl Strategy<Value = Vec<Step>> {
    let plain = step().prop_filter_map("not plain", |step| match step {
        Step::Allocate { .. } | Step::Eliminate { .. } | Step::Flush { .. } => Some(step),
        Step::Collect { kind, chance, .. } => Some(Step::Collect {
            kind,
            chance,
            straggler: None,
            sync: false,
        }),
        _ => None,
    });
    prop::collection::vec(plain, 0..500)
}

/// How many cases, or as many as `PROPTEST_CASES` says.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    match std::env::var("PROPTEST_CASES") {
        Ok(_) => ProptestConfig::default(),
        Err(_) => ProptestConfig::with_cases(usual),
    }
}
