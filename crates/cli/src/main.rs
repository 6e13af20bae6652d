//! The `ducktrack` command: runs a program under the agent, and reads what the agent wrote.
//!
//! Exit codes: 0 done; 1 a gate of `diff` failed; 2 bad input, in one line that says what, where and what to do.
//! `run` passes on the exit code of the program.
#![forbid(unsafe_code)]

mod diff;
mod event_report;
mod explain;
mod growth;
mod heap;
mod info;
mod lifetimes;
mod loading;
mod output;
mod progress;
mod report;
mod run;
mod selection;
mod timeline;
mod trace_loading;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "ducktrack",
    version,
    about = "Exact allocation counts and traces of a Java program: run it, read them, compare them",
    arg_required_else_help = true,
    after_help = "Examples:
  ducktrack run -- java -jar app.jar            run under the agent
  ducktrack report ducktrack-4711               who allocates what
  ducktrack report ducktrack-4711 --format html -o report.html
  ducktrack run --mode trace -- java -jar app.jar   every allocation, move and death
  ducktrack heap ducktrack-4711 --at end        what is alive, where it was made, how old it is
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
    /// Show the live heap after a collection or at the end (mode=trace)
    Heap(heap::HeapArgs),
    /// Say how long the objects of each site live (mode=trace)
    Lifetimes(lifetimes::LifetimesArgs),
    /// Show collections and what the heap was made of over time (mode=trace)
    Timeline(timeline::TimelineArgs),
    /// Find sites whose live objects become more and more (mode=trace)
    Growth(growth::GrowthArgs),
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
        Command::Heap(args) => heap::run(args),
        Command::Lifetimes(args) => lifetimes::run(args),
        Command::Timeline(args) => timeline::run(args),
        Command::Growth(args) => growth::run(args),
        Command::Explain(args) => explain::run(&args),
    };
    match result {
        Ok(code) => code,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ducktrack: {}", one_line(&error));
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// The error and its causes; a cause that was named already is not named again.
fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if line.contains(&cause) {
            continue;
        }
        if !line.is_empty() {
            line.push_str(": ");
        }
        line.push_str(&cause);
    }
    line
}
