//! Fields of classes.

use std::ffi::c_char;
use std::ptr::null_mut;

use jni::sys::{jclass, jfieldID};

use super::{Env, VmArray, call};
use crate::error::Error;

/// Name and descriptor of a field, in modified UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldName {
    /// The simple name.
    pub name: Vec<u8>,
    /// The descriptor, e.g. `Ljava/lang/String;`.
    pub descriptor: Vec<u8>,
}

impl Env {
    /// The fields that a class itself declares, static ones included.
    pub fn class_fields(self, class: jclass) -> Result<VmArray<jfieldID>, Error> {
        let (mut count, mut fields) = (0, null_mut());
        call!(self, GetClassFields(class, &raw mut count, &raw mut fields))?;
        self.take_array("GetClassFields", count, fields)
    }

    /// Name and descriptor of a field, given the class that declares it.
    pub fn field_name(self, class: jclass, field: jfieldID) -> Result<FieldName, Error> {
        let function = "GetFieldName";
        let (mut name, mut descriptor): (*mut c_char, *mut c_char) = (null_mut(), null_mut());
        call!(
            self,
            GetFieldName(class, field, &raw mut name, &raw mut descriptor, null_mut())
        )?;
        match (self.take_string(name), self.take_string(descriptor)) {
            (Some(name), Some(descriptor)) => Ok(FieldName { name, descriptor }),
            _ => Err(Error::NullResult { function }),
        }
    }

    /// The class that declares a field, given this class or one that inherits the field from it.
    pub fn field_declaring_class(self, class: jclass, field: jfieldID) -> Result<jclass, Error> {
        let mut declaring = null_mut();
        call!(
            self,
            GetFieldDeclaringClass(class, field, &raw mut declaring)
        )?;
        Ok(declaring)
    }

    /// The access flags of a field, given the class that declares it.
    pub fn field_modifiers(self, class: jclass, field: jfieldID) -> Result<i32, Error> {
        let mut modifiers = 0;
        call!(self, GetFieldModifiers(class, field, &raw mut modifiers))?;
        Ok(modifiers)
    }
}
