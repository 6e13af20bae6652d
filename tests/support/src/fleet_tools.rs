//! Programs that `scripts/install-fleet-tools` brings. A test whose program is missing is skipped, with a line about it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program at this path below the folder of the tools; `name` is for the line.
pub fn fleet_tool(path: &str, name: &str) -> Option<PathBuf> {
    let tool = place(path);
    match tool.exists() {
        true => Some(tool),
        false => missing(name),
    }
}

/// The Python that has this module.
pub fn python_with(module: &str) -> Option<PathBuf> {
    let python = place("bin/python");
    let import = Command::new(&python)
        .args(["-c", &format!("import {module}")])
        .stderr(Stdio::null())
        .status();
    match import.is_ok_and(|status| status.success()) {
        true => Some(python),
        false => missing(module),
    }
}

fn place(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(".cache/fleet-tools").join(path)
}

fn missing(name: &str) -> Option<PathBuf> {
    let mut out = std::io::stdout();
    _ = writeln!(
        out,
        "skipped: no {name}; scripts/install-fleet-tools brings it"
    );
    None
}
