//! This library among those of the boot loader.
//!
//! The VM looks for the natives of boot classes in the boot loader's libraries, then in those of agents. An agent that is loaded into a
//! running VM is not among these before its `Agent_OnAttach` returns, and it wants its helper class to work before that.
//! (RegisterNatives would make the VM print a warning.)

use std::ffi::{CStr, c_void};

use ducktrack_jvmti::sys::jvalue;
use ducktrack_jvmti::{Error, Jni};

/// Loads this library once more, for classes of the boot loader, as `System.load` would for a caller among them.
pub(crate) fn load_for_boot_classes(jni: Jni) -> Result<(), Error> {
    let Some(path) = path() else {
        return Err(Error::NullResult { function: "dladdr" });
    };
    let runtime_class = jni.find_class("java/lang/Runtime")?;
    let get_runtime = jni.static_method_id(runtime_class, "getRuntime", "()Ljava/lang/Runtime;")?;
    let runtime = jni.call_static_object(runtime_class, get_runtime, &[])?;
    let load = jni.method_id(
        runtime_class,
        "load0",
        "(Ljava/lang/Class;Ljava/lang/String;)V",
    )?;
    let path_string = jni.new_string(&path)?;
    // The class on whose behalf it is loaded: any of the boot loader.
    let loaded = jni.call_void(
        runtime,
        load,
        &[jvalue { l: runtime_class }, jvalue { l: path_string }],
    );
    for reference in [path_string, runtime, runtime_class] {
        jni.delete_local_ref(reference);
    }
    loaded
}

/// The file of this library.
fn path() -> Option<String> {
    let address = load_for_boot_classes as fn(Jni) -> Result<(), Error> as *const c_void;
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: the address is in this library; the structure is written when the result is not 0.
    if unsafe { libc::dladdr(address, found.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: it was written.
    let file = unsafe { found.assume_init() }.dli_fname;
    if file.is_null() {
        return None;
    }
    // SAFETY: the dynamic linker keeps the name as long as the library is loaded.
    let file = unsafe { CStr::from_ptr(file) }.to_str().ok()?;
    std::path::absolute(file)
        .ok()?
        .into_os_string()
        .into_string()
        .ok()
}
