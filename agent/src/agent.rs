//! The agent: one per process, made when the library is loaded, never freed.
//!
//! ```text
//! Agent_OnLoad    options, shared block, trace directory, events
//! VMInit          facts of the VM, helper class, blocks for living threads, rewriting of loaded classes
//! class hook      rewrites every class that is loaded from then on
//! class prepared  the size of its objects, for the sites that make them (mode trace)
//! background      snapshots by interval, sizes of classes, re-instrumentation
//! VMDeath         last snapshot, end of the trace, summary
//! ```

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use ducktrack_class_rewriter::{CounterChoice, RewriteOptions, TrackedMethods};
use ducktrack_jvmti::sys::{jclass, jobject};
use ducktrack_jvmti::{Env, Jni};
use ducktrack_trace_writer::{CountWriter, TraceDirectory, WriterOptions};
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;

use crate::collections::Collections;
use crate::counter_block::CounterBlock;
use crate::event_helper::EventHelper;
use crate::helper_class::HelperClass;
use crate::hot_library_sites::Tracking;
use crate::jni_functions::JniFunctions;
use crate::loaders::Loaders;
use crate::log::Log;
use crate::native_sites::NativeSites;
use crate::notes::Notes;
use crate::options::{Context, Counters, Mode, Options};
use crate::phase::{Phase, PhaseCell};
use crate::prepared_classes::PreparedClasses;
use crate::registry::{MOST_SITES, MOST_SITES_OF_EVENTS, Registry};
use crate::site_facts::SiteTable;
use crate::thread_table::ThreadTable;
use crate::tracing::Tracing;
use crate::vm_facts::VmFacts;

/// Everything the agent knows.
pub(crate) struct Agent {
    pub(crate) env: Env,
    pub(crate) options: Options,
    pub(crate) options_text: String,
    pub(crate) log: Log,
    pub(crate) phase: PhaseCell,
    pub(crate) attached: bool,
    pub(crate) started: Instant,
    pub(crate) start_unix_millis: u64,
    pub(crate) rewrite_options: RewriteOptions,
    pub(crate) tracking: Tracking,
    pub(crate) registry: Registry,
    pub(crate) threads: ThreadTable,
    pub(crate) loaders: Loaders,
    pub(crate) shared: CounterBlock,
    pub(crate) directory: PathBuf,
    pub(crate) writer: Mutex<Option<CountWriter>>,
    pub(crate) cost: Cost,
    /// Classes of objects that keyed counts name, by the address of their metadata.
    pub(crate) klass_names: Mutex<FxHashMap<usize, String>>,
    /// Profiles that wait for their class to be retransformed.
    pub(crate) reinstrumenting: Mutex<crate::reinstrumentation::Waiting>,
    /// Sentences for the trace's Run record.
    pub(crate) notes: Notes,
    pub(crate) wake: (Mutex<bool>, Condvar),
    /// Sites of what native code makes.
    pub(crate) native_sites: NativeSites,
    /// Objects made by native code that could not be counted.
    pub(crate) uncounted_native: AtomicU64,
    /// It was said that the trace cannot be written.
    pub(crate) write_failure_said: AtomicBool,
    /// Whether hidden classes come in through a method that was rewritten.
    pub(crate) hidden_class_gate: AtomicBool,
    /// Facts of sites for the reader of events; only in mode trace.
    pub(crate) sites: Option<Arc<SiteTable>>,
    /// Sizes of classes; only in mode trace.
    pub(crate) prepared: PreparedClasses,
    pub(crate) collections: Collections,
    /// The event files are at their upper limit: a collection would let them rotate.
    pub(crate) collection_wanted: AtomicBool,
    tracing: OnceLock<Tracing>,
    facts: OnceLock<VmFacts>,
    helper: OnceLock<HelperClass>,
    event_helper: OnceLock<EventHelper>,
    jni_functions: OnceLock<JniFunctions>,
    pub(crate) ready_after_millis: AtomicU64,
    pub(crate) snapshots: AtomicU64,
    /// The trace file has the record of the run.
    pub(crate) run_defined: AtomicBool,
}

