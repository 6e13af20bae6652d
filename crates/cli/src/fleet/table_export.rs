//! `ducktrack export DIR... --to parquet -o ROOT --service S --version V`

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use ducktrack_analyses::{Question, TraceModel};
use ducktrack_findings::{Evidence, Findings};
use ducktrack_fleet::{
    Labels, LeakFacts, Origin, Recording, TablePipe, TraceFacts, TraceQuestion, leak_facts,
};
use ducktrack_trace_reader::EventFiles;

use super::follow;
use super::target::{Target, Written};
use crate::leak_findings::LeakJudge;
use crate::loading::with_counts;
use crate::reach;
use crate::records::read_records;
use crate::trace_loading::replay_trace;

/// Labels of the process that its recordings do not have.
#[derive(Args)]
pub(crate) struct TablesArgs {
    /// The service that the recordings are of
    #[arg(long, value_name = "NAME", help_heading = "Tables of a fleet")]
    service: Option<String>,
    /// Its version or build
    #[arg(
        long = "version",
        value_name = "NAME",
        help_heading = "Tables of a fleet"
    )]
    service_version: Option<String>,
    /// The machine it ran on [default: this one]
    #[arg(long, value_name = "NAME", help_heading = "Tables of a fleet")]
    host: Option<String>,
    /// The pod it ran in
    #[arg(long, value_name = "NAME", help_heading = "Tables of a fleet")]
    pod: Option<String>,
    /// Requests that it has served, for figures of one request
    #[arg(long, value_name = "N", help_heading = "Tables of a fleet")]
    requests: Option<u64>,
    /// Anything else (may be repeated)
    #[arg(
        long = "label",
        value_name = "NAME=VALUE",
        help_heading = "Tables of a fleet"
    )]
    labels: Vec<String>,
}

impl TablesArgs {
    /// The flags of tables are for tables.
    pub(crate) fn refuse(&self) -> Result<()> {
        let given = [
            (self.service.is_some(), "--service"),
            (self.service_version.is_some(), "--version"),
            (self.host.is_some(), "--host"),
            (self.pod.is_some(), "--pod"),
            (self.requests.is_some(), "--requests"),
            (!self.labels.is_empty(), "--label"),
        ];
        match given.into_iter().find(|(is_given, _)| *is_given) {
            Some((_, name)) => bail!("{name} needs --to parquet"),
            None => Ok(()),
        }
    }

    /// Exports recordings, or a program while it runs.
    pub(crate) fn export(
        &self,
        traces: &[PathBuf],
        root: &str,
        follow: bool,
        seconds: u64,
    ) -> Result<ExitCode> {
        let mut target = self.target(root, seconds)?;
        if follow {
            let [trace] = traces else {
                bail!("--follow takes one process");
            };
            return follow::tables(trace, target);
        }
        for trace in traces {
            export_recording(trace, &mut target)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn target(&self, root: &str, seconds: u64) -> Result<Target> {
        let (Some(service), Some(version)) = (&self.service, &self.service_version) else {
            bail!("--to parquet needs --service NAME and --version NAME");
        };
        let origin = Origin {
            service: service.clone(),
            version: version.clone(),
            host: self.host.clone().map_or_else(this_host, Ok)?,
            pod: self.pod.clone(),
            requests: self.requests,
            labels: Labels::parse(&self.labels)?,
        };
        origin.check()?;
        let mut command = reach::command("tables")?;
        // Ctrl-C is for this command alone: it has a last window to write.
        command.arg(root).process_group(0);
        Ok(Target {
            pipe: TablePipe::start(command, root)?,
            root: root.to_owned(),
            origin,
            window_millis: seconds * 1000,
        })
    }
}

fn this_host() -> Result<String> {
    let path = "/proc/sys/kernel/hostname";
    let name = fs::read_to_string(path).with_context(|| format!("{path}: give --host NAME"))?;
    Ok(name.trim().to_owned())
}

type TraceAnswers = <TraceQuestion as Question>::Answer;

/// What `ducktrack leaks` finds: with a dump in the folder the trace is read again, for the objects of the dump.
fn leaks_of(path: &Path, model: &TraceModel, answers: &TraceAnswers) -> Result<LeakFacts> {
    let judge = LeakJudge::of(path);
    if judge.dump.path().is_some() {
        return judge.judge(
            path,
            (),
            |_| Ok(()),
            |findings, (), _| Ok(leak_facts(findings)),
        );
    }
    let (_, _, _, survivors, staleness) = answers;
    let evidence = Evidence {
        model,
        survivors,
        staleness: staleness.as_ref(),
        holdings: None,
        max_heap: None,
    };
    Ok(leak_facts(&Findings::of(evidence)?))
}

fn export_recording(path: &Path, target: &mut Target) -> Result<()> {
    // Before the records: all that is in the files by now has its definitions on disk.
    let files = EventFiles::open(path);
    let mut recording = Recording::new(target.window_millis);
    let mut written = Written::default();
    let reader = read_records(path, |record| {
        recording.fold(record);
        if recording.finished_days() > 0 {
            written += target.write(&recording.take_finished_days(), None)?;
        }
        Ok(())
    })?;
    if !recording.has_begun() {
        bail!(
            "{}: the program has written nothing yet, or was killed before it did",
            path.display()
        );
    }
    if let Some(unended) = reader.unended() {
        recording.unended(unended.clone());
    }
    for (file, damage) in reader.damage() {
        recording.damage(file.display().to_string(), damage.clone());
    }
    let (count, names) = recording.take_model();
    let (facts, trace) = match files {
        Ok(files) if !files.files().is_empty() => {
            let (model, answers) = replay_trace(files, count, names, TraceFacts::question());
            let leaks = leaks_of(path, &model, &answers)?;
            let count = with_counts(model.count, &answers.1);
            (
                recording.finish_with(&count),
                Some(TraceFacts::of(&count, &answers, leaks)),
            )
        }
        _ => (recording.finish_with(&count), None),
    };
    written += target.write(&facts, trace.as_ref())?;
    eprintln!(
        "{}: {} objects, {} rows, {} bytes in {}",
        path.display(),
        written.objects,
        written.rows,
        written.bytes,
        target.root
    );
    Ok(())
}
