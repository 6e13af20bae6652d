//! What a mode of the agent is: which probes it wants, and what it does when threads, classes and collections come and go.
//!
//! ```text
//! needs ── begin ── prepare_probes ── classes_loaded ──┬─ threads, classes, collections, each second ─┬── end ── released
//!          (no helper class yet)   (all are rewritten) └──────────────── flush, native objects ───────┘
//! ```
//!
//! Nothing else of the agent asks which mode runs.

use ducktrack_class_rewriter::{RewrittenClass, Stamps};
use ducktrack_jvmti::sys::{jclass, jmethodID, jobject};
use ducktrack_jvmti::{Jni, jlocation};
use ducktrack_trace_format::{SiteId, ThreadId};
use rustc_hash::FxHashMap;

use crate::core::{Core, Needs};
use crate::process::memory::RecordingMemory;
use crate::threads::counter_block::CounterBlock;

/// See the module. Hooks that a mode has no use for do nothing.
pub(crate) trait Recording: Send + Sync {
    /// What it requires. The same at each call.
    fn needs(&self) -> Needs;

    /// Before the helper class exists: everything that this asks for at its initialization.
    ///
    /// # Errors
    /// Why nothing can be recorded: one line.
    fn begin(&'static self, core: &'static Core) -> Result<(), String> {
        let _ = core;
        Ok(())
    }

    /// Helper classes besides the first. No class is rewritten yet.
    ///
    /// # Errors
    /// Why nothing can be recorded: one line.
    fn prepare_probes(&self, core: &Core, jni: Jni) -> Result<(), String> {
        let _ = (core, jni);
        Ok(())
    }

    /// The classes that were loaded before the agent are rewritten.
    fn classes_loaded(&self, core: &Core) {
        let _ = core;
    }

    /// How the code of a class (internal name) stamps what it uses.
    fn stamps(&self, core: &Core, class: &str) -> Stamps {
        let _ = (core, class);
        Stamps::None
    }

    /// A class was rewritten, with sites of which some have a known size. Before its code runs.
    fn class_rewritten(&self, rewritten: &RewrittenClass, sizes: &FxHashMap<u32, u32>) {
        let _ = (rewritten, sizes);
    }

    /// Sites have a size from now on.
    fn sites_sized(&self, sites: &[(SiteId, u32)]) {
        let _ = sites;
    }

    /// Native code has a site from now on.
    fn native_site(&self, site: u32) {
        let _ = site;
    }

    /// A class is prepared; the reference keeps it alive during the call.
    fn class_prepared(&self, class: jclass, klass: usize) {
        let _ = (class, klass);
    }

    /// The helper met an object of a class for the first time in a thread; `name` (a descriptor) where the address did not stand for it before.
    fn class_met(&self, core: &Core, klass: usize, name: Option<&str>) {
        let _ = (core, klass, name);
    }

    /// A thread that was announced gets its block; its slot does not lead to it yet.
    fn thread_begins(&self, core: &Core, id: ThreadId, block: CounterBlock, native: usize) {
        let _ = (core, id, block, native);
    }

    /// A thread that took its block by itself is announced.
    fn thread_confirmed(&self, block: CounterBlock, native: usize) {
        let _ = (block, native);
    }

    /// The current thread runs Java code without having been announced, or after its end. What its slot must hold; 0 if there is no block for it.
    fn adopt_thread(&self, core: &Core, native: usize) -> u64 {
        let _ = (core, native);
        0
    }

    /// The current thread ends; its slot does not lead to its block any more.
    fn thread_ends(&self, core: &Core, block: CounterBlock) {
        let _ = (core, block);
    }

    /// The current thread's buffer is full.
    fn flush(&self, block: CounterBlock) {
        let _ = block;
    }

    /// Addresses of objects can be read: only a stopped world moves them.
    fn knows_addresses(&self) -> bool {
        false
    }

    /// Native code made an object. `None`: it could not be recorded.
    fn object_made(&self, core: &Core, jni: Jni, object: jobject, site: u32) -> Option<()>;

    /// Native code made a string and its array.
    fn string_made(
        &self,
        core: &Core,
        jni: Jni,
        string: jobject,
        value: jobject,
        site: u32,
    ) -> Option<()>;

    /// Native code made an object of this many bytes that is gone: its constructor threw.
    fn object_gone(
        &self,
        core: &Core,
        jni: Jni,
        class: jclass,
        bytes: u32,
        site: u32,
    ) -> Option<()>;

    /// The world has stopped for a collection: no call of the VM is allowed.
    fn collection_started(&self, core: &Core) {
        let _ = core;
    }

    /// The collection is over, the world still stands.
    fn collection_finished(&self, core: &Core) {
        let _ = core;
    }

    /// On the agent's own thread, four times a second.
    fn tick(&self, core: &Core, jni: Jni) {
        let _ = (core, jni);
    }

    /// An exception is thrown, at a place of a method. Only where [`Needs`] asks for the capability.
    fn exception_thrown(
        &self,
        core: &Core,
        jni: Jni,
        place: (jmethodID, jlocation),
        exception: jobject,
    ) {
        let _ = (core, jni, place, exception);
    }

    /// What it has in memory.
    fn memory_use(&self) -> RecordingMemory {
        RecordingMemory::default()
    }

    /// The recording ends: after this, all counts are in the blocks.
    fn end(&self, core: &Core, cause: &str) {
        let _ = (core, cause);
    }

    /// What was lost: a sentence each.
    fn losses(&self, core: &Core) -> Vec<String> {
        let _ = core;
        Vec::new()
    }

    /// The probes are gone and the program runs on: memory and threads go too.
    fn released(&self, core: &Core) {
        let _ = core;
    }
}
