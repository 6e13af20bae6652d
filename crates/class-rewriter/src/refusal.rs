//! Why a class or method is left as it is.

use std::fmt;

use ducktrack_classfile::Error;
use ducktrack_code_edit::SkipReason;

/// A stable reason; [`Reason::name`] is the word in reports.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A part of the class file that the rewriter must understand is malformed.
    Malformed(Error),
    /// The edit of the code was refused.
    Edit(SkipReason),
    /// No site numbers are left.
    SitesExhausted,
    /// The counter block is full.
    CountersExhausted,
    /// A `multianewarray` of more levels than a site number can tell apart.
    TooManyDimensions,
    /// The control flow could not be built.
    ControlFlow,
    /// Its allocations are recorded, but stamps of what it uses would make it too large.
    TooLargeForStamps,
    /// Threads of the JVM itself wait in it for ever.
    WaitsForEver,
    /// A template that was kept is not one of this class.
    BadTemplate,
}

impl Reason {
    /// The word in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "malformed-class-file",
            Self::Edit(reason) => reason.name(),
            Self::SitesExhausted => "site-numbers-exhausted",
            Self::CountersExhausted => "counter-block-full",
            Self::TooManyDimensions => "too-many-dimensions",
            Self::ControlFlow => "control-flow-not-understood",
            Self::TooLargeForStamps => "too-large-for-use-stamps",
            Self::WaitsForEver => "threads-of-the-jvm-wait-in-it",
            Self::BadTemplate => "kept-class-does-not-fit",
        }
    }
}

impl From<Error> for Reason {
    fn from(error: Error) -> Self {
        Self::Malformed(error)
    }
}

impl From<SkipReason> for Reason {
    fn from(reason: SkipReason) -> Self {
        Self::Edit(reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(error) => write!(f, "{}: {error}", self.name()),
            _ => f.write_str(self.name()),
        }
    }
}

/// A method (or, without one, a class) that is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Index of the method in the class file; `None`: the whole class.
    pub method: Option<u16>,
    /// Why.
    pub reason: Reason,
    /// Number of allocation sites found that are not counted because of it.
    pub sites: u32,
}
