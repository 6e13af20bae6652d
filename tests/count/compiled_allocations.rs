//! What the JIT removes stays removed: bytes that reach the heap in compiled
//! code, by the JVM's own counter of the thread, bare against counting.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use ducktrack_tests::{Jdk, agent_argument, compiled, printed_by, traced_jdks};

/// Shapes that are dearer with the agent, on the JDKs of that version and later, as agent/LIMITS.md says ("Joined concatenations").
const DEARER: [(&str, u32); 4] = [
    ("plusEq", 11),
    ("ternary", 11),
    ("buffer", 11),
    ("sbReused", 22),
];

/// Bytes of a pass of each shape.
fn bytes_of_shapes(
    jdk: &Jdk,
    classes: &Path,
    agent: Option<&str>,
    only: &[&str],
) -> anyhow::Result<BTreeMap<String, f64>> {
    let lines = printed_by(
        jdk.java(classes)
            // Compilation stops the program, so that all passes that are measured are compiled.
            .args(["-Xbatch", "-Xmx300m"])
            .args(agent)
            .arg("CompiledAllocations")
            .args(only),
    );
    let shapes = lines.lines().map(|line| {
        let (shape, bytes) = line.split_once(' ').context("a shape and its bytes")?;
        Ok((shape.to_owned(), bytes.parse()?))
    });
    shapes.collect()
}

/// Within one percent, or half a byte where the JIT removes everything.
fn is_dearer(counting: f64, bare: f64) -> bool {
    counting > (bare * 1.01).max(bare + 0.5)
}

#[test]
fn what_reaches_the_heap_is_as_bare() -> anyhow::Result<()> {
    // At this level, javac makes a chain of StringBuilder of each concatenation.
    let folder = compiled(&["CompiledAllocations"], 8);
    for jdk in traced_jdks() {
        let output = folder.path().join(jdk.version.to_string());
        let agent = agent_argument("stacks=off", &output);
        let bare = bytes_of_shapes(&jdk, folder.path(), None, &[])?;
        let counting = bytes_of_shapes(&jdk, folder.path(), Some(&agent), &[])?;
        let is_known = |shape: &str| {
            DEARER
                .iter()
                .any(|(known, from)| *known == shape && jdk.version >= *from)
        };
        let seems = bare.iter().filter(|(shape, bare)| {
            counting
                .get(*shape)
                .is_none_or(|counting| is_dearer(*counting, **bare))
        });
        let mut dearer = Vec::new();
        for (shape, _) in seems.filter(|(shape, _)| !is_known(shape)) {
            // What the compiler has seen of other shapes may decide: a shape that seems dearer is looked at alone.
            let alone = [shape.as_str()];
            let bare = bytes_of_shapes(&jdk, folder.path(), None, &alone)?[shape];
            let counting = bytes_of_shapes(&jdk, folder.path(), Some(&agent), &alone)?[shape];
            if is_dearer(counting, bare) {
                dearer.push((shape, bare, counting));
            }
        }
        assert!(
            dearer.is_empty(),
            "{jdk}: shape, bare, counting: {dearer:?}"
        );
        assert_eq!(bare.len(), counting.len());
    }
    Ok(())
}
