//! `remove=`: a trial of `ducktrack impact`. Collections are timed; in a removal trial, references to objects
//! that the program does not use any more are set to null, and what the program still does with them is noticed.
//!
//! ```text
//! pause                 PauseClock: wall and CPU time of every collection; TrackedObjects: which targets were used, where they are now
//! after a collection    a look, in the agent's own thread: FollowReferences marks the sources that hold targets,
//!                       each target is tracked (TrackedObjects), JNI sets references to null
//! exceptions            NullUses: where NullPointerExceptions are thrown
//! end                   one record `Trial`
//! ```
//!
//! No allocation is recorded and no move: the pauses are those of the JVM.

mod collector_threads;
mod held_collections;
mod marked_sources;
mod null_uses;
mod pause_clock;
pub(crate) mod recording;
mod reference_fields;
mod remover;
mod tracked_objects;

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use ducktrack_hotspot::{Address, Collector, HeapSpaces, JvmFlags, VmStructs};
use ducktrack_jvmti::sys::{jmethodID, jobject};
use ducktrack_jvmti::{Env, Jni, jlocation};
use ducktrack_trace_format::Trial as TrialRecord;
use parking_lot::Mutex;

use crate::options::TrialChoices;
use crate::process::clock::nanos;
use crate::process::thread_clock::process_cpu;
use null_uses::NullUses;
use pause_clock::PauseClock;
use remover::Remover;
use tracked_objects::TrackedObjects;
use tracked_objects::UseWords;

/// A trial under way.
pub(crate) struct Trial {
    /// When the program's own run began, and the CPU time by then.
    began: OnceLock<(Instant, Duration)>,
    pauses: Mutex<PauseClock>,
    null_uses: NullUses,
    /// `None`: a base trial.
    remover: Mutex<Option<Remover>>,
    /// Locked in pauses: never held while the VM is called.
    tracked: Mutex<TrackedObjects>,
    fault: Mutex<Option<String>>,
}

impl Trial {
    /// Begins to measure.
    ///
    /// # Errors
    /// Why there can be no trial: one sentence.
    pub(crate) fn begin(choices: &TrialChoices, jni: Jni) -> Result<Self, String> {
        let spaces = heap_spaces()?;
        let remover = match choices.pairs.is_empty() {
            true => None,
            false => Some(Remover::new(choices)?),
        };
        Ok(Self {
            began: OnceLock::new(),
            pauses: Mutex::new(PauseClock::new(spaces)),
            null_uses: NullUses::new(jni)?,
            remover: Mutex::new(remover),
            tracked: Mutex::default(),
            fault: Mutex::new(Remover::refusal(choices)),
        })
    }

    /// The program's own run begins.
    pub(crate) fn begin_run(&self) {
        // A run begins once.
        let _ = self.began.set((Instant::now(), process_cpu()));
    }

    /// The world has stopped for a collection.
    pub(crate) fn pause_begins(&self) {
        self.pauses.lock().begin();
    }

    /// The world is about to go on. Work done here is no part of the pause.
    pub(crate) fn pause_ends(&self, uses: Option<&dyn UseWords>) {
        self.pauses.lock().end();
        let begun = Instant::now();
        if let Some(uses) = uses {
            self.tracked.lock().pause(uses);
        }
        self.pauses.lock().add_own_work(begun);
    }

    /// An exception is thrown.
    pub(crate) fn exception(
        &self,
        env: Env,
        jni: Jni,
        (method, location): (jmethodID, jlocation),
        exception: jobject,
    ) {
        self.null_uses.note(env, jni, (method, location), exception);
    }

    /// Whether it is time to look for references to remove.
    pub(crate) fn is_look_due(&self, uses: &dyn UseWords) -> bool {
        let used_share = self.pauses.lock().used_share();
        let mut remover = self.remover.lock();
        remover
            .as_mut()
            .is_some_and(|remover| remover.is_due(uses, used_share))
    }

    /// After a collection, in the agent's own thread: looks for references to remove. `address`: where an object is.
    ///
    /// # Errors
    /// Why nothing can be removed.
    pub(crate) fn look(
        &self,
        jni: Jni,
        uses: &dyn UseWords,
        address: &dyn Fn(jobject) -> Option<Address>,
    ) -> Result<(), ducktrack_jvmti::Error> {
        let looked = match self.remover.lock().as_mut() {
            Some(remover) => remover.look_now(jni, uses, address, &self.tracked),
            None => Ok(()),
        };
        if let Err(why) = &looked {
            *self.fault.lock() = Some(format!("References could not be removed: {why}."));
        }
        looked
    }

    /// The outcome of the trial.
    pub(crate) fn record(&self) -> TrialRecord {
        let (began, cpu) = self.began.get().copied().unzip();
        let cpu = cpu.map(|cpu| process_cpu().saturating_sub(cpu));
        let mut record = TrialRecord {
            run_nanos: nanos(began.map_or(Duration::ZERO, |began| began.elapsed())),
            run_cpu_nanos: nanos(cpu.unwrap_or_default()),
            null_uses: self.null_uses.take(),
            fault: self.fault.lock().clone(),
            ..TrialRecord::default()
        };
        self.pauses.lock().say(&mut record);
        if let Some(remover) = &*self.remover.lock() {
            remover.say(&mut record, &self.tracked.lock());
        }
        record
    }
}

/// The heap, if its uses can be known.
///
/// # Errors
/// Why they cannot: one sentence.
pub(crate) fn heap_spaces() -> Result<HeapSpaces, String> {
    let words = |error: ducktrack_hotspot::Error| format!("the heap is not known: {error}");
    let vm = VmStructs::load().map_err(words)?;
    let flags = JvmFlags::load(&vm).map_err(words)?;
    let collector = Collector::of(&flags).ok_or("the collector is not known")?;
    HeapSpaces::load(&vm, collector).map_err(words)
}
