//! The parts of every recording: the VM's environment, numbers of classes and sites, threads and their blocks, the trace's dictionary.
//!
//! ```text
//! facts, helper, loaders     the VM, as seen by this process              (resident: they outlive a run)
//! registry, threads, blocks  the meaning of numbers; which thread counts in which block
//! writer, notes, wanted      what is written to the trace file, and in which order
//! cost                       the agent's own cost
//! ```
//!
//! Nothing here depends on the kind of recording: a mode's requirements are in [`Needs`].

mod block_handover;
pub(crate) mod chosen_classes;
mod cost;
mod counts;
mod definitions;
pub(crate) mod field_offsets;
pub(crate) mod folding;
mod heap_classes;
mod loaded_classes;
pub(crate) mod loaders;
mod memory_bound;
mod needs;
pub(crate) mod notes;
pub(crate) mod out_of_memory;
pub(crate) mod own_thread;
pub(crate) mod phase;
pub(crate) mod registry;
pub(crate) mod resident;
mod system_memory;
pub(crate) mod vm_facts;
pub(crate) mod wake;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use ducktrack_jvmti::sys::{jclass, jobject};
use ducktrack_jvmti::{Env, Error, Jni};
use ducktrack_trace_format::{ClassAddress, OutOfMemory, Record, ThreadId};
use ducktrack_trace_writer::{CountWriter, TraceDirectory, WriterOptions};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

pub(crate) use cost::Cost;
pub(crate) use loaded_classes::LOCAL_REFERENCES;
pub(crate) use needs::Needs;

use crate::core::chosen_classes::ChosenClasses;
use crate::core::loaders::Loaders;
use crate::core::notes::Notes;
use crate::core::out_of_memory::KindsOfExhaustion;
use crate::core::phase::PhaseCell;
use crate::core::registry::Registry;
use crate::core::resident::Resident;
use crate::core::vm_facts::VmFacts;
use crate::core::wake::Wake;
use crate::options::{Mode, Options};
use crate::process::clock::{unix_micros, unix_millis};
use crate::process::log::Log;
use crate::process::mapped_file::Refusal;
use crate::threads::block_store::BlockStore;
use crate::threads::counter_block::{CounterBlock, KEYED_BYTES};
use crate::threads::folded_rows::FoldedRows;
use crate::threads::thread_table::ThreadTable;

/// The thread id for the block that threads share before they have their own.
const SHARED: ThreadId = ThreadId(0);

/// The state shared by all recordings.
pub(crate) struct Core {
    pub(crate) resident: &'static Resident,
    pub(crate) env: Env,
    pub(crate) options: Options,
    pub(crate) options_text: String,
    pub(crate) chosen: ChosenClasses,
    pub(crate) needs: Needs,
    /// The mode that runs, where layers of the wanted one do not work.
    pub(crate) lesser_mode: OnceLock<Mode>,
    pub(crate) log: Log,
    pub(crate) phase: PhaseCell,
    pub(crate) attached: bool,
    pub(crate) started: Instant,
    pub(crate) start_unix_millis: u64,
    pub(crate) registry: Registry,
    pub(crate) threads: ThreadTable,
    pub(crate) blocks: Arc<BlockStore>,
    /// Values of blocks that count for other contexts by now.
    folded: Mutex<FoldedRows>,
    /// Bytes of values written to the trace because their block went to another thread.
    folded_bytes: AtomicU64,
    /// Private counters have been reported.
    private_memory_said: AtomicBool,
    pub(crate) loaders: &'static Loaders,
    pub(crate) shared: CounterBlock,
    pub(crate) directory: PathBuf,
    writer: Mutex<Option<CountWriter>>,
    pub(crate) cost: Cost,
    /// Names of the classes of keyed counts, by Klass address.
    klass_names: Mutex<FxHashMap<usize, String>>,
    /// Classes found by collections or named by events, until the trace file has them.
    pub(crate) heap_classes: heap_classes::HeapClasses,
    /// Sentences for the trace's Run record.
    pub(crate) notes: Notes,
    /// The kinds of memory for which an `OutOfMemoryError` was thrown.
    exhaustion: KindsOfExhaustion,
    pub(crate) wake: Wake,
    /// A failure to write the trace has been reported.
    write_failure_said: AtomicBool,
    /// It has been reported that the kernel does not tell which pages are in memory.
    own_count_said: AtomicBool,
    /// The agent's memory has reached its bound.
    memory_full: AtomicBool,
    pub(crate) ready_after_millis: AtomicU64,
    pub(crate) snapshots: AtomicU64,
    /// The trace file has the Run record.
    run_defined: AtomicBool,
}

