//! The `ducktrack` command: runs a program under the agent, and reads what the agent wrote.
//!
//! Exit codes: 0 done; 1 a gate of `diff` failed, or `info` found a fault in a stream; 2 bad input: one line with the fault, its place and
//! the next step. `run` passes on the exit code of the program.
#![forbid(unsafe_code)]

mod advise;
mod agent_options;
mod arriving;
mod attach;
mod bisect;
mod bounded_answer;
mod control;
mod cost;
mod deaths;
mod diff;
mod dump;
mod dump_loading;
mod explain;
mod export;
mod file_limit;
mod fleet;
mod followed_run;
mod guide;
mod heap;
mod holders;
mod impact;
mod info;
mod jvm_process;
mod leak_findings;
mod leaks;
mod library;
mod lifetimes;
mod live_sites;
mod loading;
mod mcp;
mod memory;
mod newer_run;
mod nothing;
mod output;
mod own_mappings;
mod owned_socket;
mod per;
mod progress;
mod reach;
mod records;
mod report;
mod run;
mod run_dump;
mod run_socket;
mod selection;
mod shell_pages;
mod snapshot;
mod stale;
mod target;
mod terminal;
mod timeline;
mod top;
mod trace_loading;
mod trace_report;
mod ui;
mod waste;
mod window_args;
mod window_clock;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

use crate::trace_report::TraceReportArgs;

#[derive(Parser)]
#[command(
    name = "ducktrack",
    version,
    about = "Count and trace the objects that a Java program allocates",
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = "Examples:
  ducktrack run -- java -jar app.jar        run a program under the agent
  ducktrack attach 4711                     count in a program that runs
  ducktrack top 4711                        what it allocates now
  ducktrack report ducktrack-4711           who allocates what
  ducktrack advise ducktrack-4711           what to change, and what that saves
  ducktrack ui ducktrack-4711               all pages in the browser
  ducktrack run --mode trace -- java -jar app.jar
  ducktrack leaks ducktrack-4711            what becomes more and more
  ducktrack diff baseline.json ducktrack-4711 --fail-on 'count>+5%'
  ducktrack guide                           pages to read"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Commands in the order of the help: run, count, trace, leaks, other.
#[derive(Subcommand)]
enum Command {
    /// Run a Java program under the agent
    Run(run::RunArgs),
    /// Load the agent into a Java program that runs
    Attach(attach::AttachArgs),
    /// Record a moment of a running program: its counts, a mark, or a heap dump
    Snapshot(snapshot::SnapshotArgs),
    /// End a recording and take the probes out of the program
    Stop(control::ControlArgs),
    /// Show what a running program allocates now
    Top(top::TopArgs),
    /// Show all pages of a run in the browser, or write them as one file
    Ui(ui::UiArgs),
    /// Show what a run allocated, and where
    Report(report::ReportArgs),
    /// Show which changes to the program save most, and how much
    Advise(advise::AdviseArgs),
    /// Compare two runs; fail when a gate is broken
    Diff(diff::DiffArgs),
    /// Find the commit that allocates more (git bisect)
    Bisect(bisect::BisectArgs),
    /// Write stacks or a heap dump with allocation sites for other tools
    Export(export::ExportArgs),
    /// Ask the exported tables of many processes
    Fleet(fleet::FleetArgs),
    /// Show what a recording, a stream or a class file contains; the agent's state and library
    Info(info::InfoArgs),
    /// Serve the reports of recordings to a program that speaks MCP
    Mcp(mcp::McpArgs),
    /// Show the live heap after a collection (trace)
    Heap(heap::HeapArgs),
    /// Show how long the objects of each site live (trace); when each died (deaths, full)
    Lifetimes(lifetimes::LifetimesArgs),
    /// Show collections and the heap over time (trace)
    Timeline(TraceReportArgs<timeline::Timeline>),
    /// Show what each site costs the collector, and what a change would save (trace)
    Cost(cost::CostArgs),
    /// Find what leaks, who allocated it and who holds it (trace)
    Leaks(leaks::LeaksArgs),
    /// Show who holds the objects of a heap dump, and who allocated them (trace)
    Holders(holders::HoldersArgs),
    /// Show what live bytes of a heap dump are wasted on, and who allocated it
    Waste(waste::WasteArgs),
    /// Show what fills the memory of a process and its container, and when it ends
    Memory(memory::MemoryArgs),
    /// Measure by trials what the removal of leak candidates saves
    Impact(impact::ImpactArgs),
    /// Print a page for users: which mode, find a leak, gates, production
    Guide(guide::GuideArgs),
    /// Print the completions for a shell
    #[command(hide = true)]
    Completions(shell_pages::CompletionsArgs),
    /// Write pages for man
    #[command(hide = true)]
    Man(shell_pages::ManArgs),
}

/// The exit code for input that cannot be used.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(line) => line.command,
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::ValueValidation | ErrorKind::InvalidValue
            ) =>
        {
            return bad_value(&error);
        }
        Err(error) => error.exit(),
    };
    file_limit::let_writes_fail();
    if reads_dump(&command) {
        own_mappings::begin_with_own_mappings();
    }
    match run(command) {
        Ok(code) => code,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let advice =
                file_limit::advice(&error).map_or_else(String::new, |advice| format!("; {advice}"));
            eprintln!("ducktrack: {}{advice}", one_line(&error));
            ExitCode::from(BAD_INPUT)
        }
    }
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Run(args) => run::run(args),
        Command::Attach(args) => attach::run(&args),
        Command::Snapshot(args) => snapshot::run(args),
        Command::Stop(args) => control::stop(&args),
        Command::Report(args) => report::run(args),
        Command::Advise(args) => advise::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Bisect(args) => bisect::run(&args),
        Command::Top(args) => top::run(&args),
        Command::Ui(args) => ui::run(args),
        Command::Info(args) => info::run(args),
        Command::Heap(args) => heap::run(args),
        Command::Lifetimes(args) => lifetimes::run(args),
        Command::Timeline(args) => args.run(),
        Command::Cost(args) => cost::run(args),
        Command::Leaks(args) => leaks::run(args),
        Command::Holders(args) => holders::run(args),
        Command::Waste(args) => waste::run(args),
        Command::Memory(args) => memory::run(&args),
        Command::Impact(args) => impact::run(args),
        Command::Export(args) => export::run(args),
        Command::Fleet(args) => fleet::run(&args),
        Command::Mcp(args) => mcp::run(&args),
        Command::Guide(args) => guide::run(&args),
        Command::Completions(args) => shell_pages::completions(&args, Cli::command()),
        Command::Man(args) => shell_pages::man(&args, Cli::command()),
    }
}

/// Whether the command may need the memory of a whole heap dump.
fn reads_dump(command: &Command) -> bool {
    match command {
        Command::Holders(_) | Command::Waste(_) => true,
        Command::Cost(args) => args.reads_dump(),
        Command::Leaks(args) => args.reads_dump(),
        Command::Export(args) => args.reads_dump(),
        _ => false,
    }
}

/// One line, as of all other bad input, with the values that there are.
fn bad_value(error: &clap::Error) -> ExitCode {
    let text = error.to_string();
    let line: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|part| !part.is_empty())
        .collect();
    let line = line.join(" ");
    eprintln!("ducktrack: {}", line.trim_start_matches("error: "));
    ExitCode::from(BAD_INPUT)
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
