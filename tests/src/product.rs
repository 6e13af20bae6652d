//! The agent's library and the command: `DUCKTRACK_LIBRARY` and `DUCKTRACK_COMMAND`, or the up-to-date release build of this checkout.
//!
//! It never uses an outdated build. A file named in a variable must exist. All panic where there is neither.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::built_library::release_build;

/// `libducktrack.so`
#[must_use]
pub fn agent_library() -> PathBuf {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    let target = ["-p", "ducktrack-agent", "--lib", "--features"];
    let build = || {
        release_build(
            &[&target[..], &["test-switches"]].concat(),
            "libducktrack.so",
        )
    };
    LIBRARY
        .get_or_init(|| named("DUCKTRACK_LIBRARY").unwrap_or_else(build))
        .clone()
}

/// `ducktrack`, without words yet.
#[must_use]
pub fn ducktrack_command() -> Command {
    static COMMAND: OnceLock<PathBuf> = OnceLock::new();
    let target = ["-p", "ducktrack-cli", "-p", "ducktrack-reach", "--bins"];
    let build = || release_build(&target, "ducktrack");
    Command::new(COMMAND.get_or_init(|| named("DUCKTRACK_COMMAND").unwrap_or_else(build)))
}

/// The option of a JVM for a recording in `output`, with further options of the agent.
#[must_use]
pub fn agent_argument(options: &str, output: &Path) -> String {
    let comma = if options.is_empty() { "" } else { "," };
    let (library, output) = (agent_library(), output.display());
    format!(
        "-agentpath:{}=summary=off,output={output}{comma}{options}",
        library.display()
    )
}

fn named(variable: &str) -> Option<PathBuf> {
    let file = PathBuf::from(std::env::var_os(variable)?);
    assert!(
        file.is_file(),
        "{variable}={}: no such file",
        file.display()
    );
    Some(file)
}
