//! `ducktrack leaks DIR [--dump FILE]`

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use ducktrack_analyses::{JudgedSpan, Questions, SpanBound, TraceModel};
use ducktrack_count_model::CountModel;
use ducktrack_heap_replay::Moment;
use ducktrack_reports::{Filter, LeakRequest, leaks_report};

use crate::dump_loading::{DumpTrace, PartialDump};
use crate::nothing;
use crate::trace_report::TraceArgs;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack leaks ducktrack-4711                         what leaks, how sure, how fast, when the heap is full
  ducktrack leaks ducktrack-4711 --dump heap.hprof       and who holds it, by which path
  ducktrack leaks ducktrack-4711 --from 30               without the first 30 seconds
  ducktrack leaks ducktrack-4711 --from warm --until done  between two marks (ducktrack mark)
  ducktrack leaks ducktrack-4711 --sites --only com.acme  the verdict on every line of source
  ducktrack leaks ducktrack-4711 --dump heap.hprof --format html -o leaks.html")]
pub(crate) struct LeaksArgs {
    #[command(flatten)]
    report: TraceArgs,
    /// A heap dump of the traced JVM: ducktrack dump makes one
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
    #[command(flatten)]
    partial: PartialDump,
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

pub(crate) fn run(args: LeaksArgs) -> Result<ExitCode> {
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
        trace: args.report.name(),
        dump: args.dump.as_ref().map(|dump| dump.display().to_string()),
        max_heap: args.max_heap,
        top: args.top,
        sites,
        span: span.clone(),
    };
    let questions = Questions {
        survivors: Some(span.clone()),
        staleness: Some(Moment::End),
        ..Questions::default()
    };
    let load = |questions: &Questions| -> Result<TraceModel> {
        let model = args.report.load(questions)?;
        check_marks(&model.count, &span, &args.report.name())?;
        if let Some(filter) = &request.sites {
            nothing::mention_of_run(&model.count, filter);
        }
        Ok(model)
    };
    let report = match &args.dump {
        None => leaks_report(&load(&questions)?, None, &request)?,
        Some(dump) => {
            let mut trace = DumpTrace::load(load, dump, args.partial, questions)?;
            let holdings = trace.holdings()?;
            leaks_report(&trace.model, Some(&holdings), &request)
                .map_err(|error| trace.fault(error))?
        }
    };
    args.report.print(&report)
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
            "{trace} has no mark `{name}`, nor any other; give seconds since the start, or mark moments with: ducktrack mark PID NAME"
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
