//! How deep an interpreted recursion comes, beside the bare JVM's: where each frame
//! calls methods that pass their blame on, notes of callers take room of the stack.

use ducktrack_tests::checked;

use crate::tracked_jvm::{TrackedJvm, jdks_in_turn};

/// Of the bare depth: with calls of library methods as the limits say, and where no frame notes anything.
const WITH_NOTES: f64 = 0.80;
const WITHOUT: f64 = 0.97;

fn depth(jvm: TrackedJvm, program: &str) -> f64 {
    let vm = ["-Xint", "-Xss2m"];
    let outcome = jvm.vm(&vm).run_program("RecursionDepth", &[program]);
    let deepest = outcome.out.trim().parse();
    deepest.unwrap_or_else(|_| panic!("{outcome:?}"))
}

#[test]
fn interpreted_recursion_comes_nearly_as_deep_as_without_the_agent() {
    for jdk in jdks_in_turn(11, 21) {
        let mut shares = Vec::new();
        for (program, more, least) in [
            ("library", "", WITH_NOTES),
            ("library", ",context=off", WITHOUT),
            ("plain", "", WITHOUT),
        ] {
            let place = tempfile::tempdir().expect("temporary folder");
            let options = format!("summary=off,output=out{more}");
            let tracked = TrackedJvm::new(&jdk, &options).directory(place.path());
            let share = depth(tracked, program) / depth(TrackedJvm::bare(&jdk), program);
            assert!(
                share >= least,
                "{jdk} {program}{more}: {share:.3} of the bare depth"
            );
            shares.push(format!("{program}{more} {share:.3}"));
        }
        checked(&format!(
            "{jdk}: depth of interpreted recursion over the bare one: {}",
            shares.join(", ")
        ));
    }
}
