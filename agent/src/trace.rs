//! `mode=trace`: every allocation is an event, and every collection reports the fate of the objects.
//!
//! ```text
//! thread: probe ── buffer ──full──> flush ──┐
//! VM thread: collection starts ── cut ──────┼──> EventLog ── tally (blocks), mirror, files
//!            collection ends ── moves ──────┘
//! ```

pub(crate) mod buffers;
pub(crate) mod collections;
mod earlier_sites;
mod run_trial;
pub(crate) mod site_facts;
mod site_numbering;
mod witness_start;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use ducktrack_class_rewriter::{AllocationProbes, RewriteOptions, RewrittenClass, Stamps};
use ducktrack_hotspot::{
    Address, ClassesAhead, Collector, JvmFlags, ReferenceForm, UnannouncedCollections, VmStructs,
};
use ducktrack_jvmti::sys::{jclass, jmethodID, jobject};
use ducktrack_jvmti::{Capability, EventKind, Jni, jlocation};
use ducktrack_probe_vocabulary::helper;
use ducktrack_trace_format::{End, SiteId, ThreadId};
use rustc_hash::FxHashMap;

use crate::core::phase::Phase;
use crate::core::registry::MOST_SITES_OF_EVENTS;
use crate::core::{Core, Needs};
use crate::helper_classes::event_helper::EventHelper;
use crate::layers::records::Records;
use crate::layers::roots::Roots;
use crate::layers::stamps::Witness;
use crate::layers::uses::UseStamps;
use crate::options::{self, Mode, Moves, Options, Staleness};
use crate::process::clock::unix_millis;
use crate::recording::{NativeStore, Recording};
use crate::threads::counter_block::CounterBlock;
use crate::trace::site_facts::SiteTable;
use crate::trial::heap_spaces;
use buffers::event_tables::EventTables;
use buffers::log_host::LogHost;
use buffers::{Start, ThreadBuffers, event_buffer, live_file};
use collections::Collections;
use run_trial::RunTrial;
use site_numbering::number_called_sites;
use witness_start::WitnessStart;

/// Events need a VM whose hidden classes and thread layout the agent knows.
const OLDEST_JAVA: u32 = 17;
/// Address space that events need.
const ADDRESS_SPACE: usize = 384 << 20;
/// The name of threads that have none yet.
const ATTACHING: &str = "(attaching)";

/// The recording of `mode=trace`.
pub(crate) struct Trace {
    rewriting: RewriteOptions,
    /// Facts of sites for the event decoder.
    sites: Arc<SiteTable>,
    collections: Collections,
    /// Reads classes for the next pause when they are prepared, if pauses need them.
    classes_ahead: OnceLock<Option<Arc<ClassesAhead>>>,
    /// The event files have reached their maximum size: a collection would allow them to rotate.
    collection_wanted: Arc<AtomicBool>,
    /// Stamps of the program's uses of objects; only with `staleness=`.
    uses: OnceLock<UseStamps>,
    /// A trial of `ducktrack impact`; only with `remove=`.
    trial: Option<RunTrial>,
    /// What `mode=deaths` records in addition to events.
    witness: Witness,
    /// And what `mode=full` records besides that.
    records: Records,
    roots: Roots,
    /// How the VM keeps references, if that is known.
    references: OnceLock<ReferenceForm>,
    buffers: OnceLock<ThreadBuffers>,
}

/// Records collections that the VM does not announce like the others.
struct Unannounced {
    core: &'static Core,
    trace: &'static Trace,
}

impl UnannouncedCollections for Unannounced {
    fn began(&mut self) {
        self.trace.collection_started(self.core);
    }

    fn ended(&mut self) {
        self.trace.collection_finished(self.core);
    }
}