/// What the agent costs, added up.
#[derive(Default)]
pub(crate) struct Cost {
    pub(crate) classes_seen: AtomicU64,
    pub(crate) classes_rewritten: AtomicU64,
    pub(crate) methods_rewritten: AtomicU64,
    pub(crate) rewrite_nanos: AtomicU64,
    pub(crate) code_before: AtomicU64,
    pub(crate) code_after: AtomicU64,
    pub(crate) reinstrumented: AtomicU64,
    pub(crate) snapshot_micros: AtomicU64,
}

impl Cost {
    pub(crate) fn add(counter: &AtomicU64, amount: u64) {
        counter.fetch_add(amount, Ordering::Relaxed);
    }
}

impl Agent {
    /// Takes everything that can fail before the VM is asked for anything.
    ///
    /// # Errors
    /// One line that says why the agent cannot work with these options.
    pub(crate) fn new(
        env: Env,
        options: Options,
        text: &str,
        attached: bool,
    ) -> Result<Self, String> {
        let log = Log::open(&options.log, options.log_level)
            .map_err(|error| format!("cannot open the log file of option `log`: {error}"))?;
        let tracked = tracked_methods(&options.context)?;
        let shared =
            CounterBlock::shared().map_err(|error| format!("no memory for counters: {error}"))?;
        let start = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let start_unix_millis = u64::try_from(start.as_millis()).unwrap_or(0);
        let wanted = output_path(&options.output, start_unix_millis);
        let directory =
            TraceDirectory::create(Path::new(&wanted)).map_err(|error| error.to_string())?;
        let rewrite_options = RewriteOptions {
            counters: match (options.mode, options.counters) {
                (Mode::Trace, _) => CounterChoice::Event,
                (Mode::Count, Counters::Path) => CounterChoice::Path,
                (Mode::Count, Counters::Site) => CounterChoice::Site,
            },
            histogram: options.histogram,
            materialized: options.materialized,
            profile: options.mode == Mode::Count
                && options.reinstrument.is_some()
                && options.counters == Counters::Path,
        };
        Ok(Self {
            env,
            options_text: text.to_owned(),
            log,
            phase: PhaseCell::new(),
            attached,
            started: Instant::now(),
            start_unix_millis,
            rewrite_options,
            tracking: Tracking::new(tracked),
            registry: Registry::new(match options.mode {
                Mode::Trace => MOST_SITES_OF_EVENTS,
                _ => MOST_SITES,
            }),
            threads: ThreadTable::default(),
            loaders: Loaders::default(),
            shared,
            directory: directory.path().to_owned(),
            writer: Mutex::new(Some(directory.into_count_writer(WriterOptions::default()))),
            cost: Cost::default(),
            klass_names: Mutex::new(FxHashMap::default()),
            reinstrumenting: Mutex::default(),
            notes: Notes::default(),
            wake: (Mutex::new(false), Condvar::new()),
            native_sites: NativeSites::default(),
            uncounted_native: AtomicU64::new(0),
            write_failure_said: AtomicBool::new(false),
            hidden_class_gate: AtomicBool::new(false),
            sites: (options.mode == Mode::Trace).then(|| Arc::new(SiteTable::new())),
            prepared: PreparedClasses::default(),
            collections: Collections::default(),
            tracing: OnceLock::new(),
            facts: OnceLock::new(),
            helper: OnceLock::new(),
            event_helper: OnceLock::new(),
            collection_wanted: AtomicBool::new(false),
            jni_functions: OnceLock::new(),
            ready_after_millis: AtomicU64::new(0),
            snapshots: AtomicU64::new(0),
            run_defined: AtomicBool::new(false),
            options,
        })
    }

    /// The VM's facts, once they are known.
    pub(crate) fn facts(&self) -> Option<&VmFacts> {
        self.facts.get()
    }

    /// The recording of events, once it has begun.
    pub(crate) fn tracing(&self) -> Option<&Tracing> {
        self.tracing.get()
    }

    pub(crate) fn set_tracing(&self, tracing: Tracing) {
        // The agent starts once: there is no second one.
        let _ = self.tracing.set(tracing);
    }

    /// The helper class, once it works.
    pub(crate) fn helper(&self) -> Option<&HelperClass> {
        self.helper.get()
    }

    /// The helper class that writes events, once it works.
    pub(crate) fn event_helper(&self) -> Option<&EventHelper> {
        self.event_helper.get()
    }

