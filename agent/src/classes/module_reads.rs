//! Modules do not come to read the unnamed modules because of this agent alone.
//!
//! HotSpot lets a module read the unnamed modules of the boot loader and of the application's when
//! any agent has changed a class of it, once for each module. Probes need no such edge: what they
//! call is in `java.base`. But an agent that comes later may, and HotSpot does not add it again.
//!
//! ```text
//! start       no other agent: java.base reads them while its first class is retransformed, so HotSpot finds nothing to add (StandIn)
//!             this class is Modules: transformedByAgent(module) asks DuckTrackModules from then on
//! a module    withheld: remembered here
//! an agent    all that was withheld is added before the agent has its environment, and nothing is withheld any more
//! ```
//!
//! `tests/life_cycle/life_cycle/ModuleReads.java` prints which modules read.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use ducktrack_class_rewriter::{MODULES, with_reads_gate};
use ducktrack_jvmti::sys::{jmethodID, jobject, jvalue, jweak};
use ducktrack_jvmti::{Env, Error, Jni};
use parking_lot::Mutex;

use crate::classes::retransformation::{Stops, retransform};
use crate::core::own_thread::OwnThread;
use crate::helper_classes::module_helper::StandIn;
use crate::process::agent_libraries;

const TRANSFORMED: (&str, &str) = ("transformedByAgent", "(Ljava/lang/Module;)V");

/// Modules that are not let read the unnamed modules yet.
#[derive(Default)]
pub(crate) struct ModuleReads {
    /// Another agent is there, or may be there unseen.
    others: AtomicBool,
    withheld: Mutex<Withheld>,
}

#[derive(Default)]
struct Withheld {
    /// Lets a module read the unnamed modules; known as soon as something is withheld.
    transformed: Option<Transformed>,
    modules: Vec<WeakModule>,
}

/// `Modules.transformedByAgent`
struct Transformed {
    /// A global reference.
    class: jobject,
    method: jmethodID,
}

/// A weak global reference.
struct WeakModule(jweak);

// SAFETY: global references and method ids are valid on every thread.
unsafe impl Send for Transformed {}
// SAFETY: weak global references are valid on every thread.
unsafe impl Send for WeakModule {}

/// Which modules read what outlives a run.
static READS: LazyLock<ModuleReads> = LazyLock::new(ModuleReads::default);

impl ModuleReads {
    /// The ones of this process.
    pub(crate) fn of_process() -> &'static Self {
        &READS
    }

    /// Calls `enable`, which turns the class hook on, in such a way that
    /// `java.base` comes to read nothing. Returns how that stopped the program.
    pub(crate) fn begin<E>(
        &self,
        env: Env,
        jni: Jni,
        enable: impl FnOnce() -> Result<(), E>,
    ) -> Result<Stops, E> {
        let stand_in = self.stand_in(jni);
        let enabled = enable();
        let mut stops = Stops::default();
        if let Some(stand_in) = stand_in {
            if enabled.is_ok() {
                // Without what it needs, the class stays without the gate, and other modules are as with any agent.
                stops = self.retransform_gate(env, jni).unwrap_or_default();
            }
            // It began, so nothing is missing that could let it fail.
            let _ = stand_in.end(jni);
        }
        enabled.map(|()| stops)
    }

    /// Unless another agent may need that `java.base` reads the unnamed modules, or it reads them already.
    fn stand_in(&self, jni: Jni) -> Option<StandIn> {
        if self.others.load(Ordering::Acquire) {
            return None;
        }
        // Agents of the JDK's own libraries, too: Java agents and debuggers.
        let begun = match agent_libraries::foreign("") {
            Some(_) => None,
            None => StandIn::begin(jni).ok().flatten(),
        };
        if begun.is_none() {
            self.others.store(true, Ordering::Release);
        }
        begun
    }

    fn retransform_gate(&self, env: Env, jni: Jni) -> Result<Stops, Error> {
        let class = jni.find_class(MODULES)?;
        let method = jni.static_method_id(class, TRANSFORMED.0, TRANSFORMED.1)?;
        let is_first = {
            let mut withheld = self.withheld.lock();
            let is_first = withheld.transformed.is_none();
            if is_first {
                let class = jni.new_global_ref(class)?;
                withheld.transformed = Some(Transformed { class, method });
            }
            is_first
        };
        if is_first && let Some(base) = env.named_module(std::ptr::null_mut(), "java/lang")? {
            self.withhold(jni, base);
        }
        // If the VM refuses, it is as above.
        Ok(retransform(env, &[class], 1, |_, _| ()))
    }

    /// The bytes of the class `Modules` with the gate, if there is one: what the gate calls is then in the VM.
    pub(crate) fn with_gate(&self, class: &[u8]) -> Option<Vec<u8>> {
        self.withheld.lock().transformed.as_ref()?;
        with_reads_gate(class).ok().flatten()
    }

    /// The VM is about to let a module read the unnamed modules. Returns whether it is not to.
    pub(crate) fn withhold(&self, jni: Jni, module: jobject) -> bool {
        if module.is_null() || self.others.load(Ordering::Acquire) {
            return false;
        }
        let Ok(weak) = jni.new_weak_global_ref(module) else {
            return false;
        };
        let mut withheld = self.withheld.lock();
        // They may have come while this thread waited.
        let is_withheld = !self.others.load(Ordering::Acquire);
        if is_withheld {
            withheld.modules.push(WeakModule(weak));
        } else {
            jni.delete_weak_global_ref(weak);
        }
        is_withheld
    }

    /// Forgets modules that are gone.
    pub(crate) fn forget_gone(&self, jni: Jni) {
        let mut withheld = self.withheld.lock();
        withheld.modules.retain(|module| jni.keep_weak(module.0));
    }

    /// Another agent comes, on this thread: modules read what they would have come to read.
    pub(crate) fn others_come(&self, own_thread: &OwnThread) {
        if self.others.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut withheld = self.withheld.lock();
        let modules = std::mem::take(&mut withheld.modules);
        if let (Some(transformed), false) = (&withheld.transformed, modules.is_empty()) {
            // While the VM ends, no agent needs it any more.
            let _ = own_thread.in_vm(|jni| {
                jni.keeping_exceptions(|_| transformed.call_for(jni, modules));
            });
        }
    }
}

impl Transformed {
    fn call_for(&self, jni: Jni, modules: Vec<WeakModule>) {
        for module in modules {
            // A module that is gone needs nothing.
            if let Some(module) = jni.new_local_ref(module.0) {
                // It throws only if memory is at its end.
                let _ = jni.call_static_void(self.class, self.method, &[jvalue { l: module }]);
                jni.delete_local_ref(module);
            }
            jni.delete_weak_global_ref(module.0);
        }
    }
}
