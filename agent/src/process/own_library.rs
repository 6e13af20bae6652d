//! Makes this library one of the boot loader's.
//!
//! The VM looks for native methods of boot classes in the boot loader's libraries, then in those of agents. An agent loaded into a running
//! VM is among the latter only after its `Agent_OnAttach` returns, and it needs its helper class before that. (RegisterNatives would make
//! the VM print a warning.)

use std::ffi::{CStr, c_void};

use ducktrack_jvmti::sys::jvalue;
use ducktrack_jvmti::{Error, Jni};

/// Loads this library again on behalf of the boot loader, as `System.load` called from a boot class would.
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
    // The caller on whose behalf it is loaded: any class of the boot loader.
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

/// The path of this library.
pub(crate) fn path() -> Option<String> {
    let address = load_for_boot_classes as fn(Jni) -> Result<(), Error> as *const c_void;
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: the address is in this library; the structure is filled if the result is not 0.
    if unsafe { libc::dladdr(address, found.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: `dladdr` returned a value other than 0, so it has filled the structure.
    let file = unsafe { found.assume_init() }.dli_fname;
    if file.is_null() {
        return None;
    }
    // SAFETY: the dynamic linker keeps the name while the library is loaded.
    let file = unsafe { CStr::from_ptr(file) }.to_str().ok()?;
    std::path::absolute(file)
        .ok()?
        .into_os_string()
        .into_string()
        .ok()
}
