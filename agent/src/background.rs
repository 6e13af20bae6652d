//! The agent's own thread: snapshots by interval and on demand, sizes of classes, re-instrumentation.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ducktrack_jvmti::{Jni, NORMAL_PRIORITY, guard, spawn_agent_thread};

use crate::agent::Agent;
use crate::hot_library_sites::NextLook;
use crate::memory::MemorySecond;
use crate::reinstrumentation::Watch;

/// How often the thread looks around.
const TICK: Duration = Duration::from_millis(250);
/// How often sizes of newly loaded classes are looked up: they may be unloaded later.
const SIZES_EVERY: Duration = Duration::from_secs(5);
/// The same in mode trace.
const SIZES_EVERY_WITH_EVENTS: Duration = Duration::from_secs(1);

impl Agent {
    pub(crate) fn start_background(&'static self, jni: Jni) {
        let body = move |_, jni| {
            guard(
                (),
                |message| self.log.error(&format!("background work ends: {message}")),
                || self.look_around(jni),
            );
        };
        if let Err(error) = spawn_agent_thread(self.env, jni, "ducktrack", NORMAL_PRIORITY, body) {
            self.add_note(format!("No background thread: {error}; there are no snapshots by interval and no re-instrumentation."));
        }
    }

    /// A snapshot as soon as the background thread gets to it.
    pub(crate) fn request_snapshot(&self) {
        *self.wake.0.lock() = true;
        self.wake.1.notify_all();
    }

    pub(crate) fn wake_background(&self) {
        self.wake.1.notify_all();
    }

    fn look_around(&self, jni: Jni) {
        let mut last_snapshot = Instant::now();
        let mut last_sizes = Instant::now();
        let mut watch = Watch::default();
        let mut next_look = NextLook::new();
        let mut memory_second = MemorySecond::new();
        while self.is_counting() {
            let demanded = self.wait(TICK);
            if !self.is_counting() {
                return;
            }
            self.look_after_memory(&mut memory_second);
            if self.collection_wanted.swap(false, Ordering::AcqRel) {
                self.collect();
            }
            self.reinstrument_due_methods(jni, &mut watch);
            self.track_hot_library_sites(jni, &mut next_look);
            if self.is_tracing() {
                self.number_called_sites();
            }
            if last_sizes.elapsed() >= self.sizes_every() {
                self.find_site_sizes(jni);
                last_sizes = Instant::now();
            }
            let by_interval = self
                .options
                .interval
                .is_some_and(|interval| last_snapshot.elapsed() + TICK / 2 >= interval);
            if demanded || by_interval {
                self.snapshot(jni, if demanded { "demand" } else { "interval" });
                last_snapshot = Instant::now();
            }
        }
    }

    /// Events are of little use to the reader of a killed program's trace without the sizes of their objects.
    fn sizes_every(&self) -> Duration {
        if self.is_tracing() {
            SIZES_EVERY_WITH_EVENTS
        } else {
            SIZES_EVERY
        }
    }

    fn collect(&self) {
        if let Err(error) = self.env.force_garbage_collection() {
            self.log.warn(&format!("no collection can be had: {error}"));
        }
    }

    /// True if a snapshot is wanted now.
    fn wait(&self, at_most: Duration) -> bool {
        let mut wanted = self.wake.0.lock();
        if !*wanted {
            let _ = self.wake.1.wait_for(&mut wanted, at_most);
        }
        std::mem::take(&mut *wanted)
    }
}
