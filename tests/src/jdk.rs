//! Finds the JDKs of this machine.
//!
//! They are searched in `DUCKTRACK_JDKS` (colon-separated, as exported by `scripts/install-jdks --print`), `JAVA_HOME`,
//! `DUCKTRACK_JAVAC_17`, `DUCKTRACK_JAVAC_25`, `/usr/lib/jvm/*`, and `.jdks/*` of the checkout. The first of each version is used, with
//! full JDKs before runtimes. `DUCKTRACK_ONLY_JDK=21` selects that version only: what `DUCKTRACK_JDKS` has of it, even a runtime.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::announcement::skipped;

/// The versions on which every test must pass.
const MATRIX: [u32; 4] = [11, 17, 21, 25];

/// The oldest version that supports tracing.
const FIRST_TRACED: u32 = 17;

/// One installed JDK or runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jdk {
    /// Feature version: 11, 17, 21, 25.
    pub version: u32,
    /// Its folder.
    pub home: PathBuf,
}

impl std::fmt::Display for Jdk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Java {}", self.version)
    }
}

impl Jdk {
    /// A command for one of its tools, e.g. `java` or `jcmd`.
    #[must_use]
    pub fn tool(&self, name: &str) -> Command {
        Command::new(self.home.join("bin").join(name))
    }

    /// `java -cp CLASS_PATH`
    #[must_use]
    pub fn java(&self, class_path: impl AsRef<OsStr>) -> Command {
        let mut java = self.tool("java");
        java.arg("-cp").arg(class_path);
        java
    }

    /// Whether it has this tool.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.home.join("bin").join(name).exists()
    }

    /// Whether it is new enough for `mode=trace`.
    #[must_use]
    pub fn can_be_traced(&self) -> bool {
        self.version >= FIRST_TRACED
    }

    /// Whether it is tried before it is in the list (`scripts/try-jdk`):
    /// choices that take turns among those in the list are all taken on it.
    #[must_use]
    pub fn is_new(&self) -> bool {
        !MATRIX.contains(&self.version)
    }

    /// Whether its VM starts with these options.
    #[must_use]
    pub fn accepts(&self, options: &[&str]) -> bool {
        let outcome = self.tool("java").args(options).arg("-version").output();
        outcome.is_ok_and(|output| output.status.success())
    }
}

/// Whether the tests run on one JDK only.
pub(crate) fn is_one_jdk() -> bool {
    std::env::var_os("DUCKTRACK_ONLY_JDK").is_some()
}

/// The JDKs to test on: one of each version found, oldest first.
#[must_use]
pub fn installed_jdks() -> Vec<Jdk> {
    match std::env::var("DUCKTRACK_ONLY_JDK") {
        Ok(only) => only_jdk(&only, &named_homes()).into_iter().collect(),
        Err(_) => every_jdk(),
    }
}

/// Of this version: one that is named comes before one that is found, whether or not it has a compiler.
fn only_jdk(version: &str, named: &[PathBuf]) -> Option<Jdk> {
    let is_wanted = |jdk: &Jdk| jdk.version.to_string() == version;
    let named = named.iter().filter_map(|home| jdk_at(home));
    named.chain(every_jdk()).find(is_wanted)
}

/// All JDKs found, regardless of `DUCKTRACK_ONLY_JDK`: programs are compiled by another JDK than the one they run on.
pub(crate) fn every_jdk() -> Vec<Jdk> {
    let mut found: Vec<Jdk> = homes().iter().filter_map(|home| jdk_at(home)).collect();
    // The sort is stable, so equal entries keep the order of preference.
    found.sort_by_key(|jdk| (jdk.version, !jdk.has("javac")));
    found.dedup_by_key(|jdk| jdk.version);
    found
}

/// The JDKs of the matrix that support tracing. If `DUCKTRACK_ONLY_JDK` names an older one, there is none, and a line
/// announces that.
#[must_use]
pub fn traced_jdks() -> Vec<Jdk> {
    let mut jdks = matrix_jdks();
    jdks.retain(Jdk::can_be_traced);
    if jdks.is_empty() {
        skipped(&format!(
            "tracing: it needs JDK {FIRST_TRACED} or later, and none is asked for"
        ));
    }
    jdks
}

