//! The table of programs: name, lowest JDK, class path, options, tags.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use ducktrack_tests::{harness_folder, installed_jdks, skipped};
use serde_json::Value;

/// One program with known counts.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// `ducktrack.known.NewObject`
    pub(crate) name: String,
    /// Lowest JDK.
    pub(crate) level: u32,
    /// Relative to the harness.
    pub(crate) class_path: String,
    /// JVM options.
    pub(crate) options: Vec<String>,
    tags: Vec<String>,
    /// Sites that others use too: class, method, type as printed.
    pub(crate) inexact: Vec<[String; 3]>,
}

impl Program {
    fn parse(line: &str) -> anyhow::Result<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        ensure!(fields.len() == 5, "not five fields: {line}");
        let list = |text: &str, separator: char| match text {
            "-" => Vec::new(),
            text => text.split(separator).map(str::to_owned).collect(),
        };
        Ok(Self {
            name: fields[0].to_owned(),
            level: fields[1].parse()?,
            class_path: fields[2].to_owned(),
            options: list(fields[3], ' '),
            tags: list(fields[4], ','),
            inexact: Vec::new(),
        })
    }

    /// `NewObject`
    pub(crate) fn short_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    /// Has it this tag?
    pub(crate) fn is(&self, tag: &str) -> bool {
        self.tags.iter().any(|own| own == tag)
    }

    /// The status that it exits with.
    pub(crate) fn exit_status(&self) -> i32 {
        i32::from(self.is("status1"))
    }
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../java-harness")
}

/// Where the programs are run: the class paths of the table begin at the folder above the built one.
pub(crate) fn folder() -> anyhow::Result<PathBuf> {
    let built = harness_folder();
    ensure!(
        built.ends_with("target"),
        "{}: the built harness is a folder `target`",
        built.display()
    );
    Ok(built.join(".."))
}

/// All programs of the table: one for every source with `// PROGRAM` in it.
pub(crate) fn all() -> anyhow::Result<Vec<Program>> {
    let known = harness_folder().join("known");
    let text = read(&known.join("programs.tsv"))?;
    let mut programs: Vec<Program> = text
        .lines()
        .map(Program::parse)
        .collect::<anyhow::Result<_>>()?;
    let rows = read(&known.join("expectations.jsonl"))?;
    for row in rows.lines() {
        let row: Value = serde_json::from_str(row)?;
        if row["exact"] == Value::Bool(false) {
            let word = |key: &str| row[key].as_str().unwrap_or("-").to_owned();
            let site = [word("class"), word("method"), word("type")];
            let owner = programs
                .iter_mut()
                .find(|program| row["program"] == program.name.as_str());
            owner.context("a row of no program")?.inexact.push(site);
        }
    }
    complain_of_missing(&programs)?;
    Ok(programs)
}

/// Every source makes a program, but for those that only a JDK 25 compiles, where it has no compiler.
fn complain_of_missing(programs: &[Program]) -> anyhow::Result<()> {
    let can_compile_all = installed_jdks()
        .iter()
        .any(|jdk| jdk.version >= 25 && jdk.has("javac"));
    let sources = sources().join("known/src");
    for (name, path) in names_of_sources(&sources)? {
        if programs.iter().any(|program| program.short_name() == name) {
            continue;
        }
        ensure!(
            path.starts_with(sources.join("21")) && !can_compile_all,
            "{name} is not in the table: scripts/harness-build --force"
        );
        skipped(&format!("known counts: {name}: no JDK 25 with javac"));
    }
    Ok(())
}

fn read(table: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(table)
        .with_context(|| format!("no {}: scripts/harness-build makes it", table.display()))
}

fn names_of_sources(folder: &Path) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            names.append(&mut names_of_sources(&path)?);
        } else if std::fs::read_to_string(&path)?.contains("\n// PROGRAM") {
            let name = path.file_stem().context("a file name")?;
            names.push((name.to_string_lossy().into_owned(), path.clone()));
        }
    }
    Ok(names)
}
