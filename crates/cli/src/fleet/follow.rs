//! `ducktrack export --follow PID --to parquet`: at the end of each window the agent is asked for its values, through the control socket.
//!
//! What it writes is added to what has been read, and the day's files are written anew: at any time they are what an export of the recording would be.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use ducktrack_fleet::Recording;
use ducktrack_trace_reader::{Record, TraceReader, TraceTail};

use super::target::Target;
use crate::control::ask_for_values;

/// How often it is looked whether somebody wants it to stop.
const STEP: Duration = Duration::from_millis(100);

pub(super) fn follow(directory: &Path, target: &Target) -> Result<ExitCode> {
    let mut tail = TraceTail::open(directory)?;
    let mut recording = Recording::new(target.window_millis);
    let stop = stop_on_signals()?;
    let mut is_over = false;
    while !is_over {
        is_over = !wait_for_window(target.window_millis, &stop);
        let asked = ask_for_values(directory);
        for record in tail.look()? {
            is_over |= matches!(record, Record::End(_));
            recording.fold(record);
            if recording.finished_days() > 0 {
                target.write(&recording.take_finished_days(), None)?;
            }
        }
        if let Err(error) = asked {
            if !is_over {
                eprintln!(
                    "{}: {error:#}; this is its last window",
                    directory.display()
                );
            }
            is_over = true;
        }
        let mut so_far = recording.clone();
        if is_over {
            note_ending(&mut so_far, directory)?;
        }
        let written = target.write(&so_far.finish().0, None)?;
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

fn stop_on_signals() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).context("no signals")?;
    }
    Ok(stop)
}

/// Until the next window of the clock; false when it is to stop.
fn wait_for_window(window_millis: u64, stop: &AtomicBool) -> bool {
    let now = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0))
    };
    let end = (now() / window_millis + 1) * window_millis;
    while now() < end {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        sleep(STEP.min(Duration::from_millis(end.saturating_sub(now()))));
    }
    true
}
