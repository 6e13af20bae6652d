//! The list of methods against the checked-in class files of the helper.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ducktrack_classfile::{ClassFile, access};
use ducktrack_probe_vocabulary::helper::{CLASSES, HELPER_NAMES, own, own_method};
use ducktrack_probe_vocabulary::helper::{counting, keyed};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../agent/src/helper")
}

/// A class file's static methods: name, descriptor, whether it is public.
fn static_methods(class: &str) -> Vec<(String, String, bool)> {
    let simple = class.rsplit('/').next().expect("a name");
    let file = folder().join(format!("{simple}.class"));
    let bytes = std::fs::read(&file).expect("the class is checked in");
    let class = ClassFile::parse(&bytes).expect("a class file");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let methods = class.methods().filter(|method| method.is_static());
    methods
        .filter(|method| method.name() != b"<clinit>")
        .map(|method| {
            let is_public = method.access_flags() & access::PUBLIC != 0;
            (text(method.name()), text(method.descriptor()), is_public)
        })
        .collect()
}

#[test]
fn every_method_of_the_list_is_there_and_every_public_method_is_in_the_list() {
    for (class, listed) in CLASSES {
        let methods = static_methods(class);
        for method in *listed {
            assert_eq!(method.class, *class);
            let is_there = |(name, descriptor, _): &(String, String, bool)| {
                name == method.name && descriptor == method.descriptor
            };
            assert!(methods.iter().any(is_there), "{method:?}");
        }
        for (name, descriptor, is_public) in &methods {
            let is_listed = listed
                .iter()
                .any(|method| method.name == name && method.descriptor == descriptor);
            assert!(
                !is_public || is_listed,
                "{class}.{name}{descriptor} is not used"
            );
        }
    }
}

#[test]
fn every_class_file_is_in_the_list() {
    let listed: BTreeSet<String> = CLASSES
        .iter()
        .map(|(class, _)| format!("{}.class", class.rsplit('/').next().expect("a name")))
        .collect();
    let files: BTreeSet<String> = std::fs::read_dir(folder())
        .expect("the folder")
        .map(|file| {
            file.expect("a file")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    assert_eq!(files, listed);
    assert!(
        files
            .iter()
            .all(|file| file.as_bytes().starts_with(HELPER_NAMES))
    );
}

#[test]
fn names_speak() {
    for (class, _) in CLASSES {
        for (name, descriptor, _) in static_methods(class) {
            assert!(name.len() > 2, "{class}.{name}{descriptor}");
        }
    }
}

#[test]
fn each_method_of_application_code_stands_for_one() {
    let others: Vec<_> = counting::ALL.iter().chain(keyed::ALL).copied().collect();
    for own in own::ALL {
        let for_it = others
            .iter()
            .filter(|other| own_method(**other) == Some(*own));
        assert_eq!(for_it.count(), 1, "{own:?}");
    }
}