impl Core {
    /// Does everything that can fail before the agent requests anything from the VM. `before` is the registry of the previous run.
    ///
    /// # Errors
    /// One line that says why the agent cannot work with these options.
    pub(crate) fn new(
        resident: &'static Resident,
        before: Option<&Registry>,
        options: Options,
        text: &str,
        attached: bool,
        needs: Needs,
    ) -> Result<Self, String> {
        let log = Log::open(&options.log, options.log_level)?;
        let start_unix_millis = unix_millis();
        let wanted = output_path(&options.output, start_unix_millis);
        let directory =
            TraceDirectory::create(Path::new(&wanted)).map_err(|error| error.to_string())?;
        if directory.is_renamed() {
            log.warn(&format!(
                "{wanted} already holds a recording: this one goes to {}",
                directory.path().display()
            ));
        }
        let (blocks, refusal) = open_blocks(&options, &needs, directory.path(), resident.shared);
        let blocks = Arc::new(blocks);
        let core = Self {
            resident,
            env: resident.env,
            options_text: text.to_owned(),
            chosen: ChosenClasses::new(&options),
            log,
            phase: PhaseCell::new(),
            attached,
            started: Instant::now(),
            start_unix_millis,
            registry: Registry::new(needs.most_sites, before),
            threads: ThreadTable::new(Arc::clone(&blocks)),
            blocks,
            folded_bytes: AtomicU64::new(0),
            private_memory_said: AtomicBool::new(false),
            loaders: &resident.loaders,
            shared: resident.shared,
            directory: directory.path().to_owned(),
            writer: Mutex::new(Some(directory.into_count_writer(WriterOptions::default()))),
            folded: Mutex::default(),
            cost: Cost::default(),
            klass_names: Mutex::new(FxHashMap::default()),
            heap_classes: heap_classes::HeapClasses::default(),
            notes: Notes::default(),
            exhaustion: KindsOfExhaustion::default(),
            wake: Wake::new(),
            write_failure_said: AtomicBool::new(false),
            own_count_said: AtomicBool::new(false),
            memory_full: AtomicBool::new(false),
            ready_after_millis: AtomicU64::new(0),
            snapshots: AtomicU64::new(0),
            run_defined: AtomicBool::new(false),
            options,
            needs,
            lesser_mode: OnceLock::new(),
        };
        if let Some(refusal) = refusal {
            core.say_private_memory(&refusal);
        }
        Ok(core)
    }

    /// The VM's facts, once they are known.
    pub(crate) fn facts(&self) -> Option<&VmFacts> {
        self.resident.facts()
    }

    /// Does work in the VM on the agent's own thread.
    ///
    /// # Errors
    /// If the VM does not let the thread in, or ends.
    pub(crate) fn in_vm<T>(&self, work: impl FnOnce(Jni) -> T) -> Result<T, Error> {
        self.resident.own_thread.in_vm(work)
    }

    /// The VM begins to shut down: the definitions get a record of it at once.
    pub(crate) fn note_shutdown(&self) {
        let unix_micros = unix_micros();
        self.registry.note(Record::Shutdown { unix_micros });
        self.secure_definitions();
    }

    /// The VM throws an `OutOfMemoryError`: the first of each kind is on disk before the program knows of it.
    pub(crate) fn note_out_of_memory(&self, what: String) {
        if !self.is_counting() || !self.exhaustion.is_new(&what) {
            return;
        }
        let error = OutOfMemory {
            unix_millis: unix_millis(),
            what,
        };
        self.registry.note(Record::OutOfMemory(error));
        self.secure_definitions();
    }

    /// Adds a sentence to the report.
    pub(crate) fn add_note(&self, sentence: String) {
        self.log.info(&sentence);
        self.notes.add(sentence);
    }

    /// Records the class at a Klass address. Returns its name (a descriptor) if the address is new or had another class before. The outer
    /// `None`: the VM does not give its name.
    pub(crate) fn class_at(&self, class: jclass, klass: usize) -> Option<Option<String>> {
        let signature = self.env.class_signature(class).ok()?;
        let name = String::from_utf8_lossy(&signature).into_owned();
        self.say_class_address(klass, &name);
        let before = self.klass_names.lock().insert(klass, name.clone());
        Some((before.as_ref() != Some(&name)).then_some(name))
    }

    /// The name (a descriptor) of the class at a Klass address.
    pub(crate) fn klass_name(&self, klass: usize) -> String {
        let names = self.klass_names.lock();
        names
            .get(&klass)
            .cloned()
            .unwrap_or_else(|| "L(unknown);".to_owned())
    }

    /// Defines a Klass address in the trace, before a reader can find it in the mapped counters.
    fn say_class_address(&self, klass: usize, name: &str) {
        let is_known = || self.klass_names.lock().get(&klass).map(String::as_str) == Some(name);
        if !self.needs.counts_in_blocks || is_known() {
            return;
        }
        self.registry.note(Record::ClassAddress(ClassAddress {
            klass: klass as u64,
            descriptor: name.to_owned(),
        }));
        self.secure_definitions();
    }

    /// The `eetop` of a thread: the address of its native thread.
    pub(crate) fn native_thread(&self, jni: Jni, thread: jobject) -> Option<usize> {
        let eetop = jni.long_field(thread, self.facts()?.eetop_field());
        (eetop != 0).then_some(eetop as usize)
    }

    /// The value of a thread's slot for this block.
    pub(crate) fn slot_value(&self, block: CounterBlock) -> u64 {
        (block.address() as u64).wrapping_sub(self.shared.address() as u64)
    }

    /// Whether the environment is still usable.
    pub(crate) fn is_counting(&self) -> bool {
        self.phase.get() == phase::Phase::Counting
    }
}

/// Opens the store of counter blocks. If events are added up, the events outlive the process, and the file only says whose trace it is.
fn open_blocks(
    options: &Options,
    needs: &Needs,
    directory: &Path,
    shared: CounterBlock,
) -> (BlockStore, Option<Refusal>) {
    if options.mapped_bytes() == 0 {
        return (BlockStore::private(), None);
    }
    let most = match needs.counts_in_blocks {
        true => options.mapped_bytes(),
        false => 0,
    };
    let (store, refusal) = BlockStore::open(directory, most);
    let refusal = refusal.or_else(|| store.back(shared, SHARED, KEYED_BYTES).err());
    (store, refusal)
}

/// Replaces `%p` by the process id, `%t` by the start time in seconds since 1970, `%%` by a percent sign.
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
