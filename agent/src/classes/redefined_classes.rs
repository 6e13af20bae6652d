//! Classes that other code has redefined (hot swap, mocking), on VMs that would forget it.
//!
//! HotSpot before JDK 21 keeps the class file that an agent changed first, and begins every later retransformation with it: a class
//! that was redefined meanwhile goes back to its old code. As every class with an allocation is changed by us, that would be our doing.
//! So the bytes of a redefinition are remembered, and a later retransformation, by whomever, gives the class rewritten from those.
//!
//! ```text
//! class loaded              bytes A ── rewritten A      the VM keeps A
//! class redefined           bytes B ── rewritten B      B is remembered here
//! class retransformed       bytes A ── rewritten B      without this: rewritten A
//! ```
//!
//! The hook cannot see which of the two it is. Java agents come through the methods of `InstrumentationImpl`, which are on
//! top of the stack; of native agents the JVM's debugger redefines (its threads are named `JDWP`) and all others retransform.

use std::sync::OnceLock;

use ducktrack_jvmti::Env;
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::core::registry::{ClassKey, LoaderId};
use crate::core::vm_facts::java_version;

/// The first JDK whose retransformations begin with the bytes of the last redefinition.
const FIRST_THAT_REMEMBERS: u32 = 21;

/// The bytes of redefinitions.
pub(crate) struct RedefinedClasses {
    vm_forgets: bool,
    bytes: Mutex<FxHashMap<ClassKey, Box<[u8]>>>,
}

/// Later runs need the bytes, too.
static CLASSES: OnceLock<RedefinedClasses> = OnceLock::new();

impl RedefinedClasses {
    /// The ones of this process.
    pub(crate) fn of_process(env: Env) -> &'static Self {
        CLASSES.get_or_init(|| Self {
            vm_forgets: java_version(env) < FIRST_THAT_REMEMBERS,
            bytes: Mutex::default(),
        })
    }

    /// Forgets classes of loaders that are gone.
    pub(crate) fn forget_loaders(&self, gone: &FxHashSet<LoaderId>) {
        self.bytes
            .lock()
            .retain(|key, _| !gone.contains(&key.loader));
    }

    /// From which version of a loaded class its next version has to be made.
    pub(crate) fn settle(&self, env: Env, key: &ClassKey, bytes: &[u8]) -> NewBytes {
        if !self.vm_forgets {
            return NewBytes::Retransformed;
        }
        if is_redefinition(env) {
            self.bytes.lock().insert(key.clone(), bytes.into());
            return NewBytes::Redefined;
        }
        let redefined = self.bytes.lock().get(key).cloned();
        redefined.map_or(NewBytes::Retransformed, NewBytes::RedefinedBefore)
    }
}

/// Which bytes the VM has passed for a loaded class.
pub(crate) enum NewBytes {
    /// Of a redefinition.
    Redefined,
    /// Of a version that is older than these, of the last redefinition.
    RedefinedBefore(Box<[u8]>),
    /// Of the version that the VM has: it hands out the bytes that it kept, or writes them anew.
    Retransformed,
}

/// Whether the current thread redefines classes; else it retransforms them.
fn is_redefinition(env: Env) -> bool {
    let current = std::ptr::null_mut();
    match env.frame_location(current, 0) {
        Ok((method, _)) => env
            .method_name(method)
            .is_ok_and(|method| method.name == b"redefineClasses0"),
        Err(_) => env
            .thread_info(current)
            .is_ok_and(|thread| thread.name.starts_with(b"JDWP")),
    }
}
