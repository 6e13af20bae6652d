//! Which methods to explain, and with which frequencies.

use std::str::FromStr;

use ducktrack_classfile::CodeOffset;

use crate::error::Error;
use crate::method_name::MethodName;

/// The user's options.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The method; `None` means all methods with allocations.
    pub method: Option<MethodName>,
    /// Counted edges; the other frequencies follow by propagation. Without any, the static estimate is used.
    pub edge_counts: Vec<EdgeCount>,
}

/// How often an edge was taken, written `FROM:TO=COUNT`: `entry:0=1000`, `12:20=17`, `31:exit=983`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeCount {
    /// Any instruction of the block that the edge leaves; `None` is ENTRY.
    pub from: Option<CodeOffset>,
    /// The first instruction of the block that the edge enters; `None` is EXIT.
    pub to: Option<CodeOffset>,
    /// How often the edge was taken.
    pub count: u64,
}

impl FromStr for EdgeCount {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = || Error::BadEdgeCount {
            text: text.to_owned(),
        };
        let (edge, count) = text.split_once('=').ok_or_else(bad)?;
        let (from, to) = edge.split_once(':').ok_or_else(bad)?;
        let end = |end: &str, virtual_block: &str| match end.trim() {
            end if end == virtual_block => Ok(None),
            end => end.parse().map(CodeOffset).map(Some).map_err(|_| bad()),
        };
        Ok(Self {
            from: end(from, "entry")?,
            to: end(to, "exit")?,
            count: count.trim().parse().map_err(|_| bad())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edge_counts_are_read_as_documented() {
        let read = |text: &str| text.parse::<EdgeCount>().ok();
        let offset = |at| Some(CodeOffset(at));
        assert_eq!(
            read("entry:0=1000"),
            Some(EdgeCount {
                from: None,
                to: offset(0),
                count: 1000
            })
        );
        assert_eq!(
            read("12:20=17"),
            Some(EdgeCount {
                from: offset(12),
                to: offset(20),
                count: 17
            })
        );
        assert_eq!(
            read("31:exit=983"),
            Some(EdgeCount {
                from: offset(31),
                to: None,
                count: 983
            })
        );
        for bad in ["12:20", "12=3", "exit:3=1", "3:entry=1", "a:b=1", "1:2=-1"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
