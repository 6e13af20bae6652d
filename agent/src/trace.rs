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
pub(crate) mod layer;
pub(crate) mod site_facts;
mod site_numbering;
pub(crate) mod use_clock;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use ducktrack_class_rewriter::{AllocationProbes, RewriteOptions, ThreadTotals};
use ducktrack_hotspot::{
    Address, ClassesAhead, Collector, JvmFlags, UnannouncedCollections, VmStructs,
};
use ducktrack_jvmti::{Capability, EventKind, Jni};
use ducktrack_probe_vocabulary::helper;
use ducktrack_trace_format::{End, SiteId, ThreadId};

use crate::core::phase::Phase;
use crate::core::registry::MOST_SITES_OF_EVENTS;
use crate::core::{Core, Needs};
use crate::helper_classes::event_helper::EventHelper;
use crate::options::{Mode, Moves, Options};
use crate::process::clock::unix_millis;
use crate::recording::{
    ClassNews, Moment, NativeObject, Pause, Probes, Recording, SiteNews, State, ThreadNews,
};
use crate::threads::counter_block::CounterBlock;
use buffers::event_tables::EventTables;
use buffers::log_host::LogHost;
use buffers::{Start, ThreadBuffers, event_buffer, live_file};
use collections::Collections;
use layer::{Layer, LayerStart};
use site_facts::SiteTable;
use site_numbering::number_called_sites;

/// Events need a VM whose hidden classes and thread layout the agent knows.
pub(crate) const OLDEST_JAVA: u32 = 17;
/// Address space that events need.
pub(crate) const ADDRESS_SPACE: usize = 384 << 20;

/// The recording of `mode=trace`, and of modes with layers on it.
pub(crate) struct Trace {
    rewriting: RewriteOptions,
    /// Facts of sites for the event decoder.
    sites: Arc<SiteTable>,
    collections: Collections,
    /// Reads classes for the next pause when they are prepared, if pauses need them. Their watch has what was read, and frees it.
    classes_ahead: OnceLock<Weak<ClassesAhead>>,
    /// The event files have reached their maximum size: a collection would allow them to rotate.
    collection_wanted: Arc<AtomicBool>,
    /// Blocks of the event files are lost, and with them what readers need to know the heap: it must be listed anew.
    whole_heap_wanted: Arc<AtomicBool>,
    mode: Mode,
    layers: Vec<Box<dyn Layer>>,
    /// How many of the layers work: the first ones.
    working: OnceLock<usize>,
    /// Why dead objects cannot be recorded.
    dead_refusal: OnceLock<String>,
    buffers: OnceLock<ThreadBuffers>,
}

/// Records collections that the VM does not announce like the others.
struct Unannounced {
    core: &'static Core,
    trace: &'static Trace,
}

impl UnannouncedCollections for Unannounced {
    fn began(&mut self) {
        self.trace.pause(self.core, Pause::Begins);
    }

    fn ended(&mut self) {
        self.trace.pause(self.core, Pause::Ends);
    }
}

impl Trace {
    pub(crate) fn new(options: &Options, layers: Vec<Box<dyn Layer>>) -> Self {
        Self {
            rewriting: RewriteOptions {
                allocations: AllocationProbes::Events,
                histogram: options.histogram,
                materialized: options.materialized,
                totals: ThreadTotals::None,
                calls: false,
                off_heap: true,
                joined_chains: false,
                profile: false,
                redundant_stamps: options.redundant_stamps,
            },
            sites: SiteTable::of_new_run(),
            collections: Collections::default(),
            classes_ahead: OnceLock::new(),
            collection_wanted: Arc::default(),
            whole_heap_wanted: Arc::default(),
            mode: options.mode,
            layers,
            working: OnceLock::new(),
            dead_refusal: OnceLock::new(),
            buffers: OnceLock::new(),
        }
    }

