//! What of the agent stays in the VM for good: compiled code holds its addresses, and a class cannot be defined twice. Each run uses it anew.

use std::sync::{Arc, OnceLock};

use ducktrack_jvmti::{Env, Jni, Vm};
use parking_lot::Mutex;

use crate::classes::redefined_classes::RedefinedClasses;
use crate::core::loaders::Loaders;
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

/// The helper class, by which another copy of this library is known.
const HELPER: &str = "java/lang/DuckTrack";

/// One per process.
pub(crate) struct Resident {
    pub(crate) env: Env,
    /// The block of threads that have none.
    pub(crate) shared: CounterBlock,
    pub(crate) loaders: Loaders,
    pub(crate) redefined: RedefinedClasses,
    facts: OnceLock<VmFacts>,
    helper: OnceLock<HelperClass>,
    events: OnceLock<EventHelper>,
    tables: OnceLock<EventTables>,
    jni_functions: OnceLock<JniFunctions>,
    /// What calls of the application bring; `None`: the helper class was made without it.
    call_totals: OnceLock<Option<CallTotals>>,
    uses: UseMemory,
    /// Facts of sites for the reader of events: of all runs, because frames may go on with the probes of earlier ones.
    site_facts: OnceLock<Arc<SiteTable>>,
    /// Sites of recordings of events that have ended.
    earlier_sites: Mutex<Vec<(u32, SiteInfo)>>,
}

static RESIDENT: OnceLock<Resident> = OnceLock::new();

impl Resident {
    /// The one of this process; made at the first call.
    ///
    /// # Errors
    /// Why there can be none: one line.
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
            facts: OnceLock::new(),
            helper: OnceLock::new(),
            events: OnceLock::new(),
            tables: OnceLock::new(),
            jni_functions: OnceLock::new(),
            call_totals: OnceLock::new(),
            uses: UseMemory::default(),
            site_facts: OnceLock::new(),
            earlier_sites: Mutex::default(),
        }))
    }

    /// The facts of sites, for a new run.
    pub(crate) fn site_facts(&self) -> Arc<SiteTable> {
        let table = self.site_facts.get_or_init(|| Arc::new(SiteTable::new()));
        table.begin_run();
        Arc::clone(table)
    }

    /// Defines what earlier recordings knew of sites for another one.
    pub(crate) fn define_earlier_sites(&self, registry: &Registry) {
        registry.define_earlier(&self.earlier_sites.lock());
    }

    /// A recording of events has ended: its sites stay known.
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

    /// Where the program's uses of objects are stamped.
    pub(crate) fn uses(&self) -> &UseMemory {
        &self.uses
    }

    pub(crate) fn jni_functions(&self) -> Option<&JniFunctions> {
        self.jni_functions.get()
    }

    /// Keeps the JNI functions as they were; those that were kept first, if there are any.
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

    /// What calls of the application bring. Whether it can be known is decided when the helper class is made.
    pub(crate) fn call_totals(&self) -> Option<&CallTotals> {
        self.call_totals.get()?.as_ref()
    }

    /// Before the helper class is made.
    ///
    /// # Errors
    /// If there is no memory for the tables.
    pub(crate) fn decide_call_totals(&self, wanted: bool) -> Result<(), String> {
        if self.call_totals.get().is_none() {
            let totals = wanted.then(CallTotals::new).transpose();
            let totals =
                totals.map_err(|error| format!("no memory for what calls bring: {error}"))?;
            // Runs begin one after the other.
            let _ = self.call_totals.set(totals);
        }
        Ok(())
    }

    /// The helper class; `attached`: the VM runs already.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn define_helper(&self, jni: Jni, attached: bool) -> Result<&HelperClass, String> {
        if let Some(helper) = self.helper.get() {
            return Ok(helper);
        }
        if attached {
            if jni.find_class(HELPER).is_ok() {
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

    /// The helper class that writes events.
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

    /// The tables that the helper class of events reads, emptied.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(crate) fn empty_tables(&self) -> Result<&EventTables, String> {
        if self.tables.get().is_none() {
            let tables = EventTables::new().map_err(|error| error.to_string())?;
            // Runs begin one after the other.
            let _ = self.tables.set(tables);
        }
        let tables = self.tables.get().ok_or("no tables of events")?;
        tables.clear();
        Ok(tables)
    }
}
