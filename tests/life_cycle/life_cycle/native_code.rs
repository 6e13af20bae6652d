//! Objects that native code makes in awkward ways, counted exactly: variable arguments beyond the registers,
//! constructors that throw, abstract classes, strings of both widths, threads that the VM did not start.

use std::collections::BTreeMap;

use ducktrack_tests::{Jdk, native_library, skipped};

use crate::recording::Recording;
use crate::tracked_jvm::{TrackedJvm, jdks, jdks_in_turn};

/// `JniProbe.ROUNDS`.
const EACH: i64 = 2_000;
/// Four threads do them.
const ROUNDS: i64 = 4 * EACH;

/// Objects and bytes by method and type, of sites of the kind `jni`.
fn made(recording: &Recording) -> BTreeMap<(String, String), (i64, i64)> {
    let mut made = BTreeMap::new();
    for site in recording
        .report
        .sites
        .iter()
        .filter(|site| site.kind == "jni")
    {
        for ty in &site.types {
            let key = (format!("{}.{}", site.class, site.method), ty.ty.clone());
            let sum = made.entry(key).or_insert((0, 0));
            *sum = (sum.0 + ty.count, sum.1 + ty.bytes);
        }
    }
    made
}

fn check(jdks: &[Jdk], vm_options: &[&str], breaks_rules: bool) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let Some(library) = native_library(folder.path(), "jni_probe") else {
        skipped("native code: no C compiler or no jni.h");
        return;
    };
    for jdk in jdks {
        let output = folder.path().join(format!("out-{}", jdk.version));
        let library = library.display().to_string();
        let words = if breaks_rules {
            &[&*library, "rules-are-broken"][..]
        } else {
            &[&*library]
        };
        let outcome = TrackedJvm::recording(jdk, "", &output)
            .vm(vm_options)
            .run_program("JniProbe", words);
        assert!(
            outcome.status.success() && outcome.out == "DONE\n",
            "{jdk}: {outcome:?}"
        );
        let recording = Recording::of(&output);
        assert!(
            recording.report.losses.is_empty(),
            "{:?}",
            recording.report.losses
        );
        let made = made(&recording);
        let of = |method: &str, ty: &str| {
            made.get(&(method.to_owned(), ty.to_owned()))
                .copied()
                .unwrap_or_default()
        };
        assert_eq!(
            of("JniProbe.manyArguments", "JniProbe$Many"),
            (ROUNDS, ROUNDS * 16)
        );
        assert_eq!(
            of("JniProbe.noArguments", "JniProbe$Plain"),
            (ROUNDS, ROUNDS * 24)
        );
        assert_eq!(
            of("JniProbe.noArguments", "JniProbe$Throwing"),
            (ROUNDS, ROUNDS * 16),
            "made, then thrown away"
        );
        assert!(!made.keys().any(|(_, ty)| ty == "JniProbe$Abstract"));
        // Ten wide letters and none; six wide letters and none.
        assert_eq!(
            of("JniProbe.wide", "java.lang.String"),
            (2 * ROUNDS, 2 * ROUNDS * 24)
        );
        assert_eq!(
            of("JniProbe.wide", "byte[]"),
            (2 * ROUNDS, ROUNDS * (40 + 16))
        );
        assert_eq!(
            of("JniProbe.utf", "byte[]"),
            (2 * ROUNDS, ROUNDS * (32 + 16))
        );
        assert_eq!(of("JniProbe.arrays", "byte[]"), (EACH, EACH * 40));
        assert_eq!(
            of("(JNI).NewDoubleArray", "double[]"),
            (10 * EACH, 10 * EACH * 56),
            "threads that attach"
        );
        let expected = if breaks_rules {
            (EACH, EACH * 24)
        } else {
            (0, 0)
        };
        assert_eq!(
            of("JniProbe.whilePending", "int[]"),
            expected,
            "an exception was pending"
        );
    }
}

#[test]
fn awkward_objects() {
    check(&jdks_in_turn(11, 0), &[], true);
}

#[test]
fn awkward_objects_under_the_checker() {
    // Without -Xrs JDK 11 also complains of signals that the process that started this test has ignored.
    check(&jdks_in_turn(11, 1), &["-Xcheck:jni", "-Xrs"], false);
}

#[test]
fn awkward_objects_interpreted() {
    // One is enough: exceptions are slow here.
    let jdks: Vec<Jdk> = jdks(17).into_iter().take(1).collect();
    check(&jdks, &["-Xint"], true);
}
