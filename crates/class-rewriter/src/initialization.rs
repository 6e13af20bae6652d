//! Where a constructor's `this` is sure to be initialized, and no other object is under construction.
//!
//! `this` becomes an object by the call of another constructor of its class or superclass. On a straight line that is the first such call that no `new` of
//! the same classes waits for. Where control comes from elsewhere, the frame says it. So the answer is never wrong, only sometimes more
//! careful than it must be; classes without frames count as initialized after the last such call.

use ducktrack_classfile::{
    CodeOffset, Error, FrameState, Instruction, Opcode, StackMapTable, VerificationType,
};

use crate::method_view::MethodView;

/// First version whose classes must have frames.
const FIRST_THAT_NEEDS_FRAMES: u16 = 51;

/// What is known at the current instruction.
#[derive(Debug)]
pub(crate) struct Initialization {
    /// `this` is an object.
    this: bool,
    /// Objects that were made and not initialized yet.
    pending: u32,
    /// What frames say: at an offset, whether `this` is an object, and how many others are not.
    frames: Vec<(CodeOffset, bool, u32)>,
    /// Without frames: from here on.
    after: Option<CodeOffset>,
}

impl Initialization {
    pub(crate) fn of(view: &MethodView<'_, '_>) -> Result<Self, Error> {
        let mut known = Self {
            this: !view.constructor,
            pending: 0,
            frames: Vec::new(),
            after: None,
        };
        if view.class.major_version() >= FIRST_THAT_NEEDS_FRAMES {
            known.frames = frames(view)?;
        } else if view.constructor {
            known.after = last_constructor_call(view)?;
        }
        Ok(known)
    }

    /// Whether `this` is initialized.
    pub(crate) fn of_this(&self) -> bool {
        self.this
    }

    /// Whether every object is initialized.
    pub(crate) fn of_all(&self) -> bool {
        self.this && self.pending == 0
    }

    /// The next instruction is at this offset.
    pub(crate) fn reach(&mut self, offset: CodeOffset) {
        let frame = self.frames.binary_search_by_key(&offset, |frame| frame.0);
        if let Some((_, this, pending)) = frame.ok().and_then(|at| self.frames.get(at)) {
            (self.this, self.pending) = (*this, *pending);
        }
        self.this |= self.after.is_some_and(|after| offset > after);
    }

    /// The instruction is over.
    pub(crate) fn pass(
        &mut self,
        instruction: &Instruction<'_>,
        view: &MethodView<'_, '_>,
    ) -> Result<(), Error> {
        match instruction.opcode {
            Opcode::NEW => self.pending += 1,
            Opcode::INVOKESPECIAL if is_constructor_call(instruction, view)? => {
                if self.pending > 0 {
                    self.pending -= 1;
                } else if self.after.is_none() {
                    self.this = true;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn is_constructor_call(
    instruction: &Instruction<'_>,
    view: &MethodView<'_, '_>,
) -> Result<bool, Error> {
    match instruction.pool_index() {
        Some(index) => Ok(view.code.pool().member_ref(index)?.name == b"<init>"),
        None => Ok(false),
    }
}

/// What each frame says of `this` and of objects that are not initialized.
fn frames(view: &MethodView<'_, '_>) -> Result<Vec<(CodeOffset, bool, u32)>, Error> {
    let attribute = view.code.attributes().find(b"StackMapTable");
    let table = attribute
        .as_ref()
        .map(StackMapTable::parse)
        .transpose()?
        .unwrap_or_default();
    let method = view.method;
    let mut state = FrameState::initial(method)?;
    let mut known = Vec::with_capacity(table.frames().len());
    for frame in table.frames() {
        state.advance(frame)?;
        let types = || state.locals.iter().chain(&state.stack);
        let is_this = |ty: &&VerificationType| matches!(ty, VerificationType::UninitializedThis);
        let this = types().find(is_this).is_none();
        let mut others: Vec<CodeOffset> = types()
            .filter_map(|ty| match ty {
                VerificationType::Uninitialized(made) => Some(*made),
                _ => None,
            })
            .collect();
        others.sort_unstable();
        others.dedup();
        let others = u32::try_from(others.len()).unwrap_or(u32::MAX);
        known.push((frame.offset, this, others));
    }
    Ok(known)
}

fn last_constructor_call(view: &MethodView<'_, '_>) -> Result<Option<CodeOffset>, Error> {
    let mut last = None;
    for instruction in view.code.instructions() {
        let instruction = instruction?;
        if instruction.opcode == Opcode::INVOKESPECIAL && is_constructor_call(&instruction, view)? {
            last = Some(instruction.offset);
        }
    }
    Ok(last)
}
