//! Lets the VM write a heap dump at its first `OutOfMemoryError`, while what fills the heap is
//! still held: by the flags `HeapDumpOnOutOfMemoryError` and `HeapDumpPath`, which may be set
//! while a program runs (they are *manageable*; `jcmd PID VM.set_flag` sets the same two values).
//!
//! A program that ends by the error has dropped its local variables by the
//! time of its end, and may have no memory left for any other way to a dump.

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::address::Address;
use crate::vm::jvm_flags::{FlagType, FlagValue, JvmFlags};

const SWITCH: &str = "HeapDumpOnOutOfMemoryError";
const PATH: &str = "HeapDumpPath";

/// The VM dumps its heap at its first `OutOfMemoryError`, until this is told otherwise.
#[derive(Debug)]
pub struct DumpAtExhaustion {
    switch: Address,
}

impl DumpAtExhaustion {
    /// Switches it on. `None`: the user has set one of the two flags, or this VM does not have them.
    #[must_use]
    pub fn switch_on(flags: &JvmFlags, path: CString) -> Option<Self> {
        let is_free = flags.get(SWITCH) == Some(FlagValue::Bool(false))
            && flags.get(PATH) == Some(FlagValue::Text(None));
        let switch = flags.place_of(SWITCH, FlagType::Bool).filter(|_| is_free)?;
        let place = flags.place_of(PATH, FlagType::Text)?;
        // SAFETY: the VM's own table says that an aligned pointer to a C string
        // lies here. The string is never freed: the VM may read it at any time.
        let place = unsafe { &*std::ptr::with_exposed_provenance::<AtomicPtr<i8>>(place.0) };
        place.store(path.into_raw().cast(), Ordering::Release);
        let armed = Self { switch };
        armed.set(true);
        Some(armed)
    }

    /// Switches it off again.
    pub fn switch_off(&self) {
        self.set(false);
    }

    fn set(&self, on: bool) {
        // SAFETY: the VM's own table says that a `bool` lies here, which it reads as a whole whenever it needs it.
        let switch = unsafe { &*std::ptr::with_exposed_provenance::<AtomicBool>(self.switch.0) };
        switch.store(on, Ordering::Release);
    }
}
