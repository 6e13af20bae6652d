//! The limit of file sizes (`ulimit -f`): a write beyond it fails like any other, and the error names the limit.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Resource, getrlimit};
use signal_hook::consts::SIGXFSZ;

/// Lets writes beyond the limit fail instead of ending the process. A handler, not "ignore": programs that are started do not inherit it.
pub(crate) fn let_writes_fail() {
    // Without the handler, the process ends at the limit, as any other does.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// What to do about the error, if it comes from the limit.
pub(crate) fn advice(error: &anyhow::Error) -> Option<String> {
    let reached = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::FileTooLarge);
    let limit = getrlimit(Resource::Fsize).current.filter(|_| reached)?;
    Some(format!(
        "the limit of file sizes is {limit} bytes here: raise `ulimit -f`"
    ))
}
