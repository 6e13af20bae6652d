//! Being told when another agent asks the VM for a tool environment.
//!
//! Some capabilities can be had by one environment at a time. A tool that holds one and wants to leave it to others must know when another tool
//! appears, before that tool asks for capabilities. The way to an environment is `GetEnv` of the invocation interface: the `JavaVM*` of the
//! process points at a table of functions, and [`Vm::watch_environments`] lets it point at a copy whose `GetEnv` tells first.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use jni::sys::{JNIInvokeInterface_, JavaVM, jint};

use crate::guard::guard;
use crate::java_vm::Vm;

/// These bits of a version say which interface is meant (`JVMTI_VERSION_MASK_INTERFACE_TYPE`).
const INTERFACE_MASK: jint = 0x7000_0000;
/// The tool interface (`JVMTI_VERSION_INTERFACE_JVMTI`).
const TOOL_INTERFACE: jint = 0x3000_0000;

/// The `GetEnv` of C.
type GetEnv = unsafe extern "system" fn(*mut JavaVM, *mut *mut c_void, jint) -> jint;

/// Whether the VM's table was replaced; tried once.
static WATCHING: OnceLock<bool> = OnceLock::new();
/// The VM's own function.
static ORIGINAL: OnceLock<GetEnv> = OnceLock::new();
static LISTENER: OnceLock<fn()> = OnceLock::new();

impl Vm {
    /// Calls `listener` before anybody gets a tool environment from now on, on the thread that asks for it. False where this VM does not let its
    /// table be replaced. There is one listener in a process: the first.
    ///
    /// # Safety
    /// The library that has this code must never be unloaded, and `listener` may be called on any thread at any time.
    pub unsafe fn watch_environments(self, listener: fn()) -> bool {
        *WATCHING.get_or_init(|| {
            let _ = LISTENER.set(listener);
            // SAFETY: as the caller of this function promises.
            unsafe { self.replace_table() }
        })
    }

    /// # Safety
    /// As [`Vm::watch_environments`].
    unsafe fn replace_table(self) -> bool {
        if !is_writable(self.as_raw() as usize) {
            return false;
        }
        // SAFETY: the first word of a `JavaVM` points at the VM's table, a plain structure of function pointers, of which a copy is as good.
        let mut table = unsafe { std::ptr::read(*self.as_raw()) };
        // SAFETY: every VM of JNI 1.2 and later has this function.
        if ORIGINAL.set(unsafe { table.v1_2.GetEnv }).is_err() {
            return false;
        }
        table.v1_2.GetEnv = get_env;
        let table: *mut JNIInvokeInterface_ = Box::leak(Box::new(table));
        // SAFETY: the word is aligned, lives as long as the process and is writable, as was just looked up; others only load it, and find the old
        // table or the new one, which lives as long.
        let word = unsafe { AtomicPtr::from_ptr(self.as_raw().cast::<*mut JNIInvokeInterface_>()) };
        word.store(table, Ordering::Release);
        true
    }
}

unsafe extern "system" fn get_env(
    vm: *mut JavaVM,
    environment: *mut *mut c_void,
    version: jint,
) -> jint {
    if version & INTERFACE_MASK == TOOL_INTERFACE
        && let Some(listener) = LISTENER.get()
    {
        guard((), |_| {}, listener);
    }
    match ORIGINAL.get() {
        // SAFETY: the arguments are the caller's, passed on to the function that the caller meant.
        Some(original) => unsafe { original(vm, environment, version) },
        None => jni::sys::JNI_ERR,
    }
}

/// Whether the process may write to this address.
fn is_writable(address: usize) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.lines().any(|line| {
        let mut fields = line.split_ascii_whitespace();
        let range = fields.next().and_then(|range| range.split_once('-'));
        let ends = range.and_then(|(start, end)| {
            Some(usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?)
        });
        ends.is_some_and(|range| range.contains(&address))
            && fields.next().is_some_and(|rights| rights.contains('w'))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    static ASKED: AtomicUsize = AtomicUsize::new(0);
    static PASSED_ON: AtomicUsize = AtomicUsize::new(0);

    unsafe extern "system" fn none(_: *mut JavaVM) -> jint {
        0
    }

    unsafe extern "system" fn attach(_: *mut JavaVM, _: *mut *mut c_void, _: *mut c_void) -> jint {
        0
    }

    unsafe extern "system" fn original(_: *mut JavaVM, _: *mut *mut c_void, version: jint) -> jint {
        PASSED_ON.fetch_add(1, Ordering::Relaxed);
        version
    }

    #[test]
    fn the_listener_hears_of_tool_environments_only_and_the_call_goes_on() {
        // SAFETY: null is what reserved words of the table hold, and every other word is set below.
        let mut table: JNIInvokeInterface_ = unsafe { std::mem::zeroed() };
        table.v1_1.DestroyJavaVM = none;
        table.v1_1.AttachCurrentThread = attach;
        table.v1_1.DetachCurrentThread = none;
        table.v1_2.GetEnv = original;
        table.v1_4.AttachCurrentThreadAsDaemon = attach;
        let raw: *mut JavaVM = Box::leak(Box::new(std::ptr::from_ref(Box::leak(Box::new(table)))));
        // SAFETY: a table of functions in the shape of a VM's.
        let vm = unsafe { Vm::from_raw(raw) }.unwrap();
        // SAFETY: the test's code stays loaded.
        let watched = unsafe {
            vm.watch_environments(|| {
                ASKED.fetch_add(1, Ordering::Relaxed);
            })
        };
        assert!(watched);
        for (version, asked) in [
            (0x0001_0008, 0),
            (0x3001_0200, 1),
            (0x300B_0000, 2),
            (0x0001_0006, 2),
        ] {
            let mut environment = std::ptr::null_mut();
            // SAFETY: the table is the test's.
            let code = unsafe { ((**raw).v1_2.GetEnv)(raw, &raw mut environment, version) };
            assert_eq!((code, ASKED.load(Ordering::Relaxed)), (version, asked));
        }
        assert_eq!(PASSED_ON.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn code_is_not_writable() {
        assert!(!is_writable(original as *const () as usize));
        let word = Box::new(0_usize);
        assert!(is_writable(std::ptr::from_ref(&*word) as usize));
    }
}
