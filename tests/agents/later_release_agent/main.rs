//! Makes a VM one of a later release for whatever asks its tables: `-agentpath:liblater_release_agent.so=RELEASE`. All else stays as it is.

use std::ffi::{CStr, c_char, c_void};

use ducktrack_hotspot::VmStructs;
use ducktrack_jvmti::guard;
use ducktrack_jvmti::sys::{JavaVM, jint};

/// Any failure is printed and ends the VM, so that tests notice it.
///
/// # Safety
/// Only the VM may call this.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(
    _: *mut JavaVM,
    options: *const c_char,
    _: *mut c_void,
) -> jint {
    guard(
        1,
        |panic| eprintln!("later_release: {panic}"),
        || {
            // SAFETY: the VM passes the text after `=` as a C string; tests always give one.
            let text = unsafe { CStr::from_ptr(options) }.to_str();
            let release: i32 = text.expect("text").parse().expect("a release");
            let vm = VmStructs::load().expect("the tables of the VM");
            let place = vm.address(&[("Abstract_VM_Version", "_vm_major_version")]);
            let place = place.expect("the release").pointer::<i32>().cast_mut();
            // SAFETY: the VM keeps its release in a static variable, and has one thread so far.
            unsafe { place.write(release) };
            0
        },
    )
}
