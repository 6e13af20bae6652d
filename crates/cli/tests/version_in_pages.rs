//! The guides and manifests name this version: a reader copies commands with it.

use std::fs;
use std::path::{Path, PathBuf};

/// A version follows one of these.
const BEFORE: [&str; 6] = [
    "ducktrack-",
    "ducktrack:",
    "ducktrack-junit:",
    "ducktrack-gradle-plugin:",
    "newTag: ",
    "<version>",
];

#[test]
fn pages_name_this_version() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = 0;
    for page in files(&root.join("guide")).chain(files(&root.join("deploy/kubernetes"))) {
        let text = fs::read_to_string(&page).expect("text");
        for version in BEFORE.iter().flat_map(|word| versions_after(&text, word)) {
            assert_eq!(version, env!("CARGO_PKG_VERSION"), "{}", page.display());
            found += 1;
        }
    }
    assert!(found >= 10, "{found} versions");
}

fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").path())
}

/// Numbers with dots between them, after each `word`.
fn versions_after<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let parts = text.split(word).skip(1);
    let numbers = parts.map(|part| {
        let end = part.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
        part[..end.unwrap_or(part.len())].trim_end_matches('.')
    });
    numbers.filter(|number| number.contains('.')).collect()
}
