//! An agent that checks every full collection: it compares the result of [`FullCollectionReading`] with a picture of the heap after marking
//! and one after the collection.
//!
//! `java -agentpath:libfull_moves_agent.so=FILE FullMovesProbe ...` writes its findings to FILE when the VM ends, in lines of `name value`.

mod counts;
mod heap_picture;
mod verdict;

use std::ffi::{CStr, c_char, c_void};
use std::sync::{Mutex, MutexGuard, OnceLock};

use ducktrack_hotspot::{
    ClassTable, Collector, FullCollectionReading, FullStep, HeapSpaces, JvmFlags, ObjectSizes,
    PauseHook, PauseObserver, VmStructs,
};
use ducktrack_jvmti::sys::{JNIEnv, JavaVM, jint};
use ducktrack_jvmti::{
    Capabilities, Capability, Env, EventCallbacks, EventKind, RawEnv, Vm, guard, jthread,
};

use crate::counts::Counts;
use crate::heap_picture::HeapPicture;
use crate::verdict::Evidence;

struct Agent {
    env: Env,
    file: String,
}

/// State for the VM thread.
struct Watched {
    hook: PauseHook,
    collector: Collector,
    spaces: HeapSpaces,
    classes: ClassTable,
    sizes: ObjectSizes,
    reading: FullCollectionReading,
    /// The heap after marking; one picture per full collection of the pause.
    marked: Vec<HeapPicture>,
    counts: Counts,
    looks_before: u64,
}

static AGENT: OnceLock<Agent> = OnceLock::new();
static WATCHED: Mutex<Option<Watched>> = Mutex::new(None);

/// # Safety
/// Only the VM may call this.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(
    vm: *mut JavaVM,
    options: *const c_char,
    _: *mut c_void,
) -> jint {
    guarded(1, || {
        // SAFETY: the VM passes a valid pointer.
        let vm = unsafe { Vm::from_raw(vm) }.expect("JavaVM");
        // SAFETY: the VM passes the text after `=` as a C string.
        let file = unsafe { CStr::from_ptr(options) }.to_str().expect("text");
        let (env, _) = vm.jvmti().expect("JVMTI");
        let wanted = Capabilities::of(&[Capability::CanGenerateGarbageCollectionEvents]);
        assert_eq!(env.add_capabilities(&wanted).expect("capabilities"), wanted);
        let callbacks = EventCallbacks {
            VMInit: Some(vm_init),
            VMDeath: Some(vm_death),
            GarbageCollectionStart: Some(collection_start),
            GarbageCollectionFinish: Some(collection_finish),
            ..EventCallbacks::default()
        };
        // SAFETY: the callbacks are guarded against panics, and an agent is never unloaded.
        unsafe { env.set_event_callbacks(&callbacks) }.expect("callbacks");
        for event in [EventKind::VM_INIT, EventKind::VM_DEATH] {
            env.enable(event).expect("event");
        }
        let file = file.to_owned();
        i32::from(AGENT.set(Agent { env, file }).is_err())
    })
}

unsafe extern "system" fn vm_init(_: *mut RawEnv, _: *mut JNIEnv, _: jthread) {
    guarded((), || {
        *watched() = Some(prepare());
        for event in [
            EventKind::GARBAGE_COLLECTION_START,
            EventKind::GARBAGE_COLLECTION_FINISH,
        ] {
            agent().env.enable(event).expect("event");
        }
    });
}

fn prepare() -> Watched {
    let vm = VmStructs::load().expect("tables");
    let flags = JvmFlags::load(&vm).expect("flags");
    let collector = Collector::of(&flags).expect("collector");
    let spaces = HeapSpaces::load(&vm, collector).expect("heap");
    let sizes = ObjectSizes::load(&vm, &flags, None).expect("sizes");
    let hook = PauseHook::install(vm.libjvm()).expect("hook");
    // Installing it again must change nothing.
    PauseHook::install(vm.libjvm()).expect("hook");
    hook.observe(Box::new(Inside));
    Watched {
        hook,
        collector,
        reading: FullCollectionReading::load(&vm, collector, &spaces, &sizes).expect("reading"),
        spaces,
        classes: ClassTable::new(&vm).expect("classes"),
        sizes,
        marked: Vec::new(),
        counts: Counts::default(),
        looks_before: 0,
    }
}

