//! Ctrl-C while a program is recorded and its heap is written: first it ends the
//! wait, later the command. Once the files are there it does what it always does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// How often we look.
const STEP: Duration = Duration::from_millis(100);

/// Signals that ask to end.
pub(super) struct Interrupt {
    asked: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
}

impl Interrupt {
    /// From now on signals are noted only.
    pub(super) fn watch() -> Result<Self> {
        let (asked, is_over): (Arc<AtomicBool>, Arc<AtomicBool>) = Default::default();
        for signal in [SIGINT, SIGTERM] {
            flag::register_conditional_default(signal, Arc::clone(&is_over))
                .and_then(|_| flag::register(signal, Arc::clone(&asked)))
                .context("cannot watch signals")?;
        }
        Ok(Self { asked, is_over })
    }

    /// Whether one has come since the last time.
    pub(super) fn take(&self) -> bool {
        self.asked.swap(false, Ordering::Relaxed)
    }

    /// Waits for a signal until this time is over or `is_done`.
    pub(super) fn wait(&self, time: Duration, is_done: impl Fn() -> bool) -> bool {
        let begun = std::time::Instant::now();
        while begun.elapsed() < time && !is_done() {
            if self.take() {
                return true;
            }
            std::thread::sleep(STEP);
        }
        false
    }

    /// Does something that cannot be left halfway, and says so once when it is interrupted. Whether it was, and the result.
    pub(super) fn during<T: Send>(
        &self,
        what: &str,
        work: impl FnOnce() -> T + Send,
    ) -> Result<(bool, T)> {
        std::thread::scope(|scope| {
            let worker = scope.spawn(work);
            let is_interrupted = self.wait(Duration::MAX, || worker.is_finished());
            if is_interrupted {
                eprintln!("ducktrack: {what}");
            }
            match worker.join() {
                Ok(result) => Ok((is_interrupted | self.take(), result)),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }
}

/// Signals end the command as they always do.
impl Drop for Interrupt {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}
