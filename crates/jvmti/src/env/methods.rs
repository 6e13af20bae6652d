//! Methods: names, owners, lines, bytecode.

use std::ffi::c_char;
use std::ptr::null_mut;

use jni::sys::{jclass, jmethodID};

use super::{Env, call};
use crate::error::Error;
use crate::error_code::ErrorCode;
use crate::raw_types::jlocation;

/// Name and descriptor of a method, in modified UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MethodName {
    /// The name, e.g. `<init>`.
    pub name: Vec<u8>,
    /// The descriptor, e.g. `(I)V`.
    pub descriptor: Vec<u8>,
}

/// One entry of a line number table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceLine {
    /// First bytecode index of the line.
    pub start: jlocation,
    /// Line number in the source file.
    pub line: i32,
}

impl Env {
    /// Name and descriptor.
    pub fn method_name(self, method: jmethodID) -> Result<MethodName, Error> {
        let function = "GetMethodName";
        let (mut name, mut descriptor): (*mut c_char, *mut c_char) = (null_mut(), null_mut());
        call!(
            self,
            GetMethodName(method, &raw mut name, &raw mut descriptor, null_mut())
        )?;
        let (name, descriptor) = (self.take_string(name), self.take_string(descriptor));
        match (name, descriptor) {
            (Some(name), Some(descriptor)) => Ok(MethodName { name, descriptor }),
            _ => Err(Error::NullResult { function }),
        }
    }

    /// The class that declares the method, as a local reference.
    pub fn method_declaring_class(self, method: jmethodID) -> Result<jclass, Error> {
        let mut class = null_mut();
        call!(self, GetMethodDeclaringClass(method, &raw mut class))?;
        Ok(class)
    }

    /// The line number table; empty if the class has none. Needs `can_get_line_numbers`.
    pub fn line_number_table(self, method: jmethodID) -> Result<Vec<SourceLine>, Error> {
        let (mut count, mut table) = (0, null_mut());
        match call!(
            self,
            GetLineNumberTable(method, &raw mut count, &raw mut table)
        ) {
            Err(Error::Jvmti {
                code: ErrorCode::ABSENT_INFORMATION | ErrorCode::NATIVE_METHOD,
                ..
            }) => Ok(Vec::new()),
            other => {
                other?;
                let entries = self.take_array("GetLineNumberTable", count, table)?;
                Ok(entries
                    .iter()
                    .map(|entry| SourceLine {
                        start: entry.start_location,
                        line: entry.line_number,
                    })
                    .collect())
            }
        }
    }

    /// Whether a redefinition of its class has replaced the method. Frames that run it continue with the old code.
    pub fn is_method_obsolete(self, method: jmethodID) -> Result<bool, Error> {
        let mut answer = 0;
        call!(self, IsMethodObsolete(method, &raw mut answer))?;
        Ok(answer != 0)
    }
}
