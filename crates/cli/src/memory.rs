//! `ducktrack memory PID|DIR`: what fills the memory of a process and its container, and when it ends.

mod kernel_files;
mod look;

use std::path::Path;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use ducktrack_count_model::CountModel;
use ducktrack_memory_bill::{Bill, Part, Recorded, Sample, forecast, heap_need};
use ducktrack_reports::{MemoryReport, MemoryRequest, Report, memory_report};

use crate::dump::process;
use crate::jvm_process::JvmProcess;
use crate::output::{Charts, Output};
use crate::records::load_records;
use crate::target;
use look::Look;

/// Looks at the process while it is observed.
const SAMPLES: u32 = 24;
const LONGEST: u64 = 24 * 3600;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack memory 4711
      what the kernel charges process and container for, and when it ends
  ducktrack memory 4711 --for 120
      observed for two minutes: a surer trend
  ducktrack memory 4711 --format json
  ducktrack memory ducktrack-4711
      of a program that records: the lines that made direct buffers, threads

The JVM is asked as jcmd asks it: no agent is loaded, no collection made.")]
pub(crate) struct MemoryArgs {
    /// Process id of a Java program, or the directory of its recording
    #[arg(value_name = "PID|DIR")]
    target: String,
    /// Observe the process for this long, for its trend (0: not at all)
    #[arg(long = "for", value_name = "SECONDS", default_value_t = 10)]
    seconds: u64,
    #[command(flatten)]
    output: Output<Charts>,
}

pub(crate) fn run(args: &MemoryArgs) -> Result<ExitCode> {
    if args.seconds > LONGEST {
        bail!("--for {}: at most {LONGEST} seconds", args.seconds);
    }
    let report = report(&args.target, Duration::from_secs(args.seconds))?;
    args.output.print(&report)?;
    Ok(ExitCode::SUCCESS)
}

/// The page of a recording whose program runs: as it is now, not over time.
pub(crate) fn page(directory: &Path) -> Result<String> {
    let target = directory.display().to_string();
    Ok(report(&target, Duration::ZERO)?.html()?)
}

fn report(target: &str, length: Duration) -> Result<MemoryReport> {
    let ended = "what it was charged is not recorded: ask while it runs";
    let pid = process(target, ended)?;
    let jvm = JvmProcess::find(pid)?;
    let look = Look::at(&jvm);
    let samples = observe(&look, length)?;
    let recording = recording(target);
    let found = look.whole(recording.as_ref().map(recorded))?;
    let bill = Bill::of(&found.observed);
    let forecast = forecast(&samples, (bill.limit, found.max_heap));
    let heap = bill.bytes(Part::HeapUsed) + bill.bytes(Part::HeapFree);
    Ok(memory_report(
        &bill,
        forecast,
        MemoryRequest {
            pid,
            group: found.group,
            max_heap: found.max_heap,
            heap_need: heap_need(&samples, heap),
            threads: found.threads,
            native: found.observed.native,
            loaders: found.loaders,
            off_heap: recording.map_or_else(Vec::new, |model| model.off_heap),
            observed_seconds: samples.last().map_or(0.0, |sample| sample.seconds),
        },
    ))
}

/// What the process records of itself, if it does.
fn recording(target: &str) -> Option<CountModel> {
    let folder = target::recording(target).ok()?;
    Some(load_records(&folder).ok()?.finish())
}

fn recorded(model: &CountModel) -> Recorded {
    let live = model.off_heap.iter().filter(|row| row.kind.is_of_unsafe());
    let live: i64 = live.map(|row| row.live().bytes).sum();
    Recorded {
        off_heap: u64::try_from(live).unwrap_or(0),
        agent: model.cost.memory_bytes,
    }
}

/// Samples the process at even distances.
fn observe(look: &Look<'_>, length: Duration) -> Result<Vec<Sample>> {
    let begun = Instant::now();
    let mut samples = Vec::new();
    if length.is_zero() {
        return Ok(samples);
    }
    for number in 0..=SAMPLES {
        let due = length * number / SAMPLES;
        sleep(due.saturating_sub(begun.elapsed()));
        samples.push(look.sample(begun.elapsed().as_secs_f64())?);
    }
    Ok(samples)
}
