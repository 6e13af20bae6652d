//! `libducktrack.so`: exact allocation counts on an unmodified JVM.
//!
//! Loaded by `-agentpath:libducktrack.so=OPTIONS` ([`Agent_OnLoad`]) or into a running VM by
//! `jcmd PID JVMTI.agent_load libducktrack.so OPTIONS` ([`Agent_OnAttach`]). See [`options::HELP`] for the options.
//!
//! ```text
//! load ── callbacks, natives, jni_functions      what the VM and rewritten code call; `entry` finds the run for them
//!   └── life_cycle, thread_events, class_hook,   what a run does
//!       background, control, removal
//!         └── agent ── recording: count, trace   which mode it is, and what that adds
//!               └──── instrumentation, stacks, native_objects
//!                       └── core                 VM, registry, threads, blocks, trace file
//!                             └── resident       what stays in the VM for good: helper classes, facts, loaders
//! ```

mod address_space;
mod agent;
mod application;
mod background;
mod block_store;
mod call_helper;
mod call_totals;
mod callbacks;
mod called_sites;
mod class_hook;
mod clock;
mod control;
mod core;
mod count;
mod counter_block;
mod counter_file;
mod entry;
mod event_buffer;
mod event_helper;
mod event_tables;
mod event_tally;
mod final_dump;
mod frames_at_arrival;
mod helper_class;
mod hot_library_sites;
mod instrumentation;
mod jni_counting;
mod jni_functions;
mod jni_table;
mod jni_variadic;
mod library_class;
mod life_cycle;
mod live_events;
mod load;
mod loader_links;
mod loaders;
mod log;
mod mapped_file;
mod mark_helper;
mod memory;
mod native_objects;
mod natives;
mod notes;
mod object_bytes;
pub mod options;
mod own_library;
mod own_process;
mod phase;
mod prepared_classes;
mod recording;
mod redefined_classes;
mod registry;
mod reinstrumentation;
mod removal;
mod resident;
mod retransformation;
mod running_frames;
mod shadows;
mod site_facts;
mod slot;
mod snapshot;
mod stacks;
mod summary;
mod thread_events;
mod thread_table;
mod trace;
mod trace_words;
mod trial;
mod use_helper;
mod use_memory;
mod vm_facts;
mod wake;
mod witness_fields;
mod witness_helper;
mod witness_memory;
mod written_pages;

use std::ffi::{CStr, c_char, c_void};

use ducktrack_jvmti::sys::{JNI_ERR, JNI_OK, JavaVM, jint};
use ducktrack_jvmti::{Vm, guard};

use control::{Answer, refusal};

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
    unsafe { load_library(vm, options, false) }
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
    unsafe { load_library(vm, options, true) }
}

unsafe fn load_library(vm: *mut JavaVM, options: *mut c_char, attached: bool) -> jint {
    guard(
        JNI_ERR,
        |message| eprintln!("[ducktrack] error: {message}"),
        || {
            let given = if options.is_null() {
                String::new()
            } else {
                // SAFETY: the VM passes a string that ends with 0.
                unsafe { CStr::from_ptr(options) }
                    .to_string_lossy()
                    .into_owned()
            };
            let (answer, text) = Answer::split(&given);
            // SAFETY: the VM passes itself.
            let outcome = unsafe { Vm::from_raw(vm) }
                .ok_or_else(|| "the VM gave no pointer to itself".to_owned())
                .and_then(|vm| load::load(vm, &text, attached));
            match &outcome {
                Ok(said) => answer.write(said),
                Err(why) => answer.write(&refusal(why)),
            }
            match outcome {
                Ok(said) => {
                    // `jcmd` shows nothing of what is answered.
                    if attached && !answer.is_wanted() {
                        eprintln!("[ducktrack] {said}");
                    }
                    JNI_OK
                }
                Err(why) => {
                    // Who has attached reads it, and the program's output stays its own.
                    if !answer.is_wanted() {
                        eprintln!("[ducktrack] error: {why}");
                    }
                    JNI_ERR
                }
            }
        },
    )
}
