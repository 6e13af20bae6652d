//! The parts of the agent that stay in the VM permanently, because compiled code holds their addresses and a class cannot be defined twice.
//! Each run reuses them.

use std::sync::OnceLock;

use ducktrack_jvmti::{Env, Error, Jni, Management, Vm};

use crate::core::loaders::Loaders;
use crate::core::own_thread::OwnThread;
use crate::core::vm_facts::VmFacts;
use crate::threads::counter_block::CounterBlock;

/// The permanent parts that every room needs; one per process. A permanent part of a single room is in a static of that room.
pub(crate) struct Resident {
    pub(crate) env: Env,
    /// The block of threads without their own.
    pub(crate) shared: CounterBlock,
    pub(crate) loaders: Loaders,
    pub(crate) own_thread: OwnThread,
    vm: Vm,
    facts: OnceLock<VmFacts>,
    management: OnceLock<Result<Management, Error>>,
}

static RESIDENT: OnceLock<Resident> = OnceLock::new();

impl Resident {
    /// The instance of this process, created by the first call.
    ///
    /// # Errors
    /// One line that says why there is none.
    pub(crate) fn of(vm: Vm) -> Result<&'static Self, String> {
        if let Some(resident) = RESIDENT.get() {
            return Ok(resident);
        }
        let (env, _) = vm
            .jvmti()
            .map_err(|error| format!("this VM has no tool interface: {error}"))?;
        let shared =
            CounterBlock::shared().map_err(|error| format!("no memory for counters: {error}"))?;
        Ok(RESIDENT.get_or_init(|| Self {
            env,
            shared,
            loaders: Loaders::default(),
            own_thread: OwnThread::new(vm),
            vm,
            facts: OnceLock::new(),
            management: OnceLock::new(),
        }))
    }

    pub(crate) fn facts(&self) -> Option<&VmFacts> {
        self.facts.get()
    }

    /// The JDK's management functions, loaded by the first call.
    ///
    /// # Errors
    /// If this JDK has none.
    pub(crate) fn management(&self) -> Result<&Management, &Error> {
        let load = || Management::load(self.vm, self.env);
        self.management.get_or_init(load).as_ref()
    }

    /// The VM's facts, which do not change.
    ///
    /// # Errors
    /// Why nothing can be counted in this VM.
    pub(crate) fn learn_facts(&self, jni: Jni) -> Result<&VmFacts, String> {
        if let Some(facts) = self.facts.get() {
            return Ok(facts);
        }
        let facts = VmFacts::gather(self.env, jni, self.shared)?;
        Ok(self.facts.get_or_init(|| facts))
    }
}
