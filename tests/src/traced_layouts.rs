//! The collectors and object layouts with which traces are checked.

use crate::Jdk;

const LAYOUTS: [&[&str]; 4] = [
    &["-XX:+UseSerialGC"],
    &["-XX:+UseParallelGC"],
    // For JDK 25 and later.
    &["-XX:+UseG1GC", "-XX:+UseCompactObjectHeaders"],
    &["-XX:+UseG1GC"],
];

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
