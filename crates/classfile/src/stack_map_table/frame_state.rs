//! Frames in absolute form: all locals and the whole stack.

use super::frame::{Frame, FrameKind};
use super::verification_type::VerificationType;
use crate::descriptor::{MethodDescriptor, ParameterType};
use crate::error::{Error, Part, Rule};
use crate::member_view::Method;

/// All locals and the whole stack at one offset.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FrameState<'c> {
    /// Local variables; a `long` or `double` is one entry for two slots.
    pub locals: Vec<VerificationType<'c>>,
    /// Stack, bottom first; a `long` or `double` is one entry.
    pub stack: Vec<VerificationType<'c>>,
}

impl<'c> FrameState<'c> {
    /// The state that a method starts with: `this` and the parameters.
    ///
    /// # Errors
    /// If the method's descriptor is malformed.
    pub fn initial(method: &Method<'c>) -> Result<Self, Error> {
        let mut locals = Vec::new();
        if !method.is_static() {
            let object = method.class().super_class().is_none();
            locals.push(match method.is_constructor() && !object {
                true => VerificationType::UninitializedThis,
                false => VerificationType::Object(method.class().this_class()),
            });
        }
        let descriptor = MethodDescriptor::parse(method.descriptor())?;
        locals.extend(descriptor.parameters().map(|parameter| match parameter {
            ParameterType::Int => VerificationType::Integer,
            ParameterType::Float => VerificationType::Float,
            ParameterType::Long => VerificationType::Long,
            ParameterType::Double => VerificationType::Double,
            ParameterType::Reference(name) => VerificationType::Named(name),
        }));
        Ok(Self {
            locals,
            stack: Vec::new(),
        })
    }

    /// Goes on to the state of `frame`, the next one in the table.
    ///
    /// # Errors
    /// If it chops more locals than there are.
    pub fn advance(&mut self, frame: &Frame<'c>) -> Result<(), Error> {
        match frame.kind {
            FrameKind::Full => self.locals.clear(),
            FrameKind::Chop(count) => {
                let (count, length) = (usize::from(count), self.locals.len());
                let rule = Rule::ChopTooMany(count.saturating_sub(length));
                let error = Error::new(rule, frame.offset.index(), Part::StackMapTable);
                self.locals
                    .truncate(length.checked_sub(count).ok_or(error)?);
            }
            _ => {}
        }
        self.locals.extend(frame.locals.iter());
        self.stack.clear();
        self.stack.extend(frame.stack.iter());
        Ok(())
    }

    /// Slots of the stack.
    #[must_use]
    pub fn stack_slots(&self) -> u16 {
        self.stack
            .iter()
            .fold(0, |slots, value| slots.saturating_add(value.slots()))
    }
}
