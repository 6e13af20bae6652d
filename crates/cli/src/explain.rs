//! `ducktrack explain CLASS-FILE-OR-JAR [METHOD]`

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use clap::{Args, ValueEnum};
use ducktrack_explain::{ClassSource, EdgeCount, MethodName, Options, dot, svg, text};

use crate::output;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack explain target/classes/com/acme/Main.class
      all methods that allocate
  ducktrack explain app.jar com.acme.Main.run
      blocks, paths, counters and what they mean
  ducktrack explain Main.class 'run(I)V' --format svg -o run.svg
  ducktrack explain Main.class run --count entry:0=1000 --count 12:20=17
      with measured frequencies")]
pub(crate) struct ExplainArgs {
    /// A class file, or a jar
    #[arg(value_name = "CLASS-FILE-OR-JAR")]
    file: PathBuf,
    /// A method: run, Main.run, com.acme.Main.run, 'run(I)V'; without it, all that allocate
    #[arg(value_name = "METHOD")]
    method: Option<String>,
    /// Form of the drawing
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// How often an edge was taken, FROM:TO=COUNT in bytecode indices, entry and exit (may be repeated)
    #[arg(long = "count", value_name = "FROM:TO=COUNT")]
    counts: Vec<String>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// For a terminal
    #[default]
    Text,
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<ExitCode> {
    let name = args.file.display().to_string();
    let bytes = fs::read(&args.file).with_context(|| format!("cannot read {name}"))?;
    let source = ClassSource::from_bytes(&name, bytes)?;
    let options = Options {
        method: args.method.as_deref().map(MethodName::parse),
        edge_counts: args
            .counts
            .iter()
            .map(|count| edge_count(count))
            .collect::<Result<_>>()?,
    };
    let drawing = match args.format {
        Format::Text => text(&source, &options),
        Format::Dot => dot(&source, &options),
        Format::Svg => svg(&source, &options),
    };
    output::write(
        &drawing.with_context(|| name.clone())?,
        args.output.as_deref(),
    )?;
    Ok(ExitCode::SUCCESS)
}

fn edge_count(text: &str) -> Result<EdgeCount> {
    text.parse()
        .map_err(|error| anyhow!("--count {text}: {error}"))
}
