//! Builds the native code of test programs.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::jdk::installed_jdks;
use crate::program_source::program_source;

/// The native library whose source is `NAME.c`; `None` without a C compiler or the header of JNI.
pub fn native_library(folder: &Path, name: &str) -> Option<PathBuf> {
    let include = installed_jdks()
        .into_iter()
        .map(|jdk| jdk.home.join("include"))
        .find(|path| path.join("jni.h").exists())?;
    let library = folder.join(format!("lib{name}.so"));
    let mut compiler = Command::new("cc");
    compiler
        .args(["-O1", "-shared", "-fPIC", "-pthread", "-I"])
        .arg(&include)
        .arg("-I")
        .arg(include.join("linux"));
    compiler
        .arg("-o")
        .arg(&library)
        .arg(program_source(&format!("{name}.c")));
    let status = compiler.status().ok()?;
    assert!(status.success(), "{name}.c does not compile");
    Some(library)
}
