//! `stop`: ends the recording and restores the program's code.
//!
//! ```text
//! recording   drain buffers, last snapshot, end of the trace          includes everything executed up to here
//! JNI         restore the VM's functions in the table                 unless another agent has replaced ours
//! classes     retransform with a hook that changes nothing            hidden classes keep their probes: they cannot be retransformed
//! threads     point slots to the shared block again                   running frames count into it, and it is not read
//! blocks      replace file memory by private, untouched memory        a thread may be between the load of its slot and its store
//! events      disable the callbacks
//! memory      malloc gives back what the recording has freed
//! ```

use ducktrack_classfile::class_of;
use ducktrack_jvmti::sys::jclass;
use ducktrack_jvmti::{EventKind, Jni};
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use crate::classes::metaspace_room::AT_ONCE;
use crate::classes::retransformation::{Stops, retransform};
use crate::contexts;
use crate::control::refusal;
use crate::core::phase::Phase;
use crate::core::registry::ClassKey;
use crate::core::{Core, LOCAL_REFERENCES};
use crate::helper_classes::helper_class::HelperClass;
use crate::native_code::jni_table;
use crate::process::clock::micros;
use crate::process::memory::give_back_free;
use crate::recording::Moment;
use crate::run::agent::Agent;
use crate::run::end_cause::EndCause;

/// Passes over the classes loaded while the probes are being removed.
const MOST_ROUNDS: usize = 3;

/// Events that a run listens to, except those that the next run needs.
const EVENTS_OF_RUN: [EventKind; 7] = [
    EventKind::RESOURCE_EXHAUSTED,
    EventKind::CLASS_FILE_LOAD_HOOK,
    EventKind::CLASS_PREPARE,
    EventKind::THREAD_START,
    EventKind::THREAD_END,
    EventKind::GARBAGE_COLLECTION_START,
    EventKind::GARBAGE_COLLECTION_FINISH,
];

impl Agent {
    /// Ends the recording and removes the probes. Returns what was done.
    pub(crate) fn stop_in_vm(&self) -> Value {
        let stop = |jni: Jni| jni.with_local_frame(LOCAL_REFERENCES, || self.stop(jni));
        let stopped = self.core.in_vm(stop).flatten();
        stopped.unwrap_or_else(|error| refusal(&error.to_string()))
    }

    fn stop(&self, jni: Jni) -> Value {
        if !self.end_recording(jni, EndCause::Stop) {
            return refusal("the recording has ended");
        }
        if let Err(error) = jni_table::uninstall(self.core.env, &self.jni_functions) {
            self.core
                .log
                .warn(&format!("the JNI functions stay as they are: {error}"));
        }
        let stops = restore_classes(&self.core, jni);
        detach_threads(&self.core, jni);
        if let Some(contexts) = contexts::of_recording(&self.core) {
            contexts.reset();
        }
        for event in EVENTS_OF_RUN {
            // Events that cannot be disabled find a run that has ended.
            let _ = self.core.env.disable(event);
        }
        self.quiet_log.restore(&self.core, jni);
        self.recording.reached(&self.core, Moment::Released);
        self.core.blocks.release();
        self.core.threads.retire_blocks();
        self.core.registry.forget();
        self.instrumentation.forget();
        self.stacks.forget();
        give_back_free();
        self.core.wake.close();
        let answer = json!({
            "ok": true,
            "directory": self.core.directory.to_string_lossy(),
            "classes_restored": stops.classes,
            "classes_kept": stops.refused,
            "stops": stops.count,
            "longest_stop_micros": micros(stops.longest),
            "stopped_micros": micros(stops.together),
        });
        // Whoever asks for the same at the same time gets the same answer. A run stops only once.
        let _ = self.stopped.set(answer.clone());
        self.core.phase.advance(Phase::Ended);
        answer
    }
}

/// Restores all rewritten classes, including those that threads inside the hook load meanwhile.
fn restore_classes(core: &Core, jni: Jni) -> Stops {
    let mut all = Stops::default();
    let mut done: FxHashSet<ClassKey> = FxHashSet::default();
    for _ in 0..MOST_ROUNDS {
        let mut keys = core.registry.rewritten_classes();
        keys.retain(|key| !done.contains(key));
        if keys.is_empty() {
            break;
        }
        let classes = core.loaded(jni, &keys);
        let is_bounded = core.facts().is_some_and(|facts| facts.is_metaspace_bounded);
        let at_once = if is_bounded { AT_ONCE } else { usize::MAX };
        let stops = retransform(core.env, &classes, at_once, |class, error| {
            core.log.warn(&format!(
                "{} keeps its probes: {error}",
                name_of(core, class)
            ));
        });
        all = all.and(&stops);
        for class in classes {
            jni.delete_local_ref(class);
        }
        done.extend(keys);
    }
    all
}

fn name_of(core: &Core, class: jclass) -> String {
    match core.env.class_signature(class) {
        Ok(signature) if !signature.is_empty() => {
            class_of(&String::from_utf8_lossy(&signature)).replace('/', ".")
        }
        _ => "a class that the VM does not name".to_owned(),
    }
}

/// Takes all threads' blocks away.
fn detach_threads(core: &Core, jni: Jni) {
    let (Some(facts), Some(helper)) = (core.facts(), HelperClass::get()) else {
        return;
    };
    if core.threads.detach(|native| facts.slot.set(native, 0)) {
        return;
    }
    // Slots inside `java.lang.Thread`.
    let Ok(threads) = core.env.all_threads() else {
        return;
    };
    for thread in threads.iter() {
        if let Err(error) = helper.set_slot(jni, *thread, 0) {
            core.log
                .debug(|| format!("a thread continues to count, but is not read: {error}"));
        }
    }
}
