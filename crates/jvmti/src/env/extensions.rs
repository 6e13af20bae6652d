//! Extension functions: those that this VM offers beyond the specification.

use std::ptr::null_mut;

use super::{Env, call};
use crate::callback_types::ExtensionFunction;
use crate::error::{Error, length_from_vm};

/// One extension function.
#[derive(Debug, Clone)]
pub struct ExtensionFunctionEntry {
    /// The unique id, e.g. `com.sun.hotspot.functions.IsClassUnloadingEnabled`.
    pub id: Vec<u8>,
    /// A short description.
    pub description: Vec<u8>,
    /// The number of arguments after the environment.
    pub parameter_count: usize,
    /// The function. C-variadic: pass exactly the arguments that its documentation lists.
    pub function: Option<ExtensionFunction>,
}

impl Env {
    /// The extension functions of this VM.
    pub fn extension_functions(self) -> Result<Vec<ExtensionFunctionEntry>, Error> {
        let function = "GetExtensionFunctions";
        let (mut count, mut entries) = (0, null_mut());
        call!(
            self,
            GetExtensionFunctions(&raw mut count, &raw mut entries)
        )?;
        let entries = self.take_array(function, count, entries)?;
        let mut result = Vec::with_capacity(entries.len());
        for entry in entries.iter() {
            let parameters = self.take_array(function, entry.param_count, entry.params)?;
            for parameter in parameters.iter() {
                drop(self.take_string(parameter.name));
            }
            drop(self.take_array(function, entry.error_count, entry.errors)?);
            result.push(ExtensionFunctionEntry {
                id: self.take_string(entry.id).unwrap_or_default(),
                description: self
                    .take_string(entry.short_description)
                    .unwrap_or_default(),
                parameter_count: length_from_vm(function, entry.param_count)?,
                function: entry.func,
            });
        }
        Ok(result)
    }
}
