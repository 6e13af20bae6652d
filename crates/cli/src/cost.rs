//! `ducktrack cost DIR`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use ducktrack_analyses::{CostBuilder, CostQuestion, GcCost, JudgedSpan, ObjectGroup, TraceModel};
use ducktrack_findings::{Evidence, Findings, leak_question};
use ducktrack_reports::{
    Change, CostCandidate, CostRequest, Filter, Report, candidate_groups, candidates_of,
    cost_report,
};

use crate::dump_loading::{DumpTrace, PartialDump};
use crate::impact::Pair;
use crate::leaks::heap_size;
use crate::nothing;
use crate::selection::RowSelection;
use crate::trace_report::{Answer, TraceArgs, TraceReport};

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack cost ducktrack-4711
      which sites the collector works for, and what a run without them saves
  ducktrack cost ducktrack-4711 --only com.acme --format html -o cost.html
  ducktrack cost ducktrack-4711 --young 64m --heap 2g
  ducktrack cost ducktrack-4711 --halve com.acme.Cache.put
  ducktrack cost ducktrack-4711 --dump heap.hprof
      and what each leak candidate costs: what ducktrack impact would measure")]
pub(crate) struct CostArgs {
    #[command(flatten)]
    report: TraceArgs,
    /// Predict a run with a heap of this size, as -Xmx; the young space stays (may be repeated)
    #[arg(long, value_name = "SIZE", value_parser = heap_size)]
    heap: Vec<u64>,
    /// Predict a run with this many bytes between two young collections (may be repeated)
    #[arg(long, value_name = "SIZE", value_parser = heap_size)]
    young: Vec<u64>,
    /// Predict a run in which this class or method (com.acme.Cache.put), with what it calls, allocates half (may be repeated)
    #[arg(long, value_name = "SITE")]
    halve: Vec<String>,
    /// A heap dump of the traced JVM, for the costs of leak candidates
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
    #[command(flatten)]
    partial: PartialDump,
    /// With --dump: this many candidates, highest leak score first
    #[arg(long, value_name = "N", default_value_t = 3)]
    candidates: usize,
    /// With --dump: these instead: SOURCE->TARGET as ducktrack leaks has them (may be repeated)
    #[arg(long = "pair", value_name = "SOURCE->TARGET", requires = "dump")]
    pairs: Vec<Pair>,
    /// Predict a run in which objects die when they were not used for this many collections (staleness=on; else: when they are that old)
    #[arg(long, value_name = "COLLECTIONS", default_value_t = CostQuestion::UNUSED_FOR, value_parser = clap::value_parser!(u32).range(1..))]
    after: u32,
    #[command(flatten)]
    selection: RowSelection,
}

/// A collector that works while the program runs has pauses that say nothing about its work; of ZGC's the trace has the CPU time.
fn refuse_untimed(model: &TraceModel, costs: &GcCost) -> Result<()> {
    let collector = &model.count.run.collector;
    let is_untimed = costs.is_concurrent && costs.collections() > 0 && costs.pause_nanos() == 0;
    if collector == "Shenandoah" || is_untimed {
        bail!(
            "{collector} works while the program runs: its pauses say nothing about what objects cost, and this trace does not have the CPU time of its workers. Costs are known of Serial, Parallel, G1 and ZGC"
        );
    }
    Ok(())
}

impl CostArgs {
    /// Whether a heap dump is read.
    pub(crate) fn reads_dump(&self) -> bool {
        self.dump.is_some()
    }
}

pub(crate) fn run(args: CostArgs) -> Result<ExitCode> {
    let (candidates, groups, dump_cut_at) = match &args.dump {
        Some(dump) => found(&args, dump)?,
        None => Default::default(),
    };
    let question = CostQuestion {
        unused_for: args.after,
        groups,
    };
    let (model, costs) = args.report.load(CostBuilder::new(&question))?;
    refuse_untimed(&model, &costs)?;
    let filter: Filter = args.selection.into();
    nothing::mention_of_run(&model.count, &filter);
    let heap = args.heap.into_iter().map(Change::Heap);
    let young = args.young.into_iter().map(Change::Young);
    let halve = args.halve.into_iter().map(Change::Halve);
    let request = CostRequest {
        changes: heap.chain(young).chain(halve).collect(),
        candidates,
        dump_cut_at,
    };
    let name = args.report.name();
    let report = cost_report(&model, &costs, &name, &filter, &request);
    args.report.print(&report)
}

/// The table of sites, as the page of `ducktrack ui` has it.
#[derive(Args, Default)]
pub(crate) struct CostTable {
    #[command(flatten)]
    selection: RowSelection,
}

impl TraceReport for CostTable {
    fn filter(&self) -> Filter {
        self.selection.clone().into()
    }

    type Question = CostBuilder;

    fn question(&self) -> CostBuilder {
        CostBuilder::new(&CostQuestion::default())
    }

    fn report(self, model: &TraceModel, answer: &Answer<Self>, trace: &str) -> Result<impl Report> {
        let (filter, request) = (self.selection.into(), CostRequest::default());
        Ok(cost_report(model, answer, trace, &filter, &request))
    }
}

/// The candidates, the objects that they hold, and where a dump that the JVM did not finish ends. The trace is read twice: the held objects
/// are known at the end of the first time.
fn found(
    args: &CostArgs,
    dump: &Path,
) -> Result<(Vec<CostCandidate>, Vec<ObjectGroup>, Option<u64>)> {
    let question = leak_question(&JudgedSpan::default());
    let mut trace = DumpTrace::load(&args.report.trace, dump, args.partial, question)?;
    let holdings = trace.holdings()?;
    let mut candidates: Vec<CostCandidate> = match args.pairs.as_slice() {
        [] => {
            let evidence = Evidence {
                holdings: Some(&holdings),
                ..Evidence::of_trace(&trace.model, &trace.answer)
            };
            Findings::of(evidence)
                .and_then(|found| candidates_of(&found, &holdings, (args.candidates, args.after)))
                .map_err(|error| trace.fault(error))?
        }
        pairs => pairs.iter().map(Pair::candidate).collect(),
    };
    let groups = candidate_groups(&holdings, &mut candidates);
    if !args.pairs.is_empty() && candidates.iter().all(|one| one.held == 0) {
        bail!("the dump has no object that only these references hold");
    }
    Ok((candidates, groups, holdings.dump.graph.cut()))
}
