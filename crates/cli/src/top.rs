//! `ducktrack top PID|DIR`: current allocations of a program, read from its mapped counters. The JVM does nothing for it. Where counters
//! are not mapped (with a trace), the agent is asked for what it has counted at each look.

pub(crate) mod columns;
pub(crate) mod grouping;
mod heap_follower;
mod heap_watch;
mod live_heap;
pub(crate) mod live_run;
pub(crate) mod live_table;
mod live_text;
mod screen;
mod terminal;

use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use crate::output;
use crate::target;
use crate::terminal::screen;
use columns::RowOrder;
use grouping::By;
use live_run::LiveRun;
use live_table::LiveTable;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack top 4711
      places in the code, refreshed each second
  ducktrack top ducktrack-4711 --by types --sort objects-rate
  ducktrack top 4711 --by context
      requests, queries, jobs (run with --contexts http)
  ducktrack top 4711 --by heap
      what is alive, of a program with a trace
  ducktrack top 4711 --once --format json | jq '.rows[0]'

Keys: q quit, tab or 1-8 sites, types, threads, packages, calls of the
application, contexts, off-heap, live heap; s next order; / filter;
p pause; m mark (totals from now on); up, down, page keys")]
pub(crate) struct TopArgs {
    /// The process id of a Java program with the agent, or the directory that it writes
    #[arg(value_name = "PID|DIR")]
    target: String,
    /// Kind of rows
    #[arg(long, value_enum, default_value_t)]
    by: By,
    /// Order of the rows
    #[arg(long, value_enum, default_value_t)]
    sort: RowOrder,
    /// Only rows whose name has this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,
    /// Seconds between two looks
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    interval: f64,
    /// Look twice, print, end
    #[arg(long)]
    once: bool,
    /// Show this many rows with --once
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Form of what --once prints
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    #[default]
    Text,
    /// Documented keys
    Json,
}

pub(crate) fn run(args: &TopArgs) -> Result<ExitCode> {
    if !(0.05..=3600.0).contains(&args.interval) {
        bail!(
            "--interval {}: give seconds from 0.05 to 3600",
            args.interval
        );
    }
    let directory = target::folder(&args.target)?;
    let mut live = LiveRun::open(&directory)?;
    let mut table = LiveTable::new(args.by, args.sort, args.filter.clone());
    live.look()?;
    if args.by == By::Heap {
        live.follow_heap()?;
    }
    if args.once {
        live.wait_for_heap();
    }
    table.take(&live, Instant::now());
    let interval = Duration::from_secs_f64(args.interval);
    if !args.once {
        terminal::run(&mut live, table, interval)?;
        return Ok(ExitCode::SUCCESS);
    }
    sleep(interval);
    live.look()?;
    live.wait_for_heap();
    table.take(&live, Instant::now());
    let document = table.document(&live, args.top);
    let text = match args.format {
        Format::Json => document.json()?,
        Format::Text => live_text::text(&document, args.by, screen(true, None).width),
    };
    output::write(&text, None)?;
    Ok(ExitCode::SUCCESS)
}
