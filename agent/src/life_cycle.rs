//! From loading to the last word. Each step names what it needs; a step that fails ends the agent, never the program.

use std::sync::atomic::Ordering;

use ducktrack_hotspot::Address;
use ducktrack_jvmti::sys::{jclass, jobject};
use ducktrack_jvmti::{Capabilities, Capability, EventKind, Jni, Phase as VmPhase, Vm};

use crate::agent::Agent;
use crate::counter_block::{CounterBlock, FIRST_COUNTER};
use crate::helper_class::HelperClass;
use crate::options::{HELP, Mode, Options, Request};
use crate::phase::Phase;
use crate::site_sizes::LOCAL_REFERENCES;
use crate::thread_table::Given;
use crate::tracing_start::OLDEST_JAVA;
use crate::vm_facts::{VmFacts, java_version};
use crate::{callbacks, jni_functions, jni_variadic, own_library};

/// How many classes are retransformed in one VM operation.
const RETRANSFORM_BATCH: usize = 512;

/// Sets up the agent in a VM that starts (or, attached, that runs).
///
/// # Errors
/// One line that says why the VM must not start.
pub(crate) fn load(vm: Vm, text: &str, attached: bool) -> Result<(), String> {
    let options = match Options::parse(text).map_err(|bad| bad.to_string())? {
        Request::Run(options) => *options,
        Request::Help => {
            print!("{HELP}");
            if attached {
                return Ok(());
            }
            // As other agents do: the question is answered, there is nothing to run.
            std::process::exit(0);
        }
    };
    if callbacks::agent().is_some() {
        return Err("the agent is loaded already".to_owned());
    }
    let (env, _) = vm
        .jvmti()
        .map_err(|error| format!("this VM has no tool interface: {error}"))?;
    check_java_version(&options, java_version(env))?;
    let agent = Agent::new(env, options, text, attached)?;
    let agent = callbacks::install(agent).ok_or("the agent is loaded already")?;
    agent
        .listen()
        .map_err(|error| format!("this VM does not let the agent listen: {error}"))?;
    if attached || env.phase().is_ok_and(|phase| phase == VmPhase::LIVE) {
        let jni = vm
            .jni()
            .map_err(|error| format!("the attaching thread has no JNI: {error}"))?;
        return agent
            .start(jni)
            .map_err(|why| format!("{why}; the program runs on, nothing is counted"));
    }
    Ok(())
}

/// Events need what HotSpot has from JDK 17 on.
fn check_java_version(options: &Options, version: u32) -> Result<(), String> {
    if options.mode == Mode::Trace && version < OLDEST_JAVA {
        return Err(format!(
            "mode=trace needs JDK {OLDEST_JAVA} or later, this is {version}; mode=count works here"
        ));
    }
    Ok(())
}

impl Agent {
    fn listen(&self) -> Result<(), ducktrack_jvmti::Error> {
        let wanted = Capabilities::of(&[
            Capability::CanRetransformClasses,
            Capability::CanRetransformAnyClass,
            Capability::CanGenerateAllClassHookEvents,
            Capability::CanTagObjects,
        ]);
        self.env.add_capabilities(&wanted)?;
        if self.is_tracing() {
            let collections = Capabilities::of(&[Capability::CanGenerateGarbageCollectionEvents]);
            self.env.add_capabilities(&collections)?;
        }
        // SAFETY: the callbacks do not unwind and live as long as the library, which is never unloaded.
        unsafe { self.env.set_event_callbacks(&callbacks::table())? };
        for event in [
            EventKind::VM_INIT,
            EventKind::VM_DEATH,
            EventKind::DATA_DUMP_REQUEST,
        ] {
            self.env.enable(event)?;
        }
        Ok(())
    }

    /// The VM is up: from here on everything is counted.
    ///
    /// # Errors
    /// Why the program runs on without being counted; the trace has ended by then, and says the same.
    pub(crate) fn start(&'static self, jni: Jni) -> Result<(), String> {
        if !self.phase.advance(Phase::Starting) {
            return Ok(());
        }
        let begin = || self.begin_counting(jni);
        let begun = jni
            .with_local_frame(LOCAL_REFERENCES, begin)
            .unwrap_or_else(|error| Err(error.to_string()));
        match &begun {
            Ok(()) => self.log.info(&format!(
                "counting, traces go to {}",
                self.directory.display()
            )),
            Err(why) => self.give_up(why),
        }
        begun
    }

