//! Numbers class loaders, and finds out which are gone. A loader carries its number as a JVMTI tag of our environment.
//!
//! Weak references show which loaders the collector has freed. They are looked at once many loaders
//! are new, so that each look is paid for by the classes that were loaded since the last one.

use std::sync::atomic::{AtomicU32, Ordering};

use ducktrack_jvmti::sys::{jobject, jweak};
use ducktrack_jvmti::{Env, Jni};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;

use crate::core::registry::LoaderId;

/// A look is due when this many loaders are new.
const LEAST_NEW: usize = 256;
/// ... and this fraction of those that were there at the last look.
const NEW_PART: usize = 4;

/// Assigns numbers to loaders.
#[derive(Default)]
pub(crate) struct Loaders {
    last: AtomicU32,
    living: Mutex<Living>,
}

/// Loaders that are not known to be gone.
#[derive(Default)]
struct Living {
    loaders: Vec<(LoaderId, WeakLoader)>,
    /// How many there were after the last look.
    at_last_look: usize,
}

/// A weak global reference.
struct WeakLoader(jweak);

// SAFETY: weak global references are valid on every thread.
unsafe impl Send for WeakLoader {}

impl Loaders {
    /// The number of a loader; the boot loader (null) is 0.
    pub(crate) fn id(&self, env: Env, jni: Option<Jni>, loader: jobject) -> LoaderId {
        if loader.is_null() {
            return LoaderId(0);
        }
        match env.tag(loader) {
            Ok(0) => {
                let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
                // Without the tag capability a loader gets a new number each time, so classes are distinguished too finely.
                let is_tagged = env.set_tag(loader, i64::from(number)).is_ok();
                if let Some(jni) = jni.filter(|_| is_tagged) {
                    self.watch(jni, loader, LoaderId(number));
                }
                LoaderId(number)
            }
            Ok(tag) => LoaderId(u32::try_from(tag).unwrap_or(u32::MAX)),
            Err(_) => LoaderId(u32::MAX),
        }
    }

    fn watch(&self, jni: Jni, loader: jobject, id: LoaderId) {
        if let Ok(weak) = jni.new_weak_global_ref(loader) {
            self.living.lock().loaders.push((id, WeakLoader(weak)));
        }
    }

    /// Whether enough loaders are new to look which are gone.
    pub(crate) fn is_look_due(&self) -> bool {
        let living = self.living.lock();
        let new = living.loaders.len().saturating_sub(living.at_last_look);
        new >= LEAST_NEW.max(living.at_last_look / NEW_PART)
    }

    /// Loaders that are gone since the last look.
    pub(crate) fn take_gone(&self, jni: Jni) -> FxHashSet<LoaderId> {
        let mut loaders = std::mem::take(&mut self.living.lock().loaders);
        let mut gone = FxHashSet::default();
        loaders.retain(|(id, weak)| {
            let lives = jni.keep_weak(weak.0);
            if !lives {
                gone.insert(*id);
            }
            lives
        });
        let mut living = self.living.lock();
        living.at_last_look = loaders.len();
        loaders.append(&mut living.loaders);
        living.loaders = loaders;
        gone
    }

    /// The loader's name in reports: `boot`, `platform`, `app`, or its class and number.
    pub(crate) fn name(env: Env, jni: Jni, loader: jobject, id: LoaderId) -> String {
        if loader.is_null() {
            return "boot".to_owned();
        }
        let class = jni.object_class(loader).ok();
        let signature = class
            .and_then(|class| env.class_signature(class).ok())
            .unwrap_or_default();
        if let Some(class) = class {
            jni.delete_local_ref(class);
        }
        match signature.as_slice() {
            b"Ljdk/internal/loader/ClassLoaders$PlatformClassLoader;" => "platform".to_owned(),
            b"Ljdk/internal/loader/ClassLoaders$AppClassLoader;" => "app".to_owned(),
            other => {
                let text = String::from_utf8_lossy(other);
                let name = text
                    .strip_prefix('L')
                    .unwrap_or(&text)
                    .trim_end_matches(';')
                    .replace('/', ".");
                format!("{name}#{}", id.0)
            }
        }
    }
}
