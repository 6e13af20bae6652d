//! The artifacts for users of Maven and Gradle, in the local Maven repository.

use std::path::Path;
use std::process::Command;

use crate::build_tool::offline_first;
use crate::jdk::Jdk;
use crate::product::agent_library;

/// Builds the artifacts with the library that is tested.
pub fn install_java_artifacts(compiler: &Jdk) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/java-artifacts");
    let install = || {
        let mut command = Command::new(&script);
        command.arg("--install");
        command.env("JAVA_HOME", &compiler.home);
        command.env("DUCKTRACK_LIBRARY", agent_library());
        command
    };
    let installed = offline_first(install, "--offline");
    assert!(installed.status.success(), "{installed}");
}
