//! Contexts: which request, query, job or test a thread runs in, and the counter blocks in which it counts meanwhile.
//!
//! ```text
//! names         contexts (a name of one kind), and the combinations of contexts in effect at once: permanent, numbered
//! points        the methods between whose entry and exit a context is in effect (`contexts=`)
//! blocks        idle blocks by combination, leased by threads            of one recording
//! waiting       virtual threads that wait in contexts, without a block   of one recording
//! executions    how often, with how many bytes, and the largest          of one recording
//! ```
//!
//! `helper/java/lang/DuckTrackContexts.java` switches; it comes here only where it finds no idle block, and for virtual threads.

mod blocks;
mod built_in;
mod built_in_entry;
mod executions;
mod http_requests;
mod names;
pub(crate) mod points;
mod skips;
mod sql;
mod table;
mod waiting;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ducktrack_probe_vocabulary::fact::ContextFact;
use ducktrack_trace_format::Record;
use parking_lot::Mutex;

use crate::core::Core;
use crate::threads::counter_block::{EVENTS_OFFSET, OBJECTS_HISTOGRAM_OFFSET};

use blocks::Blocks;
use executions::Executions;
use names::Names;
use skips::Skips;
use table::{Banks, CombinationTable};
use waiting::Waiting;

pub(crate) use names::ContextNumber;
pub(crate) use skips::Skip;

/// The contexts of this process. Permanent, because compiled code holds addresses and numbers.
pub(crate) struct Contexts {
    banks: Banks,
    combinations: CombinationTable,
    names: Mutex<Names>,
    blocks: Mutex<Blocks>,
    executions: Mutex<Executions>,
    waiting: Waiting,
    skips: Skips,
    /// The recording's number << 32: blocks of an earlier one are not taken.
    generation: AtomicU64,
    /// Whether the helper class counts objects by execution.
    counts_objects: AtomicBool,
}

static CONTEXTS: OnceLock<Contexts> = OnceLock::new();

impl Contexts {
    /// Reserves the tables, once.
    ///
    /// # Errors
    /// There is no address space.
    pub(crate) fn prepare() -> Result<(), ducktrack_hotspot::Error> {
        if CONTEXTS.get().is_none() {
            let contexts = Self {
                banks: Banks::new()?,
                combinations: CombinationTable::new()?,
                names: Mutex::default(),
                blocks: Mutex::default(),
                executions: Mutex::default(),
                waiting: Waiting::default(),
                skips: Skips::default(),
                generation: AtomicU64::new(1 << 32),
                counts_objects: AtomicBool::new(false),
            };
            let _ = CONTEXTS.set(contexts);
        }
        Ok(())
    }

    pub(crate) fn get() -> Option<&'static Self> {
        CONTEXTS.get()
    }

    /// A recording begins; whether it has the objects of each execution.
    pub(crate) fn begin(&self, core: &Core) -> bool {
        let is_able = self.counts_objects.load(Ordering::Acquire);
        let has_objects = is_able && core.options.objects_of_executions;
        self.executions.lock().set_has_objects(has_objects);
        has_objects
    }

    /// The answer of `DuckTrackContexts.constant`, which asks once.
    pub(crate) fn constant(&self, core: &Core, fact: ContextFact) -> i64 {
        let value = match fact {
            ContextFact::ObjectsHistogram if !core.options.objects_of_executions => 0,
            ContextFact::ObjectsHistogram => {
                self.counts_objects.store(true, Ordering::Release);
                OBJECTS_HISTOGRAM_OFFSET
            }
            ContextFact::Banks => self.banks.address(),
            ContextFact::Combinations => self.combinations.address(),
            ContextFact::CombinationsMask => CombinationTable::MASK,
            ContextFact::Generation => self.generation.as_ptr() as usize,
            ContextFact::Waiting => self.waiting.count_address(),
            ContextFact::Histogram => EVENTS_OFFSET,
        };
        value as i64
    }

    /// The number of a context, which is a name of a kind.
    pub(crate) fn number(&self, kind: &str, name: &str) -> ContextNumber {
        self.names.lock().number(kind, name)
    }

    /// The number by which probes ask for a context of a kind by its text.
    pub(crate) fn text_pattern(&self, kind: &str) -> u32 {
        self.names.lock().text_pattern(kind)
    }

    /// The number by which probes ask for a context if a text is this one.
    pub(crate) fn pattern_of_one(&self, text: &str, kind: &str, name: &str) -> u32 {
        let mut names = self.names.lock();
        let context = names.number(kind, name);
        names.pattern_of_one(text, context)
    }

    /// The context that a text names.
    pub(crate) fn named(&self, text: &str, pattern: u32) -> ContextNumber {
        self.names.lock().named(text, pattern)
    }

    /// The combination in effect when a context is entered in another combination;
    /// -1: there are too many. Numbers are permanent, so the table needs no lock.
    pub(crate) fn combine(&self, around: u32, context: ContextNumber) -> i32 {
        let mut names = self.names.lock();
        let combined = names.combine(around, context);
        let value = combined.map_or(-1, u32::cast_signed);
        if context != ContextNumber(0) {
            self.combinations.insert(around, context.0, value);
        }
        value
    }

    /// Counts a context that was entered without effect.
    pub(crate) fn skip(&self, core: &Core, why: i32) {
        match why {
            // The VM was made to find the native.
            ..0 => {}
            _ if core.is_counting() => self.skips.count(why),
            _ => self.skips.add(Skip::NotReady),
        }
    }

    /// Sentences about what is missing in the recording's contexts.
    pub(crate) fn losses(&self) -> Vec<String> {
        let mut losses = self.skips.sentences();
        losses.extend(self.names.lock().losses());
        losses
    }

    /// A sentence for the report about folded blocks.
    pub(crate) fn notes(&self) -> Option<String> {
        self.blocks.lock().note()
    }

    /// Whether sums are in private memory, where a kill loses what no snapshot has.
    pub(crate) fn needs_snapshots(&self) -> bool {
        self.blocks.lock().has_folded()
    }

    /// What executions took so far, for the trace. After the contexts' own records.
    pub(crate) fn records(&self) -> Vec<Record> {
        let leases = self.blocks.lock().leases();
        let mut executions = self.executions.lock();
        let names = self.names.lock();
        for lease in leases {
            executions.read(lease.combination, lease.block, &names);
        }
        executions.take_records(&names)
    }

    /// Largest executions that are new, for the trace.
    pub(crate) fn largest_records(&self) -> Vec<Record> {
        self.executions.lock().take_largest()
    }

    /// A thread has run the largest execution of a context so far.
    pub(crate) fn new_largest(&self, combination: u32, bytes: u64, by: (&str, Option<String>)) {
        let Some(context) = self.names.lock().entered(combination) else {
            return;
        };
        self.executions.lock().largest(context, bytes, by);
    }

    /// The recording has ended: nothing finds a block of it any more.
    pub(crate) fn reset(&self) {
        self.generation.fetch_add(1 << 32, Ordering::AcqRel);
        let mut blocks = self.blocks.lock();
        self.banks.clear();
        *blocks = Blocks::default();
        *self.executions.lock() = Executions::default();
        self.waiting.forget();
        self.skips.forget();
    }

    fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }
}

/// Whether the recording of this core has contexts.
pub(crate) fn of_recording(core: &Core) -> Option<&'static Contexts> {
    Contexts::get().filter(|_| core.needs.counts_in_blocks)
}
