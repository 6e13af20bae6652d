//! The programs by which `ducktrack leaks` is judged and with which it was
//! not made: `java-harness/published-leaks`. Each says at its top what it is.

use std::path::{Path, PathBuf};

use crate::harness_folder::harness_folder;
use crate::java_program::compile_java;
use crate::jdk::Jdk;

/// The words with which a part of a comment begins.
const KEYS: [&str; 8] = [
    "KIND", "HALF", "HEAP", "JAVA", "OPTION", "LIBRARY", "CULPRIT", "CONTROL",
];
/// The JDK of programs that name none.
const JAVA: u32 = 17;
/// Taken in turn, so that each has its share of programs and of controls.
const COLLECTORS: [&str; 3] = ["Parallel", "Serial", "G1"];

/// The statements at the top of a program.
#[derive(Clone, Debug)]
pub struct JudgedProgram {
    /// Its class, in the package `ducktrack.published`.
    pub name: String,
    /// The kind of leak or of control.
    pub kind: String,
    /// `build`, `held-out`, or nothing for a control of its own.
    pub half: String,
    /// The heap, in megabytes.
    pub heap: String,
    /// The lowest JDK.
    pub java: u32,
    /// The collector, by its place among all programs: the same when it runs alone. Its control has it, too.
    pub collector: &'static str,
    /// Options of the VM.
    pub options: Vec<String>,
    /// The places that the fixing commit changed: `Class.field`, `Class.method`, or `Class.` for any of them. Empty: nothing leaks.
    pub culprits: Vec<String>,
    /// It runs with the version that does not leak, or is told to be repaired; or it has no leak at all.
    pub is_control: bool,
    library: Option<String>,
    source: PathBuf,
}

impl JudgedProgram {
    /// Its name in the table.
    #[must_use]
    pub fn row_name(&self) -> String {
        match self.is_control && !self.culprits.is_empty() {
            true => format!("{}, repaired", self.name),
            false => self.name.clone(),
        }
    }

    /// The main class.
    #[must_use]
    pub fn main_class(&self) -> String {
        format!("ducktrack.published.{}", self.name)
    }

    /// Its library in the version of this row. `None`: it has not been fetched.
    #[must_use]
    pub fn class_path(&self) -> Option<Vec<PathBuf>> {
        let Some(library) = &self.library else {
            return Some(Vec::new());
        };
        let folder = libraries();
        let versions = ["-fixed", "-leaking"].map(|which| folder.join(format!("{library}{which}")));
        let [fixed, leaking] = versions;
        let version = match self.is_control && fixed.exists() {
            true => fixed,
            false => leaking,
        };
        let all = [version, folder.join(library)];
        let found: Vec<PathBuf> = all.iter().flat_map(|folder| jars(folder)).collect();
        (!found.is_empty()).then_some(found)
    }

    /// Compiles it into `folder`, against the version that leaks.
    pub fn compile(&self, folder: &Path) {
        let leaking = Self {
            is_control: false,
            ..self.clone()
        };
        let file = self.source.with_extension("");
        let libraries = leaking.class_path().unwrap_or_default();
        let names = ["DumpAtExit", file.to_str().expect("a path in UTF-8")];
        compile_java(&names, self.java, folder, &libraries);
    }

    /// The first JDK that is new enough.
    #[must_use]
    pub fn jdk<'a>(&self, jdks: &'a [Jdk]) -> Option<&'a Jdk> {
        jdks.iter().find(|jdk| jdk.version >= self.java)
    }
}

/// Where `scripts/harness-build --published-leaks` puts the libraries.
fn libraries() -> PathBuf {
    harness_folder().join("published-leaks")
}

/// Whether the libraries are there.
#[must_use]
pub fn has_judged_libraries() -> bool {
    libraries().exists()
}

fn jars(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = files.map(|file| file.path()).collect();
    all.sort();
    all
}

/// All of them, each published leak followed by its control. `DUCKTRACK_LEAKS` names some, or a half.
#[must_use]
pub fn judged_programs() -> Vec<JudgedProgram> {
    let only = std::env::var("DUCKTRACK_LEAKS").ok();
    let is_wanted = |program: &JudgedProgram| {
        let words = only.as_deref().map(|only| only.split(','));
        words.is_none_or(|mut words| words.any(|word| word == program.name || word == program.half))
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../java-harness/published-leaks/src/ducktrack/published");
    let files = std::fs::read_dir(root).expect("java-harness/published-leaks");
    let mut files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    files.sort();
    let leaks = files
        .iter()
        .filter_map(|file| program(file))
        .zip(COLLECTORS.iter().cycle())
        .map(|(program, collector)| JudgedProgram {
            collector,
            ..program
        })
        .filter(is_wanted);
    leaks.flat_map(with_control).collect()
}

fn with_control(program: JudgedProgram) -> Vec<JudgedProgram> {
    let control = JudgedProgram {
        is_control: true,
        ..program.clone()
    };
    match program.is_control {
        true => vec![program],
        false => vec![program, control],
    }
}

/// `None`: it has no such words, so it is no program.
fn program(source: &Path) -> Option<JudgedProgram> {
    let text = std::fs::read_to_string(source).ok()?;
    let comment = text.split("/**").nth(1)?.split("*/").next()?;
    let words = comment.split_whitespace().filter(|word| *word != "*");
    let words: Vec<&str> = words.map(|word| word.trim_start_matches("<p>")).collect();
    let all = |key: &str| -> Vec<String> {
        let start = words.iter().position(|word| *word == key);
        let rest = start.map_or(&[][..], |start| &words[start + 1..]);
        let value = rest.iter().take_while(|word| !KEYS.contains(word));
        value.map(|word| (*word).to_owned()).collect()
    };
    let kind = all("KIND").join(" ");
    (!kind.is_empty()).then(|| JudgedProgram {
        name: source
            .file_stem()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .to_owned(),
        kind,
        half: all("HALF").join(" "),
        heap: all("HEAP").join(" "),
        java: all("JAVA")
            .first()
            .and_then(|java| java.parse().ok())
            .unwrap_or(JAVA),
        collector: COLLECTORS[0],
        options: all("OPTION"),
        culprits: all("CULPRIT"),
        is_control: words.contains(&"CONTROL"),
        library: all("LIBRARY").into_iter().next(),
        source: source.to_owned(),
    })
}
