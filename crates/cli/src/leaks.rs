//! `ducktrack leaks PID|DIR [--dump FILE]`

mod interrupt;
mod live;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use ducktrack_analyses::{JudgedSpan, SpanBound};
use ducktrack_count_model::CountModel;
use ducktrack_reports::{Filter, LeakRequest, LeaksReport, leaks_report};

use crate::dump_loading::PartialDump;
use crate::leak_findings::LeakJudge;
use crate::nothing;
use crate::output::{Charts, Output};
use crate::run_dump::RunDump;
use crate::trace_report::TraceArgs;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack leaks ducktrack-4711
      what leaks, how sure, how fast, who holds it, when the heap is full
  ducktrack leaks 4711
      of a program that runs: records a minute if nothing does, looks at the
      heap, answers
  ducktrack leaks ducktrack-4711 --from 30
      without the first 30 seconds
  ducktrack leaks ducktrack-4711 --from warm --until done
      between two marks (ducktrack snapshot --mark)
  ducktrack leaks ducktrack-4711 --sites --only com.acme
      the verdict on every line of source
  ducktrack leaks ducktrack-4711 --format html -o leaks.html

Who holds what leaks is known with a heap dump. Of a recording the newest in its
folder is read (--dump leaves one there); of a process id one is taken: the
JVM makes a full collection and stops while it writes its heap into
heap-live.hprof in the folder of the recording.")]
pub(crate) struct LeaksArgs {
    /// The directory that the agent wrote with mode=trace, or the process id of a Java program that runs
    #[arg(value_name = "PID|DIR")]
    target: String,
    #[command(flatten)]
    output: Output<Charts>,
    /// The heap dump, if not the newest in the folder of the recording; `none`: the trace alone
    #[arg(long, value_name = "FILE|none")]
    dump: Option<PathBuf>,
    #[command(flatten)]
    partial: PartialDump,
    #[command(flatten)]
    live: live::LiveArgs,
    /// Judge only from here on: seconds since the start (12.5), or the name of a mark
    #[arg(long, value_name = "TIME|MARK")]
    from: Option<String>,
    /// Judge only up to here (else up to the program's shutdown)
    #[arg(long, value_name = "TIME|MARK")]
    until: Option<String>,
    /// The verdict on every line of source with live objects
    #[arg(long)]
    sites: bool,
    /// With --sites: only those in this package or class (may be repeated)
    #[arg(long, value_name = "PACKAGE", requires = "sites")]
    only: Vec<String>,
    /// The largest heap, if not that of the run (-Xmx): 512m, 4g. When is it full at this rate?
    #[arg(long, value_name = "SIZE", value_parser = heap_size)]
    max_heap: Option<u64>,
    /// Show this many candidates in full (with --sites: this many rows)
    #[arg(long, value_name = "N")]
    top: Option<usize>,
}

impl LeaksArgs {
    /// Whether a heap dump is read: of a process one is taken.
    pub(crate) fn reads_dump(&self) -> bool {
        let folder = Path::new(&self.target);
        !folder.exists() || RunDump::of(self.dump.as_deref(), folder).path().is_some()
    }
}

pub(crate) fn run(args: LeaksArgs) -> Result<ExitCode> {
    let (folder, dump) = live::recording(&args.target, args.dump.as_deref(), &args.live)?;
    let report = TraceArgs::new(folder, args.output);
    let span = JudgedSpan {
        from: args.from.as_deref().map(span_bound),
        until: args.until.as_deref().map(span_bound),
    };
    let sites = args.sites.then(|| Filter {
        only: args.only.clone(),
        top: args.top,
        ..Filter::default()
    });
    let request = LeakRequest {
        trace: report.name(),
        dump: dump.path().map(|dump| dump.display().to_string()),
        top: args.top,
        sites,
        span: span.clone(),
        ..LeakRequest::default()
    };
    let judge = LeakJudge {
        span,
        dump,
        partial: args.partial,
        max_heap: args.max_heap,
    };
    report.print(&answer(&judge, request, &report.trace)?)
}

/// Reads the recording.
pub(crate) fn answer(
    judge: &LeakJudge,
    request: LeakRequest,
    folder: &Path,
) -> Result<LeaksReport> {
    // The run has the marks of the request; filters that keep nothing are mentioned.
    let check = |count: &CountModel| {
        check_marks(count, &request.span, &request.trace)?;
        if let Some(filter) = &request.sites {
            nothing::mention_of_run(count, filter);
        }
        Ok(())
    };
    judge.judge(folder, (), check, |findings, (), unread| {
        let mut request = request.clone();
        if let Some(why) = unread {
            request.dump = None;
            request.unread_dump = Some(why.to_string());
        }
        leaks_report(findings, &request)
    })
}

/// A number is seconds, anything else the name of a mark.
pub(crate) fn span_bound(text: &str) -> SpanBound {
    let seconds = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
    match seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0) {
        // Stops at the limit of u64.
        Some(seconds) => SpanBound::After((seconds * 1e6) as u64),
        None => SpanBound::Mark(text.to_owned()),
    }
}

/// Marks that are asked for and that the run does not have are an error.
fn check_marks(count: &CountModel, span: &JudgedSpan, trace: &str) -> Result<()> {
    let mut bounds = span.from.iter().chain(&span.until);
    bounds.try_for_each(|bound| check_mark(count, bound, trace))
}

fn check_mark(count: &CountModel, bound: &SpanBound, trace: &str) -> Result<()> {
    let SpanBound::Mark(name) = bound else {
        return Ok(());
    };
    let marks: Vec<&str> = count.marks().into_iter().map(|(name, _)| name).collect();
    if marks.contains(&name.as_str()) {
        return Ok(());
    }
    match marks.as_slice() {
        [] => bail!(
            "{trace} has no mark `{name}`, nor any other; give seconds since the start, or mark moments with: ducktrack snapshot PID --mark NAME"
        ),
        marks => bail!("{trace} has no mark `{name}`; it has: {}", marks.join(", ")),
    }
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
    fn bounds_are_seconds_or_marks() {
        assert_eq!(span_bound("12.5"), SpanBound::After(12_500_000));
        assert_eq!(span_bound("3s"), SpanBound::After(3_000_000));
        for name in ["warm", "-1", "nan", "s"] {
            assert_eq!(span_bound(name), SpanBound::Mark(name.to_owned()));
        }
    }

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
