//! How much of what the VM says it allocated is explained, and what the rest is called.
//!
//! Sites count what was *executed*. The VM counts what reached the *heap*, which is less where the JIT removed
//! allocations, and more where something allocated that is no counted site (the VM itself, native code, refused
//! methods). So `explained / vm` may be over 1, and the gap may be negative: then at least that amount was eliminated.
//! Where materialized bytes were measured at every site that ran, they are the better side to compare.

use crate::Tally;

/// The balance of the trace against the VM's own numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Completeness {
    /// The VM's own count of bytes allocated by all Java threads since counting was ready.
    pub vm_bytes: Option<u64>,
    /// The VM's own count before counting was ready: not counted at any site.
    pub before_ready_bytes: Option<u64>,
    /// Executed objects and bytes of all sites.
    pub executed: Tally,
    /// Of `executed`: what came from the block threads share before they have their own; may be short.
    pub shared: Tally,
    /// Materialized objects and bytes of the sites that measure it.
    pub materialized: Option<Tally>,
    /// True when every site that executed anything has measured materialized bytes.
    pub materialized_everywhere: bool,
    /// Executed objects whose size is not known; their bytes are in no sum.
    pub bytes_unknown: i64,
    /// Allocation sites that are not counted because their class or method was refused.
    pub refused_sites: u64,
}

impl Completeness {
    /// Bytes that stand against the VM's: materialized where measured everywhere, else executed.
    pub fn explained_bytes(&self) -> i64 {
        match self.materialized {
            Some(tally) if self.materialized_everywhere => tally.bytes,
            _ => self.executed.bytes,
        }
    }

    /// `vm - explained`. Above zero: allocated, but at no counted site. Below zero: executed, but eliminated.
    pub fn gap_bytes(&self) -> Option<i64> {
        let vm = i64::try_from(self.vm_bytes?).unwrap_or(i64::MAX);
        Some(vm.saturating_sub(self.explained_bytes()))
    }

    /// Explained share of the VM's bytes. May be over 1. `None` when the VM's number is missing or zero.
    pub fn share(&self) -> Option<f64> {
        match self.vm_bytes? {
            0 => None,
            vm => Some(self.explained_bytes() as f64 / vm as f64),
        }
    }
}
