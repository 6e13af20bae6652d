//! `ducktrack heap DIR [--at GC|last|end] [--stale]`

use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Result, bail};
use clap::Args;
use ducktrack_analyses::{HeapAt, HeapMoments, TraceModel};
use ducktrack_heap_replay::{CollectionNumber, Moment};
use ducktrack_reports::{Filter, Report, heap_report};

use crate::selection::SiteSelection;
use crate::stale::Stale;
use crate::trace_report::{Answer, TraceArgs, TraceReport, unknown_heap};

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack heap ducktrack-4711
      what was alive at the end
  ducktrack heap ducktrack-4711 --at 12
      what collection 12 left
  ducktrack heap ducktrack-4711 --at last
      what the last collection left whose moves are known (the JVM was killed)
  ducktrack heap ducktrack-4711 --only com.acme --type 'byte[]'
  ducktrack heap ducktrack-4711 --stale
      what the program no longer uses (run --mode trace --staleness on)
  ducktrack heap ducktrack-4711 --format html -o heap.html

An object's staleness is the number of collections between its last use and the
moment: 0 if it was used since the collection before.")]
pub(crate) struct HeapArgs {
    #[command(flatten)]
    trace: TraceArgs,
    /// Show by how long the program has not used them the objects that the last collection, or that of --at, left alive
    #[arg(long, conflicts_with = "threads")]
    stale: bool,
    #[command(flatten)]
    heap: Heap,
}

pub(crate) fn run(args: HeapArgs) -> Result<ExitCode> {
    let HeapArgs { trace, stale, heap } = args;
    if !stale {
        return trace.report(heap);
    }
    trace.report(Stale {
        at: heap.at.collection(),
        selection: heap.selection,
    })
}

/// The whole of the heap at a moment.
#[derive(Args)]
pub(crate) struct Heap {
    /// The moment: the number of a collection (ducktrack timeline lists them), last for the last one that is known, or end
    #[arg(long, value_name = "GC|last|end", default_value = "end")]
    at: At,
    #[command(flatten)]
    selection: SiteSelection,
    /// Only this thread, in the table of threads: main, pool-* (may be repeated)
    #[arg(long = "thread", value_name = "NAME")]
    threads: Vec<String>,
}

/// `--at`
#[derive(Clone, Copy, Debug)]
struct At(Moment);

impl At {
    /// The number of a collection, if it is one before the last.
    fn collection(self) -> Option<u32> {
        match self.0 {
            Moment::After(number) => Some(number.0),
            Moment::Last | Moment::End => None,
        }
    }
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("end", _) => Ok(Self(Moment::End)),
            ("last", _) => Ok(Self(Moment::Last)),
            (_, Ok(number)) => Ok(Self(Moment::After(CollectionNumber(number)))),
            (_, Err(_)) => Err("give the number of a collection, last, or end".to_owned()),
        }
    }
}

impl TraceReport for Heap {
    fn filter(&self) -> Filter {
        self.selection.clone().into()
    }

    type Question = HeapMoments;

    fn question(&self) -> HeapMoments {
        HeapMoments::new(vec![self.at.0])
    }

    fn report(self, model: &TraceModel, answer: &Answer<Self>, trace: &str) -> Result<impl Report> {
        let heap = heap_at(model, answer.first(), self.at.0, trace)?;
        let filter = Filter {
            threads: self.threads,
            ..self.selection.into()
        };
        Ok(heap_report(model, heap, trace, &filter))
    }
}

/// The heap, which was asked for at this moment; or why there is none.
pub(crate) fn heap_at<'a>(
    model: &TraceModel,
    heap: Option<&'a Option<HeapAt>>,
    moment: Moment,
    trace: &str,
) -> Result<&'a HeapAt> {
    match heap {
        Some(Some(heap)) => Ok(heap),
        _ => bail!("{trace}: {}", no_heap(model, moment)),
    }
}

/// Why there is no heap at that moment, and what to do.
fn no_heap(model: &TraceModel, moment: Moment) -> String {
    let (first, last) = (model.info.first_collection, model.info.last_collection);
    let unknown = match moment {
        Moment::After(number) => gap_at(model, number),
        Moment::Last | Moment::End => None,
    };
    let unknown = unknown.or_else(|| unknown_heap(model));
    match (moment, first.zip(last)) {
        (Moment::After(number), None) => format!(
            "there is no collection {}: none was recorded; use --at end",
            number.0
        ),
        (Moment::After(number), Some((first, last))) if number < first || number > last => {
            format!(
                "there is no collection {}: the trace has {} to {}",
                number.0, first.0, last.0
            )
        }
        _ => format!(
            "the live heap is not known{}{}",
            unknown.unwrap_or_else(
                || " at that moment: its collection is missing or damaged".to_owned()
            ),
            last_known(model)
        ),
    }
}

/// The command that shows the last heap that is known.
fn last_known(model: &TraceModel) -> String {
    match model.info.known_stretches.last() {
        Some(stretch) if stretch.until.0 > 0 => format!(
            "; `--at last` shows what collection {} left",
            stretch.until.0
        ),
        _ => String::new(),
    }
}

/// The heap is known before and after that collection.
fn gap_at(model: &TraceModel, number: CollectionNumber) -> Option<String> {
    let mut gaps = model.info.knowledge_gaps.iter();
    let gap = gaps.find(|gap| gap.since <= number && number < gap.until)?;
    Some(format!(
        " from collection {} up to collection {}, after which it is known again: {}",
        gap.since.0, gap.until.0, gap.reason
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_numbers_or_the_end() {
        assert!(matches!("end".parse(), Ok(At(Moment::End))));
        assert!(matches!("last".parse(), Ok(At(Moment::Last))));
        assert!(matches!(
            "12".parse(),
            Ok(At(Moment::After(CollectionNumber(12))))
        ));
        for bad in ["", "-1", "first", "4294967296"] {
            assert!(bad.parse::<At>().is_err(), "{bad}");
        }
    }
}
