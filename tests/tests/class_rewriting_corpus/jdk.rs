//! The JDKs of this machine and their classes, extracted once per build folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, ensure};

/// The classes of some modules of one JDK.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// Name of the JDK's folder.
    pub(crate) name: String,
    /// Home of the JDK.
    pub(crate) home: PathBuf,
    /// Folder with a folder per module.
    pub(crate) root: PathBuf,
    /// The modules.
    pub(crate) modules: Vec<String>,
    /// All class files, in order.
    pub(crate) classes: Vec<PathBuf>,
}

/// All corpora; extracts them on first use.
pub(crate) fn corpora() -> Result<&'static [Corpus]> {
    static CORPORA: OnceLock<Result<Vec<Corpus>, String>> = OnceLock::new();
    let corpora = CORPORA.get_or_init(|| extract_all().map_err(|error| format!("{error:#}")));
    corpora
        .as_deref()
        .map_err(|error| anyhow::anyhow!("{error}"))
}

fn extract_all() -> Result<Vec<Corpus>> {
    let homes = homes()?;
    if homes.is_empty() {
        println!("SKIPPED: no JDK with jimage and javac in DUCKTRACK_JDKS or /usr/lib/jvm");
    }
    homes.iter().map(|home| extract(home)).collect()
}

/// Homes of full JDKs, each once.
fn homes() -> Result<Vec<PathBuf>> {
    let named = match std::env::var("DUCKTRACK_JDKS") {
        Ok(list) => list
            .split(':')
            .filter(|home| !home.is_empty())
            .map(PathBuf::from)
            .collect(),
        Err(_) => match std::fs::read_dir("/usr/lib/jvm") {
            Ok(entries) => entries
                .map(|entry| Ok(entry?.path()))
                .collect::<Result<Vec<_>>>()?,
            Err(_) => Vec::new(),
        },
    };
    let full = |home: &PathBuf| {
        ["jimage", "javac", "java"]
            .iter()
            .all(|tool| home.join("bin").join(tool).is_file())
    };
    let mut homes: Vec<PathBuf> = named
        .into_iter()
        .filter_map(|home| home.canonicalize().ok())
        .filter(full)
        .collect();
    homes.sort();
    homes.dedup();
    Ok(homes)
}

fn extract(home: &Path) -> Result<Corpus> {
    let name = home
        .file_name()
        .context("a folder name")?
        .to_string_lossy()
        .into_owned();
    let modules = std::env::var("DUCKTRACK_CORPUS_MODULES")
        .unwrap_or_else(|_| "java.base,java.desktop".to_owned());
    let image = home.join("lib/modules");
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "jdk-classes/{name}-{}-{modules}",
        std::fs::metadata(&image)?.len()
    ));
    let modules: Vec<String> = modules.split(',').map(str::to_owned).collect();
    if !root.is_dir() {
        let partial = root.with_extension("partial");
        let pattern = format!(
            "regex:/({})/.*\\.class",
            modules.join("|").replace('.', "\\.")
        );
        let status = Command::new(home.join("bin/jimage"))
            .args(["extract", "--include", &pattern, "--dir"])
            .args([&partial, &image])
            .status()?;
        ensure!(status.success(), "jimage of {name} failed");
        std::fs::rename(&partial, &root)?;
    }
    let mut classes = Vec::new();
    for module in &modules {
        collect(&root.join(module), &mut classes)?;
    }
    classes.sort();
    Ok(Corpus {
        name,
        home: home.to_owned(),
        root,
        modules,
        classes,
    })
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
