//! The code of an added handler, placed after the last instruction.
//!
//! ```text
//! stub:  [frame: only the Throwable on the stack]   or  [copy of the frame at handler]
//!        code                                           code
//!        athrow                                         goto handler
//! ```

use crate::unit::UnitId;

/// Where a stub continues, with the instruction resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Rethrow,
    /// Continues at a handler, with `goto_w` if `wide`.
    Continue {
        handler: UnitId,
        wide: bool,
    },
}

/// The code of an added handler.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stub {
    /// Index in the edit's list of handlers.
    pub(crate) handler: usize,
    pub(crate) exit: Exit,
    /// Bytes of its code without the exit.
    pub(crate) inserted: u32,
    /// Its new offset.
    pub(crate) at: u32,
}

impl Stub {
    /// New offset of its `athrow` or `goto`.
    pub(crate) fn exit_at(&self) -> u32 {
        self.at + self.inserted
    }

    /// Its bytes, exit included.
    pub(crate) fn size(&self) -> u32 {
        self.inserted
            + match self.exit {
                Exit::Rethrow => 1,
                Exit::Continue { wide: false, .. } => 3,
                Exit::Continue { wide: true, .. } => 5,
            }
    }
}
