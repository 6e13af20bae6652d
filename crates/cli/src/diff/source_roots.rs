//! Where the sources of classes are in the repository, so that a review can show lines.

use std::path::{Path, PathBuf};

/// Where Maven and Gradle have them.
const USUAL: [&str; 5] = [
    "src/main/java",
    "src/test/java",
    "src/main/kotlin",
    "src/test/kotlin",
    "src",
];

/// Folders of sources, as paths in the repository.
pub(crate) struct SourceRoots(Vec<PathBuf>);

impl SourceRoots {
    /// The given ones; the usual ones if none is given.
    pub(crate) fn new(given: Vec<PathBuf>) -> Self {
        match given.is_empty() {
            true => Self(USUAL.iter().map(PathBuf::from).collect()),
            false => Self(given),
        }
    }

    /// The path of `com/acme/Shop.java`, if one of the folders has it.
    pub(crate) fn find(&self, file: &str) -> Option<String> {
        let is_plain = Path::new(file)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        let mut found = self
            .0
            .iter()
            .map(|root| root.join(file))
            .filter(|path| path.is_file());
        let found = found.next().filter(|_| is_plain)?;
        let path = found.strip_prefix(".").unwrap_or(&found);
        Some(path.to_string_lossy().replace('\\', "/"))
    }
}