    pub(crate) fn set_event_helper(&self, helper: EventHelper) -> Option<&EventHelper> {
        self.event_helper.set(helper).ok()?;
        self.event_helper.get()
    }

    /// The JNI functions as they were, once ours stand in their places.
    pub(crate) fn jni_functions(&self) -> Option<&JniFunctions> {
        self.jni_functions.get()
    }

    pub(crate) fn set_jni_functions(&self, functions: JniFunctions) {
        // The agent starts once: there is no second table.
        let _ = self.jni_functions.set(functions);
    }

    pub(crate) fn set_facts(&self, facts: VmFacts) -> Option<&VmFacts> {
        self.facts.set(facts).ok()?;
        self.facts.get()
    }

    pub(crate) fn set_helper(&self, helper: HelperClass) -> Option<&HelperClass> {
        self.helper.set(helper).ok()?;
        self.helper.get()
    }

    /// The program goes on without being counted: the trace ends, and says why.
    pub(crate) fn give_up(&self, why: &str) {
        if self.phase.advance(Phase::Ended) {
            self.notes.add(format!("Nothing was counted: {why}."));
            self.end_unused_trace();
        }
    }

    /// A sentence for the report.
    pub(crate) fn add_note(&self, sentence: String) {
        self.log.info(&sentence);
        self.notes.add(sentence);
    }

    /// The helper has filed an object under a class for the first time in a thread.
    pub(crate) fn first_seen(&self, _jni: Jni, class: jclass, klass: usize) {
        if klass == 0 {
            return;
        }
        let Ok(signature) = self.env.class_signature(class) else {
            return;
        };
        let name = String::from_utf8_lossy(&signature).into_owned();
        let before = self.klass_names.lock().insert(klass, name.clone());
        let (Some(tracing), Some(facts)) = (self.tracing(), self.facts()) else {
            return;
        };
        if before.as_ref() != Some(&name) {
            let name = name
                .strip_prefix('L')
                .and_then(|name| name.strip_suffix(';'))
                .unwrap_or(&name);
            let size = facts.heap_class_size(klass);
            self.collections.add_named_class(name, klass, size);
        }
        tracing.seen().insert(klass);
    }

    /// The eetop of a thread: the address of its native thread.
    pub(crate) fn native_thread(&self, jni: Jni, thread: jobject) -> Option<usize> {
        let field = self.eetop_field(jni)?;
        let eetop = jni.long_field(thread, field);
        (eetop != 0).then_some(eetop as usize)
    }

    fn eetop_field(&self, jni: Jni) -> Option<ducktrack_jvmti::sys::jfieldID> {
        let class = jni.find_class("java/lang/Thread").ok()?;
        let field = jni.field_id(class, "eetop", "J").ok();
        jni.delete_local_ref(class);
        field
    }
}

fn tracked_methods(context: &Context) -> Result<TrackedMethods, String> {
    match context {
        Context::Off => Ok(TrackedMethods::none()),
        Context::Auto => Ok(TrackedMethods::built_in()),
        Context::File(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| {
                format!(
                    "cannot read {} of option `context`: {error}",
                    path.display()
                )
            })?;
            let mut methods = TrackedMethods::built_in();
            methods.add_lines(&text).map_err(|bad| {
                format!(
                    "{}:{}: `{}` is not class.method",
                    path.display(),
                    bad.line,
                    bad.text
                )
            })?;
            Ok(methods)
        }
    }
}

/// `%p` is the process id, `%t` the start as seconds since 1970, `%%` a percent sign.
fn output_path(pattern: &str, unix_millis: u64) -> String {
    let mut path = String::with_capacity(pattern.len());
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '%' => match letters.next() {
                Some('p') => path.push_str(&std::process::id().to_string()),
                Some('t') => path.push_str(&(unix_millis / 1000).to_string()),
                Some('%') | None => path.push('%'),
                Some(other) => path.extend(['%', other]),
            },
            _ => path.push(letter),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_patterns() {
        let pid = std::process::id();
        assert_eq!(
            output_path("/tmp/%p-%t%%x%q", 5_000),
            format!("/tmp/{pid}-5%x%q")
        );
    }
}
