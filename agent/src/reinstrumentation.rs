//! Methods get a new version for the hot path that their counters measured.
//!
//! ```text
//! entry counter >= threshold ── profile of its edges ── estimate of the gain ── retransform the class ── new version
//! ```
//!
//! Counters of the old version stay: frames that still run it go on counting there, and the sums stay exact. A version without
//! entry counter is not looked at again unless its counters show that the hot path has moved.

use ducktrack_class_rewriter::{MethodProfile, ProfilePoints};
use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::jclass;
use ducktrack_trace_format::{Record, Reinstrumented};
use rustc_hash::FxHashMap;

use crate::agent::{Agent, Cost};
use crate::registry::ClassKey;

/// The most classes retransformed at one go: each go stops the program once.
const MOST_CLASSES: usize = 64;

/// Profiles of methods whose class is about to be retransformed.
#[derive(Default)]
pub(crate) struct Waiting(FxHashMap<ClassKey, Vec<MethodProfile>>);

impl Waiting {
    /// The profiles that apply to a class; they stay until the retransformation is over.
    pub(crate) fn profiles(&self, key: &ClassKey) -> Vec<MethodProfile> {
        self.0.get(key).cloned().unwrap_or_default()
    }
}

/// A method that is due.
struct Due {
    key: ClassKey,
    points: ProfilePoints,
    profile: MethodProfile,
    increments: u64,
}

impl Agent {
    /// Re-instruments the classes of methods that have been entered often enough, the most promising ones first.
    pub(crate) fn reinstrument_due_methods(&self, jni: Jni) {
        let Some(threshold) = self.options.reinstrument else { return };
        let mut due = self.due_methods(threshold);
        if due.is_empty() {
            return;
        }
        due.sort_by_key(|method| std::cmp::Reverse(method.increments));
        let mut classes: FxHashMap<ClassKey, Vec<MethodProfile>> = FxHashMap::default();
        for method in &due {
            if classes.len() < MOST_CLASSES || classes.contains_key(&method.key) {
                classes.entry(method.key.clone()).or_default().push(method.profile.clone());
            }
        }
        due.retain(|method| classes.contains_key(&method.key));
        self.reinstrumenting.lock().0 = classes;
        let outcome = jni.with_local_frame(64, || {
            let found = self.find_classes(jni);
            self.env.retransform_classes(&found)
        });
        self.reinstrumenting.lock().0.clear();
        match outcome {
            Ok(Ok(())) => self.note_new_versions(&due, jni),
            Ok(Err(error)) | Err(error) => self.log.warn(&format!("methods keep their first counters: {error}")),
        }
    }

    /// Methods over the threshold, with what their counters say.
    fn due_methods(&self, threshold: u64) -> Vec<Due> {
        let Some(facts) = self.facts() else { return Vec::new() };
        let blocks: Vec<_> = self.threads.rows(&facts.threads).into_iter().map(|(row, _)| row.block).collect();
        let sum = |id: u32| blocks.iter().map(|block| block.counter(id)).sum::<u64>() + self.shared.counter(id);
        let mut due = Vec::new();
        for (key, points) in self.registry.profiled() {
            let entries = sum(points.entry_counter);
            if entries < threshold {
                continue;
            }
            let edges: Vec<(u32, u64)> = points.edges.iter().map(|(edge, counter)| (*edge, sum(*counter))).collect();
            let increments = entries + edges.iter().map(|(_, count)| count).sum::<u64>();
            let profile = MethodProfile { method: points.method, entries, edges };
            due.push(Due { key, points, profile, increments });
        }
        due
    }

    fn find_classes(&self, jni: Jni) -> Vec<jclass> {
        let waiting = self.reinstrumenting.lock();
        let Ok(classes) = self.env.loaded_classes() else { return Vec::new() };
        let mut found = Vec::new();
        for class in classes.iter().copied() {
            let signature = self.env.class_signature(class).unwrap_or_default();
            let name = signature.strip_prefix(b"L").and_then(|rest| rest.strip_suffix(b";")).unwrap_or_default();
            let candidate = waiting.0.keys().any(|key| key.name.as_ref() == name);
            if candidate && waiting.0.contains_key(&ClassKey { loader: self.loader_id(jni, class), name: name.into() }) {
                found.push(class);
            } else {
                jni.delete_local_ref(class);
            }
        }
        found
    }

    fn note_new_versions(&self, due: &[Due], _jni: Jni) {
        Cost::add(&self.cost.reinstrumented, due.len() as u64);
        for method in due {
            let Some(id) = self.registry.method_id(&method.key, method.points.method) else { continue };
            #[allow(clippy::cast_precision_loss, reason = "a ratio for people")]
            let before = method.increments as f32 / method.profile.entries.max(1) as f32;
            self.registry.note(Record::Reinstrumented(Reinstrumented {
                method: id,
                version: 1,
                entries: method.profile.entries,
                before,
                after: before - 1.0,
            }));
        }
    }
}
