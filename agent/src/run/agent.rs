//! The agent: one per run, created when the library is loaded, never freed.
//!
//! ```text
//! Agent_OnLoad    options, shared block, trace directory, events
//! VMInit          facts of the VM, helper class, blocks for live threads, rewriting of loaded classes
//! class hook      rewrites every class that is loaded from then on
//! class prepared  the size of its objects, for the sites that allocate them
//! background      snapshots by interval, sizes of classes, re-instrumentation
//! VMDeath         last snapshot, end of the trace, summary
//! ```

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use serde_json::Value;

use crate::classes::class_hook::ClassHook;
use crate::classes::instrumentation::Instrumentation;
use crate::control::{Inbox, Socket};
use crate::core::Core;
use crate::core::resident::Resident;
use crate::measured::{Measured, SurvivorWatch};
use crate::native_code::jni_table::Replacements;
use crate::native_code::native_objects::NativeObjects;
use crate::off_heap::OffHeap;
use crate::options::Options;
use crate::recording::Recording;
use crate::run::arrival_progress::Arrival;
use crate::run::exhaustion::QuietLog;
use crate::run::final_dump::FinalDumps;
use crate::stacks::StackSampler;

/// One run.
pub(crate) struct Agent {
    pub(crate) core: Core,
    /// The part that only this mode has.
    pub(crate) recording: Box<dyn Recording>,
    /// Which probes are inserted into which code.
    pub(crate) instrumentation: Instrumentation,
    /// Objects allocated by native code.
    pub(crate) natives: NativeObjects,
    /// The functions that stand in for JNI's.
    pub(crate) jni_functions: Replacements,
    /// Measurements that the program makes of its own run.
    pub(crate) measured: Measured,
    /// Objects that pieces of the program leave behind.
    pub(crate) survivors: SurvivorWatch,
    /// Sampled call stacks.
    pub(crate) stacks: StackSampler,
    /// Memory outside of the heap.
    pub(crate) off_heap: OffHeap,
    /// Commands waiting for the agent's own thread.
    pub(crate) inbox: Inbox,
    /// The recording has begun: threads may write into buffers.
    pub(crate) has_begun: AtomicBool,
    /// Where clients come in.
    pub(crate) socket: Mutex<Option<Arc<Socket>>>,
    /// How far the command `stop` has come.
    pub(crate) stopped: OnceLock<Value>,
    /// While the agent arrives.
    pub(crate) arriving: Mutex<Option<Arrival>>,
    /// Ensures that the recording is ended only once at a time.
    pub(crate) ending: Mutex<()>,
    /// Whether the VM's shutdown has begun.
    pub(crate) shutdown_begun: AtomicBool,
    /// Heap dumps, if they are requested.
    pub(crate) dumps: OnceLock<FinalDumps>,
    /// The VM's log of the tag `jvmti`, which is off while the VM reports each OutOfMemoryError.
    pub(crate) quiet_log: QuietLog,
}

impl Agent {
    /// Does everything that can fail before the agent requests anything from the VM.
    ///
    /// # Errors
    /// One line that says why the agent cannot work with these options.
    pub(crate) fn new(
        resident: &'static Resident,
        before: Option<&Agent>,
        recording: Box<dyn Recording>,
        jni_functions: Replacements,
        options: Options,
        text: &str,
        attached: bool,
    ) -> Result<Self, String> {
        let instrumentation = Instrumentation::new(&options)?;
        let before = before.map(|agent| &agent.core.registry);
        Ok(Self {
            core: Core::new(resident, before, options, text, attached, recording.needs())?,
            recording,
            instrumentation,
            natives: NativeObjects::default(),
            jni_functions,
            measured: Measured::default(),
            survivors: SurvivorWatch::default(),
            stacks: StackSampler::default(),
            off_heap: OffHeap::default(),
            inbox: Inbox::new(),
            has_begun: AtomicBool::new(false),
            socket: Mutex::new(None),
            stopped: OnceLock::new(),
            arriving: Mutex::new(None),
            ending: Mutex::new(()),
            shutdown_begun: AtomicBool::new(false),
            dumps: OnceLock::new(),
            quiet_log: QuietLog::default(),
        })
    }

    /// How the run rewrites classes.
    pub(crate) fn class_hook(&self) -> ClassHook<'_> {
        ClassHook {
            core: &self.core,
            recording: &*self.recording,
            instrumentation: &self.instrumentation,
        }
    }
}
