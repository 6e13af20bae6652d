//! The changes to one method, in terms of its original bytecode.

use ducktrack_classfile::{CodeOffset, PoolIndex};

/// The changes to one method, in terms of original bytecode offsets.
#[derive(Debug, Clone, Default)]
pub struct CodeEdit {
    /// Code to insert. Insertions at the same place run in the order of this list.
    pub insertions: Vec<Insertion>,
    /// Exception handlers to add.
    pub handlers: Vec<AddedHandler>,
    /// Calls that go to a static method instead, which takes what they take (the receiver first) and gives what they give.
    pub replacements: Vec<Replacement>,
}

/// A call that goes elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replacement {
    /// An `invokevirtual`, `invokespecial` or `invokestatic`.
    pub call: CodeOffset,
    /// The constant of the static method, in the appended pool.
    pub method: PoolIndex,
}

impl CodeEdit {
    /// True if nothing is changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.insertions.is_empty() && self.handlers.is_empty() && self.replacements.is_empty()
    }

    /// These changes, then others. The others' handlers know insertions by their positions in both.
    #[must_use]
    pub fn with(&self, others: &Self) -> Self {
        Self {
            insertions: [&*self.insertions, &*others.insertions].concat(),
            handlers: [&*self.handlers, &*others.handlers].concat(),
            replacements: [&*self.replacements, &*others.replacements].concat(),
        }
    }
}

/// Code to insert at one place.
#[derive(Debug, Clone)]
pub struct Insertion {
    /// Where it goes.
    pub place: Place,
    /// Stack-neutral instructions without branches, returns and throws, with indices into the appended pool. They may store an
    /// int or a long in a local variable beyond the method's own. On entry they may replace the parameter that they load
    /// first.
    pub code: Vec<u8>,
    /// Stack slots that the code needs at its peak.
    pub stack: u16,
}

/// When inserted code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Once per invocation, before anything else. Branches to offset 0 land after it.
    Entry,
    /// Whenever control reaches the instruction: by falling through, by a branch, or as a
    /// handler.
    Before(CodeOffset),
    /// Only when control falls through from the previous instruction. Nothing is inserted
    /// if that instruction never continues with the next one.
    FallThroughInto(CodeOffset),
    /// When the instruction has completed normally and continues with the next one,
    /// before anything that [`FallThroughInto`](Self::FallThroughInto) inserts there.
    After(CodeOffset),
    /// Only when this branch, or a case of this switch, goes to this target.
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
    /// The protected places. Adjacent ones become one row of the exception table.
    pub protects: Vec<ProtectedPlace>,
    /// The exceptions that it catches.
    pub catch: Catch,
    /// The code that it runs, with the exception on the stack; the rules are those of
    /// [`Insertion::code`].
    pub code: Vec<u8>,
    /// Stack slots that `code` needs at its peak, not counting the exception.
    pub stack: u16,
    /// Where control continues afterwards.
    pub then: HandlerExit,
    /// Its place in the exception table.
    pub rank: Rank,
}

/// A place that an added handler protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProtectedPlace {
    /// An instruction of the original code.
    Instruction(CodeOffset),
    /// An insertion, by its position in [`CodeEdit::insertions`].
    Insertion(usize),
}

/// The exceptions that an added handler catches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Catch {
    /// All exceptions.
    Any,
    /// Those that this row of the original exception table catches.
    SameAs(usize),
}

/// Where control continues after an added handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandlerExit {
    /// Throws the exception again.
    Rethrow,
    /// Continues at an original handler. The original code must protect all the protected
    /// places by that handler too, with the same catch type.
    ContinueAt(CodeOffset),
}

/// The place of an added handler in the exception table. Equal ranks keep the order of
/// [`CodeEdit::handlers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rank {
    /// Just before this row of the original table.
    BeforeOriginal(usize),
    /// After all rows of the original table.
    Last,
}
