//! Runs the command as a child that behaves as if it had been started directly: signals reach it, its exit code is ours.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::thread;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;

/// A shell reports a process that died of signal n as this plus n.
const DIED_OF_SIGNAL: i32 = 128;

/// Runs to the end.
pub(crate) fn run(mut command: Command, program: &OsStr) -> Result<ExitCode> {
    // Before the start, so that no signal is missed.
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2])
        .context("cannot watch signals")?;
    let handle = signals.handle();
    let mut child = command.spawn().with_context(|| {
        format!(
            "cannot start {}; is it installed and on the PATH?",
            program.to_string_lossy()
        )
    })?;
    let pid = pid_of(&child);
    let forwarder = thread::spawn(move || {
        for signal in signals.forever() {
            forward(signal, pid);
        }
    });
    let status = child.wait().context("cannot wait for the command");
    handle.close();
    // It ends by itself once the handle is closed; a panic in it is no reason to lose the exit code.
    let _ = forwarder.join();
    Ok(exit_code(status?))
}

fn pid_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// A terminal sends its own signals (Ctrl-C, Ctrl-\) to the child as well; a second one would be one too many.
fn forward(signal: i32, child: Option<Pid>) {
    let from_terminal = matches!(signal, SIGINT | SIGQUIT) && io::stdin().is_terminal();
    if let (false, Some(pid), Some(signal)) = (from_terminal, child, Signal::from_named_raw(signal))
    {
        // The child may just have ended: then no process is left to signal.
        let _ = kill_process(pid, signal);
    }
}

fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| DIED_OF_SIGNAL + signal));
    code.and_then(|code| u8::try_from(code).ok())
        .map_or(ExitCode::FAILURE, ExitCode::from)
}
