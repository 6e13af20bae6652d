//! From the start of the VM to the end of the trace. A step that fails ends the agent, never the program.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ducktrack_jvmti::{Capabilities, Capability, EventKind, Jni};
use ducktrack_trace_format::Record;

use crate::classes::frames_at_arrival::name_running_methods;
use crate::classes::module_reads::ModuleReads;
use crate::core::phase::Phase;
use crate::core::vm_facts::VmFacts;
use crate::core::{Core, LOCAL_REFERENCES};
use crate::helper_classes::helper_class::HelperClass;
use crate::helper_classes::{off_heap_helper, program_helpers};
use crate::native_code::jni_table::{self, Replacements};
use crate::process::address_space;
use crate::process::memory;
use crate::recording::Moment;
use crate::run::agent::Agent;
use crate::run::end_cause::EndCause;
use crate::run::final_dump::FinalDumps;
use crate::run::summary::print_summary;
use crate::threads::counter_block::FIRST_COUNTER;

impl Agent {
    /// Starts counting everything, once the VM has been initialized.
    ///
    /// # Errors
    /// Why the program runs without being counted. The trace has then ended and gives the same reason.
    pub(crate) fn start(&'static self, jni: Jni) -> Result<(), String> {
        if !self.core.phase.advance(Phase::Starting) {
            return Ok(());
        }
        self.open_desk();
        let begin = || self.begin_counting(jni);
        let begun = jni
            .with_local_frame(LOCAL_REFERENCES, begin)
            .unwrap_or_else(|error| Err(error.to_string()));
        match &begun {
            Ok(()) => self.core.log.info(&format!(
                "counting, traces go to {}",
                self.core.directory.display()
            )),
            Err(why) => self.core.give_up(why),
        }
        begun
    }

    fn begin_counting(&'static self, jni: Jni) -> Result<(), String> {
        check_room(&self.core)?;
        jni.know_own_exceptions()
            .map_err(|error| format!("the agent's own exceptions cannot be identified: {error}"))?;
        let facts = self.core.resident.learn_facts(jni)?;
        self.core.shared.clear();
        if let Some(why) = &facts.slot_note {
            self.core.add_note(format!(
                "Counter blocks are found through {} because {why}: probes are larger.",
                facts.slot.name()
            ));
        }
        self.recording.begin(&self.core)?;
        self.has_begun.store(true, Ordering::Release);
        let helper = HelperClass::define_once(jni, self.core.attached)?;
        let probes = self.recording.prepare_probes(&self.core, jni)?;
        // A run begins once.
        let probes = self.instrumentation.probes.get_or_init(|| probes);
        if self.core.needs.rewriting.off_heap {
            off_heap_helper::define(jni)
                .map_err(|error| format!("the helper class does not work: {error}"))?;
            self.off_heap.begin(&self.core);
        }
        if let Err(error) = program_helpers::define(jni) {
            self.core.add_note(format!(
                "The program cannot set marks, nor command the recording: {error}."
            ));
        }
        enable(
            &self.core,
            &[EventKind::THREAD_START, EventKind::THREAD_END],
        )?;
        self.adopt_living_threads(jni);
        check_counting(&self.core, jni, helper)?;
        let links = &self.instrumentation.links;
        links
            .prepare(&self.core, jni, &probes.helpers)
            .map_err(|error| format!("class loaders cannot be queried: {error}"))?;
        let hook = || enable(&self.core, &[EventKind::CLASS_FILE_LOAD_HOOK]);
        let reads = ModuleReads::of_process();
        let stops = reads.begin(self.core.env, jni, hook)?;
        self.retransform_loaded_classes(jni, &stops);
        if self.core.attached {
            name_running_methods(&self.core, jni);
        }
        enable(&self.core, &[EventKind::CLASS_PREPARE])?;
        let prepared = &self.instrumentation.prepared;
        prepared.note_loaded(&self.core, &*self.recording, jni);
        self.find_site_sizes();
        self.recording.reached(&self.core, Moment::ClassesLoaded);
        self.check_hidden_class_gate();
        count_native_code(&self.core, jni, &self.jni_functions);
        set_ready(&self.core, facts);
        self.stacks.begin_stacks(&self.core);
        self.core
            .resident
            .own_thread
            .learn_group(self.core.env, jni);
        if let Some(dumps) = FinalDumps::prepare(&self.core, jni) {
            // A run begins once.
            let _ = self.dumps.set(dumps);
        }
        self.listen_for_exhaustion(jni);
        self.start_background();
        Ok(())
    }

    fn adopt_living_threads(&self, jni: Jni) {
        let Ok(threads) = self.core.env.all_threads() else {
            return;
        };
        for thread in threads.iter() {
            self.thread_started(jni, *thread);
        }
    }

