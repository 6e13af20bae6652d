//! Puts the file of the library that `src/library/bundled.rs` includes where the compiler finds it: empty, or that of a release.

use std::path::Path;
use std::{env, fs, io};

const PACKED: &str = "DUCKTRACK_BUNDLED_LIBRARY";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed={PACKED}");
    let library = match env::var(PACKED) {
        Ok(file) => {
            println!("cargo::rerun-if-changed={file}");
            fs::read(file)?
        }
        Err(_) => Vec::new(),
    };
    let folder = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&folder).join("library.gz"), library)
}
