//! Where the agent's library is.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

const LIBRARY: &str = "libducktrack.so";
const VARIABLE: &str = "DUCKTRACK_LIBRARY";

/// The library's absolute path: as given, by the variable, next to this program, or in `../lib`.
pub(crate) fn find(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = given {
        return absolute(path).with_context(|| format!("--library {}", path.display()));
    }
    if let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        let path = Path::new(&path);
        return absolute(path).with_context(|| format!("{VARIABLE}={}", path.display()));
    }
    let program =
        env::current_exe().context("cannot tell where this program is; give --library")?;
    let places = places(&program);
    for place in &places {
        if place.is_file() {
            return absolute(place).with_context(|| place.display().to_string());
        }
    }
    let looked: Vec<String> = places
        .iter()
        .map(|place| place.display().to_string())
        .collect();
    bail!(
        "cannot find {LIBRARY} (looked at {}); give --library PATH or set {VARIABLE}",
        looked.join(", ")
    )
}

/// The JVM may run in another directory than this program, so the path is made absolute.
fn absolute(path: &Path) -> Result<PathBuf> {
    let path = path
        .canonicalize()
        .context("no such library; give the path of libducktrack.so")?;
    if !path.is_file() {
        bail!("not a file; give the path of {LIBRARY} itself");
    }
    Ok(path)
}

fn places(program: &Path) -> Vec<PathBuf> {
    let program = program
        .canonicalize()
        .unwrap_or_else(|_| program.to_owned());
    let Some(folder) = program.parent() else {
        return Vec::new();
    };
    let beside = folder.join(LIBRARY);
    let lib = folder.parent().map(|up| up.join("lib").join(LIBRARY));
    [Some(beside), lib].into_iter().flatten().collect()
}
