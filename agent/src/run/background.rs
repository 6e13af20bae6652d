//! The agent's own thread: commands, snapshots by interval and on demand, sizes of classes, re-instrumentation.
//!
//! It is a native thread, and one of the VM only while it works there ([`crate::core::own_thread`]).

use std::time::{Duration, Instant};

use ducktrack_hotspot::block_signals;
use ducktrack_jvmti::guard;

use crate::classes::hot_library_sites::NextLook;
use crate::classes::kept_templates::SavingWatch;
use crate::classes::module_reads::ModuleReads;
use crate::classes::redefined_classes::RedefinedClasses;
use crate::classes::reinstrumentation::Watch;
use crate::contexts::{Contexts, of_recording};
use crate::core::own_thread::OWN_THREAD;
use crate::options::Context;
use crate::process::memory::MemorySecond;
use crate::recording::Moment;
use crate::run::agent::Agent;

/// How often the thread checks for work.
const TICK: Duration = Duration::from_millis(250);
/// How often sizes of newly loaded classes are looked up: without them, events in a killed program's trace are of little use.
const SIZES_EVERY: Duration = Duration::from_secs(1);
/// Without an interval: how often sums of contexts are written that a kill would lose.
const SUMS_EVERY: Duration = Duration::from_secs(10);

impl Agent {
    pub(crate) fn start_background(&'static self) {
        let Ok(life) = self.core.resident.own_thread.enter() else {
            return;
        };
        let body = move || {
            block_signals();
            guard(
                (),
                |message| {
                    self.core
                        .log
                        .error(&format!("background work ends: {message}"))
                },
                || self.look_around(),
            );
            drop(life);
        };
        let thread = std::thread::Builder::new().name(OWN_THREAD.to_owned());
        if let Err(error) = thread.spawn(body) {
            self.core.add_note(format!("No background thread: {error}; there are no snapshots by interval and no re-instrumentation."));
        }
    }

    fn look_around(&self) {
        let core = &self.core;
        let mut last_snapshot = Instant::now();
        let mut last_sizes = Instant::now();
        let mut watch = Watch::default();
        let mut next_look = NextLook::new();
        let mut memory_second = MemorySecond::new();
        let mut saving = SavingWatch::new(Instant::now());
        let mut last_look_at_memory = None;
        let mut last_look_at_bound = None;
        while core.is_counting() {
            let is_snapshot_due = core.wake.wait(TICK);
            if !core.is_counting() {
                return;
            }
            self.obey_all();
            if !core.is_counting() {
                return;
            }
            memory_second.look(&core.log, self.recording.state(core).object_bytes);
            self.stacks.tick_stacks(core);
            core.note_what_is_seen();
            core.watch_memory(&mut last_look_at_memory);
            core.watch_memory_bound(&mut last_look_at_bound);
            self.forget_gone_loaders();
            self.instrumentation.kept.look(core, &mut saving);
            self.change_probes(&mut watch, &mut next_look);
            self.recording.reached(core, Moment::Tick);
            if last_sizes.elapsed() >= SIZES_EVERY {
                self.find_site_sizes();
                self.note_largest_executions();
                last_sizes = Instant::now();
            }
            let by_interval = self
                .interval()
                .is_some_and(|interval| last_snapshot.elapsed() + TICK / 2 >= interval);
            if is_snapshot_due || by_interval {
                self.snapshot(if is_snapshot_due {
                    "demand"
                } else {
                    "interval"
                });
                last_snapshot = Instant::now();
            }
        }
    }

    /// Writes the largest executions of contexts that are new: the file of counters has their bytes only.
    fn note_largest_executions(&self) {
        if let Some(contexts) = of_recording(&self.core) {
            // Read where no block is folded meanwhile: of two records of a context, the later one counts.
            self.core.define(|| contexts.largest_records());
        }
    }

    /// The time between snapshots.
    fn interval(&self) -> Option<Duration> {
        let core = &self.core;
        let has_sums = || of_recording(core).is_some_and(Contexts::needs_snapshots);
        let of_options = core.options.interval;
        of_options.or_else(|| has_sums().then_some(SUMS_EVERY))
    }

    /// Gives back the memory for classes of loaders that are gone.
    fn forget_gone_loaders(&self) {
        let core = &self.core;
        if !core.loaders.is_look_due() {
            return;
        }
        let gone = core.in_vm(|jni| {
            ModuleReads::of_process().forget_gone(jni);
            core.loaders.take_gone(jni)
        });
        // While the VM ends, nothing needs to be forgotten.
        let Ok(gone) = gone else { return };
        let instrumentation = &self.instrumentation;
        instrumentation.links.forget_loaders(&gone);
        instrumentation.prepared.forget_loaders(&gone);
        instrumentation.tracking.forget_loaders(&gone);
        RedefinedClasses::of_process(core.env).forget_loaders(&gone);
        core.registry.forget_loaders(&gone);
    }

    /// Retransforms classes that are to have different probes.
    fn change_probes(&self, watch: &mut Watch, next_look: &mut NextLook) {
        let (core, instrumentation) = (&self.core, &self.instrumentation);
        instrumentation.links.rewrite_late_classes(core);
        let Some(_replacing) = self.measured.may_replace_code() else {
            return;
        };
        let versions = &instrumentation.versions;
        versions.reinstrument_due_methods(core, watch);
        if core.options.context == Context::Auto && next_look.is_due() {
            self.find_site_sizes();
            let tracking = &instrumentation.tracking;
            tracking.track_hot_library_sites(core);
        }
    }

    /// Executes the commands in the inbox.
    fn obey_all(&self) {
        while let Some((command, reply)) = self.inbox.take() {
            let answer = self.obey(&command);
            // Before the client knows that the run has ended, so that it finds no socket of it.
            if !self.core.is_counting()
                && let Some(socket) = self.socket.lock().as_ref()
            {
                socket.remove();
            }
            // A client that has disconnected gets no answer.
            let _ = reply.send(answer);
        }
    }
}