impl Trace {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            rewriting: RewriteOptions {
                allocations: match options.trial {
                    Some(_) => AllocationProbes::None,
                    None => AllocationProbes::Events,
                },
                histogram: options.histogram,
                materialized: options.materialized,
                totals: false,
                profile: false,
                redundant_stamps: options.redundant_stamps,
            },
            sites: SiteTable::of_new_run(),
            collections: Collections::default(),
            classes_ahead: OnceLock::new(),
            collection_wanted: Arc::default(),
            uses: OnceLock::new(),
            trial: options.trial.clone().map(RunTrial::new),
            witness: Witness::default(),
            records: Records::default(),
            roots: Roots::default(),
            references: OnceLock::new(),
            buffers: OnceLock::new(),
        }
    }

    /// The helper class that writes events, once the recording has begun.
    fn helper(&self) -> Option<&'static EventHelper> {
        self.buffers.get().and_then(|_| EventHelper::get())
    }

    fn start_buffers(
        &self,
        core: &'static Core,
        knows_addresses: bool,
    ) -> Result<ThreadBuffers, String> {
        let tables = EventTables::of_new_run()?;
        earlier_sites::define(&core.registry);
        ThreadBuffers::start(Start {
            tables,
            directory: &core.directory,
            choices: &core.options.events,
            columns: core.options.mode == Mode::Full,
            queue: core.queue_within_bound(core.options.events.buffer_size),
            most_mirror_bytes: core.mirror_within_bound(),
            moves: self.collections.are_watched(),
            frontier: self.collections.frontier(),
            knows_addresses,
            start_unix_millis: core.start_unix_millis,
            sites: Arc::clone(&self.sites),
            live: live_file::begin(core),
            blocks: core.threads.finder(),
            host: Arc::new(LogHost {
                core,
                tables,
                collection_wanted: Arc::clone(&self.collection_wanted),
            }),
        })
    }

    /// Starts to watch moves of objects. If that fails, the trace says so.
    fn watch_moves(&'static self, core: &'static Core, vm: &VmStructs, flags: &JvmFlags) {
        if core.options.moves == Moves::Off {
            core.add_note("Moves and deaths of objects were not recorded (moves=off).".to_owned());
            return;
        }
        let stack_chunk_size = core.facts().and_then(|facts| facts.stack_chunk_size);
        let unannounced = Box::new(Unannounced { core, trace: self });
        let prepared =
            self.collections
                .prepare(vm, flags, &core.options, stack_chunk_size, unannounced);
        if let Err(why) = prepared {
            let text = format!(
                "Moves and deaths of objects are unknown: {why}. Allocations are recorded."
            );
            core.log.warn(&text);
            core.notes.add(text);
        }
        if core.options.mode.has_deaths() {
            let recorder = self.witness.recorder();
            let refused = self.collections.record_dead(vm, flags, recorder).err();
            self.witness.note_refusal(refused);
            if let Ok(form) = ReferenceForm::load(vm, flags) {
                // A run begins once.
                let _ = self.references.set(form);
            }
        }
    }

    /// Prepares what stamps of uses need. If that fails, the trace says why, and the program runs without stamps.
    fn start_uses(&self, core: &Core, jni: Jni) {
        if core.options.staleness == Staleness::Off {
            return;
        }
        let address = |object: jobject| self.helper()?.address_of(jni, object);
        let of_trial = || Some(heap_spaces().ok()?.reserved()).filter(|_| self.trial.is_some());
        let heap = self.collections.reserved_heap().or_else(of_trial);
        match UseStamps::prepare(core, jni, heap, address) {
            // A run begins once.
            Ok(uses) => drop(self.uses.set(uses)),
            Err(why) => core.add_note(format!("Uses of objects are not recorded: {why}.")),
        }
    }

    /// Records what holds objects now.
    fn record_roots(&self, core: &Core, jni: Jni) {
        let (Some(buffers), Some(helper)) = (self.buffers.get(), self.helper()) else {
            return;
        };
        let address = |object| helper.address_of(jni, object);
        if let Err(why) = self.roots.record(core, jni, buffers, address) {
            core.add_note(format!("What holds objects is not recorded: {why}."));
        }
    }

    /// Records what holds objects if there was a collection since the last time.
    fn record_roots_if_due(&self, core: &Core) {
        let is_wanted = core.options.roots == Some(options::Roots::Collections);
        let epoch = self.buffers.get().map_or(0, ThreadBuffers::epoch);
        if is_wanted
            && self.witness.is_on()
            && self.roots.are_due(epoch)
            && let Err(error) = core.in_vm(|jni| self.record_roots(core, jni))
        {
            core.add_note(format!("What holds objects is not recorded: {error}."));
        }
    }
}

