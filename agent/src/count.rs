//! `mode=count`: probes count in the blocks of their threads, and nothing else is recorded.

pub(crate) mod application;
pub(crate) mod call_helper;
pub(crate) mod call_totals;

use ducktrack_class_rewriter::{AllocationProbes, RewriteOptions, ThreadTotals};
use ducktrack_hotspot::JvmFlags;
use ducktrack_jvmti::Jni;
use ducktrack_probe_vocabulary::helper::{
    callers, calls, contexts, counting, keyed, materialized, measured, own, stack,
};

use crate::contexts::Contexts;
use crate::core::registry::MOST_SITES;
use crate::core::{Core, Needs};
use crate::helper_classes::helper_class::HelperClass;
use crate::helper_classes::{context_helper, measured_helper};
use crate::options::{App, Counters, Options};
use crate::recording::{NativeObject, Probes, Recording};
use call_totals::CallTotals;

/// The helper classes are those of the first recording in the JVM.
const NO_OBJECTS: &str = "contexts: objects are not counted by execution: an earlier recording in this JVM had no contexts=objects.";

/// Address space that counting needs.
const ADDRESS_SPACE: usize = 192 << 20;

/// The recording of `mode=count`.
pub(crate) struct Count {
    rewriting: RewriteOptions,
}

impl Count {
    pub(crate) fn new(options: &Options) -> Self {
        let by_path = options.counters == Counters::Path;
        Self {
            rewriting: RewriteOptions {
                allocations: match options.counters {
                    Counters::Path => AllocationProbes::PathCounters,
                    Counters::Site => AllocationProbes::SiteCounters,
                },
                histogram: options.histogram,
                materialized: options.materialized,
                joined_chains: may_join_chains(options),
                totals: options.thread_totals(),
                calls: options.app == App::Off,
                off_heap: true,
                profile: by_path && options.reinstrument.is_some(),
                redundant_stamps: false,
            },
        }
    }

    /// Whether calls of the application are measured.
    fn asks_calls(&self) -> bool {
        self.rewriting.totals == ThreadTotals::Calls
    }

    fn helpers(&self) -> Vec<&'static str> {
        let mut helpers = vec![
            counting::CLASS,
            stack::CLASS,
            callers::CLASS,
            keyed::CLASS,
            measured::CLASS,
            contexts::CLASS,
        ];
        if self.rewriting.materialized {
            helpers.push(materialized::CLASS);
        }
        if self.asks_calls() {
            helpers.extend([calls::CLASS, own::CLASS]);
        }
        helpers
    }
}

/// Whether chains of `StringBuilder` are counted around them.
fn may_join_chains(options: &Options) -> bool {
    let has_totals = options.thread_totals() != ThreadTotals::None;
    let reads_inside = has_totals || options.materialized || options.histogram;
    !reads_inside && JvmFlags::of_process().is_ok_and(|flags| flags.is_on("CompactStrings"))
}

impl Recording for Count {
    fn needs(&self) -> Needs {
        Needs {
            mode: "count",
            oldest_java: 0,
            address_space: ADDRESS_SPACE,
            capabilities: &[],
            rewriting: self.rewriting.clone(),
            most_sites: match self.asks_calls() {
                true => call_totals::MOST_SITES,
                false => MOST_SITES,
            },
            counts_in_blocks: true,
            adopts_threads: false,
        }
    }

    fn begin(&'static self, _: &'static Core) -> Result<(), String> {
        CallTotals::decide(self.rewriting.totals != ThreadTotals::None)
    }

    fn prepare_probes(&'static self, core: &Core, jni: Jni) -> Result<Probes, String> {
        if self.rewriting.materialized {
            HelperClass::define_materialized(jni)?;
        }
        measured_helper::define(jni)
            .map_err(|error| format!("the helper class does not work: {error}"))?;
        context_helper::define(jni)?;
        let has_objects = Contexts::get().is_some_and(|contexts| contexts.begin(core));
        if core.options.objects_of_executions && !has_objects {
            core.add_note(NO_OBJECTS.to_owned());
        }
        call_helper::prepare(core, jni)?;
        Ok(Probes {
            helpers: self.helpers(),
            ..Probes::default()
        })
    }

    fn made_by_native(&self, jni: Jni, made: NativeObject, site: u32) -> Option<()> {
        let helper = HelperClass::get()?;
        match made {
            NativeObject::Object(object) => helper.count_object(jni, object, site).ok(),
            NativeObject::String { string, value } => {
                helper.count_object(jni, string, site).ok()?;
                helper.count_object(jni, value, site).ok()
            }
            NativeObject::Gone { class, bytes } => {
                helper.count_instance(jni, class, bytes, site).ok()
            }
        }
    }
}
