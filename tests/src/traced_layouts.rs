//! The collectors and object layouts with which traces are checked.
//!
//! Unless told to compact everything, Serial and Parallel leave dead objects at the beginning of the old space in place, under fillers.
//! Inside looks need no such options; the reconciliation of `moves=finish` depends on the order and loses sites without them.

use crate::Jdk;

const LAYOUTS: [&[&str]; 4] = [
    &["-XX:+UseSerialGC"],
    &["-XX:+UseParallelGC"],
    // For JDK 25 and later.
    &["-XX:+UseG1GC", "-XX:+UseCompactObjectHeaders"],
    &["-XX:+UseG1GC"],
];

/// The options with which a collector's full collections compact everything, in order.
const COMPACTING: [&[&str]; 2] = [
    &["-XX:+UseSerialGC", "-XX:MarkSweepAlwaysCompactCount=1"],
    // Up to JDK 22.
    &[
        "-XX:+UseParallelGC",
        "-XX:HeapMaximumCompactionInterval=1",
        "-XX:HeapFirstMaximumCompactionCount=1",
    ],
];

/// The options of each collector and object layout that this JDK has, with full collections that compact everything.
pub fn compacting_layouts(jdk: &Jdk) -> impl Iterator<Item = &'static [&'static str]> {
    let others = LAYOUTS.into_iter().skip(COMPACTING.len());
    let all = COMPACTING.into_iter().chain(others);
    all.filter(|options| jdk.accepts(options))
}

/// The options of each collector and object layout, and which of these JDKs
/// have it: of three, each layout finds another one if it takes them in turn.
#[must_use]
pub fn jdks_of_traced_layouts(jdks: &[Jdk]) -> Vec<(&'static [&'static str], Vec<Jdk>)> {
    let able = |options: &[&str]| {
        let able = jdks.iter().filter(|jdk| jdk.accepts(options));
        able.cloned().collect()
    };
    LAYOUTS
        .into_iter()
        .map(|options| (options, able(options)))
        .collect()
}

/// The options of each collector and object layout that this JDK has.
pub fn traced_layouts(jdk: &Jdk) -> impl Iterator<Item = &'static [&'static str]> {
    LAYOUTS.into_iter().filter(|options| jdk.accepts(options))
}
