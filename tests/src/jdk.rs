//! The JDKs of this machine.
//!
//! Looked for in `DUCKTRACK_JDKS` (colon-separated, as `scripts/install-jdks --print` exports it), `JAVA_HOME`, `DUCKTRACK_JAVAC_17` and
//! `DUCKTRACK_JAVAC_25`, `/usr/lib/jvm/*` and
//! `.jdks/*` of the checkout. Of each version the first is taken, full JDKs before runtimes.
//! `DUCKTRACK_ONLY_JDK=21` keeps that version only.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use crate::announcement::skipped;

/// The versions that everything must hold on.
const MATRIX: [u32; 4] = [11, 17, 21, 25];

/// The oldest version that can be traced.
const FIRST_TRACED: u32 = 17;

/// One installed JDK or runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jdk {
    /// Feature version: 11, 17, 21, 25.
    pub version: u32,
    /// Its folder.
    pub home: PathBuf,
}

impl Jdk {
    /// A command for one of its tools, e.g. `java` or `jcmd`.
    #[must_use]
    pub fn tool(&self, name: &str) -> Command {
        Command::new(self.home.join("bin").join(name))
    }

    /// Has it this tool?
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.home.join("bin").join(name).exists()
    }

    /// Is it new enough for `mode=trace`?
    #[must_use]
    pub fn can_be_traced(&self) -> bool {
        self.version >= FIRST_TRACED
    }

    /// Does its VM start with these options?
    #[must_use]
    pub fn accepts(&self, options: &[&str]) -> bool {
        let outcome = self.tool("java").args(options).arg("-version").output();
        outcome.is_ok_and(|output| output.status.success())
    }
}

/// One JDK of each version found, oldest first; those to test on.
#[must_use]
pub fn installed_jdks() -> Vec<Jdk> {
    let mut found = every_jdk();
    if let Ok(only) = std::env::var("DUCKTRACK_ONLY_JDK") {
        found.retain(|jdk| jdk.version.to_string() == only);
    }
    found
}

/// The same without a choice: programs are compiled by another JDK than they run on.
pub(crate) fn every_jdk() -> Vec<Jdk> {
    let mut found: Vec<Jdk> = homes().iter().filter_map(|home| jdk_at(home)).collect();
    // Stable: among equals the order of the places stays.
    found.sort_by_key(|jdk| (jdk.version, !jdk.has("javac")));
    found.dedup_by_key(|jdk| jdk.version);
    found
}

/// Those of the matrix that can be traced. None if the tests are asked for on an older one only, which a line says.
pub fn traced_jdks() -> anyhow::Result<Vec<Jdk>> {
    let mut jdks = matrix_jdks()?;
    jdks.retain(Jdk::can_be_traced);
    if jdks.is_empty() {
        skipped(&format!(
            "tracing: it needs JDK {FIRST_TRACED} or later, and none is asked for"
        ));
    }
    Ok(jdks)
}

/// The JDKs of the matrix, or the one that `DUCKTRACK_ONLY_JDK` names; all of them must be there.
pub fn matrix_jdks() -> anyhow::Result<Vec<Jdk>> {
    let installed = installed_jdks();
    let only = std::env::var("DUCKTRACK_ONLY_JDK").ok();
    let wanted = MATRIX.iter().filter(|version| {
        only.as_ref()
            .is_none_or(|only| *only == version.to_string())
    });
    let found = wanted.map(|version| {
        let mut jdks = installed.iter();
        jdks.find(|jdk| jdk.version == *version)
            .cloned()
            .with_context(|| format!("no JDK {version} found: scripts/install-jdks"))
    });
    let jdks: Vec<Jdk> = found.collect::<anyhow::Result<_>>()?;
    ensure!(
        !jdks.is_empty(),
        "DUCKTRACK_ONLY_JDK names no JDK of the matrix {MATRIX:?}"
    );
    Ok(jdks)
}

/// Folders that may be JDKs, in order of preference.
fn homes() -> Vec<PathBuf> {
    let mut homes = Vec::new();
    for variable in ["DUCKTRACK_JDKS", "JAVA_HOME"] {
        if let Some(value) = std::env::var_os(variable) {
            homes.extend(std::env::split_paths(&value));
        }
    }
    // As scripts/install-jdks names compilers.
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

/// The JDK in a folder, by its `release` file.
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
