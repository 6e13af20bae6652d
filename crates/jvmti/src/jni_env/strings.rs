//! Java strings, in modified UTF-8 and as UTF-16.

use jni::sys::jstring;

use super::{Jni, jni_call};
use crate::error::{Error, c_string, length_for_vm, length_from_vm};

impl Jni {
    /// A new `java.lang.String`. The text is passed as UTF-16, so every character is preserved.
    pub fn new_string(self, text: &str) -> Result<jstring, Error> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let length = length_for_vm("NewString", units.len())?;
        self.non_null(
            "NewString",
            jni_call!(self, v1_1.NewString(units.as_ptr(), length)),
        )
    }

    /// A new string from modified UTF-8 bytes, as used by class files and [`crate::Env`].
    pub fn new_string_from_modified_utf8(self, bytes: &[u8]) -> Result<jstring, Error> {
        let bytes = c_string("NewStringUTF", bytes)?;
        self.non_null(
            "NewStringUTF",
            jni_call!(self, v1_1.NewStringUTF(bytes.as_ptr())),
        )
    }

    /// The text of a string. Lone surrogates become the replacement character.
    pub fn string(self, string: jstring) -> Result<String, Error> {
        let function = "GetStringRegion";
        let length = jni_call!(self, v1_1.GetStringLength(string));
        let mut units = vec![0_u16; length_from_vm("GetStringLength", length)?];
        jni_call!(
            self,
            v1_2.GetStringRegion(string, 0, length, units.as_mut_ptr())
        );
        self.without_exception(function, String::from_utf16_lossy(&units))
    }
}
