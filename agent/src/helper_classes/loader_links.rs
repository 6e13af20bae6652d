//! Class loaders that know the helper classes before any code of theirs calls one.
//!
//! Rewritten code names `java.lang.DuckTrack`. At the first such call the VM asks the loader of the code, by `loadClass`,
//! which is Java code of anybody. Where that code is itself rewritten code of the same loader, the call asks the loader again,
//! and so on: a stack overflow in the middle of the program. (An agent that adds its own code to `ClassLoader.loadClass` is
//! enough.) Or the loader knows no class of `java.lang`, and the program gets a `NoClassDefFoundError`.
//!
//! So a loader is asked once, before the first of its classes is given out rewritten: the VM remembers the answer and never asks again.
//!
//! ```text
//! unknown ── a class of the loader was rewritten ──> linking ──┬── it knows the helpers ──> linked
//!    ^                                                         ├── it does not          ──> refused: its classes stay as they are
//!    └────────── no stack, no memory, the thread was stopped ──┘
//! ```
//!
//! While a loader is linking, classes of it stay as they are: they may be what answers. They are retransformed afterwards.

use std::sync::OnceLock;

use ducktrack_jvmti::sys::{jclass, jmethodID, jobject, jthrowable, jvalue};
use ducktrack_jvmti::{Error, Jni};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::core::Core;
use crate::core::registry::{ClassKey, LoaderId};

/// The name in the report for classes whose loader does not know the helper classes.
pub(crate) const HELPER_UNKNOWN: &str = "loader-without-java-lang";

/// The state of all loaders.
#[derive(Default)]
pub(crate) struct LoaderLinks {
    /// How loaders are asked for the helper classes, once these are there.
    question: OnceLock<LoaderQuestion>,
    states: Mutex<FxHashMap<LoaderId, Link>>,
    /// Classes that stayed as they are while their loader was linking.
    late: Mutex<FxHashSet<ClassKey>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    Linking,
    Linked,
    Refused,
}

/// May a class of a loader be given out rewritten?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    Ready,
    /// Not now.
    Later,
    /// Never.
    Refused,
}

/// How to ask a loader.
struct LoaderQuestion {
    class: jclass,
    for_name: jmethodID,
    /// Names of the helper classes, as strings.
    names: Vec<jobject>,
    /// Throwables that are a loader's own answer.
    answers: Vec<jclass>,
    /// Throwables that say that the moment was bad.
    bad_moments: Vec<jclass>,
}

// SAFETY: global references and method ids are valid in every thread.
unsafe impl Send for LoaderQuestion {}
// SAFETY: no method changes a field.
unsafe impl Sync for LoaderQuestion {}

impl LoaderQuestion {
    /// Looks up all that asking needs, so that nothing is looked up later.
    fn prepare(jni: Jni, helpers: &[&str]) -> Result<Self, Error> {
        let global = |name: &str| jni.new_global_ref(jni.find_class(name)?);
        let class = global("java/lang/Class")?;
        let descriptor = "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;";
        Ok(Self {
            class,
            for_name: jni.static_method_id(class, "forName", descriptor)?,
            names: helpers
                .iter()
                .map(|name| jni.new_global_ref(jni.new_string(&name.replace('/', "."))?))
                .collect::<Result<_, _>>()?,
            answers: vec![
                global("java/lang/ClassNotFoundException")?,
                global("java/lang/LinkageError")?,
                global("java/lang/RuntimeException")?,
            ],
            bad_moments: vec![global("java/lang/VirtualMachineError")?],
        })
    }

    /// Asks a loader for all helper classes. An exception that no loader throws is the program's, and set aside.
    fn ask(&self, jni: Jni, loader: jobject) -> Option<Link> {
        for name in &self.names {
            let arguments = [
                jvalue { l: *name },
                jvalue { z: false },
                jvalue { l: loader },
            ];
            match jni.try_call_static_object(self.class, self.for_name, &arguments) {
                Ok(found) => jni.delete_local_ref(found),
                Err(thrown) => return self.judge(jni, thrown),
            }
        }
        Some(Link::Linked)
    }

    fn judge(&self, jni: Jni, thrown: jthrowable) -> Option<Link> {
        let is_any_of = |classes: &[jclass]| {
            let mut classes = classes.iter();
            classes.any(|class| jni.is_instance_of(thrown, *class))
        };
        let link = is_any_of(&self.answers).then_some(Link::Refused);
        if link.is_none() && !is_any_of(&self.bad_moments) {
            // The thread was stopped meanwhile: that is no answer.
            jni.set_aside(thrown);
        }
        jni.delete_local_ref(thrown);
        link
    }
}

impl LoaderLinks {
    /// Code of every loader can call these helper classes, before it does.
    ///
    /// # Errors
    /// A class of the VM that the links need is missing.
    pub(crate) fn prepare(&self, core: &Core, jni: Jni, helpers: &[&str]) -> Result<(), Error> {
        // A run begins once.
        let _ = self.question.set(LoaderQuestion::prepare(jni, helpers)?);
        self.link_loaders(core, jni);
        Ok(())
    }

