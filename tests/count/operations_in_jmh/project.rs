//! A copy of the benchmarks, compiled by Maven, and runs of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ducktrack_tests::{Finished, Jdk, offline_first};
use serde_json::Value;

const POM: &str = "pom.xml";
const SOURCE: &str = "src/main/java/acme/Operations.java";
/// Long enough that the JIT is done, in two JVMs.
const SHORT: &[&str] = &[
    "-f", "1", "-wi", "4", "-w", "500ms", "-i", "3", "-r", "300ms",
];
const SHORTEST: &[&str] = &[
    "-f", "1", "-wi", "0", "-i", "1", "-r", "50ms", "-foe", "true",
];

/// The figures of a benchmark, for each operation.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) name: String,
    pub(crate) objects: f64,
    /// Of the objects, between iterations.
    pub(crate) error: f64,
    pub(crate) bytes: f64,
    /// `gc.alloc.rate.norm`.
    pub(crate) bytes_of_the_heap: f64,
    /// The labels of types, sites and callers.
    pub(crate) sites: Vec<String>,
}

pub(crate) struct Project {
    folder: tempfile::TempDir,
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("count/operations_in_jmh/project")
}

impl Project {
    pub(crate) fn new(compiler: &Jdk) -> Self {
        let folder = tempfile::tempdir().expect("temporary folder");
        for file in [POM, SOURCE] {
            let target = folder.path().join(file);
            fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
            fs::copy(source().join(file), target).expect("a file");
        }
        let maven = || {
            let mut command = Command::new("mvn");
            command.args(["-B", "-q", "compile", "dependency:copy-dependencies"]);
            command.current_dir(&folder);
            command.env("JAVA_HOME", &compiler.home);
            command
        };
        let compiled = offline_first(maven, "-o");
        assert!(compiled.status.success(), "{compiled}");
        Self { folder }
    }

    fn jmh(&self, jdk: &Jdk, arguments: &[&str]) -> Finished {
        let mut command = jdk.java("target/classes:target/dependency/*");
        command.args(["org.openjdk.jmh.Main", "-prof", "ducktrack"]);
        command.args(arguments).current_dir(&self.folder);
        Finished::of(&mut command)
    }

    /// All benchmarks, with `-prof gc` beside.
    pub(crate) fn run(&self, jdk: &Jdk) -> Vec<Operation> {
        let arguments = [SHORT, &["-prof", "gc", "-rf", "json", "-rff", "found.json"]].concat();
        let jmh = self.jmh(jdk, &arguments);
        assert!(jmh.status.success(), "{jmh}");
        let found = fs::read_to_string(self.folder.path().join("found.json")).expect("JMH's file");
        let found: Value = serde_json::from_str(&found).expect("JSON");
        let benchmarks = found.as_array().expect("benchmarks");
        benchmarks.iter().map(operation).collect()
    }

    /// One benchmark under a budget: whether it is obeyed, and JMH's output.
    pub(crate) fn run_one(&self, name: &str, jdk: &Jdk, budget: &str) -> (bool, String) {
        fs::write(self.folder.path().join("ducktrack.toml"), budget).expect("a file");
        let name = format!("Operations.{name}$");
        let jmh = self.jmh(jdk, &[SHORTEST, &[&name]].concat());
        (jmh.status.success(), jmh.text())
    }
}

fn operation(benchmark: &Value) -> Operation {
    let metrics = benchmark["secondaryMetrics"].as_object().expect("metrics");
    let score = |end: &str| {
        let metric = metrics.iter().find(|(label, _)| label.ends_with(end));
        let (_, metric) = metric.unwrap_or_else(|| panic!("no {end}: {benchmark}"));
        metric
    };
    let of = |end: &str| score(end)["score"].as_f64().expect("a score");
    let name = benchmark["benchmark"].as_str().expect("a name");
    Operation {
        name: name.rsplit('.').next().unwrap_or(name).to_owned(),
        objects: of("ducktrack.objects"),
        error: score("ducktrack.objects")["scoreError"]
            .as_f64()
            .unwrap_or(f64::NAN),
        bytes: of("ducktrack.bytes"),
        bytes_of_the_heap: of("gc.alloc.rate.norm"),
        sites: metrics.keys().cloned().collect(),
    }
}
