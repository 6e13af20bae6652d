//! Out of memory, in every way a JVM has to end by it: the report names what filled the heap.

use ducktrack_tests::{Jdk, Turns, checked, matrix_jdks, pairs};

use crate::probe::Place;

const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
const ENDS: [&[&str]; 3] = [
    &[],
    &["-XX:+ExitOnOutOfMemoryError"],
    &["-XX:+CrashOnOutOfMemoryError"],
];
/// Of a heap of 24 MB.
const AT_LEAST: i64 = 15 << 20;

fn check(jdk: &Jdk, vm: &[&str]) {
    let place = Place::new();
    let vm = [&["-Xmx24m"], vm].concat();
    let errors = place.start(jdk, "", &vm, &["fill"]).end();
    let context = format!("{jdk} {vm:?}: {errors}");
    let report = place.report();
    let of = |ty: &str| {
        let sites = report
            .sites
            .iter()
            .filter(|site| site.class.starts_with("KilledProbe"));
        let sites = sites.filter(|site| site.ty.as_deref() == Some(ty));
        sites
            .map(|site| (site.count, site.bytes))
            .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
    };
    let ((fillers, _), (arrays, bytes)) = (of("KilledProbe$Filler"), of("long[]"));
    assert!(bytes > AT_LEAST, "{context} {fillers} {arrays} {bytes}");
    // The last array or its owner found no room.
    assert!(
        (0..=1).contains(&(fillers - arrays)),
        "{context} {fillers} {arrays}"
    );
    let first = report
        .sites
        .first()
        .map(|site| (site.class.as_str(), site.ty.as_deref()));
    assert_eq!(
        first,
        Some(("KilledProbe$Filler", Some("long[]"))),
        "{context}"
    );
    assert_eq!(report.completeness.size_unknown_objects, 0, "{context}");
}

#[test]
fn out_of_memory_names_what_filled_the_heap() {
    let (mut runs, mut turns) = (0, Turns::new());
    for (number, jdk) in matrix_jdks().iter().enumerate() {
        // Each JDK with another collector and another end than the one before.
        for (collector, end) in turns.take(&pairs(&COLLECTORS, &ENDS), number) {
            check(jdk, &[&[*collector], *end].concat());
            runs += 1;
        }
    }
    turns.announce("out of memory");
    checked(&format!(
        "{runs} JVMs out of memory, each report names what filled the heap"
    ));
}
