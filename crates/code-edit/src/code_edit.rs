//! What to change in one method, in terms of its original bytecode.

use ducktrack_classfile::CodeOffset;

/// What to change in one method, in terms of original bytecode offsets.
#[derive(Debug, Clone, Default)]
pub struct CodeEdit {
    /// Code to insert. At one place they run in the order of this list.
    pub insertions: Vec<Insertion>,
    /// Exception handlers to add.
    pub handlers: Vec<AddedHandler>,
}

impl CodeEdit {
    /// Changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.insertions.is_empty() && self.handlers.is_empty()
    }
}

/// Code to insert at one place.
#[derive(Debug, Clone)]
pub struct Insertion {
    /// Where it goes.
    pub place: Place,
    /// Stack-neutral instructions without branches, returns and throws, with indices into the appended pool. They may store
    /// an int or a long in a local variable that the method does not have, and on entry replace the parameter they begin with.
    pub code: Vec<u8>,
    /// Stack slots that it needs at its peak.
    pub stack: u16,
}

/// When inserted code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Once per invocation, before anything else. Branches to offset 0 land after it.
    Entry,
    /// Whenever the instruction is reached: by falling in, by a branch, as a handler.
    Before(CodeOffset),
    /// Only when control falls in from the instruction before. Nothing is
    /// inserted where that instruction never goes on to the next one.
    FallThroughInto(CodeOffset),
    /// When the instruction completed normally and goes on to the next one, ahead of
    /// what [`FallThroughInto`](Self::FallThroughInto) puts there.
    After(CodeOffset),
    /// Only when this branch, or a case of this switch, goes to that target.
    OnBranch {
        /// The branch or switch.
        from: CodeOffset,
        /// One of its targets.
        to: CodeOffset,
    },
}

/// An exception handler to add.
#[derive(Debug, Clone)]
pub struct AddedHandler {
    /// What it protects. What lies side by side becomes one row of the exception table.
    pub protects: Vec<ProtectedPlace>,
    /// What it catches.
    pub catch: Catch,
    /// What it runs, with the exception on the stack: as [`Insertion::code`].
    pub code: Vec<u8>,
    /// Stack slots that `code` needs at its peak, the exception not counted.
    pub stack: u16,
    /// Where it goes on.
    pub then: HandlerExit,
    /// Its place in the exception table.
    pub rank: Rank,
}

/// Something that an added handler protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProtectedPlace {
    /// An instruction of the original code.
    Instruction(CodeOffset),
    /// An insertion, by its position in [`CodeEdit::insertions`].
    Insertion(usize),
}

/// What an added handler catches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Catch {
    /// Everything.
    Any,
    /// What this row of the original exception table catches.
    SameAs(usize),
}

/// Where an added handler goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandlerExit {
    /// Throws the exception again.
    Rethrow,
    /// On to an original handler. All that is protected must be protected by that
    /// handler in the original code too, with the same catch.
    ContinueAt(CodeOffset),
}

/// Place of an added handler in the exception table. Equal ranks keep the order of
/// [`CodeEdit::handlers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rank {
    /// Just before this row of the original table.
    BeforeOriginal(usize),
    /// After all rows of the original table.
    Last,
}
