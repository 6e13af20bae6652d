//! Prints `DuckTrackLayout.java`.
#![forbid(unsafe_code)]

use std::io::Write;

fn main() -> std::io::Result<()> {
    let source = ducktrack_probe_vocabulary::java_source();
    std::io::stdout().write_all(source.as_bytes())
}
