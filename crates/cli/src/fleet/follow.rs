//! `ducktrack export --follow PID --to parquet`: at the end of each window the agent is asked for its values, through the control socket.
//!
//! New records are added to those read before, and the files of the day
//! are written anew: at any time they equal an export of the recording.

use anyhow::{Result, ensure};
use ducktrack_fleet::Recording;
use ducktrack_trace_reader::{Record, TraceReader};
use std::path::Path;
use std::process::ExitCode;

use super::target::Target;
use crate::followed_run::FollowedRun;

pub(super) fn tables(directory: &Path, mut target: Target) -> Result<ExitCode> {
    let mut run = FollowedRun::open(directory, target.window_millis)?;
    let mut recording = Recording::new(target.window_millis);
    while let Some(window) = run.next_window()? {
        for record in window.records {
            recording.fold(record);
            if recording.finished_days() > 0 {
                target.write(&recording.take_finished_days(), None)?;
            }
        }
        if let Some(error) = window.refusal {
            eprintln!(
                "{}: {error:#}; this is its last window",
                directory.display()
            );
        }
        if !recording.has_begun() && !window.is_last {
            continue;
        }
        ensure!(
            recording.has_begun(),
            "{}: the program has written nothing",
            directory.display()
        );
        let mut so_far = recording.clone();
        if window.is_last {
            note_ending(&mut so_far, directory)?;
        }
        let written = target.write(&so_far.finish(), None)?;
        eprintln!(
            "{}: {} objects today, {} rows, {} bytes in {}",
            directory.display(),
            written.objects,
            written.rows,
            written.bytes,
            target.root
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// How a run that has no end stands: the reader knows, and has the last values of a killed one.
fn note_ending(recording: &mut Recording, directory: &Path) -> Result<()> {
    let mut reader = TraceReader::open(directory)?;
    let last = reader.by_ref().last();
    if let Some(unended) = reader.unended() {
        recording.unended(unended.clone());
        if let Some(snapshot @ Record::Snapshot(_)) = last {
            recording.fold(snapshot);
        }
    }
    for (file, damage) in reader.damage() {
        recording.damage(file.display().to_string(), damage.clone());
    }
    Ok(())
}
