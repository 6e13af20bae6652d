//! Determines which garbage collector the VM runs, from its flags.

use crate::vm::jvm_flags::JvmFlags;

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
    /// Epsilon, which does not collect.
    Epsilon,
    /// Concurrent mark sweep (before JDK 14).
    ConcurrentMarkSweep,
}

/// The flag that selects each collector.
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
    /// The collector in use; `None` if no known flag is set. The flag is final before `Agent_OnLoad`.
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
