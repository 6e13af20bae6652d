//! `dump=on`: the JVM writes a heap dump into the trace directory when
//! its shutdown begins, and another one at its first `OutOfMemoryError`.
//!
//! ```text
//! return of main, System.exit, SIGTERM, uncaught exception    Shutdown.runHooks ──┐
//! Runtime.halt                                                Shutdown.halt ──────┴── heap.hprof, before the program's shutdown hooks
//! OutOfMemoryError                                            ResourceExhausted ───── oom.hprof, while the frames still hold what fills the heap
//! the VM is gone (VMDeath)                                    nothing: some collectors have stopped, and a dump would wait for them for ever
//! ```
//!
//! The dump of the end begins with a collection, the last in the trace before the hooks, so both show the same moment. ZGC makes
//! one before it on every JDK only if asked, and what the program makes beside a cycle is known from the next: it is asked before
//! and after. All that a dump needs is made at the start: in a full heap, hooks find the room that they would find without it.

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use ducktrack_hotspot::{Collector, DumpAtExhaustion, JvmFlags};
use ducktrack_jvmti::sys::jobject;
use ducktrack_jvmti::{Jni, Management};

use crate::core::Core;
use crate::run::end_cause::EndCause;

/// The name of the dump of the end in the trace directory.
const FILE: &str = "heap.hprof";
/// That of the first `OutOfMemoryError`.
const FILE_OF_EXHAUSTION: &str = "oom.hprof";
/// The text of an error that fills nothing.
const ARRAY_TOO_LARGE: &str = "Requested array size exceeds VM limit";

/// The dumps of a run.
pub(crate) struct FinalDumps {
    of_end: DumpFile,
    of_exhaustion: Exhaustion,
    /// The collector works beside the program.
    is_concurrent: bool,
}

/// Who writes the dump of the first `OutOfMemoryError`.
enum Exhaustion {
    /// The user has asked the VM for it.
    User,
    /// The VM, which ends at the error and tells no agent of it.
    Vm(DumpAtExhaustion),
    Agent(DumpFile),
}

/// A dump that is written once.
struct DumpFile {
    management: Management,
    path: PathBuf,
    /// The path as a string of Java, a global reference.
    name: jobject,
    begun: AtomicBool,
}

// SAFETY: global references are valid on every thread.
unsafe impl Send for DumpFile {}
// SAFETY: global references are valid on every thread, and this one does not change.
unsafe impl Sync for DumpFile {}

impl FinalDumps {
    /// Prepares the dumps. `None` if none is requested, or the JDK has no dumps; then the trace says so.
    pub(crate) fn prepare(core: &Core, jni: Jni) -> Option<Self> {
        if !core.options.dump {
            return None;
        }
        let prepared = DumpFile::prepare(core, jni, FILE).and_then(|of_end| {
            let flags = JvmFlags::of_process().ok();
            let of_exhaustion = Exhaustion::prepare(core, jni, flags.as_ref())?;
            let collector = flags.as_ref().and_then(Collector::of);
            Ok(Self {
                of_end,
                of_exhaustion,
                is_concurrent: collector == Some(Collector::Z),
            })
        });
        prepared
            .map_err(|why| core.add_note(format!("No heap dump was written: {why}.")))
            .ok()
    }

    /// Writes the dump of the end, at the first call. If that fails, the trace says why.
    pub(crate) fn write_at_shutdown(&self, core: &Core, jni: Jni) {
        self.collect(core);
        self.of_end.write(core, jni, true);
        self.collect(core);
    }

    /// One more cycle of a trace, where the collector works beside the program: before the dump, and after it.
    fn collect(&self, core: &Core) {
        if self.is_concurrent && !core.needs.counts_in_blocks {
            // Without it the dump is joined in part: the report says how much of it.
            let _ = core.env.force_garbage_collection();
        }
    }

    /// Writes the dump of an `OutOfMemoryError` with this text, at the first call. The thread still has the frames of the allocation.
    pub(crate) fn write_at_exhaustion(&self, core: &Core, jni: Jni, what: &str) {
        if let Exhaustion::Agent(file) = &self.of_exhaustion
            && what != ARRAY_TOO_LARGE
        {
            // A collection has just found nothing.
            file.write(core, jni, false);
        }
    }

    /// The recording ends. Says so if the VM ends without a shutdown.
    pub(crate) fn end(&self, core: &Core, cause: EndCause) {
        if let Exhaustion::Vm(dump) = &self.of_exhaustion {
            dump.switch_off();
        }
        if cause == EndCause::Exit && !self.of_end.begun.load(Ordering::Acquire) {
            core.add_note("No heap dump was written: the VM has ended without `Shutdown.runHooks` or `Shutdown.halt`.".to_owned());
        }
    }
}

impl Exhaustion {
    fn prepare(core: &Core, jni: Jni, flags: Option<&JvmFlags>) -> Result<Self, String> {
        let is_set = |flag| flags.is_some_and(|flags| flags.is_on(flag));
        if is_set("HeapDumpOnOutOfMemoryError") {
            return Ok(Self::User);
        }
        let ends = is_set("ExitOnOutOfMemoryError") || is_set("CrashOnOutOfMemoryError");
        let Some(flags) = flags.filter(|_| ends) else {
            return DumpFile::prepare(core, jni, FILE_OF_EXHAUSTION).map(Self::Agent);
        };
        let path = absolute(&core.directory.join(FILE_OF_EXHAUSTION));
        let path = CString::new(path.into_os_string().into_encoded_bytes());
        let dump = path
            .ok()
            .and_then(|path| DumpAtExhaustion::switch_on(flags, path));
        Ok(dump.map_or(Self::User, Self::Vm))
    }
}

impl DumpFile {
    fn prepare(core: &Core, jni: Jni, file: &str) -> Result<Self, String> {
        let management = core
            .resident
            .management()
            .map_err(|error| format!("this JDK has no module jdk.management ({error})"))?;
        let path = absolute(&core.directory.join(file));
        let name = path
            .to_str()
            .ok_or("the directory's name is not UTF-8")
            .map(|name| jni.new_string(name))?;
        let name = name.and_then(|name| jni.new_global_ref(name));
        Ok(Self {
            management: *management,
            name: name.map_err(|error| error.to_string())?,
            path,
            begun: AtomicBool::new(false),
        })
    }

    fn write(&self, core: &Core, jni: Jni, live: bool) {
        if self.begun.swap(true, Ordering::AcqRel) || !core.is_counting() || self.path.exists() {
            return;
        }
        if let Err(why) = self.management.dump_heap(jni, self.name, live) {
            // What there is of it is no dump.
            let _ = std::fs::remove_file(&self.path);
            core.add_note(format!("No heap dump was written: {why}."));
        }
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
