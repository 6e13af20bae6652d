//! The `ducktrack` command: runs a program under the agent, and reads what the agent wrote.
//!
//! Exit codes: 0 done; 1 a gate of `diff` failed; 2 bad input, in one line that says what, where and what to do.
//! `run` passes on the exit code of the program.
#![forbid(unsafe_code)]

mod diff;
mod explain;
mod info;
mod loading;
mod output;
mod report;
mod run;
mod selection;
mod trace_loading;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "ducktrack",
    version,
    about = "Exact allocation counts of a Java program: run it, read them, compare them",
    arg_required_else_help = true,
    after_help = "Examples:
  ducktrack run -- java -jar app.jar            run under the agent
  ducktrack report ducktrack-4711               who allocates what
  ducktrack report ducktrack-4711 --format html -o report.html
  ducktrack diff baseline.json ducktrack-4711 --fail-on 'count>+5%'"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a Java program under the agent
    Run(run::RunArgs),
    /// Print what a run allocated, and where
    Report(report::ReportArgs),
    /// Compare two runs; fail when a gate is broken
    Diff(diff::DiffArgs),
    /// Say what is in a trace, and what is missing
    Info(info::InfoArgs),
    /// Draw a method's paths and counters
    Explain(explain::ExplainArgs),
}

/// The exit code for input that cannot be used.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => run::run(args),
        Command::Report(args) => report::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Info(args) => info::run(&args),
        Command::Explain(args) => explain::run(&args),
    };
    match result {
        Ok(code) => code,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ducktrack: {error:#}");
            ExitCode::from(BAD_INPUT)
        }
    }
}
