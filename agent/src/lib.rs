//! `libducktrack.so`: exact allocation counts on an unmodified JVM.
//!
//! Loaded by `-agentpath:libducktrack.so=OPTIONS` ([`Agent_OnLoad`]) or into a running VM by
//! `jcmd PID JVMTI.agent_load libducktrack.so OPTIONS` ([`Agent_OnAttach`]). See [`ducktrack_options::OPTIONS`] for the options.
//!
//! Rooms, from top to bottom: each imports only rooms below it (`scripts/steps/check-dependencies`).
//!
//! ```text
//! load                           options to a run: the only one that knows all modes
//! callbacks, entry               called by the VM, by rewritten code and by native code; `entry` finds the run for them
//! run                            the work of a run: its steps, threads starting and ending, commands, snapshots
//! measured                       measurements that the program makes of its own run
//! trial, layers, trace           recordings: a trial of `impact`; events, with what a mode has in addition
//! control, classes, count        commands; classes on their way through the agent; the recording of counts
//! native_code, helper_classes    objects and stores of native code; classes of ours in the VM
//! off_heap                       memory outside of the heap, by the stack that made it
//! stacks, recording              sampled call stacks; the interface of a recording
//! core, threads                  VM, registry, dictionary, threads and their blocks
//! process, options               memory, files, messages, the clock
//! ```

mod callbacks;
mod classes;
mod contexts;
mod control;
mod core;
mod count;
mod entry;
mod helper_classes;
mod layers;
mod load;
mod measured;
mod native_code;
mod off_heap;
pub mod options;
mod process;
mod recording;
mod run;
mod stacks;
mod threads;
mod trace;
mod trial;

use std::ffi::{CStr, c_char, c_void};

use ducktrack_jvmti::sys::{JNI_ERR, JNI_OK, JavaVM, jint};
use ducktrack_jvmti::{Vm, guard};

use control::{Answer, refusal};

/// Called by the VM to load the agent at start-up.
///
/// # Safety
/// Called by the VM, with the pointers that JVMTI specifies.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(
    vm: *mut JavaVM,
    options: *mut c_char,
    _: *mut c_void,
) -> jint {
    // SAFETY: the caller upholds the same contract.
    unsafe { load_library(vm, options, false) }
}

/// Called by the VM to load the agent while it is running.
///
/// # Safety
/// Called by the VM, with the pointers that JVMTI specifies.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnAttach(
    vm: *mut JavaVM,
    options: *mut c_char,
    _: *mut c_void,
) -> jint {
    // SAFETY: the caller upholds the same contract.
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
                // SAFETY: the VM passes a NUL-terminated string.
                unsafe { CStr::from_ptr(options) }
                    .to_string_lossy()
                    .into_owned()
            };
            let (answer, text) = Answer::split(&given);
            // SAFETY: the VM passes its own `JavaVM`.
            let outcome = unsafe { Vm::from_raw(vm) }
                .ok_or_else(|| "the VM gave no pointer to itself".to_owned())
                .and_then(|vm| load::load(vm, &text, attached));
            match &outcome {
                Ok(said) => answer.write(said),
                Err(why) => answer.write(&refusal(why)),
            }
            match outcome {
                Ok(said) => {
                    // `jcmd` does not show the answer.
                    if attached && !answer.is_wanted() {
                        eprintln!("[ducktrack] {said}");
                    }
                    JNI_OK
                }
                Err(why) => {
                    // The client reads the answer, so it is not printed among the program's output.
                    if !answer.is_wanted() {
                        eprintln!("[ducktrack] error: {why}");
                    }
                    JNI_ERR
                }
            }
        },
    )
}
