//! Links classes in a JVM that verifies everything.
//!
//! A class may refer to others that are not there; it then does not link as it is, and must fail in the same way when it is edited.

use ducktrack_tests::printed_by;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::corpus::{Corpus, programs};

/// Differences that are shown.
const MOST_SHOWN: usize = 10;

/// The JVM's answer.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    /// Classes that were linked.
    pub(crate) linked: usize,
    /// For every other class the error's class and text.
    pub(crate) failures: BTreeMap<String, (String, String)>,
}

/// Links all classes of `corpus`, with those in the folder `edited` instead of their
/// originals: each must do what it does unedited. Gives the number of those that were linked.
pub(crate) fn link(corpus: &Corpus, edited: &Path) -> Result<usize> {
    let before = corpus.unedited()?;
    let after = outcomes(corpus, Some(edited))?;
    let names: BTreeSet<&String> = before
        .failures
        .keys()
        .chain(after.failures.keys())
        .collect();
    let error = |outcomes: &Outcomes, name: &String| match outcomes.failures.get(name) {
        Some((class, _)) => class.clone(),
        None => "links".to_owned(),
    };
    let differences: Vec<String> = names
        .into_iter()
        .filter(|name| error(before, name) != error(&after, name))
        .map(|name| {
            let said = after.failures.get(name).map_or("links", |(_, text)| text);
            format!("{name}: unedited {}; edited {said}", error(before, name))
        })
        .collect();
    ensure!(
        differences.is_empty(),
        "{}: {} classes differ\n{}",
        corpus.name,
        differences.len(),
        differences[..differences.len().min(MOST_SHOWN)].join("\n")
    );
    Ok(after.linked)
}

/// The JVM's answer for each class.
pub(crate) fn outcomes(corpus: &Corpus, edited: Option<&Path>) -> Result<Outcomes> {
    let folder = tempfile::tempdir()?;
    let names: Vec<String> = corpus
        .classes
        .iter()
        .filter_map(|path| corpus.class_name(path))
        .collect();
    let list = folder.path().join("classes");
    std::fs::write(&list, names.join("\n"))?;
    let arguments = folder.path().join("arguments");
    std::fs::write(
        &arguments,
        class_sources(corpus, edited, programs())?.join("\n"),
    )?;

    let mut java = corpus.jdk.tool("java");
    java.args([
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:+BytecodeVerificationLocal",
        "-XX:+BytecodeVerificationRemote",
        "-Xshare:off",
        "-XX:-UsePerfData",
    ]);
    java.arg(format!("@{}", arguments.display()));
    let output = printed_by(java.arg("ClassLinker").arg(&list));
    let outcomes = Outcomes::read(&output)?;
    ensure!(
        outcomes.linked + outcomes.failures.len() == names.len(),
        "{}: {} of {} classes were tried",
        corpus.name,
        outcomes.linked + outcomes.failures.len(),
        names.len()
    );
    Ok(outcomes)
}

/// The options that name the places of classes.
fn class_sources(corpus: &Corpus, edited: Option<&Path>, programs: &Path) -> Result<Vec<String>> {
    let mut options = Vec::new();
    let mut option = |name: &str, value: String| options.extend([name.to_owned(), value]);
    let text = |path: &Path| path.to_str().map(str::to_owned).context("a path in UTF-8");
    let patch = |module: &str| -> Result<Option<String>> {
        let Some(folder) = edited.map(|edited| edited.join(module)) else {
            return Ok(None);
        };
        // An empty folder would be no patch.
        if !folder.is_dir() {
            return Ok(None);
        }
        Ok(Some(format!("{module}={}", text(&folder)?)))
    };
    let mut class_path = vec![text(programs)?];
    if corpus.modules.is_empty() {
        class_path.extend(edited.map(text).transpose()?);
        class_path.push(text(&corpus.root)?);
        if let Some(helper) = patch("java.base")? {
            option("--patch-module", helper);
        }
    } else {
        option("--add-modules", corpus.modules.join(","));
        for module in &corpus.modules {
            if let Some(patched) = patch(module)? {
                option("--patch-module", patched);
            }
        }
    }
    option("-cp", class_path.join(":"));
    Ok(options)
}

impl Outcomes {
    fn read(printed: &str) -> Result<Self> {
        let mut outcomes = Self::default();
        for line in printed.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[..] {
                ["LINKED", count] => outcomes.linked = count.parse()?,
                ["FAILED", name, error, text] => {
                    let failure = (error.to_owned(), text.to_owned());
                    outcomes.failures.insert(name.to_owned(), failure);
                }
                _ => anyhow::bail!("the linker printed {line}"),
            }
        }
        Ok(outcomes)
    }
}
