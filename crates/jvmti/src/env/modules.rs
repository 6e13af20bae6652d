//! Java modules (JDK 9 and later).

use std::ptr::null_mut;

use jni::sys::jobject;

use super::{Env, VmArray, call};
use crate::error::{Error, c_string};

impl Env {
    /// Every module, as local references to `java.lang.Module`.
    pub fn all_modules(self) -> Result<VmArray<jobject>, Error> {
        let (mut count, mut modules) = (0, null_mut());
        call!(self, GetAllModules(&raw mut count, &raw mut modules))?;
        self.take_array("GetAllModules", count, modules)
    }

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

    /// Makes `module` read `other`.
    pub fn add_module_reads(self, module: jobject, other: jobject) -> Result<(), Error> {
        call!(self, AddModuleReads(module, other))
    }
}
