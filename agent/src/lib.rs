//! `libducktrack.so`: exact allocation counts of a JVM that nobody modified.
//!
//! Loaded by `-agentpath:libducktrack.so=OPTIONS` ([`Agent_OnLoad`]) or into a running VM by
//! `jcmd PID JVMTI.agent_load libducktrack.so OPTIONS` ([`Agent_OnAttach`]). See [`options::HELP`] for the options.
//!
//! ```text
//! options ── agent ──┬─ class_hook ── class-rewriter        rewrites classes
//!                    ├─ helper_class, slot, counter_block   what rewritten code calls and writes
//!                    ├─ jni_functions, native_sites         what native code makes
//!                    ├─ thread_table                        who owns which block
//!                    ├─ registry                            what the numbers in code and trace mean
//!                    ├─ snapshot ── trace-writer            values to disk
//!                    ├─ memory                              where all of this has its memory
//!                    └─ tracing ── event_buffer, collections  mode trace: events of threads and collections to disk
//! ```

mod agent;
mod background;
mod callbacks;
mod called_sites;
mod class_hook;
mod collections;
mod counter_block;
mod event_buffer;
mod event_helper;
mod event_tally;
mod helper_class;
mod hot_library_sites;
mod jni_functions;
mod jni_variadic;
mod library_class;
mod life_cycle;
mod loaders;
mod log;
mod memory;
mod native_sites;
mod notes;
mod object_bytes;
pub mod options;
mod own_library;
mod phase;
mod prepared_classes;
mod registry;
mod reinstrumentation;
mod running_frames;
mod site_facts;
mod site_sizes;
mod slot;
mod snapshot;
mod summary;
mod thread_table;
mod trace_words;
mod tracing;
mod tracing_start;
mod vm_facts;

use std::ffi::{CStr, c_char, c_void};

use ducktrack_jvmti::sys::{JNI_ERR, JNI_OK, JavaVM, jint};
use ducktrack_jvmti::{Vm, guard};

/// The VM loads the agent at its start.
///
/// # Safety
/// Called by the VM, with the pointers that JVMTI specifies.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(
    vm: *mut JavaVM,
    options: *mut c_char,
    _: *mut c_void,
) -> jint {
    // SAFETY: as this function's.
    unsafe { load(vm, options, false) }
}

/// The agent is loaded into a running VM.
///
/// # Safety
/// Called by the VM, with the pointers that JVMTI specifies.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnAttach(
    vm: *mut JavaVM,
    options: *mut c_char,
    _: *mut c_void,
) -> jint {
    // SAFETY: as this function's.
    unsafe { load(vm, options, true) }
}

unsafe fn load(vm: *mut JavaVM, options: *mut c_char, attached: bool) -> jint {
    guard(
        JNI_ERR,
        |message| eprintln!("[ducktrack] error: {message}"),
        || {
            let text = if options.is_null() {
                String::new()
            } else {
                // SAFETY: the VM passes a string that ends with 0.
                unsafe { CStr::from_ptr(options) }
                    .to_string_lossy()
                    .into_owned()
            };
            // SAFETY: the VM passes itself.
            match unsafe { Vm::from_raw(vm) }
                .ok_or_else(|| "the VM gave no pointer to itself".to_owned())
                .and_then(|vm| life_cycle::load(vm, &text, attached))
            {
                Ok(()) => JNI_OK,
                Err(why) => {
                    eprintln!("[ducktrack] error: {why}");
                    JNI_ERR
                }
            }
        },
    )
}