impl Recording for Trace {
    fn needs(&self) -> Needs {
        Needs {
            mode: "trace",
            oldest_java: OLDEST_JAVA,
            address_space: ADDRESS_SPACE,
            capabilities: match self.trial {
                Some(_) => &run_trial::CAPABILITIES,
                None => &[Capability::CanGenerateGarbageCollectionEvents],
            },
            rewriting: self.rewriting.clone(),
            most_sites: MOST_SITES_OF_EVENTS,
            counts_in_blocks: false,
        }
    }

    fn begin(&'static self, core: &'static Core) -> Result<(), String> {
        let facts = core.facts().ok_or("the VM's facts are unknown")?;
        self.sites.set_layout(facts.layout);
        let vm = VmStructs::load().map_err(|error| error.to_string())?;
        let flags = JvmFlags::load(&vm).map_err(|error| error.to_string())?;
        self.watch_moves(core, &vm, &flags);
        let stops_the_world = Collector::of(&flags)
            .is_some_and(|collector| matches!(collector.name(), "serial" | "parallel" | "g1"));
        let buffers = self.start_buffers(core, stops_the_world)?;
        event_buffer::without_buffer(core.shared);
        // A run begins once.
        let _ = self.buffers.set(buffers);
        for event in [
            EventKind::GARBAGE_COLLECTION_START,
            EventKind::GARBAGE_COLLECTION_FINISH,
        ] {
            core.env
                .enable(event)
                .map_err(|error| format!("collection events cannot be enabled: {error}"))?;
        }
        self.collections.announced();
        Ok(())
    }

    fn prepare_probes(&self, core: &Core, jni: Jni) -> Result<(), String> {
        EventHelper::define_once(jni)?;
        self.start_uses(core, jni);
        if let Some(trial) = &self.trial {
            trial.prepare(core, jni);
        }
        if core.options.mode.has_deaths() {
            let start = WitnessStart {
                witness: &self.witness,
                records: &self.records,
                helper: self.helper(),
                heap: self.collections.reserved_heap(),
                form: self.references.get().copied(),
            };
            start.run(core, jni);
        }
        Ok(())
    }

    fn stored_by_native(&self, core: &Core, jni: Jni, store: NativeStore) {
        self.records.stored_by_native(core, jni, store, &self.roots);
    }

    fn program_ended(&self, core: &Core, jni: Jni) {
        let is_wanted = core.options.roots.unwrap_or_default() != options::Roots::Off;
        if !self.witness.is_on() || !is_wanted {
            return;
        }
        if let Err(error) = core.env.force_garbage_collection() {
            core.add_note(format!("There is no last collection: {error}."));
        }
        self.record_roots(core, jni);
    }

    /// Reads the VM's classes while it starts, so that the first pause need not.
    fn classes_loaded(&self, core: &Core) {
        if let Some(buffers) = self.buffers.get().filter(|_| !core.attached) {
            self.collections.read_first_classes(core, buffers);
        }
        if let Some(trial) = &self.trial {
            trial.begin(core);
        }
    }

