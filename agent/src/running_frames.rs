//! What frames that still run have executed but not counted when the program ends.
//!
//! A path is counted once, somewhere on its way. `main` that calls `System.exit` in the middle of a path never gets to the end of it:
//! what is owed at the call is known from the plan of the method, and is added to the last snapshot of the frame's thread.

use ducktrack_jvmti::sys::{jmethodID, jobject};
use ducktrack_jvmti::{FrameInfo, Jni};
use ducktrack_trace_format::{CounterId, ThreadCounts, ThreadId};
use rustc_hash::FxHashMap;

use crate::agent::Agent;
use crate::registry::ClassKey;

/// Frames of one thread that are looked at; deeper ones are recursion, whose debts would be a part of the whole only.
const MOST_FRAMES: usize = 16_384;

/// Counters to be taken as one higher for each frame, by thread.
pub(crate) type OwedByThread = FxHashMap<ThreadId, FxHashMap<u32, u64>>;

impl Agent {
    /// Looks at the stacks of all threads.
    pub(crate) fn owed_by_running_frames(&self, jni: Jni) -> OwedByThread {
        let mut owed = OwedByThread::default();
        let Ok(threads) = self.env.all_threads() else { return owed };
        let empty = FrameInfo { method: std::ptr::null_mut(), location: 0 };
        let mut frames = vec![empty; MOST_FRAMES];
        let mut known: FxHashMap<(jmethodID, i64), Option<u32>> = FxHashMap::default();
        for thread in threads.iter().copied() {
            let row = self.native_thread(jni, thread).and_then(|native| self.threads.id_of(native));
            let depth = self.env.stack_trace(thread, &mut frames).unwrap_or(0);
            let Some(row) = row else { continue };
            for frame in frames.iter().take(depth) {
                let counter = *known
                    .entry((frame.method, frame.location))
                    .or_insert_with(|| self.owed_by_frame(jni, frame));
                if let Some(counter) = counter {
                    *owed.entry(row).or_default().entry(counter).or_default() += 1;
                }
            }
        }
        owed
    }

    fn owed_by_frame(&self, jni: Jni, frame: &FrameInfo) -> Option<u32> {
        let index = u32::try_from(frame.location).ok()?;
        let class = self.env.method_declaring_class(frame.method).ok()?;
        let counter = self.owed_in_class(jni, class, frame.method, index);
        jni.delete_local_ref(class);
        counter
    }

    fn owed_in_class(&self, jni: Jni, class: jobject, method: jmethodID, index: u32) -> Option<u32> {
        let signature = self.env.class_signature(class).ok()?;
        let name = signature.strip_prefix(b"L")?.strip_suffix(b";")?;
        let key = ClassKey { loader: self.loader_id(jni, class), name: name.into() };
        let method_name = self.env.method_name(method).ok()?;
        let obsolete = self.env.is_method_obsolete(method).unwrap_or(false);
        self.registry.owed_by_frame(&key, &method_name.name, &method_name.descriptor, index, obsolete)
    }
}

/// Adds what frames owe to the counts of their threads.
pub(crate) fn add_owed(threads: &mut [ThreadCounts], owed: &OwedByThread) {
    for counts in threads {
        let Some(extra) = owed.get(&counts.thread) else { continue };
        let mut extra = extra.clone();
        for (id, value) in &mut counts.counters {
            *value += extra.remove(&id.0).unwrap_or(0);
        }
        counts.counters.extend(extra.into_iter().map(|(id, value)| (CounterId(id), value)));
    }
}
