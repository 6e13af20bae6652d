//! `ducktrack lifetimes DIR|STREAM`: how long objects live, by the collections that found them dead, or by the moment of each death.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ducktrack_analyses::{LifetimeTallies, TraceModel};
use ducktrack_reports::{Filter, Report, lifetimes_report};

use crate::deaths::{self, DeathsArgs, Destination, Form};
use crate::output::Output;
use crate::selection::SiteSelection;
use crate::target::recording;
use crate::trace_report::{Answer, TraceArgs, TraceReport};

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack lifetimes ducktrack-4711
      which sites' objects die young, live long, die promoted
  ducktrack lifetimes ducktrack-4711 --only com.acme --sort count
  ducktrack lifetimes ducktrack-4711 --format html -o lifetimes.html
  ducktrack lifetimes ducktrack-4711 --deaths
      lifetimes, drag and survival by exact death times (run --mode deaths)
  ducktrack lifetimes ducktrack-4711 --deaths --clock micros --only com.acme
  ducktrack lifetimes ducktrack-4711 --objects --type '*Node'
      one line per object
  ducktrack lifetimes ducktrack-4711 --roots
      what held objects at the end
  ducktrack lifetimes ducktrack-4711 --columns objects.dtcol
      all objects as columns, for scripts
  ducktrack lifetimes ducktrack-4711 --format stream -o run.merlin
      for another back end
  ducktrack lifetimes run.merlin
  ducktrack lifetimes et.trace --from et1 --format et3 -o et3.trace
  ducktrack lifetimes oracle.csv --from oracle
      what a simulator was told")]
pub(crate) struct LifetimesArgs {
    /// The directory that the agent wrote with mode=trace, deaths or full, or the process that writes it; or a neutral stream or its text
    /// form
    #[arg(value_name = "PID|DIR|STREAM", value_parser = recording)]
    source: PathBuf,
    /// Form of the report
    #[arg(long, value_enum, default_value_t)]
    format: Form,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    selection: SiteSelection,
    #[command(flatten)]
    deaths: DeathsArgs,
}

pub(crate) fn run(args: LifetimesArgs) -> Result<ExitCode> {
    let (source, form, file) = (args.source, args.format, args.output);
    if args.deaths.is_asked() || form.has_deaths() || deaths::is_stream(&source) {
        let destination = Destination { form, file };
        return deaths::run(&source, args.deaths, destination, args.selection.into());
    }
    let output = Output::new(form.of_report(), file);
    TraceArgs::new(source, output).report(Lifetimes {
        selection: args.selection,
    })
}

/// By the collections that found the objects dead.
#[derive(Default)]
pub(crate) struct Lifetimes {
    selection: SiteSelection,
}

impl TraceReport for Lifetimes {
    fn filter(&self) -> Filter {
        self.selection.clone().into()
    }

    type Question = LifetimeTallies;

    fn question(&self) -> LifetimeTallies {
        LifetimeTallies::default()
    }

    fn report(self, model: &TraceModel, answer: &Answer<Self>, trace: &str) -> Result<impl Report> {
        let filter = self.selection.into();
        Ok(lifetimes_report(model, answer, trace, &filter))
    }
}
