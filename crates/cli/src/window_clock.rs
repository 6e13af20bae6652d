//! Windows of the clock: the same moments for all processes, until somebody wants it to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};

/// How often it is looked whether it is to stop.
const STEP: Duration = Duration::from_millis(100);

/// See the module.
pub(crate) struct WindowClock {
    window_millis: u64,
    stop: Arc<AtomicBool>,
}

impl WindowClock {
    /// Ctrl-C and SIGTERM end the last window.
    pub(crate) fn new(window_millis: u64) -> Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&stop)).context("no signals")?;
        }
        Ok(Self {
            window_millis,
            stop,
        })
    }

    /// Until the window ends; false when this is the last.
    pub(crate) fn wait(&mut self) -> bool {
        let end = (now() / self.window_millis + 1) * self.window_millis;
        while now() < end {
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            sleep(STEP.min(Duration::from_millis(end.saturating_sub(now()))));
        }
        true
    }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0))
}