    fn check_hidden_class_gate(&self) {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Acquire);
        let instrumentation = &self.instrumentation;
        if !is_set(&instrumentation.hidden_class_gate)
            && !is_set(&instrumentation.metaspace_is_full)
        {
            self.core.add_note("Hidden classes cannot be rewritten in this VM: allocations inside proxies of lambdas and method references are not counted.".to_owned());
        }
    }

    /// The VM reports each `OutOfMemoryError` from now on, if that changes nothing for the program.
    fn listen_for_exhaustion(&self, jni: Jni) {
        let exhaustion = Capabilities::of(&[Capability::CanGenerateResourceExhaustionHeapEvents]);
        let asked = self
            .quiet_log
            .hush(&self.core, jni)
            .and_then(|()| self.core.env.add_capabilities(&exhaustion))
            .and_then(|_| self.core.env.enable(EventKind::RESOURCE_EXHAUSTED));
        if let Err(error) = asked {
            self.core
                .log
                .debug(|| format!("no word of an OutOfMemoryError: {error}"));
        }
    }

    /// The VM begins to shut down, or to halt. Called once or twice.
    pub(crate) fn shutdown_begins(&self, jni: Jni) {
        if !self.core.is_counting() || self.shutdown_begun.swap(true, Ordering::AcqRel) {
            return;
        }
        self.core.note_shutdown();
        if let Some(dumps) = self.dumps.get() {
            dumps.write_at_shutdown(&self.core, jni);
        }
        if self.core.options.look
            && let Err(why) = self.core.env.force_garbage_collection()
        {
            let note = format!("No collection looked at the old space at the end: {why}.");
            self.core.add_note(note);
        }
    }

    /// The VM throws an `OutOfMemoryError` with this text.
    pub(crate) fn exhausted(&self, jni: Jni, what: String) {
        if let Some(dumps) = self.dumps.get() {
            dumps.write_at_exhaustion(&self.core, jni, &what);
        }
        self.core.note_out_of_memory(what);
    }

    /// Writes the last snapshot, the end of the trace and the summary.
    pub(crate) fn finish(&self, jni: Jni) {
        if self.core.is_counting() {
            self.recording
                .reached(&self.core, Moment::ProgramEnded(jni));
        }
        if self.end_recording(jni, EndCause::Exit) {
            self.core.wake.wake();
            if let Some(socket) = self.socket.lock().as_ref() {
                socket.hang_up();
            }
            if self.core.options.summary {
                print_summary(&self.core);
            }
        }
    }

    /// Writes the last snapshot and the end of the trace. Returns false if that was done before.
    pub(crate) fn end_recording(&self, jni: Jni, cause: EndCause) -> bool {
        let _one_at_a_time = self.ending.lock();
        if self.core.phase.get() != Phase::Counting {
            return false;
        }
        if let Some(dumps) = self.dumps.get() {
            dumps.end(&self.core, cause);
        }
        note_shortage(&self.core);
        self.recording.end(&self.core, cause.word());
        self.last_snapshot(jni, cause.word());
        self.core.phase.advance(cause.next_phase());
        self.stacks.end_stacks(&self.core);
        self.end_trace(cause.word());
        self.instrumentation.kept.save(&self.core);
        true
    }
}

fn enable(core: &Core, events: &[EventKind]) -> Result<(), String> {
    events
        .iter()
        .try_for_each(|event| core.env.enable(*event))
        .map_err(|error| format!("events cannot be enabled: {error}"))
}

/// Checks that a probe, called as rewritten code calls it, increments a counter in the current thread's own block.
fn check_counting(core: &Core, jni: Jni, helper: &HelperClass) -> Result<(), String> {
    let probe = FIRST_COUNTER - 1;
    helper
        .count(jni, probe)
        .map_err(|error| format!("the helper class does not work: {error}"))?;
    let facts = core.facts().ok_or("started twice")?;
    let rows = core.threads.rows(&facts.threads);
    let counted: u64 = rows.iter().map(|(row, _)| row.block.counter(probe)).sum();
    match (counted, core.shared.counter(probe)) {
        (1, 0) => Ok(()),
        (0, 1) => {
            core.add_note(
                "Threads have no counters of their own in this VM: counts may be too low."
                    .to_owned(),
            );
            Ok(())
        }
        (own, shared) => Err(format!(
            "a probe was counted {own} times by its thread and {shared} times by all"
        )),
    }
}

fn count_native_code(core: &Core, jni: Jni, ours: &Replacements) {
    if !ours.has_new_object {
        core.add_note(
            "Objects that native code allocates with NewObject are not counted on this machine."
                .to_owned(),
        );
    }
    if let Err(error) = jni_table::install(core.env, jni, ours) {
        core.add_note(format!(
            "Objects allocated by native code are not counted: {error}."
        ));
    }
}

fn set_ready(core: &Core, facts: &VmFacts) {
    core.threads.set_ready(&facts.threads);
    let limits = facts.heap_limits.map(Record::HeapLimits);
    limits
        .into_iter()
        .for_each(|limits| core.registry.note(limits));
    let millis = u64::try_from(core.started.elapsed().as_millis()).unwrap_or(0);
    core.ready_after_millis.store(millis, Ordering::Release);
    core.note_what_is_seen();
    core.phase.advance(Phase::Counting);
    core.secure_definitions();
}

/// Checks the address space: if it is limited, the agent's part is missing for the program.
fn check_room(core: &Core) -> Result<(), String> {
    let needed = core.needs.address_space;
    match address_space::room() {
        Some(room) if room < needed => Err(format!(
            "the limit of address space (ulimit -v) leaves {} MB to the process, {} MB are needed",
            room >> 20,
            needed >> 20
        )),
        _ => Ok(()),
    }
}

/// Notes what there was no memory for.
fn note_shortage(core: &Core) {
    let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let (classes, threads) = (
        load(&core.cost.classes_without_memory),
        load(&core.cost.threads_without_block),
    );
    if memory::is_short() || threads > 0 {
        let text = format!(
            "Memory or address space was short: {classes} class(es) were not rewritten, and {threads} thread(s) counted into the shared block."
        );
        core.log.warn(&text);
        core.notes.add(text);
    }
}
