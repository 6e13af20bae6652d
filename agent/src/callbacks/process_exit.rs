//! The process exits, and the VM has not died: what ends the recording then.
//!
//! With a heap that is full to the last object the launcher finds no room for the thread that would end the VM, and calls `exit`. Native code may call it at any time. The VM then tells no
//! agent, but the C library tells who asked for it. The thread that exits is none of the VM's, may hold any lock, and must not be kept: another one ends the recording, and it
//! waits for that only so long.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ducktrack_jvmti::guard;

use crate::core::phase::Phase;
use crate::entry::{agent, report_panic};
use crate::run::agent::Agent;

/// How long the exit waits.
const PATIENCE: Duration = Duration::from_secs(5);

/// The process that asked: a child that is forked and exits ends nothing of its parent's.
static PROCESS: AtomicU32 = AtomicU32::new(0);
static ASKED: Once = Once::new();

/// Asks the C library to be told, once.
pub(crate) fn watch() {
    ASKED.call_once(|| {
        PROCESS.store(std::process::id(), Ordering::Release);
        // SAFETY: the agent's library is never unloaded. Without room for the request a recording that the VM does not end has no end, as one that is killed.
        unsafe { libc::atexit(exits) };
    });
}

extern "C" fn exits() {
    guard((), report_panic, || {
        let is_ours = std::process::id() == PROCESS.load(Ordering::Acquire);
        let is_counting = |agent: &&'static Agent| agent.core.phase.get() == Phase::Counting;
        let Some(agent) = agent().filter(is_counting).filter(|_| is_ours) else {
            return;
        };
        let (ended, wait) = mpsc::channel();
        let end = move || {
            guard((), report_panic, || agent.finish_without_vm("exit"));
            let _ = ended.send(());
        };
        if thread::Builder::new().spawn(end).is_ok() {
            let _ = wait.recv_timeout(PATIENCE);
        }
    });
}
