//! The programs of `java-harness/leaks`, whose true culprit is known: each names it at its top.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::harness_folder::harness_folder;
use crate::java_program::{compiled, compiled_with};

/// The statements at the top of a program.
#[derive(Clone, Debug)]
pub struct LeakyProgram {
    /// Its class, in the package `ducktrack.leaks`.
    pub name: String,
    /// The type, the place that makes it, and what holds it. Empty: nothing leaks.
    pub culprits: Vec<[String; 3]>,
    /// The library that it uses.
    pub library: Option<String>,
    /// It has no leak.
    pub is_control: bool,
}

impl LeakyProgram {
    /// The same without its leak.
    fn repaired(&self) -> Self {
        Self {
            name: self.name.clone(),
            culprits: Vec::new(),
            library: self.library.clone(),
            is_control: true,
        }
    }

    /// Its name in the table.
    #[must_use]
    pub fn row_name(&self) -> String {
        match (&self.library, self.is_control) {
            (Some(_), true) => format!("{}, repaired", self.name),
            _ => self.name.clone(),
        }
    }

    /// Of its library.
    #[must_use]
    pub fn class_path(&self) -> Vec<PathBuf> {
        let Some(library) = &self.library else {
            return Vec::new();
        };
        let folder = harness_folder().join("lib/leaks");
        let (leaking, fixed) = (
            folder.join(format!("{library}-leaking")),
            folder.join(format!("{library}-fixed")),
        );
        assert!(
            leaking.exists(),
            "{} is not there: run scripts/harness-build first",
            leaking.display()
        );
        let version = match self.is_control && fixed.exists() {
            true => fixed,
            false => leaking,
        };
        vec![version.join("*"), folder.join(library).join("*")]
    }
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../java-harness/leaks/src/ducktrack/leaks")
}

/// All source files, those with libraries last.
fn files() -> Vec<PathBuf> {
    let libraries = sources().join("../../../libraries/ducktrack/leaks");
    let mut all = Vec::new();
    for folder in [sources(), libraries] {
        let files = std::fs::read_dir(folder).expect("java-harness/leaks");
        let start = all.len();
        all.extend(files.map(|file| file.expect("a file").path()));
        all[start..].sort();
    }
    all
}

fn all_programs() -> Vec<LeakyProgram> {
    let mut programs: Vec<LeakyProgram> = Vec::new();
    for program in files().into_iter().filter_map(|file| program(&file)) {
        let repaired = program.library.is_some().then(|| program.repaired());
        programs.push(program);
        programs.extend(repaired);
    }
    programs
}

/// Those that are to run: `DUCKTRACK_LEAKS` names some, else all; controls after what they are controls of.
#[must_use]
pub fn leaky_programs() -> Vec<LeakyProgram> {
    let mut programs = all_programs();
    if let Ok(only) = std::env::var("DUCKTRACK_LEAKS") {
        programs.retain(|program| only.split(',').any(|wanted| wanted == program.name));
    }
    programs
}

/// `None`: it has no such words, so it is no program.
fn program(source: &Path) -> Option<LeakyProgram> {
    let name = source.file_stem()?.to_str()?.to_owned();
    let text = std::fs::read_to_string(source).ok()?;
    let comment = text.split("/**").nth(1)?.split("*/").next()?;
    let words: Vec<&str> = comment
        .split_whitespace()
        .filter(|word| *word != "*")
        .map(|word| word.trim_start_matches("<p>"))
        .collect();
    let after = |at: usize, word: &str| words[at..].iter().position(|other| *other == word);
    let culprit = |at: usize| -> Option<[String; 3]> {
        let (made, held) = (at + after(at, "in")?, at + after(at, "by")?);
        let mut holder: Vec<&str> = words[held + 1..].to_vec();
        holder.truncate(after(held + 1, "CULPRIT").unwrap_or(holder.len()));
        Some([
            words[at + 1].to_owned(),
            words[made + 1].to_owned(),
            holder.join(" "),
        ])
    };
    let culprits: Vec<[String; 3]> = (0..words.len())
        .filter(|at| words[*at] == "CULPRIT")
        .filter_map(culprit)
        .collect();
    let is_control = words.contains(&"CONTROL");
    let library = after(0, "LIBRARY").map(|at| words[at + 1].to_owned());
    (is_control || !culprits.is_empty()).then_some(LeakyProgram {
        name,
        culprits,
        library,
        is_control,
    })
}

/// Some of them by name, compiled with other programs of the tests.
#[must_use]
pub fn compiled_with_leaky(others: &[&str], names: &[&str]) -> TempDir {
    let paths: Vec<PathBuf> = names.iter().map(|name| sources().join(name)).collect();
    let paths = paths.iter().map(|path| path.to_str().expect("UTF-8"));
    let all: Vec<&str> = others.iter().copied().chain(paths).collect();
    compiled(&all, 17)
}

/// All of them and `DumpAtExit`, compiled.
#[must_use]
pub fn compiled_leaky_programs() -> TempDir {
    let mut names = vec!["DumpAtExit".to_owned()];
    for file in files() {
        let path = file.with_extension("");
        names.push(path.to_str().expect("a path in UTF-8").to_owned());
    }
    let libraries: Vec<PathBuf> = all_programs()
        .iter()
        .flat_map(LeakyProgram::class_path)
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    compiled_with(&names, 17, &libraries)
}
