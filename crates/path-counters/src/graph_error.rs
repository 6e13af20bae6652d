//! Why a list of blocks and edges is not a valid graph.

use std::fmt;

use crate::index::{BlockId, EdgeId, SiteId};

/// A rule that a graph under construction breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphError {
    /// An edge or site names a block that does not exist.
    NoSuchBlock(BlockId),
    /// An edge leads into ENTRY.
    EdgeIntoEntry(EdgeId),
    /// An edge leads out of EXIT.
    EdgeOutOfExit(EdgeId),
    /// An exceptional edge does not start at ENTRY.
    ExceptionalEdgeNotFromEntry(EdgeId),
    /// ENTRY or EXIT was given a site.
    SiteOnVirtualBlock(BlockId),
    /// A site occurs so often that sums of its amounts could leave the range of `i32`.
    TooManyOccurrences(SiteId),
    /// More blocks or edges than the typed indices can number.
    TooLarge,
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchBlock(block) => write!(f, "{block} does not exist"),
            Self::EdgeIntoEntry(edge) => write!(f, "{edge} leads into ENTRY"),
            Self::EdgeOutOfExit(edge) => write!(f, "{edge} leads out of EXIT"),
            Self::ExceptionalEdgeNotFromEntry(edge) => {
                write!(f, "{edge} is exceptional but does not start at ENTRY")
            }
            Self::SiteOnVirtualBlock(block) => {
                write!(f, "{block} is virtual and can have no sites")
            }
            Self::TooManyOccurrences(site) => write!(f, "{site} occurs too often"),
            Self::TooLarge => f.write_str("too many blocks or edges"),
        }
    }
}

impl std::error::Error for GraphError {}
