//! The `ducktrack` command: runs a program under the agent, and reads what the agent wrote.
//!
//! Exit codes: 0 done; 1 a gate of `diff` failed, or `check` found a fault; 2 bad input, in one line that says what, where and what to do.
//! `run` passes on the exit code of the program.
#![forbid(unsafe_code)]

mod agent_options;
mod attach;
mod check;
mod control;
mod cost;
mod deaths;
mod diff;
mod dump;
mod dump_loading;
mod enrich;
mod explain;
mod export;
mod gc;
mod growth;
mod heap;
mod holders;
mod impact;
mod info;
mod jvm_process;
mod leaks;
mod library;
mod lifetimes;
mod live_sites;
mod loading;
mod newer_run;
mod nothing;
mod output;
mod own_mappings;
mod progress;
mod report;
mod run;
mod selection;
mod shell_pages;
mod stale;
mod terminal;
mod timeline;
mod top;
mod trace_loading;
mod trace_report;
mod ui;
mod window_args;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::trace_report::TraceReportArgs;

#[derive(Parser)]
#[command(
    name = "ducktrack",
    version,
    about = "Exact allocation counts and traces of a Java program: run it, read them, compare them",
    arg_required_else_help = true,
    after_help = "Examples:
  ducktrack run -- java -jar app.jar            run under the agent
  ducktrack attach 4711                         count in a program that runs; then status, snapshot, stop
  ducktrack top 4711                            what it allocates now
  ducktrack report ducktrack-4711               who allocates what
  ducktrack report ducktrack-4711 --format html -o report.html
  ducktrack ui ducktrack-4711                   all of it in the browser
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
    /// Load the agent into a Java program that runs
    Attach(attach::AttachArgs),
    /// Say what the agent in a running program does
    Status(control::ControlArgs),
    /// Let the agent in a running program write its counts now
    Snapshot(control::ControlArgs),
    /// Write a name into the recording of a running program, with the time
    Mark(control::MarkArgs),
    /// End the recording of a running program and take the probes out of it
    Stop(control::ControlArgs),
    /// Print what a run allocated, and where
    Report(report::ReportArgs),
    /// Compare two runs; fail when a gate is broken
    Diff(diff::DiffArgs),
    /// Show what a running program allocates now
    Top(top::TopArgs),
    /// Show all pages of a run as one in the browser, or write them as one file
    Ui(ui::UiArgs),
    /// Say what is in a trace, and what is missing
    Info(info::InfoArgs),
    /// Show the live heap after a collection or at the end (mode=trace)
    Heap(TraceReportArgs<heap::Heap>),
    /// Say how long the objects of each site live (mode=trace)
    Lifetimes(TraceReportArgs<lifetimes::Lifetimes>),
    /// Show collections and what the heap was made of over time (mode=trace)
    Timeline(TraceReportArgs<timeline::Timeline>),
    /// Find sites whose live objects become more and more (mode=trace)
    Growth(TraceReportArgs<growth::Growth>),
    /// Say what each site costs the collector: pauses, copies, promotions (mode=trace)
    Gc(TraceReportArgs<gc::Gc>),
    /// Say what each site costs the collector, and what another heap or half of a site would save (mode=trace)
    Cost(cost::CostArgs),
    /// Say which live objects have not been used, and for how long (mode=trace, staleness=on)
    Stale(TraceReportArgs<stale::Stale>),
    /// Say when each object died, exactly (a neutral stream, or a run of mode=trace)
    Deaths(deaths::DeathsArgs),
    /// Check that a neutral stream is whole and possible
    Check(check::CheckArgs),
    /// Take a heap dump of a traced program that runs
    Dump(dump::DumpArgs),
    /// Say what leaks, who made it and who holds it (mode=trace)
    Leaks(leaks::LeaksArgs),
    /// Show who holds the objects of a heap dump, and who made them (mode=trace)
    Holders(holders::HoldersArgs),
    /// Measure what removing the objects of leak candidates saves, by trials
    Impact(impact::ImpactArgs),
    /// Write a heap dump again, with the allocation site of each object as its stack trace
    Enrich(enrich::EnrichArgs),
    /// Write stacks for pprof, speedscope, the Firefox Profiler or flame graph tools
    Export(export::ExportArgs),
    /// Draw a method's paths and counters
    Explain(explain::ExplainArgs),
    /// Print what a shell needs to complete this command
    Completions(shell_pages::CompletionsArgs),
    /// Write pages for man
    Man(shell_pages::ManArgs),
}

/// The exit code for input that cannot be used.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let command = Cli::parse().command;
    if matches!(
        command,
        Command::Cost(_) | Command::Leaks(_) | Command::Holders(_) | Command::Enrich(_)
    ) {
        own_mappings::begin_with_own_mappings();
    }
    let result = match command {
        Command::Run(args) => run::run(args),
        Command::Attach(args) => attach::run(&args),
        Command::Status(args) => control::status(&args),
        Command::Snapshot(args) => control::snapshot(&args),
        Command::Mark(args) => control::mark(&args),
        Command::Stop(args) => control::stop(&args),
        Command::Report(args) => report::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Top(args) => top::run(&args),
        Command::Ui(args) => ui::run(args),
        Command::Info(args) => info::run(&args),
        Command::Heap(args) => args.run(),
        Command::Lifetimes(args) => args.run(),
        Command::Timeline(args) => args.run(),
        Command::Growth(args) => args.run(),
        Command::Gc(args) => args.run(),
        Command::Cost(args) => cost::run(args),
        Command::Stale(args) => args.run(),
        Command::Deaths(args) => deaths::run(args),
        Command::Check(args) => check::run(&args),
        Command::Dump(args) => dump::run(args),
        Command::Leaks(args) => leaks::run(args),
        Command::Holders(args) => holders::run(args),
        Command::Impact(args) => impact::run(args),
        Command::Enrich(args) => enrich::run(args),
        Command::Export(args) => export::run(args),
        Command::Explain(args) => explain::run(&args),
        Command::Completions(args) => shell_pages::completions(&args, Cli::command()),
        Command::Man(args) => shell_pages::man(&args, Cli::command()),
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
