//! Collectors set so that a class histogram is comparable: asked for one, the VM collects and compacts the whole heap, and leaves no dead object in place.

use crate::Jdk;

const LAYOUTS: [&[&str]; 4] = [
    &["-XX:+UseSerialGC", "-XX:MarkSweepAlwaysCompactCount=1"],
    &[
        "-XX:+UseParallelGC",
        "-XX:HeapMaximumCompactionInterval=1",
        "-XX:HeapFirstMaximumCompactionCount=1",
    ],
    &["-XX:+UseG1GC"],
    // Of JDK 25 and later.
    &["-XX:+UseG1GC", "-XX:+UseCompactObjectHeaders"],
];

/// The options of each collector and object layout that this JDK has.
pub fn exact_histogram_options(jdk: &Jdk) -> impl Iterator<Item = &'static [&'static str]> {
    LAYOUTS.into_iter().filter(|options| jdk.accepts(options))
}