    fn begin_counting(&'static self, jni: Jni) -> Result<(), String> {
        let facts = VmFacts::gather(self.env, jni, self.shared)?;
        let facts = self.set_facts(facts).ok_or("started twice")?;
        if let Some(why) = &facts.slot_note {
            self.add_note(format!(
                "Counters hang at {} because {why}: probes are larger.",
                facts.slot.name()
            ));
        }
        if self.attached {
            own_library::load_for_boot_classes(jni).map_err(|error| {
                format!("the VM cannot find the agent's native methods: {error}")
            })?;
        }
        self.start_tracing()?;
        let helper = HelperClass::define(jni)
            .map_err(|error| format!("the helper class cannot be defined: {error}"))?;
        helper
            .link_natives(jni)
            .map_err(|error| format!("the helper class does not work: {error}"))?;
        let helper = self.set_helper(helper).ok_or("started twice")?;
        self.define_event_helper(jni)
            .map_err(|error| format!("the helper class does not work: {error}"))?;
        self.enable(&[EventKind::THREAD_START, EventKind::THREAD_END])?;
        self.adopt_living_threads(jni);
        self.check_counting(jni, helper)?;
        self.enable(&[EventKind::CLASS_FILE_LOAD_HOOK])?;
        self.retransform_loaded_classes(jni);
        if self.is_tracing() {
            self.enable(&[EventKind::CLASS_PREPARE])?;
            self.note_loaded_classes(jni);
            self.find_site_sizes(jni);
            if !self.attached {
                self.read_first_classes();
            }
        }
        self.check_hidden_class_gate();
        self.count_native_code(jni);
        self.set_ready(facts);
        self.start_background(jni);
        Ok(())
    }

    fn enable(&self, events: &[EventKind]) -> Result<(), String> {
        events
            .iter()
            .try_for_each(|event| self.env.enable(*event))
            .map_err(|error| format!("events cannot be had: {error}"))
    }

    fn adopt_living_threads(&self, jni: Jni) {
        let Ok(threads) = self.env.all_threads() else {
            return;
        };
        for thread in threads.iter() {
            self.thread_started(jni, *thread);
        }
    }

    /// One probe, called as rewritten code calls it, must arrive in the current thread's own block.
    fn check_counting(&self, jni: Jni, helper: &HelperClass) -> Result<(), String> {
        let probe = FIRST_COUNTER - 1;
        helper
            .count(jni, probe)
            .map_err(|error| format!("the helper class does not work: {error}"))?;
        let facts = self.facts().ok_or("started twice")?;
        let rows = self.threads.rows(&facts.threads);
        let counted: u64 = rows.iter().map(|(row, _)| row.block.counter(probe)).sum();
        match (counted, self.shared.counter(probe)) {
            (1, 0) => Ok(()),
            (0, 1) => {
                self.add_note(
                    "Threads have no counters of their own in this VM: counts may be short."
                        .to_owned(),
                );
                Ok(())
            }
            (own, shared) => Err(format!(
                "a probe was counted {own} times by its thread and {shared} times by all"
            )),
        }
    }

    fn retransform_loaded_classes(&self, jni: Jni) {
        let Ok(classes) = self.env.loaded_classes() else {
            return;
        };
        let loaded = classes
            .iter()
            .copied()
            .filter(|class| !self.env.is_array_class(*class).unwrap_or(true));
        let (wanted, fixed): (Vec<_>, Vec<_>) =
            loaded.partition(|class| self.env.is_modifiable_class(*class).unwrap_or(false));
        for class in fixed {
            self.refuse_fixed_class(class);
        }
        let mut failed = 0u32;
        self.env
            .retransform_in_batches(&wanted, RETRANSFORM_BATCH, |class, error| {
                failed += 1;
                let name = self.env.class_signature(class).unwrap_or_default();
                let name = String::from_utf8_lossy(&name)
                    .trim_matches(['L', ';'])
                    .to_owned();
                self.log
                    .debug(|| format!("{name} cannot be retransformed: {error}"));
                self.registry.refuse(name.as_bytes(), "not-retransformable");
            });
        for class in classes.iter() {
            jni.delete_local_ref(*class);
        }
    }

