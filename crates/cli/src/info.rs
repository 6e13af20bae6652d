//! `ducktrack info DIR|STREAM|CLASS-FILE`: files, records, snapshots, damage and gaps of a recording; whether a neutral stream is whole;
//! the methods of a class file; the state of the agent in a program that runs, and its library.

mod stream;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow, ensure};
use clap::Args;
use ducktrack_analyses::TraceModel;
use ducktrack_count_model::{CountModel, CountModelBuilder, Run};
use ducktrack_heap_replay::TraceInfo;
use ducktrack_reports::{Ending, info_report};
use ducktrack_trace_reader::{EventFiles, Record, TraceReader};

use crate::control::{self, ControlArgs};
use crate::deaths::{Foreign, is_stream};
use crate::explain::{self, MethodArgs};
use crate::library;
use crate::output::{Contents, Format, Output};
use crate::target::recording;
use crate::trace_loading::load_trace;

/// Snapshots listed at each end of a long list.
const ENDS: usize = 5;

const AGENT: &str = "The agent";
const HISTORIES: &str = "Object histories";

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack info ducktrack-4711
      after a crash: what is there, what is missing
  ducktrack info ducktrack-4711 --format json | jq '.quality.percent'
  ducktrack info 4711 --state
      of a program that runs: what the agent does and costs
  ducktrack info --library
      where the agent's library is
  ducktrack info --library /opt/ducktrack
      unpacks it: a release has it inside, so that one file is enough to copy
  ducktrack info run.merlin
      whole and possible: exit code 0; else 1, and what is wrong where
  ducktrack info run.merlin --records
  ducktrack info target/classes/com/acme/Main.class
      the methods that allocate, their paths and counters
  ducktrack info app.jar --method Main.run --format dot | dot -Tsvg -o run.svg
  ducktrack info Main.class --method run --count entry:0=1000 --count 12:20=17
      with measured frequencies")]
pub(crate) struct InfoArgs {
    /// The directory that the agent wrote, or one of its files, or the process that writes it; or a neutral stream or its text form; or a
    /// class file or a jar
    #[arg(
        value_name = "PID|DIR|STREAM|CLASS-FILE|JAR",
        required_unless_present = "library"
    )]
    target: Option<String>,
    #[command(flatten)]
    output: Output<Contents>,
    /// Ask the agent in the running program: what it records, and whether it is still arriving (text, json)
    #[arg(long, help_heading = AGENT, conflicts_with_all = ["from", "histories", "records", "method", "counts"])]
    state: bool,
    /// Print the path of the agent's library, for -agentpath:. With DIR, write the library that is inside this command into that folder
    /// first
    #[arg(long, help_heading = AGENT, value_name = "DIR", exclusive = true)]
    library: Option<Option<PathBuf>>,
    /// Check the object histories of a recording, as those of a stream
    #[arg(long, help_heading = HISTORIES)]
    histories: bool,
    /// Print each record of the histories as a line of text
    #[arg(long, help_heading = HISTORIES)]
    records: bool,
    /// The file is another tool's
    #[arg(long, help_heading = HISTORIES, value_enum, value_name = "FORM")]
    from: Option<Foreign>,
    #[command(flatten)]
    method: MethodArgs,
}

