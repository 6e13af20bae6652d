//! Fuzz target: class files with any bytes changed. A class is refused by
//! name, or rewritten into one that can be read again; nothing panics.
//!
//! `cargo test` changes the seeds at random for a second, `BOLERO_RANDOM_TEST_TIME_MS`
//! says for how long; `cargo bolero test` is led by coverage.

use bolero::{TypeGenerator, check};
use ducktrack_class_rewriter::{
    AllocationProbes, ClassRewriter, ConsecutiveNumbers, RewriteOptions, Stamps, ThreadTotals,
    TrackedMethods,
};
use ducktrack_classfile::ClassFile;

const SEEDS: [&[u8]; 5] = [
    include_bytes!("../../../agent/src/helper/DuckTrack.class"),
    include_bytes!("../../../agent/src/helper/DuckTrackEventBuffer.class"),
    include_bytes!("../../../agent/src/helper/DuckTrackEvents.class"),
    include_bytes!("../../../agent/src/helper/DuckTrackHints.class"),
    include_bytes!("../../../agent/src/helper/DuckTrackUses.class"),
];

/// One change of a class file; places and lengths are taken modulo the file's length.
#[derive(Clone, Debug, TypeGenerator)]
enum Change {
    Set(u16, u8),
    Add(u16, u8),
    Insert(u16, u8),
    Remove(u16, u8),
    Copy(u16, u16, u8),
    Cut(u16),
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
fn rewrite(bytes: &[u8], options: &RewriteOptions, tracked: &TrackedMethods) {
    let rewriter = ClassRewriter {
        options,
        tracked,
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

#[test]
fn any_class_file_is_refused_or_rewritten() {
    let tracked = TrackedMethods::built_in();
    let choices = [
        options(AllocationProbes::PathCounters, true),
        options(AllocationProbes::SiteCounters, false),
        options(AllocationProbes::Events, false),
    ];
    for seed in SEEDS {
        for options in &choices {
            rewrite(seed, options, &tracked);
        }
    }
    check!()
        .with_type::<(u8, u8, u8, [Change; 4])>()
        .for_each(|(seed, choice, count, changes)| {
            let mut bytes = SEEDS[usize::from(*seed) % SEEDS.len()].to_vec();
            // One change nearly always leaves a class that can be read, four hardly ever.
            for change in &changes[..=usize::from(*count) % changes.len()] {
                apply(change, &mut bytes);
            }
            let options = &choices[usize::from(*choice) % choices.len()];
            rewrite(&bytes, options, &tracked);
        });
}