/// The newest of the matrix, which can stand in for a later one. If
/// `DUCKTRACK_ONLY_JDK` names another, there is none, and a line announces that.
#[must_use]
pub fn newest_jdk() -> Option<Jdk> {
    let mut jdks = matrix_jdks().into_iter();
    let newest = jdks.find(|jdk| MATRIX.last() == Some(&jdk.version));
    if newest.is_none() {
        skipped("a later JDK: only the newest of the list stands in for one");
    }
    newest
}

/// The JDKs of the matrix, or only the one in `DUCKTRACK_ONLY_JDK`, which may be one that is not in it yet.
///
/// # Panics
/// One is missing.
#[must_use]
pub fn matrix_jdks() -> Vec<Jdk> {
    let installed = installed_jdks();
    let only = std::env::var("DUCKTRACK_ONLY_JDK");
    let wanted = only.map_or(MATRIX.to_vec(), |only| {
        vec![only.parse().expect("a version in DUCKTRACK_ONLY_JDK")]
    });
    let found = wanted.into_iter().map(|version| {
        let jdk = installed.iter().find(|jdk| jdk.version == version);
        jdk.cloned()
            .unwrap_or_else(|| panic!("no JDK {version} found: scripts/install-jdks"))
    });
    found.collect()
}

/// Folders that may contain JDKs, in order of preference.
fn homes() -> Vec<PathBuf> {
    let mut homes = named_homes();
    homes.extend(std::env::var_os("JAVA_HOME").map(PathBuf::from));
    // Compilers have these names in scripts/install-jdks.
    for variable in ["DUCKTRACK_JAVAC_17", "DUCKTRACK_JAVAC_25"] {
        let javac = std::env::var_os(variable).map(PathBuf::from);
        homes.extend(javac.and_then(|javac| Some(javac.parent()?.parent()?.to_owned())));
    }
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.jdks");
    for parent in [Path::new("/usr/lib/jvm"), &checkout] {
        let mut inside: Vec<PathBuf> = std::fs::read_dir(parent)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        inside.sort();
        homes.extend(inside);
    }
    homes
}

/// Those of `DUCKTRACK_JDKS`.
fn named_homes() -> Vec<PathBuf> {
    let named = std::env::var_os("DUCKTRACK_JDKS").unwrap_or_default();
    std::env::split_paths(&named).collect()
}

/// The JDK in a folder, as described by its `release` file.
fn jdk_at(home: &Path) -> Option<Jdk> {
    let release = std::fs::read_to_string(home.join("release")).ok()?;
    let line = release
        .lines()
        .find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
    let digits: String = line.chars().take_while(char::is_ascii_digit).collect();
    let jdk = Jdk {
        version: digits.parse().ok()?,
        home: home.canonicalize().ok()?,
    };
    jdk.has("java").then_some(jdk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_that_is_named_comes_before_a_full_jdk_of_its_version() {
        let found = every_jdk();
        let full = found.iter().find(|jdk| jdk.has("javac"));
        let version = full.map_or(17, |jdk| jdk.version);
        let home = tempfile::tempdir().expect("temporary folder");
        std::fs::create_dir(home.path().join("bin")).expect("bin");
        std::fs::write(home.path().join("bin/java"), "").expect("java");
        let release = format!("JAVA_VERSION=\"{version}.0.1\"\n");
        std::fs::write(home.path().join("release"), release).expect("release");
        let named = [home.path().canonicalize().expect("its path")];
        let only = |named: &[PathBuf]| only_jdk(&version.to_string(), named);
        assert_eq!(only(&named).map(|jdk| jdk.home), Some(named[0].clone()));
        assert_eq!(only(&[]).as_ref(), full);
        assert_eq!(only_jdk("99", &named), None);
    }
}
