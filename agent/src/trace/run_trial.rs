//! The trial of a run with `remove=` (`ducktrack impact`): what the recording tells it, and what it records.

use std::sync::OnceLock;

use ducktrack_jvmti::sys::{jmethodID, jobject};
use ducktrack_jvmti::{Capability, EventKind, Jni, jlocation};
use ducktrack_trace_format::Record;

use crate::core::Core;
use crate::helper_classes::event_helper::EventHelper;
use crate::layers::uses::UseStamps;
use crate::options::TrialChoices;
use crate::trial::{Trial, UseWords};

/// What a run with a trial needs of JVMTI.
pub(crate) const CAPABILITIES: [Capability; 3] = [
    Capability::CanGenerateGarbageCollectionEvents,
    Capability::CanGenerateExceptionEvents,
    Capability::CanGetLineNumbers,
];

/// The trial, once it is prepared.
pub(crate) struct RunTrial {
    choices: TrialChoices,
    trial: OnceLock<Trial>,
}

impl RunTrial {
    pub(crate) fn new(choices: TrialChoices) -> Self {
        Self {
            choices,
            trial: OnceLock::new(),
        }
    }

    /// Prepares the trial. If that fails, the trace says why, and the program runs without it.
    pub(crate) fn prepare(&self, core: &Core, jni: Jni) {
        match Trial::begin(&self.choices, jni) {
            // A run begins once.
            Ok(trial) => drop(self.trial.set(trial)),
            Err(why) => core.add_note(format!("There is no trial: {why}.")),
        }
    }

    /// Starts the trial when the program starts.
    pub(crate) fn begin(&self, core: &Core) {
        let Some(trial) = self.trial.get() else {
            return;
        };
        if let Err(error) = core.env.enable(EventKind::EXCEPTION) {
            core.add_note(format!("Exception events cannot be enabled: {error}."));
        }
        trial.begin_run();
    }

    pub(crate) fn pause_begins(&self) {
        if let Some(trial) = self.trial.get() {
            trial.pause_begins();
        }
    }

    pub(crate) fn pause_ends(&self, core: &Core, uses: Option<&UseStamps>) {
        if let Some(trial) = self.trial.get() {
            trial.pause_ends(uses.map(|uses| uses as &dyn UseWords));
            core.wake.wake();
        }
    }

    /// After a collection, looks for references to remove, if it is time.
    pub(crate) fn look_for_removals(&self, core: &Core, uses: &UseStamps, helper: &EventHelper) {
        let Some(trial) = self.trial.get().filter(|trial| trial.is_look_due(uses)) else {
            return;
        };
        let look = |jni| trial.look(jni, uses, &|object| helper.address_of(jni, object));
        if let Err(why) = core.in_vm(look).flatten() {
            core.log
                .warn(&format!("references cannot be removed: {why}"));
        }
    }

    pub(crate) fn exception(
        &self,
        core: &Core,
        jni: Jni,
        place: (jmethodID, jlocation),
        exception: jobject,
    ) {
        if let Some(trial) = self.trial.get() {
            trial.exception(core.env, jni, place, exception);
        }
    }

    /// Records the result.
    pub(crate) fn end(&self, core: &Core) {
        let Some(trial) = self.trial.get() else {
            return;
        };
        // If this fails, exceptions find a run that has ended.
        let _ = core.env.disable(EventKind::EXCEPTION);
        core.registry.note(Record::Trial(trial.record()));
    }
}