unsafe extern "system" fn collection_start(_: *mut RawEnv) {
    guarded((), || {
        if let Some(watched) = watched().as_mut() {
            watched.classes.refresh().expect("classes");
            watched.looks_before = watched.hook.looks();
            watched.hook.watch_this_thread();
        }
    });
}

unsafe extern "system" fn collection_finish(_: *mut RawEnv) {
    guarded((), || {
        if let Some(watched) = watched().as_mut() {
            watched.hook.rest();
            let looks = watched.hook.looks() - watched.looks_before;
            watched.counts.note_looks(looks);
            let before = cpu_nanos();
            // SAFETY: the world is still stopped, and this is the thread of the collection.
            let collections = unsafe { watched.reading.finish(&watched.classes, &watched.sizes) };
            watched.counts.cpu_nanos += cpu_nanos() - before;
            watched.judge(collections);
        }
    });
}

/// CPU time of this thread, so that the measurement does not depend on the load of the machine.
fn cpu_nanos() -> u64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let time = times.split(' ').next();
    time.and_then(|time| time.parse().ok()).unwrap_or(0)
}

/// Observes the heap inside of the pause.
struct Inside;

impl PauseObserver for Inside {
    fn look(&mut self) {
        if let Ok(mut watched) = WATCHED.try_lock()
            && let Some(watched) = watched.as_mut()
        {
            watched.look();
        }
    }
}

impl Watched {
    fn look(&mut self) {
        let before = cpu_nanos();
        // SAFETY: this is inside the pause, on the thread of the collection.
        let step = unsafe { self.reading.look(&self.classes, &self.sizes) };
        self.counts.cpu_nanos += cpu_nanos() - before;
        let collections = self.reading.take_completed();
        self.judge(collections);
        if step == FullStep::Marked {
            let mut spaces = Vec::new();
            self.spaces.list(&mut spaces).expect("spaces");
            // SAFETY: the world is stopped; marking has ended, and nothing has moved yet.
            let picture = unsafe { HeapPicture::take(&spaces, &self.classes, &self.sizes) };
            self.marked.push(picture);
        }
    }

    /// Checks collections that have just ended.
    fn judge(&mut self, collections: Vec<ducktrack_hotspot::FullCollection>) {
        if collections.is_empty() {
            return;
        }
        let mut now = Vec::new();
        self.spaces.list(&mut now).expect("spaces");
        for (index, collection) in collections.iter().enumerate() {
            self.counts.full += 1;
            let survivors = match &collection.survivors {
                Ok(survivors) => survivors,
                Err(fault) => {
                    self.counts.fault(&fault.to_string());
                    self.marked.clear();
                    return;
                }
            };
            let before = self.marked.remove(0);
            let after = if collection.after.is_empty() {
                &now
            } else {
                &collection.after
            };
            // SAFETY: the world is stopped, and nothing has changed since the collection ended.
            let after = unsafe { HeapPicture::take(after, &self.classes, &self.sizes) };
            assert_eq!(
                index, 0,
                "each collection is checked before the next begins"
            );
            self.counts.nanos += collection.nanos;
            let evidence = Evidence {
                before: &before,
                after: &after,
                classes: &self.classes,
                sizes: &self.sizes,
                in_regions: self.collector == Collector::G1,
            };
            // SAFETY: the pause lasts until this callback returns, so the heap does not change.
            unsafe { verdict::check(collection, survivors, &evidence, &mut self.counts) };
        }
    }
}

unsafe extern "system" fn vm_death(_: *mut RawEnv, _: *mut JNIEnv) {
    guarded((), || {
        if let Some(watched) = watched().as_ref() {
            let failed = watched.hook.has_failed();
            let text = watched.counts.text(failed);
            std::fs::write(&agent().file, text).expect("file");
        }
    });
}

fn agent() -> &'static Agent {
    AGENT.get().expect("loaded as an agent")
}

fn watched() -> MutexGuard<'static, Option<Watched>> {
    WATCHED.lock().unwrap_or_else(|lock| lock.into_inner())
}

fn guarded<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    guard(fallback, |panic| eprintln!("agent: {panic}"), body)
}
