//! Watches collections: which objects moved where, and which died.
//!
//! ```text
//! VM thread:  GarbageCollectionStart   -> start():  current spaces, classes
//!             (the collection)         -> looks inside the pause
//!             GarbageCollectionFinish  -> finish(): one report for each collection of this pair of events
//! ```
//!
//! Some collections have no events: those before a class histogram or a heap dump of JDK 17 with Serial and Parallel. The
//! hook sees them as well, and calls the listener given to [`CollectionWatch::tell_unannounced`].
//!
//! The world is stopped from the first to the last of these steps. All state is in one [`Pause`], which the watch shares with the observer
//! of the [`PauseHook`]. Everything happens on one thread; the lock is there because the compiler cannot know that.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::address::Address;
use crate::classes::class_table::{ClassTable, ClassesAhead};
use crate::collection::dead_objects::DeadRecorder;
use crate::collection::report::CollectionReport;
use crate::error::Error;
use crate::hooks::pause_hook::PauseHook;
use crate::hooks::watched_thread::PauseObserver;
use crate::pause::allocation_frontier::AllocationFrontier;
use crate::pause::{Pause, UnannouncedStep};
use crate::vm::collector::Collector;
use crate::vm::jvm_flags::JvmFlags;
use crate::vm::vm_structs::VmStructs;

/// Reports for every collection what it did with the objects.
#[derive(Debug)]
pub struct CollectionWatch {
    pause: Arc<Mutex<Pause>>,
    hook: PauseHook,
    /// Looks happen outside of announced pauses as well.
    always: bool,
}

/// A listener for collections that the VM does not announce. Called during a pause on the VM thread, from inside the VM: implementations
/// must not call the VM.
pub trait UnannouncedCollections: Send {
    /// A collection has begun: do what `GarbageCollectionStart` requires, including [`CollectionWatch::start`].
    fn began(&mut self);
    /// It is over: do what `GarbageCollectionFinish` requires, including [`CollectionWatch::finish`].
    fn ended(&mut self);
}

impl CollectionWatch {
    /// Prepares for the collector in use. Call in or after `VMInit`. Returns [`Error::UnsupportedCollector`] for collectors other than
    /// Serial, Parallel and G1.
    pub fn new(vm: &VmStructs, flags: &JvmFlags, collector: Collector) -> Result<Self, Error> {
        let pause = Arc::new(Mutex::new(Pause::new(vm, flags, collector)?));
        let hook = PauseHook::install(vm.libjvm())?;
        hook.observe(Box::new(InsidePause::new(&pause, None)));
        Ok(Self {
            pause,
            hook,
            always: false,
        })
    }

    /// Registers a listener for collections that the VM does not announce. Without it, such a collection
    /// ends the knowledge of moves: the next announced one reports [`crate::MovesFault::Missed`]. Returns `false` if they cannot be
    /// observed.
    pub fn tell_unannounced(&mut self, listener: Box<dyn UnannouncedCollections>) -> bool {
        let inside = InsidePause::new(&self.pause, Some(listener));
        self.hook.observe(Box::new(inside));
        self.always = self.hook.watch_vm_thread();
        self.always
    }

    /// Records dead objects from now on. Call before [`CollectionWatch::read_first_classes`] and the first pause.
    pub fn record_dead(
        &mut self,
        vm: &VmStructs,
        flags: &JvmFlags,
        recorder: Box<dyn DeadRecorder>,
    ) -> Result<(), Error> {
        lock(&self.pause).record_dead(vm, flags, recorder)
    }

    /// Call when the events of collections have been enabled. Earlier collections are not expected to be announced.
    pub fn announced(&self) {
        lock(&self.pause).announced();
    }

    /// Call in `GarbageCollectionStart`.
    pub fn start(&mut self) {
        lock(&self.pause).start();
        self.hook.watch_this_thread();
    }

    /// Call in `GarbageCollectionFinish`, on the same thread. Adds one report for each collection since [`CollectionWatch::start`].
    pub fn finish(&mut self, reports: &mut Vec<CollectionReport>) {
        if !self.always {
            self.hook.rest();
        }
        lock(&self.pause).finish(reports);
    }

    /// Where allocating threads can report their progress, which shortens pauses; `None` if this is not needed.
    #[must_use]
    pub fn frontier(&self) -> Option<Arc<AllocationFrontier>> {
        lock(&self.pause).frontier()
    }

    /// Call in `VMInit`, when the VM already has some hundred classes: reads them now instead of in the first pause. Classes that cannot be
    /// read now are read in that pause.
    pub fn read_first_classes(&self) {
        lock(&self.pause).read_first_classes();
    }

    /// Reads classes before a pause, which shortens it.
    #[must_use]
    pub fn classes_ahead(&self) -> Option<Arc<ClassesAhead>> {
        lock(&self.pause).classes.ahead()
    }

    /// First address and length in bytes of the reserved heap.
    #[must_use]
    pub fn reserved_heap(&self) -> (Address, usize) {
        lock(&self.pause).spaces.reserved()
    }

    /// Every class that the VM had at the start of a collection. A row never changes its meaning. Release the guard before the next pause.
    #[must_use]
    pub fn classes(&self) -> Classes<'_> {
        Classes(lock(&self.pause))
    }

    /// All of eden is read in every pause, also if few of its pages were written. Call before the first pause.
    pub fn leave_writes_unwatched(&mut self) {
        lock(&self.pause).leave_writes_unwatched();
    }

    /// For tests of behaviour after a fault: the n-th pause from now is reported as unreadable.
    pub fn fail_at(&mut self, pause: u32) {
        lock(&self.pause).fault_in = Some(pause);
    }

    /// Sets the offset of the field `size` of `jdk.internal.vm.StackChunk` (JDK 21 and later), as `Unsafe.objectFieldOffset` returns it.
    /// Without it, a pause of a program with virtual threads cannot be read.
    pub fn set_stack_chunk_size_offset(&mut self, offset: usize) {
        lock(&self.pause).sizes.set_stack_chunk_size_offset(offset);
    }
}

/// The class table of a [`CollectionWatch`].
#[derive(Debug)]
pub struct Classes<'a>(MutexGuard<'a, Pause>);

impl Deref for Classes<'_> {
    type Target = ClassTable;

    fn deref(&self) -> &ClassTable {
        &self.0.classes
    }
}

impl DerefMut for Classes<'_> {
    fn deref_mut(&mut self) -> &mut ClassTable {
        &mut self.0.classes
    }
}

/// The observer inside the pause.
struct InsidePause {
    pause: Arc<Mutex<Pause>>,
    listener: Option<Box<dyn UnannouncedCollections>>,
}

impl InsidePause {
    fn new(pause: &Arc<Mutex<Pause>>, listener: Option<Box<dyn UnannouncedCollections>>) -> Self {
        Self {
            pause: Arc::clone(pause),
            listener,
        }
    }
}

impl PauseObserver for InsidePause {
    fn look(&mut self) {
        // If the lock is held by `start`, `finish` or a reader of the classes, there is nothing to see.
        let step = self
            .pause
            .try_lock()
            .ok()
            .and_then(|mut pause| pause.look());
        // The listener needs the lock, which is free again.
        match (step, &mut self.listener) {
            (Some(UnannouncedStep::Began), Some(listener)) => listener.began(),
            (Some(UnannouncedStep::Ended), Some(listener)) => listener.ended(),
            _ => {}
        }
    }
}

/// If a panic happened while the lock was held, the next `start` resets the pause.
fn lock(pause: &Mutex<Pause>) -> MutexGuard<'_, Pause> {
    pause.lock().unwrap_or_else(|lock| lock.into_inner())
}
