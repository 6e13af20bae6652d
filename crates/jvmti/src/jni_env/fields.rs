//! Field IDs and fields.

use jni::sys::{jclass, jfieldID, jint, jlong, jobject};

use super::{Jni, jni_call};
use crate::error::{Error, c_string};

impl Jni {
    /// The ID of an instance field. Initializes the class.
    pub fn field_id(self, class: jclass, name: &str, descriptor: &str) -> Result<jfieldID, Error> {
        let function = "GetFieldID";
        let (name, descriptor) = (c_string(function, name)?, c_string(function, descriptor)?);
        let id = jni_call!(
            self,
            v1_1.GetFieldID(class, name.as_ptr(), descriptor.as_ptr())
        );
        self.non_null(function, id)
    }

    /// The ID of a static field. Initializes the class.
    pub fn static_field_id(
        self,
        class: jclass,
        name: &str,
        descriptor: &str,
    ) -> Result<jfieldID, Error> {
        let function = "GetStaticFieldID";
        let (name, descriptor) = (c_string(function, name)?, c_string(function, descriptor)?);
        let id = jni_call!(
            self,
            v1_1.GetStaticFieldID(class, name.as_ptr(), descriptor.as_ptr())
        );
        self.non_null(function, id)
    }

    /// Reads a `long` field.
    #[must_use]
    pub fn long_field(self, object: jobject, field: jfieldID) -> jlong {
        jni_call!(self, v1_1.GetLongField(object, field))
    }

    /// Reads a reference field; null is allowed.
    #[must_use]
    pub fn object_field(self, object: jobject, field: jfieldID) -> jobject {
        jni_call!(self, v1_1.GetObjectField(object, field))
    }

    /// Writes a reference field, with the collector's barriers. Null is allowed. Final fields are written like others.
    pub fn set_object_field(self, object: jobject, field: jfieldID, value: jobject) {
        jni_call!(self, v1_1.SetObjectField(object, field, value));
    }

    /// Reads a static `int` field.
    #[must_use]
    pub fn static_int_field(self, class: jclass, field: jfieldID) -> jint {
        jni_call!(self, v1_1.GetStaticIntField(class, field))
    }

    /// Reads a static reference field; null is allowed.
    #[must_use]
    pub fn static_object_field(self, class: jclass, field: jfieldID) -> jobject {
        jni_call!(self, v1_1.GetStaticObjectField(class, field))
    }
}
