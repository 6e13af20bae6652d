//! How `mode=trace` begins and ends.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ducktrack_hotspot::{Address, Collector, JvmFlags, VmStructs, block_signals, give_way};
use ducktrack_jvmti::{EventKind, Jni};
use ducktrack_trace_format::{CallSiteId, End, Record, SiteId, ThreadId};
use ducktrack_trace_writer::EventHost;

use crate::agent::Agent;
use crate::callbacks;
use crate::counter_block::CounterBlock;
use crate::event_helper::EventHelper;
use crate::options::{Mode, Moves};
use crate::phase::Phase;
use crate::snapshot::unix_millis;
use crate::tracing::{Start, Tracing};

/// Events need a VM whose hidden classes and thread layout the agent knows.
pub(crate) const OLDEST_JAVA: u32 = 17;

/// The name of threads that have none yet.
const ATTACHING: &str = "(attaching)";

/// What the log of events asks of the agent.
struct Host;

impl EventHost for Host {
    fn want_collection(&self) {
        if let Some(agent) = callbacks::agent() {
            agent.collection_wanted.store(true, Ordering::Release);
            agent.wake_background();
        }
    }

    fn called(&self, site: SiteId, caller: CallSiteId, events: u32) {
        if let Some(tracing) = callbacks::agent().and_then(Agent::tracing) {
            tracing.called_sites().said(site, caller, events);
        }
    }

    fn say(&self, line: &str) {
        if let Some(agent) = callbacks::agent() {
            agent.log.error(line);
        }
    }

    fn spawn(&self, name: &str, body: Box<dyn FnOnce() + Send>) -> std::io::Result<()> {
        let thread = std::thread::Builder::new().name(name.to_owned());
        let quiet = move || {
            block_signals();
            give_way();
            body();
        };
        thread.spawn(quiet).map(drop)
    }
}

impl Agent {
    /// Before the helper class exists: everything that it asks for at its initialization.
    ///
    /// # Errors
    /// Why nothing can be traced.
    pub(crate) fn start_tracing(&self) -> Result<(), String> {
        let (Some(sites), Some(facts)) = (&self.sites, self.facts()) else {
            return Ok(());
        };
        sites.set_layout(facts.layout);
        let vm = VmStructs::load().map_err(|error| error.to_string())?;
        let flags = JvmFlags::load(&vm).map_err(|error| error.to_string())?;
        self.watch_moves(&vm, &flags);
        let stops_the_world = Collector::of(&flags)
            .is_some_and(|collector| matches!(collector.name(), "serial" | "parallel" | "g1"));
        let tracing = Tracing::start(Start {
            directory: &self.directory,
            choices: &self.options.events,
            moves: self.collections.are_watched(),
            frontier: self.collections.frontier(),
            knows_addresses: stops_the_world,
            start_unix_millis: self.start_unix_millis,
            sites: Arc::clone(sites),
            blocks: self.threads.finder(),
            host: Arc::new(Host),
        })?;
        crate::event_buffer::without_buffer(self.shared);
        self.set_tracing(tracing);
        for event in [
            EventKind::GARBAGE_COLLECTION_START,
            EventKind::GARBAGE_COLLECTION_FINISH,
        ] {
            self.env
                .enable(event)
                .map_err(|error| format!("collections are not announced: {error}"))?;
        }
        Ok(())
    }

    fn prepare_collections(&self, vm: &VmStructs, flags: &JvmFlags) -> Result<(), String> {
        let stack_chunk_size = self.facts().and_then(|facts| facts.stack_chunk_size);
        self.collections
            .prepare(vm, flags, &self.options, stack_chunk_size)
    }

    fn watch_moves(&self, vm: &VmStructs, flags: &JvmFlags) {
        if self.options.moves == Moves::Off {
            self.add_note("Moves and deaths of objects were not recorded (moves=off).".to_owned());
        } else if let Err(why) = self.prepare_collections(vm, flags) {
            self.add_note(format!(
                "Moves and deaths of objects are not known: {why}. Allocations are."
            ));
        }
    }

    /// The helper class that writes events, where events are wanted.
    pub(crate) fn define_event_helper(&self, jni: Jni) -> Result<(), ducktrack_jvmti::Error> {
        if self.tracing().is_none() {
            return Ok(());
        }
        let helper = EventHelper::define(jni)?;
        helper.link_natives(jni)?;
        // The agent starts once.
        let _ = self.set_event_helper(helper);
        Ok(())
    }

    /// A thread that was announced gets its buffer, before its slot leads to its block.
    pub(crate) fn begin_events(&self, id: ThreadId, block: CounterBlock, native: usize) {
        let (Some(tracing), Some(facts)) = (self.tracing(), self.facts()) else {
            return;
        };
        let told = match self.phase.get() {
            // What it did before is not recorded.
            // SAFETY: the VM has just listed the thread, or the thread itself runs this.
            Phase::Starting => unsafe { facts.threads.cooked_allocated_bytes(Address(native)) },
            _ => 0,
        };
        tracing.begin_thread(block, id, Some(native), told);
    }

    /// The current thread runs Java code before it is announced, or after it has ended: gives it a block. What its slot must hold; 0 if there
    /// is no block for it.
    pub(crate) fn adopt_thread(&self, native: usize) -> u64 {
        let (Some(tracing), Some(facts)) = (self.tracing(), self.facts()) else {
            return 0;
        };
        let Ok(Some((id, block))) = self.threads.adopt(native, ATTACHING) else {
            return 0;
        };
        tracing.begin_thread(block, id, None, 0);
        let value = self.slot_value(block);
        facts.slot.set(native, value);
        value
    }

    /// Gives numbers to sites and callers that many events say, and writes what is new in the trace's dictionary.
    pub(crate) fn number_called_sites(&self) {
        let (Some(tracing), Some(sites)) = (self.tracing(), &self.sites) else {
            return;
        };
        let numbered = tracing.called_sites().number_wanted();
        for called in &numbered {
            sites.learn_called(called);
            self.registry.note(Record::CalledSite(*called));
        }
        self.write_definitions();
        tracing.called_sites().publish(&numbered);
    }

    /// Takes what is in all buffers; after that, all counts are there.
    pub(crate) fn finish_tracing(&self, cause: &str) {
        let (Some(tracing), Some(facts)) = (self.tracing(), self.facts()) else {
            return;
        };
        let end = End {
            unix_millis: unix_millis(),
            cause: cause.to_owned(),
            losses: tracing.log().losses(),
        };
        let stats = tracing.finish(&facts.threads, end);
        self.log.info(&format!("{stats:?}"));
        self.tell_memory_at_end();
        for sentence in tracing.log().remarks() {
            self.add_note(sentence);
        }
    }

    /// Whether events are recorded.
    pub(crate) fn is_tracing(&self) -> bool {
        self.options.mode == Mode::Trace
    }
}
