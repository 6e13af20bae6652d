//! `ducktrack info CLASS-FILE|JAR`: how the methods of a class file are counted, drawn.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use ducktrack_explain::{ClassSource, EdgeCount, MethodName, Options, dot, text};

use crate::output::{Contents, Format, Output};

/// The first bytes of class files and of jars.
const BEGINNINGS: [[u8; 4]; 2] = [[0xca, 0xfe, 0xba, 0xbe], *b"PK\x03\x04"];

/// The question about a class file.
#[derive(Args)]
#[command(next_help_heading = "Class files")]
pub(crate) struct MethodArgs {
    /// Draw this method, as text, or as dot for Graphviz (| dot -Tsvg -o run.svg): run, Main.run, com.acme.Main.run, 'run(I)V'; without it,
    /// all that allocate
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,
    /// How often an edge of the method was taken, FROM:TO=COUNT in bytecode indices, entry and exit (may be repeated)
    #[arg(long = "count", value_name = "FROM:TO=COUNT")]
    counts: Vec<String>,
}

impl MethodArgs {
    pub(crate) fn is_asked(&self) -> bool {
        self.method.is_some() || !self.counts.is_empty()
    }
}

/// Whether the file is a class file or a jar.
pub(crate) fn is_class_file(path: &Path) -> bool {
    let mut first = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && BEGINNINGS.contains(&first)
}

pub(crate) fn run(file: &Path, args: &MethodArgs, output: &Output<Contents>) -> Result<ExitCode> {
    let draw = match output.format() {
        Format::Text => text,
        Format::Dot => dot,
        _ => bail!("methods of a class file are drawn: use --format text or dot"),
    };
    let name = file.display().to_string();
    let bytes = fs::read(file).with_context(|| format!("cannot read {name}"))?;
    let source = ClassSource::from_bytes(&name, bytes)?;
    let counts = args.counts.iter();
    let options = Options {
        method: args.method.as_deref().map(MethodName::parse),
        edge_counts: counts
            .map(|count| edge_count(count))
            .collect::<Result<_>>()?,
    };
    output.print_text(&draw(&source, &options).with_context(|| name.clone())?)?;
    Ok(ExitCode::SUCCESS)
}

fn edge_count(text: &str) -> Result<EdgeCount> {
    text.parse()
        .map_err(|error| anyhow!("--count {text}: {error}"))
}
