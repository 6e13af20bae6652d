//! The kinds of rows of `ducktrack top`.

use clap::ValueEnum;
use ducktrack_count_model::LiveKind;

/// `--by`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// Places in the code
    #[default]
    Sites,
    /// Calls from the application into other code (recorded with app=)
    Calls,
    /// Types of objects
    Types,
    /// Threads
    Threads,
    /// Packages of the places
    Packages,
    /// Requests, queries, jobs that threads were in (recorded with contexts=)
    #[value(alias = "context")]
    Contexts,
    /// Memory outside of the heap that is not released, by the line that made it
    OffHeap,
    /// Live objects, by place in the code (recorded with mode=trace)
    Heap,
}

impl By {
    pub(crate) const ALL: [Self; 8] = [
        Self::Sites,
        Self::Types,
        Self::Threads,
        Self::Packages,
        Self::Calls,
        Self::Contexts,
        Self::OffHeap,
        Self::Heap,
    ];

    /// The counted amounts; `None`: rows are of objects that live.
    pub(crate) fn kind(self) -> Option<LiveKind> {
        Some(match self {
            Self::Sites => LiveKind::Sites,
            Self::Calls => LiveKind::Calls,
            Self::Types => LiveKind::Types,
            Self::Threads => LiveKind::Threads,
            Self::Packages => LiveKind::Packages,
            Self::Contexts => LiveKind::Contexts,
            Self::OffHeap => LiveKind::OffHeap,
            Self::Heap => return None,
        })
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Sites => "sites",
            Self::Calls => "calls",
            Self::Types => "types",
            Self::Threads => "threads",
            Self::Packages => "packages",
            Self::Contexts => "contexts",
            Self::OffHeap => "off-heap",
            Self::Heap => "heap",
        }
    }
}
