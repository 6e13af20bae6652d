//! The clocks that measure ages.

use ducktrack_merlin::Instant;

/// One of the program's clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProgramClock {
    /// Bytes allocated by the program.
    #[default]
    Bytes,
    /// Methods entered by it.
    Calls,
    /// Microseconds.
    Micros,
}

impl ProgramClock {
    /// All, in the order in which reports show them.
    pub const ALL: [Self; 3] = [Self::Bytes, Self::Calls, Self::Micros];

    /// The word on the command line and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Calls => "calls",
            Self::Micros => "micros",
        }
    }

    /// The clock's reading.
    #[must_use]
    pub fn of(self, instant: Instant) -> u64 {
        match self {
            Self::Bytes => instant.bytes,
            Self::Calls => instant.calls,
            Self::Micros => instant.micros,
        }
    }
}
