//! Finds loaded classes by loader and name.

use ducktrack_jvmti::sys::{jclass, jobject};
use ducktrack_jvmti::{Error, Jni};
use rustc_hash::FxHashSet;

use super::Core;
use crate::core::registry::{ClassKey, LoaderId};

/// Capacity requested for local references when listing loaded classes. The request costs nothing; without it the VM's checker
/// (`-Xcheck:jni`) complains. The VM allows at most 65,536.
pub(crate) const LOCAL_REFERENCES: usize = 60_000;

impl Core {
    /// Retransforms the loaded classes with these keys.
    pub(crate) fn retransform(&self, jni: Jni, keys: &FxHashSet<ClassKey>) -> Result<(), Error> {
        jni.with_local_frame(64, || self.env.retransform_classes(&self.loaded(jni, keys)))
            .flatten()
    }

    /// The loaded classes with these keys, as local references.
    pub(crate) fn loaded(&self, jni: Jni, keys: &FxHashSet<ClassKey>) -> Vec<jclass> {
        let names: FxHashSet<&[u8]> = keys.iter().map(|key| key.name.as_ref()).collect();
        let Ok(classes) = self.env.loaded_classes() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for class in classes.iter().copied() {
            let signature = self.env.class_signature(class).unwrap_or_default();
            let name = signature
                .strip_prefix(b"L")
                .and_then(|rest| rest.strip_suffix(b";"))
                .unwrap_or_default();
            let wanted = names.contains(name)
                && keys.contains(&ClassKey {
                    loader: self.loader_id(jni, class),
                    name: name.into(),
                });
            if wanted {
                found.push(class);
            } else {
                jni.delete_local_ref(class);
            }
        }
        found
    }

    /// The loader that defined a class.
    pub(crate) fn loader_id(&self, jni: Jni, class: jclass) -> LoaderId {
        let loader: jobject = self.env.class_loader(class).unwrap_or(std::ptr::null_mut());
        let id = self.loaders.id(self.env, Some(jni), loader);
        if !loader.is_null() {
            jni.delete_local_ref(loader);
        }
        id
    }
}
