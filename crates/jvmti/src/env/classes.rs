//! Loaded classes and their retransformation.

use std::cell::Cell;
use std::ffi::c_char;
use std::ptr::null_mut;

use jni::sys::{jclass, jobject};

use super::{Env, VmArray, call};
use crate::error::{Error, length_for_vm};

/// Bits of `GetClassStatus`.
pub mod class_status {
    /// The bytecode was verified.
    pub const VERIFIED: i32 = 1;
    /// The class was prepared.
    pub const PREPARED: i32 = 2;
    /// The static initializer has run.
    pub const INITIALIZED: i32 = 4;
    /// Initialization failed.
    pub const ERROR: i32 = 8;
    /// An array class.
    pub const ARRAY: i32 = 16;
    /// A primitive class.
    pub const PRIMITIVE: i32 = 32;
}

thread_local! {
    static RETRANSFORMING: Cell<bool> = const { Cell::new(false) };
}

/// Whether the current thread is inside [`Env::retransform_classes`].
pub fn is_retransforming() -> bool {
    RETRANSFORMING.get()
}

impl Env {
    /// All loaded classes, including arrays and hidden classes.
    pub fn loaded_classes(self) -> Result<VmArray<jclass>, Error> {
        let (mut count, mut classes) = (0, null_mut());
        call!(self, GetLoadedClasses(&raw mut count, &raw mut classes))?;
        self.take_array("GetLoadedClasses", count, classes)
    }

    /// The signature, e.g. `Ljava/lang/String;` or `[I`. A hidden class has a dot and a suffix before the semicolon.
    pub fn class_signature(self, class: jclass) -> Result<Vec<u8>, Error> {
        let mut signature: *mut c_char = null_mut();
        call!(
            self,
            GetClassSignature(class, &raw mut signature, null_mut())
        )?;
        self.take_string(signature).ok_or(Error::NullResult {
            function: "GetClassSignature",
        })
    }

    /// The defining loader as a local reference; null for the boot loader.
    pub fn class_loader(self, class: jclass) -> Result<jobject, Error> {
        let mut loader = null_mut();
        call!(self, GetClassLoader(class, &raw mut loader))?;
        Ok(loader)
    }

    /// The direct superinterfaces of a class, or of an interface.
    pub fn implemented_interfaces(self, class: jclass) -> Result<VmArray<jclass>, Error> {
        let (mut count, mut interfaces) = (0, null_mut());
        call!(
            self,
            GetImplementedInterfaces(class, &raw mut count, &raw mut interfaces)
        )?;
        self.take_array("GetImplementedInterfaces", count, interfaces)
    }

    /// The status bits; see [`class_status`].
    pub fn class_status(self, class: jclass) -> Result<i32, Error> {
        let mut status = 0;
        call!(self, GetClassStatus(class, &raw mut status))?;
        Ok(status)
    }

    /// The access flags of the class.
    pub fn class_modifiers(self, class: jclass) -> Result<i32, Error> {
        let mut modifiers = 0;
        call!(self, GetClassModifiers(class, &raw mut modifiers))?;
        Ok(modifiers)
    }

    /// Whether the class can be retransformed. Primitives, arrays and hidden classes cannot.
    pub fn is_modifiable_class(self, class: jclass) -> Result<bool, Error> {
        let mut answer = 0;
        call!(self, IsModifiableClass(class, &raw mut answer))?;
        Ok(answer != 0)
    }

    /// Whether it is an array class.
    pub fn is_array_class(self, class: jclass) -> Result<bool, Error> {
        let mut answer = 0;
        call!(self, IsArrayClass(class, &raw mut answer))?;
        Ok(answer != 0)
    }

    /// Sends the classes through the class file load hook again, in one safepoint. If one fails, none changes.
    pub fn retransform_classes(self, classes: &[jclass]) -> Result<(), Error> {
        if classes.is_empty() {
            return Ok(());
        }
        let count = length_for_vm("RetransformClasses", classes.len())?;
        let before = RETRANSFORMING.replace(true);
        let done = call!(self, RetransformClasses(count, classes.as_ptr()));
        RETRANSFORMING.set(before);
        done
    }

    /// Retransforms in batches. A batch that fails is halved until the failing classes are found, and `on_failure` is called for each of
    /// these. Returns the number of retransformed classes.
    pub fn retransform_in_batches(
        self,
        classes: &[jclass],
        batch: usize,
        mut on_failure: impl FnMut(jclass, Error),
    ) -> usize {
        let mut waiting: Vec<&[jclass]> = classes.chunks(batch.max(1)).collect();
        waiting.reverse();
        let mut done = 0;
        while let Some(part) = waiting.pop() {
            match (self.retransform_classes(part), part) {
                (Ok(()), _) => done += part.len(),
                (Err(error), &[class]) => on_failure(class, error),
                (Err(_), _) => {
                    let (left, right) = part.split_at(part.len() / 2);
                    waiting.push(right);
                    waiting.push(left);
                }
            }
        }
        done
    }
}
