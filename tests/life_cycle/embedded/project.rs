//! The project, compiled by Maven against the artifact that is tested, and runs of it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use ducktrack_tests::{
    Finished, Jdk, has_program, install_java_artifacts, installed_jdks, offline_first,
};

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) struct Project {
    classes: PathBuf,
    /// The jar of `ducktrack-agent`.
    pub(crate) artifact: PathBuf,
}

impl Project {
    /// The project; built once for all tests of this program.
    pub(crate) fn build() -> Option<&'static Self> {
        static BUILT: OnceLock<Option<Project>> = OnceLock::new();
        BUILT.get_or_init(Self::built).as_ref()
    }

    fn built() -> Option<Self> {
        let compiler = installed_jdks()
            .into_iter()
            .find(|jdk| jdk.version >= 17 && jdk.has("javac"));
        let compiler = compiler.filter(|_| has_program("mvn"))?;
        install_java_artifacts(&compiler);
        let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = tests.join("life_cycle/embedded/project");
        let compile = || {
            let mut command = Command::new("mvn");
            command.args(["-q", "-B", "compile"]).current_dir(&folder);
            command.env("JAVA_HOME", &compiler.home);
            command
        };
        let compiled = offline_first(compile, "-o");
        assert!(compiled.status.success(), "{compiled}");
        let name = format!("../agent/java/target/ducktrack-agent/ducktrack-agent-{VERSION}.jar");
        Some(Self {
            classes: folder.join("target/classes"),
            artifact: tests.join(name),
        })
    }

    /// The command line of a run.
    pub(crate) fn command(&self, jdk: &Jdk, options: &[&str], arguments: &[&str]) -> Vec<String> {
        let class_path = format!("{}:{}", self.classes.display(), self.artifact.display());
        let mut words = vec![jdk.home.join("bin/java").display().to_string()];
        words.extend(options.iter().map(ToString::to_string));
        words.extend(["-cp".to_owned(), class_path, "acme.Embedded".to_owned()]);
        words.extend(arguments.iter().map(ToString::to_string));
        words
    }

    /// Its output; what it checks itself holds.
    pub(crate) fn run(&self, jdk: &Jdk, options: &[&str], arguments: &[&str]) -> String {
        let words = self.command(jdk, options, arguments);
        let java = Finished::well(Command::new(&words[0]).args(&words[1..]));
        assert_eq!(
            java.out.lines().last(),
            Some("HELD"),
            "{jdk} {arguments:?}: {java}"
        );
        java.out
    }
}
