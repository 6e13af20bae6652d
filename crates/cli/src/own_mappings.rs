//! Lists of a heap dump get mappings of their own, which return to the system when they are freed.
//!
//! The C library maps each large block by itself. When such a block is freed, the library raises the size from
//! which it does so, up to 32 MB. Later lists are smaller than that and lie in the library's heap, which gives
//! free memory back only from its end. For a dump of 2 GB that took 0.5 GB more. An environment variable fixes
//! the size, but the library reads it only at the start of a process. So the process starts itself anew.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::Command;

const VARIABLE: &str = "MALLOC_MMAP_THRESHOLD_";
/// Half of the lists that a replay keeps.
const BYTES: &str = "524288";

/// Begins the process anew with the bound, unless it has one. Where that is not possible, all works with more memory.
pub(crate) fn begin_with_own_mappings() {
    if env::var_os(VARIABLE).is_some() {
        return;
    }
    let mut arguments = env::args_os();
    let (Ok(program), Some(name)) = (env::current_exe(), arguments.next()) else {
        return;
    };
    let mut again = Command::new(program);
    // Returns only where it fails.
    let _impossible = again.arg0(name).args(arguments).env(VARIABLE, BYTES).exec();
}
