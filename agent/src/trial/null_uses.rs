//! Where `NullPointerException`s are thrown: a place that throws in removal trials only used a reference that was removed.

use ducktrack_classfile::class_of;
use ducktrack_jvmti::sys::{jclass, jmethodID, jobject};
use ducktrack_jvmti::{Env, Jni, jlocation};
use ducktrack_trace_format::NullUse;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// Further places are left out.
const MOST_PLACES: usize = 1000;

/// Counts by place.
pub(super) struct NullUses {
    class: jclass,
    places: Mutex<FxHashMap<(usize, jlocation), NullUse>>,
}

// SAFETY: the class is a global reference, valid in every thread.
unsafe impl Send for NullUses {}
// SAFETY: the class never changes, and the places are guarded by a lock.
unsafe impl Sync for NullUses {}

impl NullUses {
    pub(super) fn new(jni: Jni) -> Result<Self, String> {
        let class = jni
            .find_class("java/lang/NullPointerException")
            .and_then(|local| jni.new_global_ref(local));
        Ok(Self {
            class: class.map_err(|error| error.to_string())?,
            places: Mutex::default(),
        })
    }

    pub(super) fn note(
        &self,
        env: Env,
        jni: Jni,
        (method, location): (jmethodID, jlocation),
        exception: jobject,
    ) {
        if !jni.is_instance_of(exception, self.class) {
            return;
        }
        let key = (method as usize, location);
        if let Some(known) = self.places.lock().get_mut(&key) {
            known.count += 1;
            return;
        }
        // Asked without the lock: other threads may throw meanwhile.
        let named = named(env, jni, method, location);
        let mut places = self.places.lock();
        if places.len() < MOST_PLACES {
            places.entry(key).or_insert(named).count += 1;
        }
    }

    /// One row for each line.
    pub(super) fn take(&self) -> Vec<NullUse> {
        let mut rows: Vec<NullUse> = self.places.lock().drain().map(|(_, row)| row).collect();
        rows.sort();
        rows.dedup_by(|next, kept| {
            let same =
                (&next.class, &next.method, next.line) == (&kept.class, &kept.method, kept.line);
            if same {
                kept.count += next.count;
            }
            same
        });
        rows
    }
}

fn named(env: Env, jni: Jni, method: jmethodID, location: jlocation) -> NullUse {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let class = env.method_declaring_class(method).and_then(|class| {
        let signature = env.class_signature(class);
        jni.delete_local_ref(class);
        signature
    });
    let class = class.map(text).unwrap_or_default();
    let lines = env.line_number_table(method).unwrap_or_default();
    let line = lines.iter().filter(|line| line.start <= location);
    let line = line.max_by_key(|line| line.start).map(|line| line.line);
    NullUse {
        class: class_of(&class).replace('/', "."),
        method: env
            .method_name(method)
            .map_or_else(|_| String::new(), |name| text(name.name)),
        line: line.and_then(|line| u16::try_from(line).ok()),
        count: 0,
    }
}
