//! `dump=end` and `dump=shutdown`: writes a heap dump into the trace directory when the program has ended, or before its shutdown hooks, using the JVM's own
//! `HotSpotDiagnosticMXBean`.
//!
//! The dump begins with a collection, the last in the trace, so both show the same moment.

use std::ffi::CString;

use ducktrack_hotspot::{DumpAtExhaustion, JvmFlags, VmStructs};
use ducktrack_jvmti::sys::jvalue;
use ducktrack_jvmti::{Error, Jni};

use crate::core::{Core, LOCAL_REFERENCES};
use crate::options::FinalDump;

/// The name of the file in the trace directory.
const FILE: &str = "heap.hprof";
/// The dump that the JVM writes by itself at the first `OutOfMemoryError`.
const FILE_OF_EXHAUSTION: &str = "oom.hprof";
const DIAGNOSTICS: &str = "com/sun/management/HotSpotDiagnosticMXBean";

/// Dumps the heap if it was requested for this moment of the run. If that fails, the trace says why.
pub(crate) fn dump_heap(core: &Core, jni: Jni, moment: FinalDump) {
    if core.options.final_dump != Some(moment) || !core.is_counting() {
        return;
    }
    let path = core.directory.join(FILE);
    // A VM may begin to shut down more than once.
    if path.exists() {
        return;
    }
    let path = std::path::absolute(&path).unwrap_or(path);
    let dumped = match path.to_str() {
        Some(path) => jni
            .with_local_frame(LOCAL_REFERENCES, || dump(jni, path))
            .and_then(|dumped| dumped)
            .map_err(|error| error.to_string()),
        None => Err("the directory's name is not UTF-8".to_owned()),
    };
    if let Err(why) = dumped {
        core.add_note(format!("No heap dump was written at the end: {why}."));
    }
}

/// If a dump is requested, asks the JVM for another one at its first `OutOfMemoryError`. The user's own flags for that stay as they are.
pub(crate) fn dump_at_exhaustion(core: &Core) -> Option<DumpAtExhaustion> {
    core.options.final_dump?;
    let path = core.directory.join(FILE_OF_EXHAUSTION);
    let path = std::path::absolute(&path).ok()?;
    let path = CString::new(path.into_os_string().into_encoded_bytes()).ok()?;
    let flags = VmStructs::load().and_then(|vm| JvmFlags::load(&vm)).ok()?;
    DumpAtExhaustion::switch_on(&flags, path)
}

fn dump(jni: Jni, path: &str) -> Result<(), Error> {
    let factory = jni.find_class("java/lang/management/ManagementFactory")?;
    let diagnostics = jni.find_class(DIAGNOSTICS)?;
    let bean_of = jni.static_method_id(
        factory,
        "getPlatformMXBean",
        "(Ljava/lang/Class;)Ljava/lang/management/PlatformManagedObject;",
    )?;
    let bean = jni.call_static_object(factory, bean_of, &[jvalue { l: diagnostics }])?;
    let dump_heap = jni.method_id(diagnostics, "dumpHeap", "(Ljava/lang/String;Z)V")?;
    let path = jni.new_string(path)?;
    jni.call_void(bean, dump_heap, &[jvalue { l: path }, jvalue { z: true }])
}
