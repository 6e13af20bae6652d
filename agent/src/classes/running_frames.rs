//! Allocations that running frames have executed but not counted when the program ends.
//!
//! A path is counted once, somewhere on its way. `main` that calls `System.exit` in the middle of a path never gets to the end of it:
//! what is owed at the call is known from the plan of the method, and is added to the last snapshot of the frame's thread.

use ducktrack_jvmti::sys::{jmethodID, jobject};
use ducktrack_jvmti::{FrameInfo, Jni};
use ducktrack_trace_format::{CounterId, ThreadCounts, ThreadId};
use rustc_hash::FxHashMap;

use crate::core::Core;
use crate::core::registry::ClassKey;
use crate::helper_classes::helper_class::HelperClass;

/// Frames of one thread that are looked at; deeper ones are recursion, whose debts would be a part of the whole only.
const MOST_FRAMES: usize = 16_384;

/// A thread that ends in the usual way has fewer frames than this.
const FRAMES_AT_THE_END: usize = 8;

/// Counters to be taken as one higher for each frame, by thread.
pub(crate) type OwedByThread = FxHashMap<ThreadId, FxHashMap<u32, u64>>;

/// Looks at the stacks of all threads.
pub(crate) fn owed_by_running_frames(core: &Core, jni: Jni) -> OwedByThread {
    let mut owed = OwedByThread::default();
    let Ok(threads) = core.env.all_threads() else {
        return owed;
    };
    let mut frames = frames(MOST_FRAMES);
    for thread in threads.iter().copied() {
        let Some(row) = core
            .native_thread(jni, thread)
            .and_then(|native| core.threads.id_of(native))
        else {
            continue;
        };
        let depth = core.env.stack_trace(thread, &mut frames).unwrap_or(0);
        let sum = owed.entry(row).or_default();
        for counter in owed_by_frames(core, jni, frames.get(..depth).unwrap_or_default()) {
            *sum.entry(counter).or_default() += 1;
        }
    }
    owed
}

/// Counts what the frames of the current thread owe, in its own block. A thread that ends the VM ends with all its frames.
pub(crate) fn settle_ending_thread(core: &Core, jni: Jni, thread: jobject) {
    let Some(helper) = HelperClass::get() else {
        return;
    };
    let mut frames = frames(FRAMES_AT_THE_END);
    let mut depth = core.env.stack_trace(thread, &mut frames).unwrap_or(0);
    if depth == FRAMES_AT_THE_END {
        frames.resize(MOST_FRAMES, NO_FRAME);
        depth = core.env.stack_trace(thread, &mut frames).unwrap_or(0);
    }
    for counter in owed_by_frames(core, jni, frames.get(..depth).unwrap_or_default()) {
        if helper.count(jni, counter).is_err() {
            core.log
                .warn("what a thread owed at its end could not be counted");
        }
    }
}

fn owed_by_frames(core: &Core, jni: Jni, frames: &[FrameInfo]) -> Vec<u32> {
    let mut known: FxHashMap<(jmethodID, i64), Option<u32>> = FxHashMap::default();
    let mut owed = |frame: &FrameInfo| {
        *known
            .entry((frame.method, frame.location))
            .or_insert_with(|| owed_by_frame(core, jni, frame))
    };
    frames.iter().filter_map(&mut owed).collect()
}

fn owed_by_frame(core: &Core, jni: Jni, frame: &FrameInfo) -> Option<u32> {
    let index = u32::try_from(frame.location).ok()?;
    let class = core.env.method_declaring_class(frame.method).ok()?;
    let counter = owed_in_class(core, jni, class, frame.method, index);
    jni.delete_local_ref(class);
    counter
}

fn owed_in_class(
    core: &Core,
    jni: Jni,
    class: jobject,
    method: jmethodID,
    index: u32,
) -> Option<u32> {
    let signature = core.env.class_signature(class).ok()?;
    let name = signature.strip_prefix(b"L")?.strip_suffix(b";")?;
    let key = ClassKey {
        loader: core.loader_id(jni, class),
        name: name.into(),
    };
    let method_name = core.env.method_name(method).ok()?;
    let obsolete = core.env.is_method_obsolete(method).unwrap_or(false);
    core.registry.owed_by_frame(
        &key,
        &method_name.name,
        &method_name.descriptor,
        index,
        obsolete,
    )
}

const NO_FRAME: FrameInfo = FrameInfo {
    method: std::ptr::null_mut(),
    location: 0,
};

fn frames(most: usize) -> Vec<FrameInfo> {
    vec![NO_FRAME; most]
}

/// Adds what frames owe to the counts of their threads.
pub(crate) fn add_owed(threads: &mut [ThreadCounts], owed: &OwedByThread) {
    for counts in threads {
        let Some(extra) = owed.get(&counts.thread) else {
            continue;
        };
        let mut extra = extra.clone();
        for (id, value) in &mut counts.counters {
            *value += extra.remove(&id.0).unwrap_or(0);
        }
        counts
            .counters
            .extend(extra.into_iter().map(|(id, value)| (CounterId(id), value)));
    }
}