pub(crate) fn run(args: InfoArgs) -> Result<ExitCode> {
    if let Some(unpack_into) = &args.library {
        return library::print_path(unpack_into.as_deref());
    }
    let target = args.target.unwrap_or_default();
    if args.state {
        return state(target, &args.output);
    }
    let trace = recording(&target).map_err(|error| anyhow!(error))?;
    if args.method.is_asked() || explain::is_class_file(&trace) {
        return explain::run(&trace, &args.method, &args.output);
    }
    let asked = args.from.is_some() || args.histories || args.records;
    if asked || is_stream(&trace) {
        ensure!(
            args.output.format() == Format::Text,
            "a stream of histories is printed as text only: leave --format out"
        );
        return stream::run(&trace, args.from, args.records);
    }
    let name = trace.display().to_string();
    if args.output.format() == Format::Text {
        let (text, events) = text(&trace)?;
        let report = events.map(|events| info_report(&events, &name));
        args.output.print_after(text, report.as_ref())?;
    } else {
        args.output.print(&info_report(&events(&trace)?, &name))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The agent's answer.
fn state(target: String, output: &Output<Contents>) -> Result<ExitCode> {
    let format = output.format();
    ensure!(
        matches!(format, Format::Text | Format::Json),
        "--state is printed as a line: use --format text or json"
    );
    let question = ControlArgs::new(target, format == Format::Json);
    output.print_text(&control::state(&question)?)?;
    Ok(ExitCode::SUCCESS)
}

/// The events; a trace of `mode=count` has none.
fn events(trace: &Path) -> Result<TraceModel> {
    Ok(load_trace(trace, ())?.0)
}

/// The records of the files by kind, and the events if there are any.
fn text(trace: &Path) -> Result<(String, Option<TraceModel>)> {
    let mut reader = TraceReader::open(trace)?;
    let mut records = BTreeMap::new();
    let mut builder = CountModelBuilder::new();
    for record in reader.by_ref() {
        *records.entry(sort_of(&record)).or_insert(0_u64) += 1;
        builder.fold(record);
    }
    if let Some(unended) = reader.unended() {
        builder.unended(unended.clone());
    }
    for (file, damage) in reader.damage() {
        builder.damage(file.display().to_string(), damage.clone());
    }
    let mut out = String::new();
    write_files(&mut out, &reader);
    write_records(&mut out, &records);
    let model = builder.finish();
    write_run(&mut out, &model);
    write_snapshots(&mut out, &model);
    let events = match EventFiles::open(trace)?.files() {
        [] => None,
        _ => Some(events(trace)?),
    };
    write_state(&mut out, &model, events.as_ref());
    Ok((out, events))
}

fn sort_of(record: &Record) -> &'static str {
    match record {
        Record::Run(_) => "run",
        Record::Class(_) => "class",
        Record::Method(_) => "method",
        Record::Site(_) => "site",
        Record::Counter(_) => "counter",
        Record::CallSite(_) => "call site",
        Record::CalledSite(_) => "called site",
        Record::SiteSize { .. } => "site size",
        Record::Thread(_) => "thread",
        Record::Refusal(_) => "refusal",
        Record::Reinstrumented(_) => "reinstrumented",
        Record::Snapshot(_) => "snapshot",
        Record::End(_) => "end",
        Record::StackDefinitions(_) => "stack definitions",
        Record::StackSamples(_) => "stack samples",
        _ => "other",
    }
}

fn write_files(out: &mut String, reader: &TraceReader) {
    out.push_str("FILES\n");
    for file in reader.files() {
        let size = fs::metadata(file).map_or_else(
            |error| error.to_string(),
            |data| format!("{} B", data.len()),
        );
        out.push_str(&format!("  {}  {size}\n", file.display()));
    }
}

fn write_records(out: &mut String, records: &BTreeMap<&str, u64>) {
    out.push_str("\nRECORDS\n");
    for (sort, number) in records {
        out.push_str(&format!("  {number:>10}  {sort}\n"));
    }
}

fn write_run(out: &mut String, model: &CountModel) {
    let run = &model.run;
    out.push_str("\nRUN\n");
    for (name, value) in [
        ("command", run.command.as_str()),
        ("vm", &vm(run)),
        ("pid", &run.pid.to_string()),
        (
            "agent",
            &format!(
                "{}, {} mode, {} counters at {}",
                run.agent_version, run.mode, run.counters, run.slot
            ),
        ),
        ("options", &run.options),
    ] {
        out.push_str(&format!("  {name:<9} {}\n", value.escape_debug()));
    }
}

fn vm(run: &Run) -> String {
    let java = format!("Java {}", run.java_version);
    [&run.vm_name, &run.vm_version, &java, &run.collector]
        .into_iter()
        .filter(|part| !part.is_empty() && *part != "Java ")
        .cloned()
        .collect::<Vec<_>>()
        .join(", ")
}

fn write_snapshots(out: &mut String, model: &CountModel) {
    let snapshots = &model.snapshots;
    out.push_str(&format!("\nSNAPSHOTS ({})\n", snapshots.len()));
    for (at, snapshot) in snapshots.iter().enumerate() {
        if at >= ENDS && at + ENDS < snapshots.len() {
            if at == ENDS {
                out.push_str("  ...\n");
            }
            continue;
        }
        let after = snapshot
            .unix_millis
            .saturating_sub(model.run.start_unix_millis);
        let vm = snapshot
            .vm_allocated_bytes
            .map_or_else(String::new, |bytes| {
                format!(", the VM had allocated {bytes} B")
            });
        out.push_str(&format!(
            "  {} ({}) {:.1} s after the start{vm}\n",
            snapshot.sequence,
            snapshot.cause.escape_debug(),
            after as f64 / 1000.0
        ));
    }
}

fn write_state(out: &mut String, model: &CountModel, events: Option<&TraceModel>) {
    out.push_str("\nSTATE\n");
    match &model.end {
        Some(end) => {
            out.push_str(&format!("  ended: {}\n", end.cause.escape_debug()));
            for sentence in Ending::of(model).sentences {
                out.push_str(&format!("  {sentence}\n"));
            }
        }
        None => {
            for sentence in Ending::of(model).sentences {
                out.push_str(&format!("  no end: {sentence}\n"));
            }
        }
    }
    let of_events = events.map_or(&[][..], |events| &events.info.damage);
    let is_running = events.is_some_and(|events| events.info.recovered.is_running);
    let found_in_events = of_events.iter();
    let found_in_events = found_in_events.filter(|found| !(is_running && found.is_of_running()));
    for found in model.real_damage().chain(found_in_events) {
        out.push_str(&format!("  damage in {}: {}\n", found.file, found.damage));
    }
    for found in &model.inconsistencies {
        out.push_str(&format!("  contradiction: {found}\n"));
    }
    for loss in model.losses() {
        out.push_str(&format!(
            "  lost while recording: {}\n",
            loss.escape_debug()
        ));
    }
    let faults = events.map_or_else(Vec::new, |events| event_faults(&events.info));
    for fault in &faults {
        out.push_str(&format!("  {fault}\n"));
    }
    if model.is_sound() && of_events.is_empty() && faults.is_empty() {
        out.push_str("  whole: nothing is missing or contradictory\n");
    }
}

/// Missing or contradictory events, a line each.
fn event_faults(info: &TraceInfo) -> Vec<String> {
    [
        (
            info.unexplained_survivors,
            "contradiction",
            "survivors contradict the events",
        ),
        (
            info.conflicts,
            "contradiction",
            "survivors lie where another does",
        ),
        (info.sums.malformed, "missing", "events are not readable"),
        (
            info.sums.size_unknown,
            "missing",
            "events have no known size",
        ),
        (
            info.sums.dropped,
            "missing",
            "events were dropped while recording",
        ),
        (info.lost_blocks, "missing", "blocks could not be written"),
    ]
    .into_iter()
    .filter(|(number, ..)| *number > 0)
    .map(|(number, word, what)| format!("{word}: {number} {what}"))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_with_contradictions_is_not_whole() {
        let sound = TraceInfo::default();
        assert!(event_faults(&sound).is_empty());
        let info = TraceInfo {
            unexplained_survivors: 16,
            conflicts: 1,
            ..sound
        };
        assert_eq!(
            event_faults(&info),
            [
                "contradiction: 16 survivors contradict the events",
                "contradiction: 1 survivors lie where another does"
            ]
        );
    }
}
