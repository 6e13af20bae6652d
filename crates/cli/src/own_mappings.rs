//! Lists of a heap dump get mappings of their own, which return to the system when they are freed.
//!
//! The C library gives large blocks such mappings, but raises the bound when one is freed, up to 32 MB; smaller blocks then stand in its heap, of which it gives back only the end.
//! For a dump of 2 GB that took up to 1 GB more. The bound stays where an environment variable sets it, and that is read when a process begins: so the process begins anew.

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
