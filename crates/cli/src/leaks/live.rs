//! A program that runs: it is recorded for a while if nothing records it, and a heap dump is taken.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;

use super::interrupt::Interrupt;
use crate::attach;
use crate::control;
use crate::dump;
use crate::jvm_process::JvmProcess;
use crate::records::load_records;
use crate::run_dump::RunDump;
use crate::run_socket::{RunSocket, Target};
use crate::target;

/// The dump of the last look. A new look replaces it.
const DUMP: &str = "heap-live.hprof";
/// The library that is loaded writes this.
const OPTIONS: &str = "mode=trace,summary=off";

#[derive(Args)]
pub(super) struct LiveArgs {
    /// A process that is not recorded yet: record for this many seconds, then answer (Ctrl-C: answer now)
    #[arg(long = "for", value_name = "SECONDS", default_value_t = 60)]
    seconds: u64,
    /// A process that is not recorded yet: the agent's library
    #[arg(long, value_name = "PATH")]
    library: Option<PathBuf>,
}

/// The folder of the recording, and its heap dump. `named` is the value of `--dump`.
pub(super) fn recording(
    text: &str,
    named: Option<&Path>,
    args: &LiveArgs,
) -> Result<(PathBuf, RunDump)> {
    let path = Path::new(text);
    let pid = match text.parse::<u32>() {
        Ok(pid) if !path.exists() => pid,
        _ => return Ok((path.to_owned(), RunDump::of(named, path))),
    };
    let jvm = JvmProcess::find(pid)?;
    match target::folder(text) {
        Ok(folder) => {
            check_mode(pid, &folder)?;
            jvm.become_its_user()?;
            let interrupt = Interrupt::watch()?;
            let dump = look(&jvm, &folder, named, &interrupt)?;
            Ok((folder, dump))
        }
        Err(_) => record(jvm, named, args),
    }
}

/// A recording that is there must be one of events.
fn check_mode(pid: u32, folder: &Path) -> Result<()> {
    let mode = load_records(folder)?.finish().run.mode;
    match mode.has_events() {
        true => Ok(()),
        false => bail!(
            "process {pid} is recorded with mode={mode}, which does not know what stays alive: end that with `ducktrack stop {pid}`, then repeat this"
        ),
    }
}

/// Records for a while, looks at the heap, and ends the recording.
fn record(jvm: JvmProcess, named: Option<&Path>, args: &LiveArgs) -> Result<(PathBuf, RunDump)> {
    let pid = jvm.pid;
    // Loading makes us its user.
    drop(jvm);
    let interrupt = Interrupt::watch()?;
    let (jvm, _) = attach::begin(pid, args.library.as_deref(), OPTIONS, None)?;
    let folder = target::folder(&pid.to_string())?;
    if interrupt.take() {
        stop(pid)?;
        bail!(
            "interrupted before anything was recorded: process {pid} runs on, and {} has ended",
            folder.display()
        );
    }
    eprintln!(
        "ducktrack: process {pid} is recorded into {} for {} seconds (Ctrl-C: answer now)",
        folder.display(),
        args.seconds
    );
    interrupt.wait(Duration::from_secs(args.seconds), || !is_alive(pid));
    let dump = look(&jvm, &folder, named, &interrupt);
    stop(pid)?;
    Ok((folder, dump?))
}

fn is_alive(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// Ends a recording that is ours; that of a program that has ended is over.
fn stop(pid: u32) -> Result<()> {
    if is_alive(pid) {
        RunSocket::open(&Target::Process(pid))?.ask(&json!({"command": "stop"}))?;
        control::forget_library(pid);
    }
    Ok(())
}

/// A heap dump, unless another one is named, or the program has just ended.
fn look(
    jvm: &JvmProcess,
    folder: &Path,
    named: Option<&Path>,
    interrupt: &Interrupt,
) -> Result<RunDump> {
    let pid = jvm.pid;
    if named.is_some() || !is_alive(pid) {
        return Ok(RunDump::of(named, folder));
    }
    let file = std::path::absolute(folder.join(DUMP))?;
    remove(&file)?;
    let waits = format!(
        "interrupted: process {pid} is writing its heap, which cannot be cut short; the file is then deleted"
    );
    let take = || {
        dump::collect_beside(jvm, folder)?;
        dump::take(jvm, &file)?;
        dump::collect_beside(jvm, folder)
    };
    let (is_interrupted, taken) = interrupt.during(&waits, take)?;
    if is_interrupted {
        remove(&file)?;
        let folder = folder.display();
        bail!(
            "interrupted: process {pid} runs on, no dump is left; without one: ducktrack leaks {folder}"
        );
    }
    if let Err(error) = taken {
        // Of a JVM whose disk is full, or that was killed.
        remove(&file)?;
        return Err(error);
    }
    // What the JVM has in memory of the collection before the dump goes to the files.
    control::ask_for_values(folder)?;
    Ok(RunDump::Found(file))
}

fn remove(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| file.display().to_string())
        }
        _ => Ok(()),
    }
}
