//! The parts of the agent that stay in the VM permanently, because compiled code holds their addresses and a class cannot be defined twice.
//! Each run reuses them.

use std::sync::{Arc, OnceLock};

use ducktrack_jvmti::{Env, Jni, Vm};
use ducktrack_probe_vocabulary::helper::counting;
use parking_lot::Mutex;

use crate::classes::module_reads::ModuleReads;
use crate::classes::redefined_classes::RedefinedClasses;
use crate::core::loaders::Loaders;
use crate::core::own_thread::OwnThread;
use crate::core::registry::{Registry, SiteInfo};
use crate::core::vm_facts::{VmFacts, java_version};
use crate::count::call_totals::CallTotals;
use crate::helper_classes::event_helper::EventHelper;
use crate::helper_classes::helper_class::HelperClass;
use crate::native_code::jni_table::JniFunctions;
use crate::process::own_library;
use crate::threads::counter_block::CounterBlock;
use crate::trace::event_tables::EventTables;
use crate::trace::site_facts::SiteTable;
use crate::witness::use_memory::UseMemory;

/// The permanent parts; one per process.
pub(crate) struct Resident {
    pub(crate) env: Env,
    /// The block of threads without their own.
    pub(crate) shared: CounterBlock,
    pub(crate) loaders: Loaders,
    pub(crate) redefined: RedefinedClasses,
    pub(crate) own_thread: OwnThread,
    pub(crate) module_reads: ModuleReads,
    facts: OnceLock<VmFacts>,
    helper: OnceLock<HelperClass>,
    /// The helper class for `materialized=on` is defined.
    materialized: OnceLock<()>,
    events: OnceLock<EventHelper>,
    tables: OnceLock<EventTables>,
    jni_functions: OnceLock<JniFunctions>,
    /// Totals of the application's calls; `None` if the helper class was built without them.
    call_totals: OnceLock<Option<CallTotals>>,
    uses: UseMemory,
    /// Facts about sites for the event decoder, of all runs, because running frames may still use the probes of earlier runs.
    site_facts: OnceLock<Arc<SiteTable>>,
    /// Sites of finished event recordings.
    earlier_sites: Mutex<Vec<(u32, SiteInfo)>>,
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
            redefined: RedefinedClasses::new(java_version(env)),
            own_thread: OwnThread::new(vm),
            module_reads: ModuleReads::default(),
            facts: OnceLock::new(),
            helper: OnceLock::new(),
            materialized: OnceLock::new(),
            events: OnceLock::new(),
            tables: OnceLock::new(),
            jni_functions: OnceLock::new(),
            call_totals: OnceLock::new(),
            uses: UseMemory::default(),
            site_facts: OnceLock::new(),
            earlier_sites: Mutex::default(),
        }))
    }

    /// The facts about sites, reset for a new run.
    pub(crate) fn site_facts(&self) -> Arc<SiteTable> {
        let table = self.site_facts.get_or_init(|| Arc::new(SiteTable::new()));
        table.begin_run();
        Arc::clone(table)
    }

    /// Defines sites of earlier recordings in the registry of another one.
    pub(crate) fn define_earlier_sites(&self, registry: &Registry) {
        registry.define_earlier(&self.earlier_sites.lock());
    }

    /// Keeps the sites of an event recording that has ended.
    pub(crate) fn keep_sites(&self, registry: &Registry) {
        self.earlier_sites.lock().extend(registry.take_sites());
    }

    pub(crate) fn facts(&self) -> Option<&VmFacts> {
        self.facts.get()
    }

    pub(crate) fn helper(&self) -> Option<&HelperClass> {
        self.helper.get()
    }

    pub(crate) fn events(&self) -> Option<&EventHelper> {
        self.events.get()
    }

    pub(crate) fn tables(&self) -> Option<&EventTables> {
        self.tables.get()
    }

    /// Memory in which the program's uses of objects are stamped.
    pub(crate) fn uses(&self) -> &UseMemory {
        &self.uses
    }

    pub(crate) fn jni_functions(&self) -> Option<&JniFunctions> {
        self.jni_functions.get()
    }

    /// Stores the original JNI functions, unless some are stored already. Returns the stored ones.
    pub(crate) fn keep_jni_functions(&self, functions: JniFunctions) -> &JniFunctions {
        self.jni_functions.get_or_init(|| functions)
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

    /// Totals of the application's calls. Whether they are measured is decided when the helper class is defined.
    pub(crate) fn call_totals(&self) -> Option<&CallTotals> {
        self.call_totals.get()?.as_ref()
    }

    /// Decides whether calls are measured. Call before the helper class is defined.
    ///
    /// # Errors
    /// If there is no memory for the tables.
    pub(crate) fn decide_call_totals(&self, wanted: bool) -> Result<(), String> {
        if self.call_totals.get().is_none() {
            let totals = wanted.then(CallTotals::new).transpose();
            let totals =
                totals.map_err(|error| format!("no memory for the totals of calls: {error}"))?;
            // Runs start one after another.
            let _ = self.call_totals.set(totals);
        }
        Ok(())
    }

    /// Defines the helper class. `attached`: the VM was already running.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn define_helper(&self, jni: Jni, attached: bool) -> Result<&HelperClass, String> {
        if let Some(helper) = self.helper.get() {
            return Ok(helper);
        }
        if attached {
            if jni.find_class(counting::CLASS).is_ok() {
                return Err("another copy of the agent's library is loaded in this JVM; use the same file as before".to_owned());
            }
            own_library::load_for_boot_classes(jni).map_err(|error| {
                format!("the VM cannot find the agent's native methods: {error}")
            })?;
        }
        let helper = HelperClass::define(jni)
            .map_err(|error| format!("the helper class cannot be defined: {error}"))?;
        helper
            .link_natives(jni)
            .map_err(|error| format!("the helper class does not work: {error}"))?;
        Ok(self.helper.get_or_init(|| helper))
    }

    /// Defines the helper class for `materialized=on`.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn define_materialized(&self, jni: Jni) -> Result<(), String> {
        if self.materialized.get().is_some() {
            return Ok(());
        }
        HelperClass::define_materialized(jni)
            .map_err(|error| format!("the helper class cannot be defined: {error}"))?;
        // Runs start one after another.
        let _ = self.materialized.set(());
        Ok(())
    }

    /// Defines the helper class that writes events.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn define_event_helper(&self, jni: Jni) -> Result<&EventHelper, String> {
        if let Some(helper) = self.events.get() {
            return Ok(helper);
        }
        let define = || {
            let helper = EventHelper::define(jni)?;
            helper.link_natives(jni)?;
            Ok(helper)
        };
        let helper = define().map_err(|error: ducktrack_jvmti::Error| {
            format!("the helper class does not work: {error}")
        })?;
        Ok(self.events.get_or_init(|| helper))
    }

    /// The tables that the helper class for events reads, cleared.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(crate) fn empty_tables(&self) -> Result<&EventTables, String> {
        if self.tables.get().is_none() {
            let tables = EventTables::new().map_err(|error| error.to_string())?;
            // Runs start one after another.
            let _ = self.tables.set(tables);
        }
        let tables = self.tables.get().ok_or("no event tables")?;
        tables.clear();
        Ok(tables)
    }
}
