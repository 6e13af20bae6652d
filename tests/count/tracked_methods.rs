//! The built-in list of tracked methods against the class files of each JDK: a method that it takes
//! out of a tracked class allocates nothing for its caller, and what could be taken out on every JDK
//! is. The machinery of reflection stays whole: who calls through it is to blame for what is called.

use std::collections::BTreeSet;
use std::path::Path;

use ducktrack_class_rewriter::{BlamePassing, MethodName, TrackedMethods};
use ducktrack_classfile::ClassFile;
use ducktrack_tests::{Jdk, checked, compiled, matrix_jdks};

#[test]
fn what_is_taken_out_allocates_nothing_for_its_caller() {
    let programs = compiled(&["ClassBytes"], 11);
    let tracked = TrackedMethods::built_in();
    let taken_out: BTreeSet<MethodName> = tracked
        .taken_out()
        .map(|(class, method)| (class.into(), method.into()))
        .collect();
    let (mut seen, mut idle) = (BTreeSet::new(), BTreeSet::new());
    let mut passing = BTreeSet::new();
    let jdks = matrix_jdks();
    for jdk in &jdks {
        let found = blame_passing(jdk, programs.path(), &tracked);
        let wrong: Vec<String> = found.passing.intersection(&taken_out).map(text).collect();
        assert!(
            wrong.is_empty(),
            "{jdk}: these allocate for their caller: {wrong:?}"
        );
        seen.extend(found.idle.iter().chain(&found.passing).cloned());
        passing.extend(found.passing);
        idle.extend(found.idle);
    }
    let unknown: Vec<String> = taken_out.difference(&seen).map(text).collect();
    assert!(unknown.is_empty(), "on no JDK: {unknown:?}");
    let missing: Vec<MethodName> = idle
        .difference(&passing)
        .filter(|method| !taken_out.contains(*method) && !is_machinery(method))
        .cloned()
        .collect();
    assert!(
        missing.is_empty(),
        "to be taken out as well:\n{}",
        lines(&missing)
    );
    checked(&format!(
        "{} methods of tracked classes, which allocate nothing for their caller on {} JDKs",
        taken_out.len(),
        jdks.len()
    ));
}

fn blame_passing(jdk: &Jdk, programs: &Path, tracked: &TrackedMethods) -> BlamePassing {
    let folder = tempfile::tempdir().expect("temporary folder");
    let names = tracked.whole_classes().map(String::from_utf8_lossy);
    let status = jdk
        .java(programs)
        .arg("ClassBytes")
        .arg(folder.path())
        .args(names.map(String::from))
        .status()
        .expect("java");
    assert!(status.success(), "{jdk}: {status}");
    let files = std::fs::read_dir(folder.path()).expect("folder");
    let bytes: Vec<Vec<u8>> = files
        .map(|file| std::fs::read(file.expect("file").path()).expect("class file"))
        .collect();
    assert!(bytes.len() > 5, "only {} classes", bytes.len());
    let classes: Vec<ClassFile<'_>> = bytes
        .iter()
        .map(|bytes| ClassFile::parse(bytes).expect("a class file"))
        .collect();
    BlamePassing::of(&classes, tracked).expect("class files")
}

fn is_machinery((class, _): &MethodName) -> bool {
    class.starts_with(b"jdk/internal/reflect/")
}

fn text((class, method): &MethodName) -> String {
    format!(
        "{}.{}",
        String::from_utf8_lossy(class).replace('/', "."),
        String::from_utf8_lossy(method)
    )
}

/// As the list has them: a line for each class.
fn lines(methods: &[MethodName]) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut last: Option<&[u8]> = None;
    for method in methods {
        match lines.last_mut().filter(|_| last == Some(&*method.0)) {
            Some(line) => line.push_str(&format!(", {}", String::from_utf8_lossy(&method.1))),
            None => lines.push(format!("!{}", text(method))),
        }
        last = Some(&method.0);
    }
    lines.join("\n")
}
