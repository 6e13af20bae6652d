//! What a recording requires of the VM and of the rest of the agent. It is fixed before the VM is asked for anything.

use ducktrack_class_rewriter::RewriteOptions;
use ducktrack_jvmti::Capability;

/// See the module.
pub(crate) struct Needs {
    /// The mode's name, as users write it.
    pub(crate) mode: &'static str,
    /// The first JDK in which it works.
    pub(crate) oldest_java: u32,
    /// Bytes of address space besides what the program takes.
    pub(crate) address_space: usize,
    /// Capabilities of JVMTI besides those of rewriting classes.
    pub(crate) capabilities: &'static [Capability],
    /// Helper classes that rewritten code calls.
    pub(crate) helpers: &'static [&'static str],
    /// The planners and probes of rewritten code.
    pub(crate) rewriting: RewriteOptions,
    /// Sites get numbers below this.
    pub(crate) most_sites: u32,
    /// Probes count in the blocks of their threads, and these are what outlives the process. Else the recording adds up there what it is told.
    pub(crate) counts_in_blocks: bool,
}