    /// A class that the VM does not let anyone change: one that was hidden before the gate was ours.
    fn refuse_fixed_class(&self, class: jclass) {
        let name = self.env.class_signature(class).unwrap_or_default();
        if let Some(name) = name
            .strip_prefix(b"L")
            .and_then(|name| name.strip_suffix(b";"))
        {
            self.registry.refuse(name, "not-modifiable");
        }
    }

    fn check_hidden_class_gate(&self) {
        if !self.hidden_class_gate.load(Ordering::Acquire) {
            self.add_note("Hidden classes cannot be rewritten in this VM: what proxies of lambdas and method references allocate by \
                themselves is not counted.".to_owned());
        }
    }

    fn count_native_code(&'static self, jni: Jni) {
        if jni_variadic::new_object().is_none() {
            self.add_note(
                "Objects that native code makes with NewObject are not counted on this machine."
                    .to_owned(),
            );
        }
        if let Err(error) = jni_functions::install(self, jni) {
            self.add_note(format!(
                "Objects made by native code are not counted: {error}."
            ));
        }
    }

    fn set_ready(&self, facts: &VmFacts) {
        self.threads.set_ready(&facts.threads);
        let millis = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(0);
        self.ready_after_millis.store(millis, Ordering::Release);
        self.phase.advance(Phase::Counting);
    }

    /// A thread gets its block before it runs any Java code of its own.
    pub(crate) fn thread_started(&self, jni: Jni, thread: jobject) {
        let (Some(facts), Some(helper)) = (self.facts(), self.helper()) else {
            return;
        };
        let Some(native) = self.native_thread(jni, thread) else {
            return;
        };
        let name = self
            .env
            .thread_info(thread)
            .map(|info| String::from_utf8_lossy(&info.name).into_owned());
        let name = name.unwrap_or_default();
        let block = match self.threads.start(native, &name, 0) {
            Ok(Given::Block(id, block)) => {
                self.begin_events(id, block, native);
                block
            }
            Ok(Given::Adopted(block)) => {
                if let Some(tracing) = self.tracing() {
                    tracing.confirm_thread(block, native);
                }
                block
            }
            Ok(Given::Nothing) => return,
            Err(error) => {
                self.log.warn(&format!(
                    "thread {name} counts into the shared block: {error}"
                ));
                return;
            }
        };
        let value = self.slot_value(block);
        if !facts.slot.set(native, value)
            && let Err(error) = helper.set_slot(jni, thread, value)
        {
            self.log.warn(&format!(
                "thread {name} counts into the shared block: {error}"
            ));
        }
    }

    /// What a thread's slot holds that has this block.
    pub(crate) fn slot_value(&self, block: CounterBlock) -> u64 {
        (block.address() as u64).wrapping_sub(self.shared.address() as u64)
    }

    pub(crate) fn thread_ended(&self, jni: Jni, thread: jobject) {
        let (Some(facts), Some(helper)) = (self.facts(), self.helper()) else {
            return;
        };
        let Some(native) = self.native_thread(jni, thread) else {
            return;
        };
        self.settle_ending_thread(jni, thread);
        // The block goes to another thread: what this one still does is counted into the shared block.
        if !facts.slot.set(native, 0) {
            let _ = helper.set_slot(jni, thread, 0);
        }
        // SAFETY: the thread that ends runs this callback.
        let allocated = unsafe { facts.threads.cooked_allocated_bytes(Address(native)) };
        if let (Some(tracing), Some(block)) = (self.tracing(), self.threads.block_of(native)) {
            tracing.end_thread(block, &facts.threads);
        }
        self.threads.end(native, allocated);
    }

    /// The last snapshot, the end of the trace, the summary.
    pub(crate) fn finish(&self, jni: Jni, cause: &str) {
        if self.phase.get() != Phase::Counting {
            return;
        }
        self.finish_tracing(cause);
        self.snapshot(jni, cause);
        self.phase.advance(Phase::Ended);
        self.wake_background();
        self.end_trace(cause);
        if self.options.summary {
            self.print_summary();
        }
    }

    /// Whether the environment is still usable.
    pub(crate) fn is_counting(&self) -> bool {
        self.phase.get() == Phase::Counting
    }
}
