//! The content of a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder, by their paths from there, with their content. A folder that is not there has none.
///
/// # Panics
/// A file cannot be read.
pub fn files_below(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap_or(&path).to_owned();
                found.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    found
}
