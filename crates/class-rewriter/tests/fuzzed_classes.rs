//! Fuzz target: class files with any bytes changed. A class is refused by
//! name, or rewritten into one that can be read again; nothing panics.
//!
//! `cargo test` takes about a second; `DUCKTRACK_FULL` takes 60 times as many cases.

use std::sync::LazyLock;

use ducktrack_class_rewriter::{
    AllocationProbes, ClassRewriter, ConsecutiveNumbers, RewriteOptions, Stamps, ThreadTotals,
    TrackedMethods,
};
use ducktrack_classfile::ClassFile;
use proptest::prelude::*;

const SEEDS: [&[u8]; 5] = [
    include_bytes!("../../../agent/src/helper/DuckTrack.class"),
    include_bytes!("../../../agent/src/helper/DuckTrackEventBuffer.class"),
    include_bytes!("../../../agent/src/helper/DuckTrackEvents.class"),
    include_bytes!("../../../agent/src/helper/DuckTrackHints.class"),
    include_bytes!("../../../agent/src/helper/DuckTrackUses.class"),
];

/// As many as a build without optimization does in about a second.
const CASES: u32 = 4000;

static TRACKED: LazyLock<TrackedMethods> = LazyLock::new(TrackedMethods::built_in);

/// One change of a class file; places and lengths are taken modulo the file's length.
#[derive(Clone, Debug)]
enum Change {
    Set(u16, u8),
    Add(u16, u8),
    Insert(u16, u8),
    Remove(u16, u8),
    Copy(u16, u16, u8),
    Cut(u16),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        any::<(u16, u8)>().prop_map(|(at, value)| Change::Set(at, value)),
        any::<(u16, u8)>().prop_map(|(at, value)| Change::Add(at, value)),
        any::<(u16, u8)>().prop_map(|(at, value)| Change::Insert(at, value)),
        any::<(u16, u8)>().prop_map(|(at, length)| Change::Remove(at, length)),
        any::<(u16, u16, u8)>().prop_map(|(from, to, length)| Change::Copy(from, to, length)),
        any::<u16>().prop_map(Change::Cut),
    ]
}

fn apply(change: &Change, bytes: &mut Vec<u8>) {
    let Some(last) = bytes.len().checked_sub(1) else {
        return;
    };
    let place = |at: u16| usize::from(at) % (last + 1);
    match *change {
        Change::Set(at, value) => bytes[place(at)] = value,
        Change::Add(at, value) => {
            let at = place(at);
            bytes[at] = bytes[at].wrapping_add(value);
        }
        Change::Insert(at, value) => bytes.insert(place(at), value),
        Change::Remove(at, length) => {
            let at = place(at);
            bytes.drain(at..(at + usize::from(length)).min(last + 1));
        }
        Change::Copy(from, to, length) => {
            let (from, to) = (place(from), place(to));
            let piece = bytes[from..(from + usize::from(length)).min(last + 1)].to_vec();
            bytes.splice(to..to, piece);
        }
        Change::Cut(at) => bytes.truncate(place(at)),
    }
}

fn options(allocations: AllocationProbes, all: bool) -> RewriteOptions {
    RewriteOptions {
        allocations,
        histogram: all,
        materialized: all,
        totals: ThreadTotals::None,
        calls: true,
        off_heap: true,
        joined_chains: true,
        profile: allocations == AllocationProbes::PathCounters,
        redundant_stamps: false,
    }
}

/// The properties that hold for any bytes.
fn rewrite(bytes: &[u8], options: &RewriteOptions) {
    let rewriter = ClassRewriter {
        options,
        tracked: &TRACKED,
        application: None,
        contexts: None,
        hidden: false,
        stamps: match options.allocations {
            AllocationProbes::Events => Stamps::Witness,
            AllocationProbes::PathCounters | AllocationProbes::None => Stamps::Uses,
            AllocationProbes::SiteCounters => Stamps::None,
        },
    };
    let rewritten = rewriter.rewrite(bytes, &[], &mut ConsecutiveNumbers::default());
    if let Ok(rewritten) = rewritten
        && let Some(bytes) = rewritten.bytes
    {
        let class = ClassFile::parse(&bytes).expect("a rewritten class can be read");
        assert!(class.methods().count() > 0);
    }
}

fn choices() -> [RewriteOptions; 3] {
    [
        options(AllocationProbes::PathCounters, true),
        options(AllocationProbes::SiteCounters, false),
        options(AllocationProbes::Events, false),
    ]
}

fn cases() -> ProptestConfig {
    let is_full = std::env::var_os("DUCKTRACK_FULL").is_some_and(|value| !value.is_empty());
    ProptestConfig::with_cases(if is_full { 60 * CASES } else { CASES })
}

#[test]
fn the_seeds_are_refused_or_rewritten() {
    for seed in SEEDS {
        for options in &choices() {
            rewrite(seed, options);
        }
    }
}

proptest! {
    #![proptest_config(cases())]

    // One change nearly always leaves a class that can be read, four hardly ever.
    #[test]
    fn any_class_file_is_refused_or_rewritten(
        seed in prop::sample::select(&SEEDS[..]),
        choice in 0..3_usize,
        changes in prop::collection::vec(change(), 1..=4),
    ) {
        let mut bytes = seed.to_vec();
        for change in &changes {
            apply(change, &mut bytes);
        }
        rewrite(&bytes, &choices()[choice]);
    }
}
