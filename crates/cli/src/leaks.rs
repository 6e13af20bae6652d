//! `ducktrack leaks DIR [--dump FILE]`

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ducktrack_analyses::Questions;
use ducktrack_heap_replay::Moment;
use ducktrack_reports::{LeakRequest, leaks_report};

use crate::dump_loading::{DumpTrace, PartialDump};
use crate::trace_report::TraceArgs;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack leaks ducktrack-4711                         which sites' objects become more and more
  ducktrack leaks ducktrack-4711 --dump heap.hprof       and who holds them, by which path
  ducktrack leaks ducktrack-4711 --dump heap.hprof --format html -o leaks.html")]
pub(crate) struct LeaksArgs {
    #[command(flatten)]
    report: TraceArgs,
    /// A heap dump of the traced JVM: ducktrack dump makes one
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
    #[command(flatten)]
    partial: PartialDump,
    /// The largest heap, if not that of the run (-Xmx): 512m, 4g. When is it full at this rate?
    #[arg(long, value_name = "SIZE", value_parser = heap_size)]
    max_heap: Option<u64>,
    /// Show this many candidates in full
    #[arg(long, value_name = "N")]
    top: Option<usize>,
}

pub(crate) fn run(args: LeaksArgs) -> Result<ExitCode> {
    let request = LeakRequest {
        trace: args.report.name(),
        dump: args.dump.as_ref().map(|dump| dump.display().to_string()),
        max_heap: args.max_heap,
        top: args.top,
    };
    let questions = Questions {
        growth: true,
        staleness: Some(Moment::End),
        heap_at: vec![Moment::End],
        ..Questions::default()
    };
    let report = match &args.dump {
        None => leaks_report(&args.report.load(&questions)?, None, &request)?,
        Some(dump) => {
            let load = |questions: &Questions| args.report.load(questions);
            let mut trace = DumpTrace::load(load, dump, args.partial, questions)?;
            let holdings = trace.holdings()?;
            leaks_report(&trace.model, Some(&holdings), &request)
                .map_err(|error| trace.fault(error))?
        }
    };
    args.report.print(&report)
}

/// Bytes, as `-Xmx` has them.
pub(crate) fn heap_size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1 << 10),
        Some((at, 'm' | 'M')) => (&text[..at], 1 << 20),
        Some((at, 'g' | 'G')) => (&text[..at], 1 << 30),
        _ => (text, 1_u64),
    };
    let number = digits.parse::<u64>().ok();
    number
        .and_then(|number| number.checked_mul(unit))
        .ok_or_else(|| "give a size as of -Xmx: 512m, 4g".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_heaps() {
        assert_eq!(heap_size("512m"), Ok(512 << 20));
        assert_eq!(heap_size("4G"), Ok(4 << 30));
        assert_eq!(heap_size("1024"), Ok(1024));
        for bad in ["", "m", "-1g", "1t", "99999999999g"] {
            assert!(heap_size(bad).is_err(), "{bad}");
        }
    }
}
