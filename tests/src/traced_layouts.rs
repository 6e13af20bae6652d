//! The collectors and object layouts that traces are checked with.
//!
//! Serial and Parallel leave dead objects at the beginning of the old space where they are, under fillers, unless they are told to compact everything. What inside looks
//! tell needs no such options; the reconciliation of `moves=finish` goes by order and loses sites without them.

use crate::Jdk;

const LAYOUTS: [&[&str]; 4] = [
    &["-XX:+UseSerialGC"],
    &["-XX:+UseParallelGC"],
    // Of JDK 25 and later.
    &["-XX:+UseG1GC", "-XX:+UseCompactObjectHeaders"],
    &["-XX:+UseG1GC"],
];

/// What makes full collections of a collector compact everything, in its order.
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

/// The options of each collector and object layout that this JDK has.
pub fn traced_layouts(jdk: &Jdk) -> impl Iterator<Item = &'static [&'static str]> {
    LAYOUTS.into_iter().filter(|options| jdk.accepts(options))
}
