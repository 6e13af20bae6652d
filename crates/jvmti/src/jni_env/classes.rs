//! Finding and defining classes.

use jni::sys::{jbyte, jclass, jobject};

use super::{Jni, jni_call};
use crate::error::{Error, c_string, length_for_vm};

impl Jni {
    /// Finds a class by name (`java/lang/String`, `[I`); returns a local reference. In agent callbacks it sees what the system loader sees.
    pub fn find_class(self, name: &str) -> Result<jclass, Error> {
        let name = c_string("FindClass", name)?;
        self.non_null("FindClass", jni_call!(self, v1_1.FindClass(name.as_ptr())))
    }

    /// Defines a class from bytes in `loader` (null: the boot loader, where `java/lang/...` names are allowed).
    pub fn define_class(self, name: &str, loader: jobject, bytes: &[u8]) -> Result<jclass, Error> {
        let function = "DefineClass";
        let name = c_string(function, name)?;
        let length = length_for_vm(function, bytes.len())?;
        let data = bytes.as_ptr().cast::<jbyte>();
        self.non_null(
            function,
            jni_call!(self, v1_1.DefineClass(name.as_ptr(), loader, data, length)),
        )
    }

    /// The class of an object.
    pub fn object_class(self, object: jobject) -> Result<jclass, Error> {
        self.non_null(
            "GetObjectClass",
            jni_call!(self, v1_1.GetObjectClass(object)),
        )
    }

    /// The superclass; `None` for `Object` and interfaces.
    #[must_use]
    pub fn superclass(self, class: jclass) -> Option<jclass> {
        let superclass = jni_call!(self, v1_1.GetSuperclass(class));
        (!superclass.is_null()).then_some(superclass)
    }

    /// Whether the object is an instance of the class. Null is an instance of every class.
    #[must_use]
    pub fn is_instance_of(self, object: jobject, class: jclass) -> bool {
        jni_call!(self, v1_1.IsInstanceOf(object, class))
    }

    /// The module of a class (JDK 9 and later).
    pub fn module(self, class: jclass) -> Result<jobject, Error> {
        self.non_null("GetModule", jni_call!(self, v9.GetModule(class)))
    }
}
