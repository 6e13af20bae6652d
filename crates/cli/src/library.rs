//! Finds the agent's library, and unpacks it: `ducktrack info --library`.

mod bundled;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::output;

const LIBRARY: &str = "libducktrack.so";
const VARIABLE: &str = "DUCKTRACK_LIBRARY";

/// Prints the path of the library: of the one that `run` and `attach` find, or of the one inside this command, unpacked into this folder.
pub(crate) fn print_path(unpack_into: Option<&Path>) -> Result<ExitCode> {
    let path = match unpack_into {
        Some(folder) => bundled::unpack(folder)?,
        None => find(None)?,
    };
    output::write(&format!("{}\n", path.display()), None)?;
    Ok(ExitCode::SUCCESS)
}

/// The library's absolute path: as given, by the variable, next to this program, or in `../lib`.
pub(crate) fn find(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = given {
        return absolute(path).with_context(|| format!("--library {}", path.display()));
    }
    if let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        let path = Path::new(&path);
        return absolute(path).with_context(|| format!("{VARIABLE}={}", path.display()));
    }
    let program = env::current_exe()
        .context("cannot tell where this program is; run and attach take --library PATH")?;
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
    let unpack = match bundled::is_there() {
        true => ", or unpack it beside this program: ducktrack info --library DIR",
        false => "",
    };
    bail!(
        "cannot find {LIBRARY} (looked at {}); run and attach take --library PATH; or set {VARIABLE}{unpack}",
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