    fn helpers(&self) -> Vec<&'static str> {
        let mut helpers = vec![
            helper::stack::CLASS,
            helper::callers::CLASS,
            helper::events::CLASS,
            helper::object_events::CLASS,
        ];
        if self.uses.get().is_some() {
            helpers.push(helper::uses::CLASS);
        }
        if self.witness.is_on() {
            helpers.push(helper::witness::CLASS);
        }
        if self.records.calls().is_some() {
            let of_records = [
                helper::records::CLASS,
                helper::copies::CLASS,
                helper::unsafe_updates::CLASS,
                helper::methods::CLASS,
            ];
            helpers.extend(of_records);
        }
        helpers
    }

    fn stamps(&self, core: &Core, class: &str) -> Stamps {
        if self.witness.is_on() {
            return self
                .records
                .calls()
                .map_or(Stamps::Witness, Stamps::Records);
        }
        let is_wanted = match &core.options.staleness {
            Staleness::Off => false,
            Staleness::On => true,
            Staleness::CodeOf(pattern) => pattern.matches(class),
        };
        match self.uses.get() {
            Some(_) if is_wanted => Stamps::Uses,
            _ => Stamps::None,
        }
    }

    fn class_rewritten(&self, rewritten: &RewrittenClass, sizes: &FxHashMap<u32, u32>) {
        self.sites.learn(rewritten);
        for (site, bytes) in sizes {
            self.sites.set_bytes(SiteId(*site), *bytes);
        }
    }

    fn sites_sized(&self, sites: &[(SiteId, u32)]) {
        for (site, bytes) in sites {
            self.sites.set_bytes(*site, *bytes);
        }
    }

    fn native_site(&self, site: u32) {
        self.sites.learn_native(site);
    }

    fn class_prepared(&self, _class: jclass, klass: usize) {
        let ahead = || self.collections.classes_ahead();
        if let Some(ahead) = self.classes_ahead.get_or_init(ahead) {
            // SAFETY: the VM has just reported the class at this address, and the caller's reference keeps it alive.
            unsafe { ahead.read(Address(klass)) };
        }
    }

    fn class_met(&self, core: &Core, klass: usize, name: Option<&str>) {
        let (Some(buffers), Some(facts)) = (self.buffers.get(), core.facts()) else {
            return;
        };
        if let Some(descriptor) = name {
            let name = descriptor
                .strip_prefix('L')
                .and_then(|name| name.strip_suffix(';'))
                .unwrap_or(descriptor);
            let size = facts.heap_class_size(klass);
            core.heap_classes.add_named(name, klass, size);
            core.secure_definitions();
        }
        buffers.seen().insert(klass);
    }

    fn thread_begins(&self, core: &Core, id: ThreadId, block: CounterBlock, native: usize) {
        let (Some(buffers), Some(facts)) = (self.buffers.get(), core.facts()) else {
            return;
        };
        let told = match core.phase.get() {
            // Its earlier allocations are not recorded.
            // SAFETY: the VM has just listed the thread, or the thread itself runs this.
            Phase::Starting => unsafe { facts.threads.cooked_allocated_bytes(Address(native)) },
            _ => 0,
        };
        buffers.begin_thread(block, id, Some(native), told);
    }

    fn thread_confirmed(&self, block: CounterBlock, native: usize) {
        if let Some(buffers) = self.buffers.get() {
            buffers.confirm_thread(block, native);
        }
    }

    fn adopt_thread(&self, core: &Core, native: usize) -> u64 {
        let (Some(buffers), Some(facts)) = (self.buffers.get(), core.facts()) else {
            return 0;
        };
        let Ok(Some((id, block))) = core.threads.adopt(native, ATTACHING) else {
            return 0;
        };
        buffers.begin_thread(block, id, None, 0);
        core.secure_definitions();
        let value = core.slot_value(block);
        facts.slot.set(native, value);
        value
    }

    fn thread_ends(&self, core: &Core, block: CounterBlock) {
        if let (Some(buffers), Some(facts)) = (self.buffers.get(), core.facts()) {
            buffers.end_thread(block, &facts.threads);
        }
    }

    fn flush(&self, block: CounterBlock) {
        if let Some(buffers) = self.buffers.get() {
            buffers.flush(block);
        }
    }

    fn knows_addresses(&self) -> bool {
        let buffers = self.buffers.get();
        buffers.is_some_and(|buffers| buffers.knows_addresses)
    }

    fn object_made(&self, _: &Core, jni: Jni, object: jobject, site: u32) -> Option<()> {
        self.helper()?.object(jni, object, site).ok()
    }

    fn string_made(
        &self,
        _: &Core,
        jni: Jni,
        string: jobject,
        value: jobject,
        site: u32,
    ) -> Option<()> {
        self.helper()?.string(jni, string, value, site).ok()
    }

    fn object_gone(&self, _: &Core, jni: Jni, class: jclass, bytes: u32, site: u32) -> Option<()> {
        self.helper()?.gone(jni, class, bytes, site).ok()
    }

    fn collection_started(&self, core: &Core) {
        if let Some(trial) = &self.trial {
            trial.pause_begins();
        }
        if let Some(buffers) = self.buffers.get() {
            self.records.empty_holders(buffers.count());
            self.collections.started(core, buffers);
        }
    }

    fn collection_finished(&self, core: &Core) {
        if let Some(buffers) = self.buffers.get() {
            let uses = self.uses.get();
            self.collections
                .finished(core, buffers, uses, &self.witness);
        }
        if let Some(trial) = &self.trial {
            trial.pause_ends(core, self.uses.get());
        }
    }

    fn exception_thrown(
        &self,
        core: &Core,
        jni: Jni,
        place: (jmethodID, jlocation),
        exception: jobject,
    ) {
        if let Some(trial) = &self.trial {
            trial.exception(core, jni, place, exception);
        }
    }

    fn tick(&self, core: &Core) {
        let collect = |_| core.env.force_garbage_collection();
        if self.collection_wanted.swap(false, Ordering::AcqRel)
            && let Err(error) = core.in_vm(collect).flatten()
        {
            core.log
                .warn(&format!("a collection cannot be requested: {error}"));
        }
        if let Some(buffers) = self.buffers.get() {
            number_called_sites(core, buffers.called_sites(), &self.sites);
        }
        self.record_roots_if_due(core);
        if let (Some(trial), Some(uses), Some(helper)) =
            (&self.trial, self.uses.get(), self.helper())
        {
            trial.look_for_removals(core, uses, helper);
        }
        if let Some(buffers) = self.buffers.get() {
            buffers.prepare_for_collections();
        }
    }

    fn bytes_for_objects(&self) -> u64 {
        let stats = self.buffers.get().map(|buffers| buffers.log().stats());
        stats.map_or(0, |stats| stats.mirror_bytes + stats.retained_bytes)
    }

    /// Takes the contents of all buffers.
    fn end(&self, core: &Core, cause: &str) {
        if let Some(trial) = &self.trial {
            trial.end(core);
        }
        let (Some(buffers), Some(facts)) = (self.buffers.get(), core.facts()) else {
            return;
        };
        self.records.end(core);
        let end = End {
            unix_millis: unix_millis(),
            cause: cause.to_owned(),
            losses: buffers.log().losses(),
        };
        let stats = buffers.finish(&facts.threads, end);
        core.log.info(&format!("{stats:?}"));
        core.log.info(&buffers.work_in_pauses().to_string());
        crate::process::memory::tell_at_end(&core.log);
        for sentence in buffers.log().remarks() {
            core.add_note(sentence);
        }
    }

    fn losses(&self, core: &Core) -> Vec<String> {
        let Some(buffers) = self.buffers.get() else {
            return Vec::new();
        };
        let unseen = core.shared.word(event_buffer::DROPPED);
        let unseen = (unseen > 0).then(|| {
            format!("{unseen} allocations were executed by threads without an event buffer")
        });
        let of_log = buffers.log().losses();
        unseen.into_iter().chain(of_log).collect()
    }

    fn released(&self, core: &Core) {
        self.collections.release();
        drop(core.heap_classes.take_pending());
        earlier_sites::keep(&core.registry);
    }
}
