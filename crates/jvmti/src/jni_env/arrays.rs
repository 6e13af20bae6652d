//! Arrays of bytes, longs and references.

use jni::sys::{jarray, jbyte, jbyteArray, jclass, jobject, jobjectArray, jsize};

use super::{Jni, jni_call};
use crate::error::{Error, length_for_vm, length_from_vm};

impl Jni {
    /// The number of elements.
    pub fn array_length(self, array: jarray) -> Result<usize, Error> {
        length_from_vm(
            "GetArrayLength",
            jni_call!(self, v1_1.GetArrayLength(array)),
        )
    }

    /// A copy of a whole `byte[]`.
    pub fn byte_array(self, array: jbyteArray) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0_u8; self.array_length(array)?];
        let length = length_for_vm("GetByteArrayRegion", bytes.len())?;
        let data = bytes.as_mut_ptr().cast::<jbyte>();
        jni_call!(self, v1_1.GetByteArrayRegion(array, 0, length, data));
        self.without_exception("GetByteArrayRegion", bytes)
    }

    /// A new `byte[]` with these bytes.
    pub fn new_byte_array(self, bytes: &[u8]) -> Result<jbyteArray, Error> {
        let length = length_for_vm("NewByteArray", bytes.len())?;
        let array = self.non_null("NewByteArray", jni_call!(self, v1_1.NewByteArray(length)))?;
        let data = bytes.as_ptr().cast::<jbyte>();
        jni_call!(self, v1_1.SetByteArrayRegion(array, 0, length, data));
        self.without_exception("SetByteArrayRegion", array)
    }

    /// One element of a reference array; null is allowed.
    pub fn object_array_element(self, array: jobjectArray, index: jsize) -> Result<jobject, Error> {
        let element = jni_call!(self, v1_1.GetObjectArrayElement(array, index));
        self.without_exception("GetObjectArrayElement", element)
    }

    /// A new array of `length` nulls.
    pub fn new_object_array(self, length: usize, class: jclass) -> Result<jobjectArray, Error> {
        let length = length_for_vm("NewObjectArray", length)?;
        let array = jni_call!(
            self,
            v1_1.NewObjectArray(length, class, std::ptr::null_mut())
        );
        self.non_null("NewObjectArray", array)
    }

    /// Stores a reference into an array.
    pub fn set_object_array_element(
        self,
        array: jobjectArray,
        index: jsize,
        value: jobject,
    ) -> Result<(), Error> {
        jni_call!(self, v1_1.SetObjectArrayElement(array, index, value));
        self.without_exception("SetObjectArrayElement", ())
    }
}
