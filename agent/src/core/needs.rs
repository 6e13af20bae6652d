//! The needs of a recording: of the VM, and of the rest of the agent. Decided before the agent requests anything from the VM.

use ducktrack_class_rewriter::RewriteOptions;
use ducktrack_jvmti::Capability;

/// The requirements of a recording.
pub(crate) struct Needs {
    /// The mode's name in the options.
    pub(crate) mode: &'static str,
    /// The oldest JDK that supports it.
    pub(crate) oldest_java: u32,
    /// Bytes of address space that the recording takes.
    pub(crate) address_space: usize,
    /// JVMTI capabilities in addition to those for rewriting classes.
    pub(crate) capabilities: &'static [Capability],
    /// The planners and probes for rewritten code.
    pub(crate) rewriting: RewriteOptions,
    /// Upper bound on site numbers.
    pub(crate) most_sites: u32,
    /// Whether probes count directly in the blocks of their threads, which
    /// outlive the process. If not, the recording adds up its events there.
    pub(crate) counts_in_blocks: bool,
    /// Whether a thread that runs Java code without having been announced gets a block, because its probes write into buffers there.
    pub(crate) adopts_threads: bool,
}
