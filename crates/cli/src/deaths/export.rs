//! Forms that other tools read. Where deaths stand at their moment among the events, the source is read twice: for the deaths,
//! then for the events. The moments of all deaths are in memory then: 24 bytes each.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use ducktrack_analyses::{DeathTallies, ProgramClock};
use ducktrack_merlin::{ElephantForm, ElephantWriter, OracleWriter, Record, StreamWriter};

use crate::deaths::fate_output::FateOutput;
use crate::deaths::form::Form;
use crate::deaths::record_source::RecordSource;
use crate::deaths::replay::replay;

/// The form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Elephant(ElephantForm),
    OracleCsv,
}

impl Target {
    /// The form of another tool; `None` for a report.
    pub(crate) fn of(form: Form) -> Option<Self> {
        match form {
            Form::Et1 => Some(Self::Elephant(ElephantForm::Et1)),
            Form::Et3 => Some(Self::Elephant(ElephantForm::Et3)),
            Form::OracleCsv => Some(Self::OracleCsv),
            _ => None,
        }
    }
}

const FAILED: &str = "cannot write the export";

pub(crate) fn export(
    open: impl Fn() -> Result<RecordSource>,
    target: Target,
    out: Box<dyn Write + Send>,
) -> Result<ExitCode> {
    let mut moments = FateOutput::of_moments(DeathTallies::new(ProgramClock::Bytes));
    let replayed = replay(open()?, &mut moments)?;
    for line in replayed.damage.iter().chain(&replayed.left_out) {
        eprintln!("ducktrack: {line}");
    }
    let (deaths, names) = moments.into_moments();
    let deaths = deaths.into_iter();
    match target {
        Target::Elephant(form) => {
            let mut writer = ElephantWriter::new(out, form, names, deaths);
            for_each_record(open()?, |record| writer.record(record).context(FAILED))?;
            writer.finish().context(FAILED)?;
        }
        Target::OracleCsv => {
            let mut writer = OracleWriter::new(out, names, deaths);
            for_each_record(open()?, |record| {
                writer.record(record);
                Ok(())
            })?;
            writer.finish().context(FAILED)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The records as they are, for `ducktrack info` and `ducktrack lifetimes`.
pub(crate) fn export_stream(source: RecordSource, out: Box<dyn Write + Send>) -> Result<ExitCode> {
    let mut writer = StreamWriter::new(out).context(FAILED)?;
    let fault = for_each_record(source, |record| writer.write(record).context(FAILED))?;
    writer.finish().context(FAILED)?;
    if let Some(fault) = fault {
        eprintln!("ducktrack: {fault}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Every record up to the end or to the first damage, which is returned; of a whole source, the records that it does not have.
fn for_each_record(
    mut source: RecordSource,
    mut take: impl FnMut(&Record) -> Result<()>,
) -> Result<Option<String>> {
    let (mut result, mut damage) = (Ok(()), None);
    source.for_each_piece(&mut |piece| {
        if damage.is_some() || result.is_err() {
            return;
        }
        match piece.and_then(|piece| Ok(piece.decode()?)) {
            Ok(block) => {
                result = take(&Record::Thread(block.thread))
                    .and_then(|()| block.records.iter().try_for_each(&mut take));
            }
            Err(error) => damage = Some(format!("{error:#}")),
        }
    });
    result.map(|()| damage.or_else(|| source.left_out()))
}
