//! `ducktrack export --follow PID --to parquet`: at the end of each window the agent is asked for its values, through the control socket.
//!
//! New records are added to those read before, and the files of the day are written anew: at any time they equal an export of the recording.

use anyhow::{Result, ensure};
use ducktrack_fleet::Recording;
use ducktrack_trace_reader::{Record, TraceReader, TraceTail};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use super::target::Target;
use crate::control::{self, ask_for_values};
use crate::window_clock::WindowClock;

pub(super) fn tables(directory: &Path, target: &Target) -> Result<ExitCode> {
    let mut tail = TraceTail::open(directory)?;
    let mut recording = Recording::new(target.window_millis);
    let mut clock = WindowClock::new(target.window_millis)?;
    let since = Instant::now();
    let mut is_over = false;
    while !is_over {
        is_over = !clock.wait();
        let asked = ask_for_values(directory);
        let has_gone = control::is_over(&asked, recording.has_begun(), since);
        for record in tail.look()? {
            is_over |= matches!(record, Record::End(_));
            recording.fold(record);
            if recording.finished_days() > 0 {
                target.write(&recording.take_finished_days(), None)?;
            }
        }
        if let (true, Err(error)) = (has_gone, asked) {
            if !is_over {
                eprintln!(
                    "{}: {error:#}; this is its last window",
                    directory.display()
                );
            }
            is_over = true;
        }
        if !recording.has_begun() && !is_over {
            continue;
        }
        ensure!(
            recording.has_begun(),
            "{}: the program has written nothing",
            directory.display()
        );
        let mut so_far = recording.clone();
        if is_over {
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
