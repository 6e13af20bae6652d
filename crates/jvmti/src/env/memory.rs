//! Memory that the VM allocates and the agent must deallocate.

use std::ffi::{CStr, c_char};
use std::ops::Deref;
use std::ptr::{NonNull, null_mut};

use super::{Env, call};
use crate::error::{Error, length_from_vm};

impl Env {
    /// Allocates `size` bytes with the VM's allocator, as the class file load hook requires for new class bytes.
    pub fn allocate(self, size: usize) -> Result<NonNull<u8>, Error> {
        let wanted = i64::try_from(size).map_err(|_| Error::LengthOutOfRange {
            function: "Allocate",
            length: i64::MAX,
        })?;
        let mut memory: *mut u8 = null_mut();
        call!(self, Allocate(wanted, &raw mut memory))?;
        NonNull::new(memory).ok_or(Error::NullResult {
            function: "Allocate",
        })
    }

    /// Copies `bytes` into memory allocated by the VM.
    pub fn allocate_copy(self, bytes: &[u8]) -> Result<NonNull<u8>, Error> {
        // Allocate(0) returns null; one byte makes the result a real address.
        let memory = self.allocate(bytes.len().max(1))?;
        // SAFETY: the VM has allocated at least `bytes.len()` new bytes, which cannot overlap `bytes`.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory.as_ptr(), bytes.len()) };
        Ok(memory)
    }

    /// Deallocates memory of the VM; null is allowed.
    ///
    /// # Safety
    /// `memory` must come from this VM's JVMTI allocator and not be used afterwards.
    pub unsafe fn deallocate<T>(self, memory: *mut T) -> Result<(), Error> {
        call!(self, Deallocate(memory.cast::<u8>()))
    }

    /// Takes ownership of an array that the VM allocated.
    pub(crate) fn take_array<T>(
        self,
        function: &'static str,
        length: i32,
        data: *mut T,
    ) -> Result<VmArray<T>, Error> {
        Ok(VmArray {
            env: self,
            data: NonNull::new(data),
            length: length_from_vm(function, length)?,
        })
    }

    /// Takes ownership of a C string that the VM allocated; `None` for null. Modified UTF-8 without the final zero.
    pub(crate) fn take_string(self, text: *mut c_char) -> Option<Vec<u8>> {
        if text.is_null() {
            return None;
        }
        // SAFETY: strings of the VM are NUL-terminated.
        let bytes = unsafe { CStr::from_ptr(text) }.to_bytes().to_vec();
        // SAFETY: the VM allocated the string for this call, and `bytes` is a copy. A failure would only leak it.
        let _ = unsafe { self.deallocate(text) };
        Some(bytes)
    }
}

/// An array allocated by the VM: read as a slice, deallocated on drop.
///
/// Elements that are references are JNI local references; dropping the array does not delete them.
#[derive(Debug)]
pub struct VmArray<T> {
    env: Env,
    data: Option<NonNull<T>>,
    length: usize,
}

impl<T> Deref for VmArray<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self.data {
            // SAFETY: the VM stored `length` elements at `data`, and only this value owns them.
            Some(data) => unsafe { std::slice::from_raw_parts(data.as_ptr(), self.length) },
            None => &[],
        }
    }
}

impl<T> Drop for VmArray<T> {
    fn drop(&mut self) {
        if let Some(data) = self.data {
            // SAFETY: the array came from the VM's allocator and is not used after this. A failure would only leak it.
            let _ = unsafe { self.env.deallocate(data.as_ptr()) };
        }
    }
}
