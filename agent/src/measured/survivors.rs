//! Objects that repetitions of a piece leave behind: allocated by the piece,
//! and still reachable after the last repetition and a full collection.
//!
//! ```text
//! watch ── the VM's allocation sampler samples every allocation: each object of the watched thread gets a tag (repetition, stack)
//! survivors ── full collection ── heap_graph: every reference between reachable objects ── holders: who holds a tagged object ── rows
//! ```
//!
//! The sampler belongs to one tool at a time: it is taken when a watch
//! begins, and given back when the watch ends. One watch is open at a time.

mod field_names;
mod heap_graph;
mod holders;
mod report;
mod sampled_stacks;

use std::sync::atomic::{AtomicBool, Ordering};

use ducktrack_jvmti::sys::jobject;
use ducktrack_jvmti::{Capabilities, Capability, EventKind, Jni};
use parking_lot::Mutex;

use crate::core::Core;
use crate::stacks::release_sampler;
use heap_graph::HeapGraph;
use sampled_stacks::SampledStacks;

/// Sample every allocation.
const EVERY_ALLOCATION: i32 = 0;

/// The open watch of a run.
#[derive(Default)]
pub(crate) struct SurvivorWatch {
    is_open: AtomicBool,
    watched: Mutex<Option<Watched>>,
}

/// An open watch.
struct Watched {
    /// The thread whose objects are tagged, as a global reference; null: all threads.
    thread: jobject,
    /// Repetitions are numbered from 1; 0: none is running.
    repetition: u32,
    /// An allocation of the thread was sampled.
    is_sampled: bool,
    stacks: SampledStacks,
    /// Objects that got no tag.
    lost: u64,
}

// SAFETY: a global reference is valid on every thread.
unsafe impl Send for Watched {}

impl SurvivorWatch {
    /// Begins to watch a thread (null: all threads). False: another tool has the VM's allocation sampler, or another watch is open.
    pub(crate) fn begin(&self, core: &Core, jni: Jni, thread: jobject) -> bool {
        let mut watched = self.watched.lock();
        if watched.is_some() || !take_sampler(core) {
            return false;
        }
        let thread = match thread.is_null() {
            true => Ok(thread),
            false => jni.new_global_ref(thread),
        };
        let Ok(thread) = thread else {
            release_sampler(core);
            return false;
        };
        *watched = Some(Watched {
            thread,
            repetition: 0,
            is_sampled: false,
            stacks: SampledStacks::default(),
            lost: 0,
        });
        self.is_open.store(true, Ordering::Release);
        true
    }

    /// The repetition that runs from now on; 0: none. Returns whether an allocation of the thread was sampled
    /// already: until the first one, the thread goes on with the distance that it had before the watch.
    pub(crate) fn repeat(&self, repetition: u32) -> bool {
        match self.watched.lock().as_mut() {
            Some(watched) => {
                watched.repetition = repetition;
                watched.is_sampled
            }
            None => false,
        }
    }

    /// Tags an object that was just allocated. Returns whether a watch is open: the sample is then no other's.
    pub(crate) fn object_sampled(
        &self,
        core: &Core,
        jni: Jni,
        thread: jobject,
        object: jobject,
    ) -> bool {
        if !self.is_open.load(Ordering::Acquire) {
            return false;
        }
        if let Some(watched) = self.watched.lock().as_mut() {
            let is_of_all = watched.thread.is_null();
            if is_of_all || jni.is_same_object(thread, watched.thread) {
                watched.is_sampled = true;
                if watched.repetition != 0 {
                    watched.tag(core, jni, object);
                }
            }
        }
        true
    }

    /// Ends the watch: the lines of `report`, or `None` if the heap could not be walked.
    pub(crate) fn end(&self, core: &Core, jni: Jni) -> Option<String> {
        self.is_open.store(false, Ordering::Release);
        let watched = self.watched.lock().take()?;
        release_sampler(core);
        if !watched.thread.is_null() {
            jni.delete_global_ref(watched.thread);
        }
        let env = core.env;
        let walked = env
            .force_garbage_collection()
            .and_then(|()| HeapGraph::of_reachable_objects(env));
        let text = match walked {
            Ok(graph) => Some(report::lines(
                env,
                jni,
                &graph,
                &watched.stacks,
                watched.lost,
            )),
            Err(error) => {
                core.log
                    .warn(&format!("the heap could not be walked: {error}"));
                None
            }
        };
        if let Err(error) = heap_graph::remove_tags(env) {
            core.log
                .warn(&format!("tags of objects could not be removed: {error}"));
        }
        text
    }
}

impl Watched {
    fn tag(&mut self, core: &Core, jni: Jni, object: jobject) {
        let stack = self.stacks.current(core.env, jni);
        let tagged = stack.and_then(|stack| {
            let tag = heap_graph::allocation_tag(self.repetition, stack);
            core.env.set_tag(object, tag).ok()
        });
        if tagged.is_none() {
            self.lost += 1;
        }
    }
}

fn take_sampler(core: &Core) -> bool {
    let held = core.env.capabilities();
    let is_sampling =
        held.is_ok_and(|held| held.has(Capability::CanGenerateSampledObjectAllocEvents));
    // Virtual threads have events of their own only with this capability, which JDK 17 does not know.
    let wanted = Capabilities::of(&[
        Capability::CanGenerateSampledObjectAllocEvents,
        Capability::CanTagObjects,
        Capability::CanGetLineNumbers,
        Capability::CanSupportVirtualThreads,
    ]);
    if is_sampling {
        return false;
    }
    let granted = core.env.add_capabilities(&wanted);
    let has_both = granted.is_ok_and(|granted| {
        granted.has(Capability::CanGenerateSampledObjectAllocEvents)
            && granted.has(Capability::CanTagObjects)
    });
    let begun = has_both
        && core
            .env
            .set_heap_sampling_interval(EVERY_ALLOCATION)
            .is_ok()
        && core.env.enable(EventKind::SAMPLED_OBJECT_ALLOC).is_ok();
    if has_both && !begun {
        release_sampler(core);
    }
    begun
}
