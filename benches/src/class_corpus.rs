//! Real classes for the benches of single stages: `java.base` of a JDK, extracted from its image with the JDK's own
//! `jimage`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The bytes of many class files, in path order.
#[derive(Clone, Debug)]
pub struct ClassCorpus {
    /// One entry per class.
    pub classes: Vec<Vec<u8>>,
}

impl ClassCorpus {
    /// Extracts `java.base` of the JDK in `DUCKTRACK_JDK_17` or `JAVA_HOME` (it must have `bin/jimage`).
    ///
    /// # Errors
    /// If there is no such JDK, or its image cannot be extracted.
    pub fn java_base() -> Result<ClassCorpus> {
        let home = ["DUCKTRACK_JDK_17", "JAVA_HOME"]
            .iter()
            .find_map(std::env::var_os);
        let home = PathBuf::from(home.context("neither DUCKTRACK_JDK_17 nor JAVA_HOME is set")?);
        let directory =
            std::env::temp_dir().join(format!("ducktrack-class-corpus-{}", std::process::id()));
        let result = extract(&home, &directory).and_then(|()| read_classes(&directory));
        std::fs::remove_dir_all(&directory).ok();
        let classes = result?;
        ensure!(
            classes.len() > 1000,
            "only {} classes in java.base of {}",
            classes.len(),
            home.display()
        );
        Ok(ClassCorpus { classes })
    }

    /// Total bytes of all classes.
    pub fn bytes(&self) -> u64 {
        self.classes.iter().map(|class| class.len() as u64).sum()
    }
}

fn extract(home: &Path, directory: &Path) -> Result<()> {
    let mut command = Command::new(home.join("bin/jimage"));
    command
        .arg("extract")
        .arg("--dir")
        .arg(directory)
        .args(["--include", "regex:/java.base/.*"]);
    let status = command
        .arg(home.join("lib/modules"))
        .status()
        .with_context(|| format!("jimage of {}", home.display()))?;
    ensure!(status.success(), "jimage of {}: {status}", home.display());
    Ok(())
}

fn read_classes(directory: &Path) -> Result<Vec<Vec<u8>>> {
    let mut paths = Vec::new();
    collect(directory, &mut paths)?;
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).with_context(|| format!("{}", path.display())))
        .collect()
}

fn collect(directory: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), paths)?;
        } else if entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "class")
        {
            paths.push(entry.path());
        }
    }
    Ok(())
}
