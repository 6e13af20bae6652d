//! `mode=count`: probes count in the blocks of their threads, and nothing else is recorded.

pub(crate) mod application;
pub(crate) mod call_helper;
pub(crate) mod call_totals;

use ducktrack_class_rewriter::{AllocationProbes, RewriteOptions};
use ducktrack_hotspot::{FlagValue, JvmFlags, VmStructs};
use ducktrack_jvmti::Jni;
use ducktrack_probe_vocabulary::helper::{
    callers, calls, contexts, counting, keyed, materialized, measured, own, stack,
};

use crate::core::registry::MOST_SITES;
use crate::core::{Core, Needs};
use crate::helper_classes::helper_class::HelperClass;
use crate::helper_classes::{context_helper, measured_helper};
use crate::options::{App, Counters, Options};
use crate::recording::{NativeObject, Probes, Recording};
use call_totals::CallTotals;

/// Address space that counting needs.
const ADDRESS_SPACE: usize = 192 << 20;

/// The recording of `mode=count`.
pub(crate) struct Count {
    rewriting: RewriteOptions,
    /// Calls of the application are measured.
    asks_calls: bool,
}

impl Count {
    pub(crate) fn new(options: &Options) -> Self {
        let asks_calls = options.app != App::Off;
        let by_path = options.counters == Counters::Path;
        Self {
            asks_calls,
            rewriting: RewriteOptions {
                allocations: match options.counters {
                    Counters::Path => AllocationProbes::PathCounters,
                    Counters::Site => AllocationProbes::SiteCounters,
                },
                histogram: options.histogram,
                materialized: options.materialized,
                joined_chains: may_join_chains(options),
                totals: asks_calls,
                calls: !asks_calls,
                off_heap: true,
                profile: by_path && options.reinstrument.is_some(),
                redundant_stamps: false,
            },
        }
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
        if self.asks_calls {
            helpers.extend([calls::CLASS, own::CLASS]);
        }
        helpers
    }
}

/// Whether chains of `StringBuilder` are counted around them.
fn may_join_chains(options: &Options) -> bool {
    let reads_inside = options.app != App::Off || options.materialized || options.histogram;
    let flags = VmStructs::load().and_then(|vm| JvmFlags::load(&vm));
    let compact = flags.ok().and_then(|flags| flags.get("CompactStrings"));
    !reads_inside && compact == Some(FlagValue::Bool(true))
}

impl Recording for Count {
    fn needs(&self) -> Needs {
        Needs {
            mode: "count",
            oldest_java: 0,
            address_space: ADDRESS_SPACE,
            capabilities: &[],
            rewriting: self.rewriting.clone(),
            most_sites: match self.asks_calls {
                true => call_totals::MOST_SITES,
                false => MOST_SITES,
            },
            counts_in_blocks: true,
            adopts_threads: false,
        }
    }

    fn begin(&'static self, _: &'static Core) -> Result<(), String> {
        CallTotals::decide(self.asks_calls)
    }

    fn prepare_probes(&'static self, core: &Core, jni: Jni) -> Result<Probes, String> {
        if self.rewriting.materialized {
            HelperClass::define_materialized(jni)?;
        }
        measured_helper::define(jni)
            .map_err(|error| format!("the helper class does not work: {error}"))?;
        context_helper::define(jni)?;
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