    /// Links the loaders of all classes that are loaded.
    fn link_loaders(&self, core: &Core, jni: Jni) {
        let Ok(classes) = core.env.loaded_classes() else {
            return;
        };
        for class in classes.iter().copied() {
            if let Ok(loader) = core.env.class_loader(class)
                && !loader.is_null()
            {
                let id = core.loaders.id(core.env, Some(jni), loader);
                self.link_loader(jni, loader, id);
                jni.delete_local_ref(loader);
            }
            jni.delete_local_ref(class);
        }
    }

    /// Whether classes of this loader may call the helper classes; asks the loader if that is not known.
    pub(crate) fn link_loader(&self, jni: Jni, loader: jobject, id: LoaderId) -> Readiness {
        if loader.is_null() {
            return Readiness::Ready;
        }
        let Some(question) = self.question.get() else {
            return Readiness::Later;
        };
        match self.begin(id) {
            Some(known) => known,
            None => self.end(id, question.ask(jni, loader)),
        }
    }

    /// Frees its memory.
    pub(crate) fn forget(&self) {
        *self.states.lock() = FxHashMap::default();
        *self.late.lock() = FxHashSet::default();
    }

    /// Forgets loaders that are gone.
    pub(crate) fn forget_loaders(&self, gone: &FxHashSet<LoaderId>) {
        self.states
            .lock()
            .retain(|loader, _| !gone.contains(loader));
        self.late
            .lock()
            .retain(|class| !gone.contains(&class.loader));
    }

    /// A class that was loaded while its loader was linking is rewritten later.
    pub(crate) fn rewrite_later(&self, key: &ClassKey) {
        self.late.lock().insert(key.clone());
    }

    /// Rewrites the classes that had to wait for their loaders. Not in a callback.
    pub(crate) fn rewrite_late_classes(&self, core: &Core) {
        let keys = self.take_late();
        if keys.is_empty() {
            return;
        }
        core.add_note(format!(
            "{} class(es) were counted some time after they were loaded: their class loader was busy.",
            keys.len()
        ));
        if let Err(error) = core.in_vm(|jni| core.retransform(jni, &keys)).flatten() {
            core.log.warn(&format!(
                "classes that waited for their loader are not counted: {error}"
            ));
        }
    }
}

impl LoaderLinks {
    /// The state of a loader; `None`: it is the caller's to ask, and to [`Self::end`].
    fn begin(&self, id: LoaderId) -> Option<Readiness> {
        let mut states = self.states.lock();
        match states.get(&id) {
            Some(Link::Linked) => Some(Readiness::Ready),
            Some(Link::Linking) => Some(Readiness::Later),
            Some(Link::Refused) => Some(Readiness::Refused),
            None => {
                states.insert(id, Link::Linking);
                None
            }
        }
    }

    fn end(&self, id: LoaderId, link: Option<Link>) -> Readiness {
        let mut states = self.states.lock();
        match link {
            Some(link) => {
                states.insert(id, link);
            }
            None => {
                states.remove(&id);
            }
        }
        match link {
            Some(Link::Linked) => Readiness::Ready,
            Some(Link::Refused) => Readiness::Refused,
            Some(Link::Linking) | None => Readiness::Later,
        }
    }

    /// The waiting classes whose loader has finished linking. Those of loaders that are still linking stay.
    fn take_late(&self) -> FxHashSet<ClassKey> {
        let states = self.states.lock();
        let mut late = self.late.lock();
        let waits = |key: &ClassKey| states.get(&key.loader) == Some(&Link::Linking);
        let (waiting, due): (FxHashSet<_>, FxHashSet<_>) = late.drain().partition(waits);
        *late = waiting;
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loader_is_asked_once_and_again_after_a_bad_moment() {
        let links = LoaderLinks::default();
        let id = LoaderId(3);
        assert_eq!(links.begin(id), None);
        assert_eq!(links.begin(id), Some(Readiness::Later), "it is being asked");
        assert_eq!(links.end(id, None), Readiness::Later);
        assert_eq!(links.begin(id), None, "nobody knows yet");
        assert_eq!(links.end(id, Some(Link::Linked)), Readiness::Ready);
        assert_eq!(links.begin(id), Some(Readiness::Ready));
    }

    #[test]
    fn classes_wait_for_their_loader_only() {
        let links = LoaderLinks::default();
        let key = |loader, name: &str| ClassKey {
            loader: LoaderId(loader),
            name: name.as_bytes().into(),
        };
        assert_eq!(links.begin(LoaderId(1)), None);
        links.late.lock().extend([key(1, "A"), key(2, "B")]);
        assert_eq!(links.take_late(), FxHashSet::from_iter([key(2, "B")]));
        links.end(LoaderId(1), Some(Link::Linked));
        assert_eq!(links.take_late(), FxHashSet::from_iter([key(1, "A")]));
    }
}
