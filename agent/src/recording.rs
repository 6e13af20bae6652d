//! The interface of a mode: which probes it needs, and its reactions to threads, classes and collections.
//!
//! ```text
//! needs ── begin ── prepare_probes ── classes_loaded ──┬─ threads, classes, collections, each second ─┬── end ── released
//!          (no helper class yet)   (all are rewritten) └──────────────── flush, native objects ───────┘
//! ```
//!
//! No other part of the agent depends on the mode.

use ducktrack_class_rewriter::{RewrittenClass, Stamps};
use ducktrack_jvmti::sys::{jclass, jfieldID, jmethodID, jobject, jsize};
use ducktrack_jvmti::{Jni, jlocation};
use ducktrack_trace_format::{SiteId, ThreadId};
use rustc_hash::FxHashMap;

use crate::core::{Core, Needs};
use crate::threads::counter_block::CounterBlock;

/// A reference that native code is about to store.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NativeStore {
    /// Into a field of an object.
    Field {
        object: jobject,
        field: jfieldID,
        value: jobject,
    },
    /// Into an element of an array.
    Element {
        array: jobject,
        index: jsize,
        value: jobject,
    },
    /// Into a static field.
    Static {
        class: jclass,
        field: jfieldID,
        value: jobject,
    },
    /// Into every element of an array that it has just made.
    Filled { array: jobject },
}

/// The recording of a mode. By default, hooks do nothing.
pub(crate) trait Recording: Send + Sync {
    /// Its requirements. The same at each call.
    fn needs(&self) -> Needs;

    /// The helper classes that rewritten code calls, by internal name. Asked after [`Self::prepare_probes`].
    fn helpers(&self) -> Vec<&'static str>;

    /// Called before the helper class exists. Prepares everything that the helper class needs when it is initialized.
    ///
    /// # Errors
    /// One line that says why nothing can be recorded.
    fn begin(&'static self, core: &'static Core) -> Result<(), String> {
        let _ = core;
        Ok(())
    }

    /// Defines further helper classes. No class is rewritten yet.
    ///
    /// # Errors
    /// One line that says why nothing can be recorded.
    fn prepare_probes(&self, core: &Core, jni: Jni) -> Result<(), String> {
        let _ = (core, jni);
        Ok(())
    }

    /// Called when the classes loaded before the agent have been rewritten.
    fn classes_loaded(&self, core: &Core) {
        let _ = core;
    }

    /// How the code of a class (internal name) stamps the objects it uses.
    fn stamps(&self, core: &Core, class: &str) -> Stamps {
        let _ = (core, class);
        Stamps::None
    }

    /// Called when a class was rewritten, before its code runs. `sizes`: known object sizes by site.
    fn class_rewritten(&self, rewritten: &RewrittenClass, sizes: &FxHashMap<u32, u32>) {
        let _ = (rewritten, sizes);
    }

    /// Called when object sizes of sites become known.
    fn sites_sized(&self, sites: &[(SiteId, u32)]) {
        let _ = sites;
    }

    /// Called when native code gets a site.
    fn native_site(&self, site: u32) {
        let _ = site;
    }

    /// Called when a class is prepared. The reference keeps it alive during the call.
    fn class_prepared(&self, class: jclass, klass: usize) {
        let _ = (class, klass);
    }

    /// Called when the helper sees an object of a class for the first time in a thread. `name` (a descriptor) is given if the address is
    /// new or had another class.
    fn class_met(&self, core: &Core, klass: usize, name: Option<&str>) {
        let _ = (core, klass, name);
    }

    /// Called when an announced thread gets its block. Its slot does not lead to the block yet.
    fn thread_begins(&self, core: &Core, id: ThreadId, block: CounterBlock, native: usize) {
        let _ = (core, id, block, native);
    }

    /// Called when a thread that took its block itself is announced.
    fn thread_confirmed(&self, block: CounterBlock, native: usize) {
        let _ = (block, native);
    }

    /// Called when the current thread runs Java code without having been announced, or after its end. Returns the value for its slot; 0 if
    /// there is no block.
    fn adopt_thread(&self, core: &Core, native: usize) -> u64 {
        let _ = (core, native);
        0
    }

    /// Called when the current thread ends. Its slot no longer leads to its block.
    fn thread_ends(&self, core: &Core, block: CounterBlock) {
        let _ = (core, block);
    }

    /// Called when the current thread's buffer is full.
    fn flush(&self, block: CounterBlock) {
        let _ = block;
    }

    /// Whether object addresses can be read, which requires that objects move only while the world is stopped.
    fn knows_addresses(&self) -> bool {
        false
    }

    /// Called when native code has allocated an object. Returns `None` if it could not be recorded.
    fn object_made(&self, core: &Core, jni: Jni, object: jobject, site: u32) -> Option<()>;

    /// Called when native code has allocated a string and its array.
    fn string_made(
        &self,
        core: &Core,
        jni: Jni,
        string: jobject,
        value: jobject,
        site: u32,
    ) -> Option<()>;

    /// Called when native code has allocated an object of this size whose constructor threw, so it is gone.
    fn object_gone(
        &self,
        core: &Core,
        jni: Jni,
        class: jclass,
        bytes: u32,
        site: u32,
    ) -> Option<()>;

    /// Called when native code is about to store a reference.
    fn stored_by_native(&self, core: &Core, jni: Jni, store: NativeStore) {
        let _ = (core, jni, store);
    }

    /// Called when the program has ended and the VM still runs, just before [`end`](Self::end).
    fn program_ended(&self, core: &Core, jni: Jni) {
        let _ = (core, jni);
    }

    /// Called when the world has stopped for a collection. Must not call the VM.
    fn collection_started(&self, core: &Core) {
        let _ = core;
    }

    /// Called when the collection is over, before the world continues.
    fn collection_finished(&self, core: &Core) {
        let _ = core;
    }

    /// Called on the agent's own thread, four times a second. The thread is not attached to the VM ([`Core::in_vm`]).
    fn tick(&self, core: &Core) {
        let _ = core;
    }

    /// Called when an exception is thrown in a method. Only if [`Needs`] requests the capability.
    fn exception_thrown(
        &self,
        core: &Core,
        jni: Jni,
        place: (jmethodID, jlocation),
        exception: jobject,
    ) {
        let _ = (core, jni, place, exception);
    }

    /// Bytes for objects: those in the mirror, and those that wait for a collection.
    fn bytes_for_objects(&self) -> u64 {
        0
    }

    /// Called when the recording ends. Afterwards, all counts are in the blocks.
    fn end(&self, core: &Core, cause: &str) {
        let _ = (core, cause);
    }

    /// What was lost: one sentence each.
    fn losses(&self, core: &Core) -> Vec<String> {
        let _ = core;
        Vec::new()
    }

    /// Called when the probes are gone and the program continues: frees memory and threads.
    fn released(&self, core: &Core) {
        let _ = core;
    }
}
