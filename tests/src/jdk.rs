//! Finds the JDKs of this machine.
//!
//! They are searched in `DUCKTRACK_JDKS` (colon-separated, as exported by `scripts/install-jdks --print`), `JAVA_HOME`,
//! `DUCKTRACK_JAVAC_17`, `DUCKTRACK_JAVAC_25`, `/usr/lib/jvm/*`, and `.jdks/*` of the checkout. The first of each version is used, with
//! full JDKs before runtimes. `DUCKTRACK_ONLY_JDK=21` selects that version only.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

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

impl Jdk {
    /// A command for one of its tools, e.g. `java` or `jcmd`.
    #[must_use]
    pub fn tool(&self, name: &str) -> Command {
        Command::new(self.home.join("bin").join(name))
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
    let mut found = every_jdk();
    if let Ok(only) = std::env::var("DUCKTRACK_ONLY_JDK") {
        found.retain(|jdk| jdk.version.to_string() == only);
    }
    found
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

/// The JDKs of the matrix, or only the one in `DUCKTRACK_ONLY_JDK`; an error if one is missing.
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

/// Folders that may contain JDKs, in order of preference.
fn homes() -> Vec<PathBuf> {
    let mut homes = Vec::new();
    for variable in ["DUCKTRACK_JDKS", "JAVA_HOME"] {
        if let Some(value) = std::env::var_os(variable) {
            homes.extend(std::env::split_paths(&value));
        }
    }
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
