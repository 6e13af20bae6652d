//! Classes of one kind on one JDK: as files, with the JVM's own errors when it links them.
//!
//! The JVM writes its own classes to files (`ClassCorpus`), so that a runtime without tools will do. They are kept in the build folder.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, ensure};
use ducktrack_tests::{Jdk, compiled};
use tempfile::TempDir;

use crate::linker::{self, Outcomes};

/// Some classes.
pub(crate) struct Corpus {
    /// `JDK 17` or `JDK 17 lucene`.
    pub(crate) name: String,
    /// The JDK that links them.
    pub(crate) jdk: Jdk,
    /// Folder with all class files: with a folder per module, or with the packages of a class path.
    pub(crate) root: PathBuf,
    /// The modules; none for a class path.
    pub(crate) modules: Vec<String>,
    /// All class files, in order.
    pub(crate) classes: Vec<PathBuf>,
    unedited: OnceLock<Result<Outcomes, String>>,
}

impl Corpus {
    /// Classes of the modules that a JDK has of these; of all its modules if none is named.
    pub(crate) fn of_modules(jdk: &Jdk, wanted: &[String]) -> Result<Self> {
        let image = std::fs::metadata(jdk.home.join("lib/modules"))?.len();
        let part = match wanted {
            [] => "all".to_owned(),
            some => some.join("+"),
        };
        let folder = format!("{}-{image}-{part}", jdk.version);
        let words: Vec<&str> = wanted.iter().map(String::as_str).collect();
        let root = unpacked(jdk, &folder, "modules", &words)?;
        let modules = names_in(&root)?;
        ensure!(!modules.is_empty(), "{part}: no such module");
        Self::new(format!("JDK {}", jdk.version), jdk, root, modules)
    }

    /// Classes of a class path.
    pub(crate) fn of_jars(jdk: &Jdk, name: &str, jars: &[PathBuf]) -> Result<Self> {
        let words: Vec<&str> = jars.iter().filter_map(|jar| jar.to_str()).collect();
        let mut bytes = 0;
        for jar in jars {
            bytes += std::fs::metadata(jar)?.len();
        }
        let folder = format!("{}-{name}-{bytes}", jdk.version);
        let root = unpacked(jdk, &folder, "jars", &words)?;
        Self::new(format!("JDK {} {name}", jdk.version), jdk, root, Vec::new())
    }

    /// Classes of a folder that is there already.
    pub(crate) fn of_folder(jdk: &Jdk, name: &str, folder: &Path) -> Result<Self> {
        let name = format!("JDK {} {name}", jdk.version);
        Self::new(name, jdk, folder.to_owned(), Vec::new())
    }

    fn new(name: String, jdk: &Jdk, root: PathBuf, modules: Vec<String>) -> Result<Self> {
        let mut classes = Vec::new();
        collect(&root, &mut classes)?;
        classes.sort();
        Ok(Self {
            name,
            jdk: jdk.clone(),
            root,
            modules,
            classes,
            unedited: OnceLock::new(),
        })
    }

    /// The name of a class by its file; none if it cannot be loaded by name.
    pub(crate) fn class_name(&self, path: &Path) -> Option<String> {
        let relative = path.strip_prefix(&self.root).ok()?.with_extension("");
        let parts = relative.iter().skip(usize::from(!self.modules.is_empty()));
        let name: Vec<_> = parts.map(|part| part.to_string_lossy()).collect();
        (name != ["module-info"]).then(|| name.join("."))
    }

    /// Classes that do not link as they are: some need others that are not there.
    pub(crate) fn unedited(&self) -> Result<&Outcomes> {
        let link = || linker::outcomes(self, None).map_err(|error| format!("{error:#}"));
        let outcomes = self.unedited.get_or_init(link);
        outcomes
            .as_ref()
            .map_err(|error| anyhow::anyhow!("{error}"))
    }
}

/// Lets the JVM write classes into a folder of that name, once.
fn unpacked(jdk: &Jdk, name: &str, what: &str, words: &[&str]) -> Result<PathBuf> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("class-corpora")
        .join(name);
    if root.is_dir() {
        return Ok(root);
    }
    let partial = root.with_extension(format!("partial-{}", std::process::id()));
    let mut java = jdk.java(programs());
    java.args(["ClassCorpus", what]).arg(&partial).args(words);
    let status = java.status()?;
    ensure!(status.success(), "{name}: classes could not be unpacked");
    std::fs::rename(&partial, &root)?;
    Ok(root)
}

/// `ClassCorpus` and `ClassLinker`, compiled once.
pub(crate) fn programs() -> &'static Path {
    static PROGRAMS: OnceLock<TempDir> = OnceLock::new();
    let compile = || compiled(&["ClassCorpus", "ClassLinker"], 11);
    PROGRAMS.get_or_init(compile).path()
}

fn names_in(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn collect(folder: &Path, classes: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, classes)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "class")
        {
            classes.push(path);
        }
    }
    Ok(())
}
