//! Numbers class loaders. A loader carries its number as a JVMTI tag of our environment.

use std::sync::atomic::{AtomicU32, Ordering};

use ducktrack_jvmti::sys::jobject;
use ducktrack_jvmti::{Env, Jni};

use crate::core::registry::LoaderId;

/// Assigns numbers to loaders.
#[derive(Default)]
pub(crate) struct Loaders {
    last: AtomicU32,
}

impl Loaders {
    /// The number of a loader; the boot loader (null) is 0.
    pub(crate) fn id(&self, env: Env, loader: jobject) -> LoaderId {
        if loader.is_null() {
            return LoaderId(0);
        }
        match env.tag(loader) {
            Ok(0) => {
                let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
                // Without the tag capability a loader gets a new number each time, so classes are distinguished too finely.
                let _ = env.set_tag(loader, i64::from(number));
                LoaderId(number)
            }
            Ok(tag) => LoaderId(u32::try_from(tag).unwrap_or(u32::MAX)),
            Err(_) => LoaderId(u32::MAX),
        }
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
