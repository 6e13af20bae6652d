//! The artifacts for users of Maven and Gradle, in the local Maven repository.

use std::path::Path;
use std::process::Command;

use crate::jdk::Jdk;
use crate::product::agent_library;

/// Builds the artifacts with the library that is tested. Maven needs the network for files it has not fetched yet.
pub fn install_java_artifacts(compiler: &Jdk) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/java-artifacts");
    let run = |more: &[&str]| {
        let mut command = Command::new(&script);
        command.arg("--install").args(more);
        command.env("JAVA_HOME", &compiler.home);
        command.env("DUCKTRACK_LIBRARY", agent_library().expect("the library"));
        command.output().expect("scripts/java-artifacts")
    };
    let offline = run(&["--offline"]);
    if !offline.status.success() {
        let output = run(&[]);
        let text =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}");
    }
}
