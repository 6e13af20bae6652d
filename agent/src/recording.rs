//! The interface of a mode: which probes it needs, and its reactions to threads, classes and collections.
//!
//! ```text
//! needs ── begin ── prepare_probes ── classes loaded ──┬─ threads, classes, pauses, ticks ──────┬── end ── released
//!          (no helper class yet)   (all are rewritten) └─── full buffers, native objects ───────┘
//! ```
//!
//! No other part of the agent depends on the mode.

use ducktrack_class_rewriter::{RewrittenClass, Stamps};
use ducktrack_jvmti::sys::{jclass, jmethodID, jobject};
use ducktrack_jvmti::{Jni, jlocation};
use ducktrack_trace_format::{SiteId, ThreadId};
use rustc_hash::FxHashMap;

use crate::core::{Core, Needs};
use crate::options::ClassPattern;
use crate::threads::counter_block::CounterBlock;

/// The probe methods that rewritten code calls.
#[derive(Debug, Default)]
pub(crate) struct Probes {
    /// Helper classes, by internal name.
    pub(crate) helpers: Vec<&'static str>,
    /// How code stamps the objects it uses.
    pub(crate) stamps: Stamps,
    /// Only code of these classes does; `None`: all code.
    pub(crate) stamped: Option<ClassPattern>,
}

impl Probes {
    /// How the code of a class (internal name) stamps the objects it uses.
    pub(crate) fn stamps_of(&self, class: &str) -> Stamps {
        let is_stamped = self.stamped.as_ref().is_none_or(|of| of.matches(class));
        if is_stamped {
            self.stamps
        } else {
            Stamps::None
        }
    }
}

/// News of allocation sites.
pub(crate) enum SiteNews<'a> {
    /// A class was rewritten; its code has not run yet. With the object sizes that are known by site.
    Rewritten(&'a RewrittenClass, &'a FxHashMap<u32, u32>),
    /// Object sizes of sites become known.
    Sized(&'a [(SiteId, u32)]),
    /// Native code gets a site.
    Native(u32),
}

/// News of a class, by the address of its metadata.
pub(crate) enum ClassNews<'a> {
    /// It is prepared. A reference keeps it alive during the call.
    Prepared,
    /// The helper sees an object of it for the first time in a thread. The name
    /// (a descriptor) is given if the address is new or had another class.
    Met(Option<&'a str>),
}

/// News of a thread, by its block.
pub(crate) enum ThreadNews {
    /// The block is the thread's. Its slot does not lead there yet.
    Begins { id: ThreadId, native: usize },
    /// The same for a thread that runs this itself, before it is announced
    /// or after its end. `reported`: bytes that it had allocated by its end.
    Adopted { id: ThreadId, reported: u64 },
    /// A thread that took its block itself is announced.
    Confirmed { native: usize },
    /// The current thread ends. Its slot no longer leads to its block.
    Ends,
    /// The current thread's buffer is full.
    BufferFull,
}

/// The allocations of native code.
#[derive(Clone, Copy)]
pub(crate) enum NativeObject {
    /// An object or array.
    Object(jobject),
    /// A string and its array.
    String { string: jobject, value: jobject },
    /// An object of this size whose constructor threw, so it is gone.
    Gone { class: jclass, bytes: u32 },
}

/// The two ends of a collection's pause. The VM must not be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// The world has stopped.
    Begins,
    /// The collection is over; the world has not continued.
    Ends,
}

/// Moments of a run.
#[derive(Clone, Copy)]
pub(crate) enum Moment {
    /// The classes loaded before the agent have been rewritten.
    ClassesLoaded,
    /// Four times a second, on the agent's own thread, which is not attached to the VM ([`Core::in_vm`]).
    Tick,
    /// The program has ended and the VM still runs, just before [`Recording::end`].
    ProgramEnded(Jni),
    /// The probes are gone and the program continues: memory and threads are freed.
    Released,
}

/// The state of a recording.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Bytes for objects: those in the mirror, and those that wait for a collection.
    pub(crate) object_bytes: u64,
    /// Losses, one sentence each.
    pub(crate) losses: Vec<String>,
}

/// The recording of a mode. By default, hooks do nothing.
pub(crate) trait Recording: Send + Sync {
    /// Its requirements. The same at each call.
    fn needs(&self) -> Needs;

    /// Called before the helper class exists. Prepares everything that the helper class needs when it is initialized.
    ///
    /// # Errors
    /// One line that says why nothing can be recorded.
    fn begin(&'static self, core: &'static Core) -> Result<(), String>;

    /// Defines further helper classes. No class is rewritten yet.
    ///
    /// # Errors
    /// One line that says why nothing can be recorded.
    fn prepare_probes(&'static self, core: &Core, jni: Jni) -> Result<Probes, String>;

    /// Called when something becomes known of sites.
    fn sites(&self, news: SiteNews<'_>) {
        let _ = news;
    }

    /// Called when something becomes known of a class.
    fn class(&self, core: &Core, klass: usize, news: ClassNews<'_>) {
        let _ = (core, klass, news);
    }

    /// Called when a thread begins, ends, or has a full buffer.
    fn thread(&self, core: &Core, block: CounterBlock, news: ThreadNews) {
        let _ = (core, block, news);
    }

    /// Called when native code has allocated something. Returns `None` if it could not be recorded.
    fn made_by_native(&self, jni: Jni, made: NativeObject, site: u32) -> Option<()>;

    /// Called at the ends of the pause of a collection.
    fn pause(&self, core: &Core, end: Pause) {
        let _ = (core, end);
    }

    /// Called at the moments of a run.
    fn reached(&self, core: &Core, moment: Moment) {
        let _ = (core, moment);
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

    /// Called when the recording ends. Afterwards, all counts are in the blocks.
    fn end(&self, core: &Core, cause: &str) {
        let _ = (core, cause);
    }

    /// The state now.
    fn state(&self, core: &Core) -> State {
        let _ = core;
        State::default()
    }
}
