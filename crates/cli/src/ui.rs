//! `ducktrack ui PID|DIR`: all pages of a run as one, served to this machine's browser or written as one file.

mod connection;
mod connections;
mod live_looks;
mod live_metrics;
mod metrics;
mod page_kind;
mod recording;
mod server;
mod whole_file;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::output;
use crate::run_dump::RunDump;
use crate::target;
use recording::Recording;
use server::Server;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack ui ducktrack-4711
      serve on this machine only; open the address that it prints
  ducktrack ui 4711
      of a program that runs: figures are read again and again
  ducktrack ui ducktrack-4711 --output run.html
      one file, for a colleague
  ducktrack ui 4711 --metrics 127.0.0.1:9464
      and figures for Prometheus
  ducktrack ui ducktrack-2 --baseline ducktrack-1 --dump heap.hprof

The address has a secret in it, and only this machine can reach it. Ctrl-C ends
the server.")]
pub(crate) struct UiArgs {
    /// The process id of a Java program with the agent, or the directory that it writes
    #[arg(value_name = "PID|DIR")]
    target: String,
    /// Write one self-contained page to this file instead
    #[arg(short, long, value_name = "FILE", conflicts_with = "port")]
    output: Option<PathBuf>,
    /// Serve on this port (0: one that is free)
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Serve figures for Prometheus at http://ADDRESS/metrics as well: 127.0.0.1:9464
    #[arg(long, value_name = "ADDRESS", conflicts_with = "output")]
    metrics: Option<SocketAddr>,
    /// A heap dump of the traced JVM, if not the newest in the folder of the recording: who holds its objects
    #[arg(long, value_name = "FILE|none")]
    dump: Option<PathBuf>,
    /// Another run to compare with
    #[arg(long, value_name = "DIR")]
    baseline: Option<PathBuf>,
}

pub(crate) fn run(args: UiArgs) -> Result<ExitCode> {
    let directory = target::folder(&args.target)?;
    if let Some(address) = args.metrics {
        let bound = metrics::serve(address, &directory)?;
        eprintln!("ducktrack: figures for Prometheus at http://{bound}/metrics");
    }
    let dump = RunDump::of(args.dump.as_deref(), &directory);
    let recording = Recording::open(directory, dump, args.baseline)?;
    if let Some(file) = &args.output {
        output::write(&whole_file::page(&recording)?, Some(file))?;
        return Ok(ExitCode::SUCCESS);
    }
    let server = Server::bind(args.port)?;
    let address = format!("{}\n", server.address());
    eprintln!("ducktrack: serving to this machine only; Ctrl-C ends it");
    output::write(&address, None)?;
    server.run(recording)
}
