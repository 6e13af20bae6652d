//! Java modules (JDK 9 and later).

use std::ptr::null_mut;

use jni::sys::jobject;

use super::{Env, call};
use crate::error::{Error, c_string};

impl Env {
    /// The named module of `loader` (null: boot) that contains `package` (`java/lang`); `None` if there is none.
    pub fn named_module(self, loader: jobject, package: &str) -> Result<Option<jobject>, Error> {
        let package = c_string("GetNamedModule", package)?;
        let mut module = null_mut();
        call!(
            self,
            GetNamedModule(loader, package.as_ptr(), &raw mut module)
        )?;
        Ok((!module.is_null()).then_some(module))
    }
}
