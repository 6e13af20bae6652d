//! Which garbage collector the VM runs, from its flags.

use crate::jvm_flags::JvmFlags;

/// A garbage collector of HotSpot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Collector {
    /// Serial.
    Serial,
    /// Parallel.
    Parallel,
    /// G1.
    G1,
    /// ZGC.
    Z,
    /// Shenandoah.
    Shenandoah,
    /// Epsilon: none.
    Epsilon,
    /// Concurrent mark sweep (before JDK 14).
    ConcurrentMarkSweep,
}

/// Each collector by the flag that chooses it.
const BY_FLAG: [(&str, Collector); 7] = [
    ("UseSerialGC", Collector::Serial),
    ("UseParallelGC", Collector::Parallel),
    ("UseG1GC", Collector::G1),
    ("UseZGC", Collector::Z),
    ("UseShenandoahGC", Collector::Shenandoah),
    ("UseEpsilonGC", Collector::Epsilon),
    ("UseConcMarkSweepGC", Collector::ConcurrentMarkSweep),
];

impl Collector {
    /// The collector in use; `None` when no known flag is on. The flag is decided before `Agent_OnLoad`.
    #[must_use]
    pub fn of(flags: &JvmFlags) -> Option<Self> {
        BY_FLAG
            .into_iter()
            .find(|(flag, _)| flags.is_on(flag))
            .map(|(_, collector)| collector)
    }

    /// A short lower-case name for traces and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::Parallel => "parallel",
            Self::G1 => "g1",
            Self::Z => "z",
            Self::Shenandoah => "shenandoah",
            Self::Epsilon => "epsilon",
            Self::ConcurrentMarkSweep => "concurrent-mark-sweep",
        }
    }
}
