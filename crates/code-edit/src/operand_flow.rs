//! Where objects are not initialized yet, and how deep the stack gets, at every instruction of a method.
//!
//! Code order says nothing about either: control may reach a constructor's call of `super` from code after it. In
//! a class that must have frames, the frames say it at every place where control may come from elsewhere. In
//! older classes branches and handlers are followed until nothing changes, as the verifier of these classes does.

mod inference;
mod operand_state;

use ducktrack_classfile::{
    Code, CodeOffset, ConstantPool, Error, FrameState, Instruction, Method, StackMapTable,
};

use self::operand_state::{OperandState, Slot};

/// First version whose classes must have frames.
pub(crate) const FIRST_THAT_NEEDS_FRAMES: u16 = 51;

/// The states at the start of a method and wherever control may come from elsewhere.
#[derive(Debug, Clone)]
pub struct OperandFlow {
    /// Ascending.
    labels: Vec<(CodeOffset, OperandState)>,
}

impl OperandFlow {
    /// The states of `method`, of whose code these are all `instructions`.
    ///
    /// # Errors
    /// If its frames or constants are malformed.
    pub fn of(
        method: &Method<'_>,
        code: &Code<'_>,
        instructions: &[Instruction<'_>],
    ) -> Result<Self, Error> {
        let first = FrameState::initial(method)?;
        let labels = if method.class().major_version() >= FIRST_THAT_NEEDS_FRAMES {
            from_frames(first, code)?
        } else {
            inference::infer(OperandState::of(&first), code, instructions)?
        };
        Ok(Self { labels })
    }

    /// Goes through the method from front to back.
    #[must_use]
    pub fn cursor(&self) -> OperandCursor<'_> {
        OperandCursor {
            labels: &self.labels,
            state: OperandState::default(),
            is_reached: false,
        }
    }

    /// The depths of the stack where it has a state.
    pub(crate) fn depths(&self) -> Vec<(CodeOffset, usize)> {
        let depth = |(at, state): &(CodeOffset, OperandState)| (*at, state.depth());
        self.labels.iter().map(depth).collect()
    }
}

fn from_frames(
    first: FrameState<'_>,
    code: &Code<'_>,
) -> Result<Vec<(CodeOffset, OperandState)>, Error> {
    let attribute = code.attributes().find(b"StackMapTable");
    let table = attribute.as_ref().map(StackMapTable::parse).transpose()?;
    let mut labels = vec![(CodeOffset(0), OperandState::of(&first))];
    let mut state = first;
    for frame in table.iter().flat_map(StackMapTable::frames) {
        state.advance(frame)?;
        labels.push((frame.offset, OperandState::of(&state)));
    }
    Ok(labels)
}

/// The state at one instruction after the other.
#[derive(Debug)]
pub struct OperandCursor<'f> {
    /// Those that are still ahead.
    labels: &'f [(CodeOffset, OperandState)],
    state: OperandState,
    /// Whether control gets here, as far as is known.
    is_reached: bool,
}

impl OperandCursor<'_> {
    /// The next instruction is at `offset`.
    pub fn reach(&mut self, offset: CodeOffset) {
        while let Some(((at, state), rest)) = self.labels.split_first() {
            if *at > offset {
                break;
            }
            self.labels = rest;
            if *at == offset {
                self.state.clone_from(state);
                self.is_reached = true;
            }
        }
    }

    /// The instruction is over.
    ///
    /// # Errors
    /// If its constant is malformed.
    pub fn pass(
        &mut self,
        instruction: &Instruction<'_>,
        pool: &ConstantPool<'_>,
    ) -> Result<(), Error> {
        // A subroutine finds its return address, and leaves the stack as it was before the call.
        if self.is_reached && !instruction.opcode.is_jsr() {
            self.state.pass(instruction, pool)?;
            self.is_reached = !instruction.is_unconditional_end();
        }
        Ok(())
    }

    /// Whether `this`, if there is one, is surely initialized.
    #[must_use]
    pub fn this_is_object(&self) -> bool {
        self.is_reached && self.state.this_is_object()
    }

    /// Whether local variable 0 is `this` of a constructor and not initialized.
    #[must_use]
    pub fn has_uninitialized_this(&self) -> bool {
        self.is_reached && self.state.local(0) == Slot::This
    }

    /// Whether the value this many slots below the top of the stack is surely no uninitialized object.
    #[must_use]
    pub fn is_object(&self, depth: u16) -> bool {
        self.is_reached && self.state.at(depth) == Slot::Whole
    }
}

/// The instructions of a constructor at which `this` may be uninitialized.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConstructorHead {
    /// Ascending.
    offsets: Vec<CodeOffset>,
}

impl ConstructorHead {
    /// None but in a constructor.
    ///
    /// # Errors
    /// If the method is malformed.
    pub fn of(
        method: &Method<'_>,
        code: &Code<'_>,
        instructions: &[Instruction<'_>],
    ) -> Result<Self, Error> {
        if !method.is_constructor() {
            return Ok(Self::default());
        }
        let flow = OperandFlow::of(method, code, instructions)?;
        let mut cursor = flow.cursor();
        let mut offsets = Vec::new();
        for instruction in instructions {
            cursor.reach(instruction.offset);
            if !cursor.this_is_object() {
                offsets.push(instruction.offset);
            }
            cursor.pass(instruction, code.pool())?;
        }
        Ok(Self { offsets })
    }

    /// Whether `this` may be uninitialized before the instruction at `at`.
    #[must_use]
    pub fn contains(&self, at: CodeOffset) -> bool {
        self.offsets.binary_search(&at).is_ok()
    }

    /// Their number.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// There are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }
}
