//! Which classes are taken.
//!
//! | | JDK 17 | JDK 25 | JDK 11, 21 | libraries |
//! |---|---|---|---|---|
//! | usually | `java.base` | `java.base`, `java.desktop` | `java.base`, if it is the only JDK to test on | |
//! | `DUCKTRACK_FULL=1` | all modules | all modules | all modules | all, on 17, 21, 25 |
//!
//! `DUCKTRACK_CORPUS_MODULES=java.sql,java.xml` takes these modules instead,
//! `DUCKTRACK_CORPUS_LIBRARIES=jruby,clojure` of the libraries these. They are those of the workloads, which
//! `scripts/harness-build` puts beside each driver, and with `--corpora` those of `java-harness/class-corpora`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, ensure};
use ducktrack_tests::{Jdk, harness_folder, is_full_run, matrix_jdks, traced_jdks};

use crate::corpus::Corpus;

/// The classes of the JDKs; unpacks them on first use.
pub(crate) fn of_jdks() -> Result<&'static [Corpus]> {
    static CORPORA: OnceLock<Result<Vec<Corpus>, String>> = OnceLock::new();
    found_once(&CORPORA, || {
        let mut jdks = matrix_jdks();
        if jdks.len() > 1 && !is_full_run() {
            jdks.retain(|jdk| [17, 25].contains(&jdk.version));
        }
        let corpora = jdks
            .iter()
            .map(|jdk| Corpus::of_modules(jdk, &modules_on(jdk)));
        corpora.collect()
    })
}

/// The classes of the libraries; none unless everything is asked for.
pub(crate) fn of_libraries() -> Result<&'static [Corpus]> {
    static CORPORA: OnceLock<Result<Vec<Corpus>, String>> = OnceLock::new();
    found_once(&CORPORA, || {
        if !is_full_run() {
            return Ok(Vec::new());
        }
        let mut corpora = Vec::new();
        // The libraries are there for JDK 17 and later, as the harness is.
        for jdk in &traced_jdks() {
            for (name, jars) in libraries()? {
                corpora.push(Corpus::of_jars(jdk, &name, &jars)?);
            }
        }
        Ok(corpora)
    })
}

fn found_once(
    corpora: &'static OnceLock<Result<Vec<Corpus>, String>>,
    find: impl FnOnce() -> Result<Vec<Corpus>>,
) -> Result<&'static [Corpus]> {
    let corpora = corpora.get_or_init(|| find().map_err(|error| format!("{error:#}")));
    corpora
        .as_deref()
        .map_err(|error| anyhow::anyhow!("{error}"))
}

/// The modules to take; none: all.
fn modules_on(jdk: &Jdk) -> Vec<String> {
    if let Ok(modules) = std::env::var("DUCKTRACK_CORPUS_MODULES") {
        return modules.split(',').map(str::to_owned).collect();
    }
    let modules: &[&str] = match jdk.version {
        _ if is_full_run() => &[],
        25.. => &["java.base", "java.desktop"],
        _ => &["java.base"],
    };
    modules.iter().map(|&module| module.to_owned()).collect()
}

/// Per library its jars, in order; a workload's are beside its driver.
fn libraries() -> Result<Vec<(String, Vec<PathBuf>)>> {
    let mut libraries = Vec::new();
    for kind in ["lib", "corpora"] {
        let folder = harness_folder().join(kind);
        let found = sorted(&folder).context("no libraries: scripts/harness-build --corpora")?;
        ensure!(found.len() > 5, "{}: too few libraries", folder.display());
        for library in found {
            let mut jars = sorted(&library)?;
            jars.retain(|file| file.extension().is_some_and(|extension| extension == "jar"));
            let name = library.file_name().context("a name")?.to_string_lossy();
            libraries.push((name.into_owned(), jars));
        }
    }
    let only = std::env::var("DUCKTRACK_CORPUS_LIBRARIES").ok();
    let is_wanted = |name: &str| {
        only.as_ref()
            .is_none_or(|only| only.split(',').any(|one| one == name))
    };
    libraries.retain(|(name, _)| is_wanted(name));
    Ok(libraries)
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    Ok(paths)
}