    /// The layers that work, once they have begun.
    fn working_layers(&self) -> &[Box<dyn Layer>] {
        let working = self.working.get().copied().unwrap_or(0);
        self.layers.get(..working).unwrap_or_default()
    }

    /// The helper class that writes events, once the recording has begun.
    fn helper(&self) -> Option<&'static EventHelper> {
        self.buffers.get().and_then(|_| EventHelper::get())
    }

    fn start_buffers(&self, core: &'static Core) -> Result<ThreadBuffers, String> {
        let tables = EventTables::of_new_run()?;
        ThreadBuffers::start(Start {
            tables,
            directory: &core.directory,
            choices: &core.options.events,
            columns: core.options.mode == Mode::Full,
            queue: core.queue_within_bound(core.options.events.buffer_size),
            most_mirror_bytes: core.mirror_within_bound(),
            moves: self.collections.are_watched(),
            frontier: self.collections.frontier(),
            start_unix_millis: core.start_unix_millis,
            sites: Arc::clone(&self.sites),
            live: live_file::begin(core),
            blocks: core.threads.finder(),
            host: Arc::new(LogHost {
                core,
                tables,
                collection_wanted: Arc::clone(&self.collection_wanted),
                whole_heap_wanted: Arc::clone(&self.whole_heap_wanted),
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
        let prepared = self.collections.prepare(
            vm,
            flags,
            &core.options,
            (stack_chunk_size, core.attached),
            unannounced,
        );
        if let Err(why) = prepared {
            let text = format!(
                "Moves and deaths of objects are unknown: {why}. Allocations are recorded."
            );
            core.log.warn(&text);
            core.notes.add(text);
        }
        let recorders = self.layers.iter().filter_map(|layer| layer.dead_recorder());
        for recorder in recorders {
            if let Err(why) = self.collections.record_dead(vm, flags, recorder) {
                // A run begins once.
                let _ = self.dead_refusal.set(why);
            }
        }
    }

    /// Starts the layers, up to one that does not work.
    fn begin_layers(&'static self, core: &Core, jni: Jni, helper: &'static EventHelper) {
        let heap = self.collections.shadowed_heap();
        let start = LayerStart {
            core,
            jni,
            helper,
            shadowed: heap.as_ref().map_err(|why| *why),
            uses_begin: &|shadow, clock| self.collections.record_uses(shadow, clock),
            heap: self.collections.reserved_heap(),
            dead_refusal: self.dead_refusal.get().map(String::as_str),
        };
        let working = self.layers.iter().take_while(|layer| layer.begin(&start));
        let working = working.count();
        // A run begins once.
        let _ = self.working.set(working);
        if let Some(refused) = self.layers.get(working) {
            let before = self.layers.iter().take(working).map(|layer| layer.mode());
            let lesser = before.max().unwrap_or(Mode::Trace);
            let _ = core.lesser_mode.set(lesser);
            if refused.mode() == Mode::Trace && self.mode != Mode::Trace {
                start.continue_as(lesser, "its parts stand on one that does not work");
            }
        }
    }

    /// Records the class of an address.
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

    fn begin_thread(
        &self,
        core: &Core,
        buffers: &ThreadBuffers,
        block: CounterBlock,
        (id, native): (ThreadId, usize),
    ) {
        let told = match (core.phase.get(), core.facts()) {
            // Its earlier allocations are not recorded.
            // SAFETY: the VM has just listed the thread, or the thread itself runs this.
            (Phase::Starting, Some(facts)) => unsafe {
                facts.threads.cooked_allocated_bytes(Address(native))
            },
            _ => 0,
        };
        buffers.begin_thread(block, id, Some(native), told);
    }

    /// Reads the VM's classes while it starts, so that the first pause need not.
    fn classes_loaded(&self, core: &Core) {
        if let Some(buffers) = self.buffers.get().filter(|_| !core.attached) {
            self.collections.read_first_classes(core, buffers);
        }
    }

    fn tick(&self, core: &Core) {
        if let Some(buffers) = self.buffers.get() {
            buffers.settle_cuts();
        }
        self.collections.tick();
        if self.whole_heap_wanted.swap(false, Ordering::AcqRel) {
            self.collections.list_anew();
        }
        let collect = |_| core.env.force_garbage_collection();
        if self.collection_wanted.swap(false, Ordering::AcqRel)
            && let Err(error) = core.in_vm(collect).flatten()
        {
            core.log
                .warn(&format!("a collection cannot be requested: {error}"));
        }
        let Some(buffers) = self.buffers.get() else {
            return;
        };
        buffers.log().deliver();
        number_called_sites(core, buffers.called_sites(), &self.sites);
        for layer in self.working_layers() {
            layer.tick(core, buffers);
        }
        buffers.prepare_for_collections();
    }

    fn program_ended(&self, core: &Core, jni: Jni) {
        if let Some(buffers) = self.buffers.get() {
            for layer in self.working_layers() {
                layer.program_ended(core, jni, buffers);
            }
        }
    }

    fn released(&self, core: &Core) {
        self.collections.release();
        if let Some(buffers) = self.buffers.get() {
            buffers.release();
        }
        drop(core.heap_classes.take_pending());
        earlier_sites::keep(&core.registry);
    }
}

impl Recording for Trace {
    fn needs(&self) -> Needs {
        Needs {
            mode: self.mode.word(),
            oldest_java: OLDEST_JAVA,
            address_space: ADDRESS_SPACE,
            capabilities: &[Capability::CanGenerateGarbageCollectionEvents],
            rewriting: self.rewriting.clone(),
            most_sites: MOST_SITES_OF_EVENTS,
            counts_in_blocks: false,
            adopts_threads: true,
        }
    }

    fn begin(&'static self, core: &'static Core) -> Result<(), String> {
        let facts = core.facts().ok_or("the VM's facts are unknown")?;
        self.sites.set_layout(facts.layout);
        let vm = VmStructs::load().map_err(|error| error.to_string())?;
        let flags = JvmFlags::load(&vm).map_err(|error| error.to_string())?;
        self.watch_moves(core, &vm, &flags);
        know_addresses(&flags);
        let buffers = self.start_buffers(core)?;
        event_buffer::without_buffer(core.shared);
        // A run begins once.
        let _ = self.buffers.set(buffers);
        if let Some(buffers) = self.buffers.get()
            && let Err(why) = self.collections.follow_cycles(core, buffers)
        {
            core.add_note(format!("Moves and deaths of objects are unknown: {why}."));
        }
        listen_for_collections(core)?;
        self.collections.announced();
        Ok(())
    }

    fn prepare_probes(&'static self, core: &Core, jni: Jni) -> Result<Probes, String> {
        let helper = EventHelper::define_once(jni)?;
        self.begin_layers(core, jni, helper);
        let mut probes = Probes {
            helpers: event_helpers(),
            ..Probes::default()
        };
        for layer in self.working_layers() {
            layer.add_probes(&mut probes);
        }
        Ok(probes)
    }

    fn sites(&self, news: SiteNews<'_>) {
        match news {
            SiteNews::Rewritten(rewritten, sizes) => {
                self.sites.learn(rewritten);
                for (site, bytes) in sizes {
                    self.sites.set_bytes(SiteId(*site), *bytes);
                }
            }
            SiteNews::Sized(sizes) => {
                for (site, bytes) in sizes {
                    self.sites.set_bytes(*site, *bytes);
                }
            }
            SiteNews::Native(site) => self.sites.learn_native(site),
        }
    }

    fn class(&self, core: &Core, klass: usize, news: ClassNews<'_>) {
        match news {
            ClassNews::Prepared => {
                let ahead = || self.collections.classes_ahead();
                if let Some(ahead) = self.classes_ahead.get_or_init(ahead).upgrade() {
                    // SAFETY: the VM has just reported the class at this address, and the caller's reference keeps it alive.
                    unsafe { ahead.read(Address(klass)) };
                }
            }
            ClassNews::Met(name) => self.class_met(core, klass, name),
        }
    }

    fn thread(&self, core: &Core, block: CounterBlock, news: ThreadNews) {
        let Some(buffers) = self.buffers.get() else {
            return;
        };
        match news {
            ThreadNews::Begins { id, native } => {
                self.begin_thread(core, buffers, block, (id, native));
            }
            ThreadNews::Adopted { id, reported } => {
                buffers.begin_thread(block, id, None, reported);
            }
            ThreadNews::Confirmed { native } => buffers.confirm_thread(block, native),
            ThreadNews::Ends => {
                if let Some(facts) = core.facts() {
                    buffers.end_thread(block, &facts.threads);
                }
            }
            ThreadNews::BufferFull => buffers.flush(block),
        }
    }

    fn made_by_native(&self, jni: Jni, made: NativeObject, site: u32) -> Option<()> {
        let helper = self.helper()?;
        let recorded = match made {
            NativeObject::Object(object) => helper.object(jni, object, site),
            NativeObject::String { string, value } => helper.string(jni, string, value, site),
            NativeObject::Gone { class, bytes } => helper.gone(jni, class, bytes, site),
        };
        recorded.ok()
    }

    fn pause(&self, core: &Core, end: Pause) {
        let Some(buffers) = self.buffers.get() else {
            return;
        };
        let layers = self.working_layers();
        match end {
            Pause::Begins => {
                layers.iter().for_each(|layer| layer.pause_begins(buffers));
                self.collections.started(core, buffers);
            }
            Pause::Ends => self.collections.finished(core, buffers, layers),
        }
    }

    fn reached(&self, core: &Core, moment: Moment) {
        match moment {
            Moment::ClassesLoaded => {
                earlier_sites::define(&core.registry);
                self.classes_loaded(core);
            }
            Moment::Tick => self.tick(core),
            Moment::ProgramEnded(jni) => self.program_ended(core, jni),
            Moment::Released => self.released(core),
        }
    }

    /// Takes the contents of all buffers.
    fn end(&self, core: &Core, cause: &str) {
        let (Some(buffers), Some(facts)) = (self.buffers.get(), core.facts()) else {
            return;
        };
        self.layers.iter().for_each(|layer| layer.end(core));
        buffers.settle_cuts();
        self.collections.end_cycles(core);
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

    fn state(&self, core: &Core) -> State {
        let Some(buffers) = self.buffers.get() else {
            return State::default();
        };
        let stats = buffers.log().stats();
        let unseen = core.shared.word(event_buffer::DROPPED);
        let unseen = (unseen > 0).then(|| {
            format!("{unseen} allocations were executed by threads without an event buffer")
        });
        State {
            object_bytes: stats.mirror_bytes + stats.retained_bytes,
            losses: unseen.into_iter().chain(buffers.log().losses()).collect(),
        }
    }
}

/// The helper classes that write events.
pub(crate) fn event_helpers() -> Vec<&'static str> {
    vec![
        helper::stack::CLASS,
        helper::callers::CLASS,
        helper::events::CLASS,
        helper::object_events::CLASS,
    ]
}

/// Where the collector moves objects only while the world is stopped, their addresses can be read.
pub(crate) fn know_addresses(flags: &JvmFlags) {
    let collector = Collector::of(flags);
    if collector.is_some_and(|found| matches!(found.name(), "serial" | "parallel" | "g1")) {
        EventHelper::know_addresses();
    }
}

/// # Errors
/// One line that says that the VM does not tell of its collections.
pub(crate) fn listen_for_collections(core: &Core) -> Result<(), String> {
    let events = [
        EventKind::GARBAGE_COLLECTION_START,
        EventKind::GARBAGE_COLLECTION_FINISH,
    ];
    let enabled = events.iter().try_for_each(|event| core.env.enable(*event));
    enabled.map_err(|error| format!("collection events cannot be enabled: {error}"))
}
