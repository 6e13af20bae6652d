//! Notifies the agent when another agent asks the VM for a tool environment.
//!
//! Some capabilities can be held by only one environment at a time. A tool that holds one but yields to others must know when another tool
//! appears, before that tool asks for capabilities. Every tool gets its environment from `GetEnv` of the invocation interface: the
//! process's `JavaVM*` points to a function table, and [`Vm::watch_environments`] points it to a copy whose `GetEnv` first calls a
//! listener.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use jni::sys::{JNIInvokeInterface_, JavaVM, jint};

use crate::guard::guard;
use crate::java_vm::{ORIGINAL_GET_ENV, Vm};

/// The bits of a version that select the interface (`JVMTI_VERSION_MASK_INTERFACE_TYPE`).
const INTERFACE_MASK: jint = 0x7000_0000;
/// The tool interface (`JVMTI_VERSION_INTERFACE_JVMTI`).
const TOOL_INTERFACE: jint = 0x3000_0000;

/// Whether the VM's table was replaced. Tried once.
static WATCHING: OnceLock<bool> = OnceLock::new();
static LISTENER: OnceLock<fn()> = OnceLock::new();

impl Vm {
    /// From now on calls `listener` before any tool environment is handed out, except by [`Vm::jvmti`], on the thread that
    /// asks for it. Returns false if this VM's table cannot be replaced. Only the first listener of a process is used.
    ///
    /// # Safety
    /// The library that contains this code must never be unloaded, and `listener` must be callable on any thread at any time.
    pub unsafe fn watch_environments(self, listener: fn()) -> bool {
        *WATCHING.get_or_init(|| {
            let _ = LISTENER.set(listener);
            // SAFETY: the caller upholds the same contract.
            unsafe { self.replace_table() }
        })
    }

    /// # Safety
    /// As for [`Vm::watch_environments`].
    unsafe fn replace_table(self) -> bool {
        if !is_writable(self.as_raw() as usize) {
            return false;
        }
        // SAFETY: the first word of a `JavaVM` points to the VM's table, a plain structure of function pointers that may be copied.
        let mut table = unsafe { std::ptr::read(*self.as_raw()) };
        // SAFETY: every VM of JNI 1.2 and later has this function.
        if ORIGINAL_GET_ENV.set(unsafe { table.v1_2.GetEnv }).is_err() {
            return false;
        }
        table.v1_2.GetEnv = get_env;
        let table: *mut JNIInvokeInterface_ = Box::leak(Box::new(table));
        // SAFETY: the word is aligned, lives as long as the process, and was just found to be writable. Other threads only load it, and get
        // the old table or the new one, which lives as long.
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
    match ORIGINAL_GET_ENV.get() {
        // SAFETY: the arguments are the caller's own, passed on to the function that the caller meant to call.
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
        // SAFETY: reserved words of the table hold null, and every other word is set below.
        let mut table: JNIInvokeInterface_ = unsafe { std::mem::zeroed() };
        table.v1_1.DestroyJavaVM = none;
        table.v1_1.AttachCurrentThread = attach;
        table.v1_1.DetachCurrentThread = none;
        table.v1_2.GetEnv = original;
        table.v1_4.AttachCurrentThreadAsDaemon = attach;
        let raw: *mut JavaVM = Box::leak(Box::new(std::ptr::from_ref(Box::leak(Box::new(table)))));
        // SAFETY: the table has the shape of a VM's.
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
            // SAFETY: the table belongs to the test.
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
