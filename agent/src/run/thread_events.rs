//! Events of threads and classes: assigns blocks to threads, and passes names and sizes to the recording.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use ducktrack_hotspot::Address;
use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::{jclass, jobject};

use crate::classes::class_hook::is_helper;
use crate::classes::running_frames::settle_ending_thread;
use crate::core::phase::Phase;
use crate::helper_classes::context_helper;
use crate::helper_classes::helper_class::HelperClass;
use crate::process::address_space;
use crate::process::memory;
use crate::recording::{ClassNews, ThreadNews};
use crate::run::agent::Agent;
use crate::threads::counter_block::{BLOCK_BYTES, CounterBlock};
use crate::threads::retired_blocks;
use crate::threads::thread_table::AssignedBlock;

/// The name of threads that have none yet.
const ATTACHING: &str = "(attaching)";

thread_local! {
    /// The native thread whose end was announced on this thread, and the bytes that it had allocated by then: the thread that ends the VM
    /// continues to run Java code.
    static ENDED: Cell<(usize, u64)> = const { Cell::new((0, 0)) };
}

impl Agent {
    /// Gives a starting thread its block before it runs any of its own Java code.
    pub(crate) fn thread_started(&self, jni: Jni, thread: jobject) {
        let (Some(facts), Some(helper)) = (self.core.facts(), HelperClass::get()) else {
            return;
        };
        if self.core.phase.get() >= Phase::Stopping {
            return;
        }
        let Some(native) = self.core.native_thread(jni, thread) else {
            return;
        };
        let name = self
            .core
            .env
            .thread_info(thread)
            .map(|info| String::from_utf8_lossy(&info.name).into_owned());
        let name = name.unwrap_or_default();
        if self.core.is_memory_full()
            || memory::is_short()
            || !address_space::has_room_for(BLOCK_BYTES)
        {
            self.core
                .cost
                .threads_without_block
                .fetch_add(1, Ordering::Relaxed);
            return;
        }
        ENDED.set((0, 0));
        if retired_blocks::has(native) && self.may_be_counting(jni, thread) {
            retired_blocks::give_up(native);
        }
        let block = match self.core.threads.start(native, &name, 0) {
            Ok(AssignedBlock::Block(id, block)) => {
                let block = self.core.block_in_file(id, block);
                let news = ThreadNews::Begins { id, native };
                self.recording.thread(&self.core, block, news);
                block
            }
            Ok(AssignedBlock::Adopted(block)) => {
                let news = ThreadNews::Confirmed { native };
                self.recording.thread(&self.core, block, news);
                block
            }
            Ok(AssignedBlock::Nothing) => return,
            Err(error) => {
                self.core.log.warn(&format!(
                    "thread {name} counts into the shared block: {error}"
                ));
                return;
            }
        };
        self.say_new_thread(block);
        let value = self.core.slot_value(block);
        if !facts.slot.set(native, value)
            && let Err(error) = helper.set_slot(jni, thread, value)
        {
            self.core.log.warn(&format!(
                "thread {name} counts into the shared block: {error}"
            ));
        }
    }

    /// Whether a thread is inside of a helper class, perhaps between the load of a counter and its store.
    fn may_be_counting(&self, jni: Jni, thread: jobject) -> bool {
        // Without a frame it runs no Java code.
        let Ok((method, _)) = self.core.env.frame_location(thread, 0) else {
            return false;
        };
        let Ok(class) = self.core.env.method_declaring_class(method) else {
            return true;
        };
        let signature = self.core.env.class_signature(class);
        jni.delete_local_ref(class);
        signature.map_or(true, |signature| {
            let name = signature.strip_prefix(b"L").unwrap_or_default();
            is_helper(name)
        })
    }

    /// Gives the current thread, which runs Java code without having been announced or
    /// after its end, a block. Returns the value for its slot; 0 if there is no block.
    pub(crate) fn adopt_thread(&self, native: usize) -> u64 {
        let core = &self.core;
        let is_wanted = core.needs.adopts_threads && self.has_begun.load(Ordering::Acquire);
        let Some(facts) = core.facts().filter(|_| is_wanted) else {
            return 0;
        };
        let Ok(Some((id, block))) = core.threads.adopt(native, ATTACHING) else {
            return 0;
        };
        // SAFETY: the thread itself runs this.
        let allocated = unsafe { facts.threads.cooked_allocated_bytes(Address(native)) };
        let reported = match ENDED.get() {
            // Another thread at its address has allocated less so far.
            (ended, bytes) if ended == native && bytes <= allocated => bytes,
            _ => 0,
        };
        let news = ThreadNews::Adopted { id, reported };
        self.recording.thread(core, block, news);
        core.secure_definitions();
        let value = core.slot_value(block);
        facts.slot.set(native, value);
        value
    }

    /// Defines a thread in the trace before it counts.
    fn say_new_thread(&self, block: CounterBlock) {
        if let Some(refusal) = self.core.threads.take_refusal()
            && self.core.blocks.number_of(block).is_none()
        {
            self.core.say_private_memory(&refusal);
        }
        self.core.secure_definitions();
    }

    /// Releases the block of an ending thread for another one.
    pub(crate) fn thread_ended(&self, jni: Jni, thread: jobject) {
        let (Some(facts), Some(helper)) = (self.core.facts(), HelperClass::get()) else {
            return;
        };
        let Some(native) = self.core.native_thread(jni, thread) else {
            return;
        };
        settle_ending_thread(&self.core, jni, thread);
        context_helper::abandon(jni);
        // The block goes to another thread, so this one counts into the shared block until it is gone.
        if !facts.slot.set(native, 0) {
            let _ = helper.set_slot(jni, thread, 0);
        }
        // SAFETY: the ending thread itself runs this callback.
        let allocated = unsafe { facts.threads.cooked_allocated_bytes(Address(native)) };
        ENDED.set((native, allocated));
        if let Some(block) = self.core.threads.block_of(native) {
            self.recording.thread(&self.core, block, ThreadNews::Ends);
        }
        self.core.threads.end(native, allocated);
    }

    /// Handles a class that was prepared.
    pub(crate) fn class_prepared(&self, jni: Jni, class: jclass) {
        let prepared = &self.instrumentation.prepared;
        prepared.class_prepared(&self.core, &*self.recording, jni, class);
    }

    /// Handles the first object of a class that the helper has filed under its class.
    pub(crate) fn first_seen(&self, class: jclass, klass: usize) {
        if klass == 0 {
            return;
        }
        let core = &self.core;
        let Some(name) = core.class_at(class, klass) else {
            return;
        };
        let news = ClassNews::Met(name.as_deref());
        self.recording.class(core, klass, news);
    }
}
