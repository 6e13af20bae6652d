//! The recording of a run with `remove=` (`ducktrack impact`): no allocation
//! is recorded, collections are timed, and uses of objects are stamped.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use ducktrack_class_rewriter::{AllocationProbes, RewriteOptions, ThreadTotals};
use ducktrack_hotspot::{Address, JvmFlags, ShadowedHeap, VmStructs};
use ducktrack_jvmti::sys::{jmethodID, jobject};
use ducktrack_jvmti::{Capability, EventKind, Jni, jlocation};
use ducktrack_trace_format::Record;

use super::{Trial, UseWords, heap_spaces};
use crate::core::registry::MOST_SITES_OF_EVENTS;
use crate::core::{Core, Needs};
use crate::helper_classes::event_helper::EventHelper;
use crate::layers::uses::UseStamps;
use crate::options::{Options, TrialChoices};
use crate::recording::{Moment, NativeObject, Pause, Probes, Recording};
use crate::trace;
use crate::trace::buffers::event_buffer;
use crate::trace::buffers::event_tables::EventTables;

/// The JVMTI capabilities of a run with a trial.
const CAPABILITIES: [Capability; 3] = [
    Capability::CanGenerateGarbageCollectionEvents,
    Capability::CanGenerateExceptionEvents,
    Capability::CanGetLineNumbers,
];

/// A trial as a recording.
pub(crate) struct TrialRecording {
    rewriting: RewriteOptions,
    choices: TrialChoices,
    trial: OnceLock<Trial>,
    /// Stamps of the program's uses of objects.
    uses: OnceLock<UseStamps>,
    /// The number of collections so far.
    epoch: AtomicU32,
}

impl UseWords for UseStamps {
    fn now(&self) -> u64 {
        self.now()
    }

    fn word(&self, object: Address) -> u64 {
        self.word(object)
    }

    fn exchange(&self, object: Address, expected: u64, new: u64) -> bool {
        self.exchange_word(object, expected, new)
    }
}

impl TrialRecording {
    pub(crate) fn new(options: &Options, choices: TrialChoices) -> Self {
        Self {
            rewriting: RewriteOptions {
                allocations: AllocationProbes::None,
                histogram: options.histogram,
                materialized: options.materialized,
                totals: ThreadTotals::None,
                calls: false,
                off_heap: false,
                joined_chains: false,
                profile: false,
                redundant_stamps: options.redundant_stamps,
            },
            choices,
            trial: OnceLock::new(),
            uses: OnceLock::new(),
            epoch: AtomicU32::new(0),
        }
    }

    /// Prepares what stamps of uses need. If that fails, the trace says why, and the program runs without stamps.
    fn start_uses(&self, core: &Core, jni: Jni, helper: &EventHelper) {
        let heap = heap_spaces();
        let heap = heap.map(|spaces| ShadowedHeap::Plain(spaces.reserved()));
        let address = |object| helper.address_of(jni, object);
        let prepare = |heap| UseStamps::prepare(core, jni, &heap, address);
        match heap.and_then(prepare) {
            // A run begins once.
            Ok(uses) => drop(self.uses.set(uses)),
            Err(why) => core.add_note(format!("Uses of objects are not recorded: {why}.")),
        }
    }

    /// Prepares the trial. If that fails, the trace says why, and the program runs without it.
    fn start_trial(&self, core: &Core, jni: Jni) {
        match Trial::begin(&self.choices, jni) {
            // A run begins once.
            Ok(trial) => drop(self.trial.set(trial)),
            Err(why) => core.add_note(format!("There is no trial: {why}.")),
        }
    }

    /// Starts the trial when the program starts.
    fn begin_run(&self, core: &Core) {
        let Some(trial) = self.trial.get() else {
            return;
        };
        if let Err(error) = core.env.enable(EventKind::EXCEPTION) {
            core.add_note(format!("Exception events cannot be enabled: {error}."));
        }
        trial.begin_run();
    }

    /// The clock of uses goes on.
    fn advance(&self) {
        let epoch = self.epoch.fetch_add(1, Ordering::AcqRel) + 1;
        if let Some(uses) = self.uses.get() {
            uses.advance(epoch);
        }
    }

    /// After a collection, looks for references to remove, if it is time.
    fn look_for_removals(&self, core: &Core) {
        let (Some(trial), Some(uses), Some(helper)) =
            (self.trial.get(), self.uses.get(), EventHelper::get())
        else {
            return;
        };
        if !trial.is_look_due(uses) {
            return;
        }
        let look = |jni| trial.look(jni, uses, &|object| helper.address_of(jni, object));
        if let Err(why) = core.in_vm(look).flatten() {
            core.log
                .warn(&format!("references cannot be removed: {why}"));
        }
    }
}

impl Recording for TrialRecording {
    fn needs(&self) -> Needs {
        Needs {
            mode: "trace",
            oldest_java: trace::OLDEST_JAVA,
            address_space: trace::ADDRESS_SPACE,
            capabilities: &CAPABILITIES,
            rewriting: self.rewriting.clone(),
            most_sites: MOST_SITES_OF_EVENTS,
            counts_in_blocks: false,
            adopts_threads: false,
        }
    }

    /// Addresses of tables and the block of threads without buffers are
    /// constants of the helper classes: a later run in this JVM may use them.
    fn begin(&'static self, core: &'static Core) -> Result<(), String> {
        let vm = VmStructs::load().map_err(|error| error.to_string())?;
        let flags = JvmFlags::load(&vm).map_err(|error| error.to_string())?;
        trace::know_addresses(&flags);
        EventTables::of_new_run()?;
        event_buffer::without_buffer(core.shared);
        trace::listen_for_collections(core)
    }

    fn prepare_probes(&'static self, core: &Core, jni: Jni) -> Result<Probes, String> {
        let helper = EventHelper::define_once(jni)?;
        self.start_uses(core, jni, helper);
        self.start_trial(core, jni);
        let mut probes = Probes {
            helpers: trace::event_helpers(),
            ..Probes::default()
        };
        if let Some(uses) = self.uses.get() {
            uses.add_probes(&mut probes);
        }
        Ok(probes)
    }

    fn made_by_native(&self, _: Jni, _: NativeObject, _: u32) -> Option<()> {
        Some(())
    }

    fn pause(&self, core: &Core, end: Pause) {
        match end {
            Pause::Begins => {
                if let Some(trial) = self.trial.get() {
                    trial.pause_begins();
                }
            }
            Pause::Ends => {
                self.advance();
                if let Some(trial) = self.trial.get() {
                    trial.pause_ends(self.uses.get().map(|uses| uses as &dyn UseWords));
                    core.wake.wake();
                }
            }
        }
    }

    fn reached(&self, core: &Core, moment: Moment) {
        match moment {
            Moment::ClassesLoaded => self.begin_run(core),
            Moment::Tick => self.look_for_removals(core),
            Moment::ProgramEnded(_) | Moment::Released => {}
        }
    }

    fn exception_thrown(
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
    fn end(&self, core: &Core, _: &str) {
        let Some(trial) = self.trial.get() else {
            return;
        };
        // If this fails, exceptions find a run that has ended.
        let _ = core.env.disable(EventKind::EXCEPTION);
        core.registry.note(Record::Trial(trial.record()));
    }
}
