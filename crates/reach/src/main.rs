//! What `ducktrack` leaves to another program: Parquet, stores of objects, collectors of OpenTelemetry, the Model Context Protocol.
//!
//! ```text
//! ducktrack ── ducktrack-reach VERSION tables ROOT ──> a folder, s3://, gs://, az://   (tables: ducktrack_fleet::TablePipe)
//!           ── ducktrack-reach VERSION push URL    ──> a collector
//!           ── ducktrack-reach VERSION mcp COMMAND DIR: runs COMMAND, which is ducktrack
//! ```
//!
//! Half of all packages are only here, so that `ducktrack` is built soon, and opens no connection to another machine.
//! `ducktrack` finds it beside itself, and both are of one version.
#![forbid(unsafe_code)]

mod cloud;
mod mcp;
mod parquet_file;
mod push;
mod store;
mod tables;

use std::env;
use std::process::ExitCode;

use anyhow::{Result, bail};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{}", format!("{error:#}").replace('\n', " "));
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<ExitCode> {
    match *words {
        [version, ..]
            if version.starts_with(|first: char| first.is_ascii_digit()) && version != VERSION =>
        {
            bail!(
                "ducktrack is {version} and ducktrack-reach {VERSION}: take both from one release"
            )
        }
        [_, "tables", root] => tables::write(root),
        [_, "push", url] => push::push(url),
        [_, "mcp", command, folder] => mcp::serve(command, folder),
        _ => bail!("ducktrack-reach {VERSION} is started by ducktrack, beside which it stands"),
    }
}
