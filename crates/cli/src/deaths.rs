//! When each object died: `ducktrack lifetimes --deaths`, and of a stream.

mod columns;
mod consecutive;
mod export;
mod fate_output;
mod foreign_lines;
mod form;
mod object_list;
mod record_source;
mod replay;
mod root_list;
mod trace_records;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use ducktrack_analyses::{DeathTallies, ProgramClock};
use ducktrack_reports::{DeathsReport, DeathsRequest, Ending, Filter, deaths_report};

use crate::deaths::columns::ColumnWriter;
use crate::deaths::export::{Target, export, export_stream};
use crate::deaths::fate_output::FateOutput;
use crate::deaths::object_list::{ListForm, ObjectList};
use crate::nothing;
use crate::output;
use crate::records::load_records;

pub(crate) use foreign_lines::Foreign;
pub(crate) use form::Form;
pub(crate) use record_source::{RecordSource, is_stream, open};

/// Notes of the agent that begin so are about deaths.
const OF_DEATHS: &str = "Deaths of ";

/// The question about death times.
#[derive(Args)]
#[command(next_help_heading = "When each object died")]
pub(crate) struct DeathsArgs {
    /// Report on death times: exact (mode=deaths, full), or within bounds (mode=trace). Each option below asks for them, too, and so does a
    /// stream
    #[arg(long)]
    deaths: bool,
    /// The file is another tool's
    #[arg(long, value_enum, value_name = "FORM")]
    from: Option<Foreign>,
    /// Clock of ages and moments [default: bytes]
    #[arg(long, value_enum)]
    clock: Option<Clock>,
    /// List objects instead: CSV, or one JSON object per line with --format json
    #[arg(long)]
    objects: bool,
    /// List what held objects when that was recorded last (`roots=`), as CSV: by what, static field, object, type
    #[arg(long, conflicts_with = "objects")]
    roots: bool,
    /// Write every object to this file as columns (crates/merlin/COLUMNS.md)
    #[arg(long, value_name = "FILE")]
    columns: Option<PathBuf>,
}

impl DeathsArgs {
    /// Whether an option asks for death times.
    pub(crate) fn is_asked(&self) -> bool {
        let has_value = self.from.is_some() || self.clock.is_some() || self.columns.is_some();
        self.deaths || self.objects || self.roots || has_value
    }
}

/// The form of the answer, and the file for it; without one, standard output.
pub(crate) struct Destination {
    pub(crate) form: Form,
    pub(crate) file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Clock {
    /// Bytes that the program allocated
    #[default]
    Bytes,
    /// Methods that it entered
    Calls,
    /// Microseconds
    Micros,
}

impl From<Clock> for ProgramClock {
    fn from(clock: Clock) -> Self {
        match clock {
            Clock::Bytes => Self::Bytes,
            Clock::Calls => Self::Calls,
            Clock::Micros => Self::Micros,
        }
    }
}

pub(crate) fn run(
    source: &Path,
    args: DeathsArgs,
    to: Destination,
    filter: Filter,
) -> Result<ExitCode> {
    let target = Target::of(to.form);
    let has_all = target.is_some() || to.form == Form::Stream;
    if has_all && filter.is_partial() {
        bail!(
            "--only and --type choose rows of a report; this form has all objects, for another tool"
        );
    }
    if let Some(target) = target {
        let out = writer(to.file.as_deref())?;
        return export(|| open(source, args.from), target, out);
    }
    if to.form == Form::Stream {
        let out = writer(to.file.as_deref())?;
        return export_stream(open(source, args.from)?, out);
    }
    if args.roots {
        let mut out = writer(to.file.as_deref())?;
        root_list::write(source, &filter, &mut *out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let clock = ProgramClock::from(args.clock.unwrap_or_default());
    let list = match args.objects {
        true => Some(ObjectList::new(
            writer(to.file.as_deref())?,
            list_form(to.form),
            clock,
            filter.clone(),
        )),
        false => None,
    };
    let columns = match &args.columns {
        Some(path) => Some(ColumnWriter::new(writer(Some(path))?)?),
        None => None,
    };
    let mut out = FateOutput::new(DeathTallies::new(clock), list, columns);
    let replayed = replay::replay(open(source, args.from)?, &mut out)?;
    if args.objects {
        for line in replayed.damage.iter().chain(&replayed.left_out) {
            eprintln!("ducktrack: {}: {line}", source.display());
        }
        return Ok(ExitCode::SUCCESS);
    }
    let request = DeathsRequest {
        source: source.display().to_string(),
        filter,
        damage: replayed.damage,
        notes: notes_of(source, replayed.left_out)?,
    };
    let tallies = out.finish(replayed.totals);
    let report = deaths_report(&tallies, &request);
    if report.sites.is_empty() && request.filter.is_partial() {
        let all = DeathsRequest {
            filter: Filter::default(),
            ..request.clone()
        };
        nothing::say(&request.filter, deaths_report(&tallies, &all).sites.len());
    }
    output::print(&report, to.form.of_report(), to.file.as_deref())?;
    Ok(ExitCode::SUCCESS)
}

/// The whole report of a source, ages in bytes.
pub(crate) fn whole_report(source: &Path) -> Result<DeathsReport> {
    let mut out = FateOutput::new(DeathTallies::new(ProgramClock::Bytes), None, None);
    let replayed = replay::replay(open(source, None)?, &mut out)?;
    let request = DeathsRequest {
        source: source.display().to_string(),
        filter: Filter::default(),
        damage: replayed.damage,
        notes: notes_of(source, replayed.left_out)?,
    };
    Ok(deaths_report(&out.finish(replayed.totals), &request))
}

/// Records that the source does not have, what the agent says of deaths in its notes, and an `OutOfMemoryError`. A stream has none of
/// these.
fn notes_of(source: &Path, left_out: Option<String>) -> Result<Vec<String>> {
    if !source.is_dir() {
        return Ok(Vec::new());
    }
    let (model, _) = load_records(source)?.finish_trace();
    let mut notes = Ending::of(&model).out_of_memory;
    let of_deaths = model.run.notes.into_iter();
    notes.extend(of_deaths.filter(|note| note.starts_with(OF_DEATHS)));
    notes.extend(left_out);
    Ok(notes)
}

fn list_form(form: Form) -> ListForm {
    match form {
        Form::Json => ListForm::JsonLines,
        _ => ListForm::Csv,
    }
}

/// The file, or standard output.
fn writer(path: Option<&Path>) -> Result<Box<dyn Write + Send>> {
    Ok(match path {
        Some(path) => {
            let file = File::create(path);
            let file = file.with_context(|| format!("cannot write {}", path.display()))?;
            Box::new(BufWriter::new(file))
        }
        None => Box::new(BufWriter::new(io::stdout())),
    })
}
