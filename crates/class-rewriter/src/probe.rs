//! The bytes of a probe: push constants, call the helper class. Stack-neutral, without branches.
//!
//! ```text
//!   11 01 2c      sipush 300
//!   b8 00 57      invokestatic java/lang/DuckTrack.c(I)V
//! ```

use ducktrack_classfile::{Error, MemberRef, PoolAppender, PoolIndex};
use rustc_hash::FxHashMap;

/// The internal name of the class that instrumented code calls. In `java.lang`, so that every loader sees it.
pub const HELPER_CLASS: &[u8] = b"java/lang/DuckTrack";

/// The internal name of the class beside it whose methods write allocation events.
const EVENT_HELPER_CLASS: &[u8] = b"java/lang/DuckTrackEvents";

/// A method of a helper class, by class, name and descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Helper {
    class: &'static [u8],
    name: &'static str,
    descriptor: &'static str,
}

impl Helper {
    /// A method of the class that counts.
    pub(crate) const fn counting(name: &'static str, descriptor: &'static str) -> Self {
        Self {
            class: HELPER_CLASS,
            name,
            descriptor,
        }
    }

    /// A method of the class that writes events.
    pub(crate) const fn event(name: &'static str, descriptor: &'static str) -> Self {
        Self {
            class: EVENT_HELPER_CLASS,
            name,
            descriptor,
        }
    }
}

const ICONST_M1: u8 = 2;
const ILOAD: u8 = 21;
const LLOAD: u8 = 22;
const ALOAD: u8 = 25;
const ISTORE: u8 = 54;
const LSTORE: u8 = 55;
const ASTORE: u8 = 58;
const POP: u8 = 87;
const DUP: u8 = 89;
const DUP2: u8 = 92;
const GETFIELD: u8 = 180;
const CHECKCAST: u8 = 192;
const ARRAYLENGTH: u8 = 190;
const INVOKESTATIC: u8 = 184;
const WIDE: u8 = 196;

/// Appends probes' constants to one class's pool.
#[derive(Debug)]
pub(crate) struct ProbeAssembler<'p> {
    pool: &'p mut PoolAppender,
    helpers: FxHashMap<Helper, PoolIndex>,
}

/// Bytes and how much stack they need beyond what is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Probe {
    pub(crate) code: Vec<u8>,
    pub(crate) stack: u16,
    depth: u16,
}

impl<'p> ProbeAssembler<'p> {
    pub(crate) fn new(pool: &'p mut PoolAppender) -> Self {
        Self {
            pool,
            helpers: FxHashMap::default(),
        }
    }

    /// `helper(id)`
    pub(crate) fn call(&mut self, helper: Helper, id: u32) -> Result<Probe, Error> {
        let mut probe = Probe::default();
        self.push_id(&mut probe, id)?;
        self.invoke(&mut probe, helper)?;
        Ok(probe)
    }

    /// `variable = helper(-1)`, a long.
    pub(crate) fn call_with_minus_one_into_long(
        &mut self,
        helper: Helper,
        variable: u16,
    ) -> Result<Probe, Error> {
        let mut probe = Probe::default();
        probe.op(ICONST_M1, 1);
        self.invoke(&mut probe, helper)?;
        probe.store_long(variable);
        Ok(probe)
    }

    /// `variable = helper(id)`, a long.
    pub(crate) fn call_into_long(
        &mut self,
        helper: Helper,
        id: u32,
        variable: u16,
    ) -> Result<Probe, Error> {
        let mut probe = self.call(helper, id)?;
        probe.store_long(variable);
        Ok(probe)
    }

    /// `variable = helper(what is below the top, id)`; both are one slot, and stay.
    pub(crate) fn call_with_second_into(
        &mut self,
        helper: Helper,
        id: u32,
        variable: u16,
    ) -> Result<Probe, Error> {
        let mut probe = Probe::default();
        probe.op(DUP2, 2);
        probe.op(POP, 0);
        self.push_id(&mut probe, id)?;
        self.invoke(&mut probe, helper)?;
        probe.local(ISTORE, variable);
        Ok(probe)
    }

    /// `helper(top, id, variable)`; the top stays.
    pub(crate) fn call_with_top_and_variable(
        &mut self,
        helper: Helper,
        id: u32,
        variable: u16,
    ) -> Result<Probe, Error> {
        let mut probe = Probe::default();
        probe.op(DUP, 1);
        self.push_id(&mut probe, id)?;
        probe.local(ILOAD, variable);
        probe.stack += 1;
        self.invoke(&mut probe, helper)?;
        Ok(probe)
    }

    /// `helper(variable)`, a long.
    pub(crate) fn call_with_long(&mut self, helper: Helper, variable: u16) -> Result<Probe, Error> {
        let mut probe = Probe::default();
        probe.local(LLOAD, variable);
        probe.stack = 2;
        self.invoke(&mut probe, helper)?;
        Ok(probe)
    }

    /// `parameter = helper(parameter, other parameter)`; the first is a reference, the second an int.
    pub(crate) fn replace_parameter(
        &mut self,
        helper: Helper,
        parameter: u16,
        other: u16,
    ) -> Result<Probe, Error> {
        let mut probe = Probe::default();
        probe.local(ALOAD, parameter);
        probe.local(ILOAD, other);
        probe.stack = 2;
        self.invoke(&mut probe, helper)?;
        probe.local(ASTORE, parameter);
        Ok(probe)
    }

    /// `helper()`
    pub(crate) fn bare_call(&mut self, helper: Helper) -> Result<Probe, Error> {
        let mut probe = Probe::default();
        self.invoke(&mut probe, helper)?;
        Ok(probe)
    }

    /// `helper(top of stack, id)`; the top stays.
    pub(crate) fn call_with_top(&mut self, helper: Helper, id: u32) -> Result<Probe, Error> {
        let mut probe = Probe::default();
        probe.op(DUP, 1);
        self.push_id(&mut probe, id)?;
        self.invoke(&mut probe, helper)?;
        Ok(probe)
    }

    /// `helper(top.field, id)`; the field is a reference.
    pub(crate) fn call_with_field_of_top(
        &mut self,
        helper: Helper,
        field: MemberRef<'_>,
        id: u32,
    ) -> Result<Probe, Error> {
        let field = self
            .pool
            .field_ref(field.class, field.name, field.descriptor)?;
        let mut probe = Probe::default();
        probe.op(DUP, 1);
        probe.op(GETFIELD, 0);
        probe.code.extend(field.0.to_be_bytes());
        self.push_id(&mut probe, id)?;
        self.invoke(&mut probe, helper)?;
        Ok(probe)
    }

    /// The same for a top of type long.
    pub(crate) fn call_with_long_top(&mut self, helper: Helper, id: u32) -> Result<Probe, Error> {
        let mut probe = Probe::default();
        probe.op(DUP2, 2);
        self.push_id(&mut probe, id)?;
        self.invoke(&mut probe, helper)?;
        Ok(probe)
    }

    /// `helper(top, number, id)`
    pub(crate) fn call_with_top_and(
        &mut self,
        helper: Helper,
        number: u32,
        id: u32,
    ) -> Result<Probe, Error> {
        let mut probe = Probe::default();
        probe.op(DUP, 1);
        self.push_id(&mut probe, number)?;
        self.push_id(&mut probe, id)?;
        self.invoke(&mut probe, helper)?;
        Ok(probe)
    }

    /// `helper(length of the array on top, id)`; `cast` where the static type of the top is no array.
    pub(crate) fn call_with_length(
        &mut self,
        helper: Helper,
        cast: Option<&[u8]>,
        id: u32,
    ) -> Result<Probe, Error> {
        let mut probe = self.length(cast)?;
        self.push_id(&mut probe, id)?;
        self.invoke(&mut probe, helper)?;
        Ok(probe)
    }

    /// `helper(length of the array on top, number, id)`
    pub(crate) fn call_with_length_and(
        &mut self,
        helper: Helper,
        cast: Option<&[u8]>,
        number: u32,
        id: u32,
    ) -> Result<Probe, Error> {
        let mut probe = self.length(cast)?;
        self.push_id(&mut probe, number)?;
        self.push_id(&mut probe, id)?;
        self.invoke(&mut probe, helper)?;
        Ok(probe)
    }

    /// `helper(array on top, its length, id)`; the array stays.
    pub(crate) fn call_with_array_and_length(
        &mut self,
        helper: Helper,
        cast: Option<&[u8]>,
        id: u32,
    ) -> Result<Probe, Error> {
        let mut probe = Probe::default();
        probe.op(DUP, 1);
        self.cast(&mut probe, cast)?;
        probe.op(DUP, 1);
        probe.op(ARRAYLENGTH, 0);
        self.push_id(&mut probe, id)?;
        self.invoke(&mut probe, helper)?;
        Ok(probe)
    }

    fn length(&mut self, cast: Option<&[u8]>) -> Result<Probe, Error> {
        let mut probe = Probe::default();
        probe.op(DUP, 1);
        self.cast(&mut probe, cast)?;
        probe.op(ARRAYLENGTH, 0);
        Ok(probe)
    }

    fn cast(&mut self, probe: &mut Probe, to: Option<&[u8]>) -> Result<(), Error> {
        if let Some(array_class) = to {
            let class = self.pool.class(array_class)?;
            probe.op(CHECKCAST, 0);
            probe.code.extend(class.0.to_be_bytes());
        }
        Ok(())
    }

    fn invoke(&mut self, probe: &mut Probe, helper: Helper) -> Result<(), Error> {
        let index = match self.helpers.get(&helper) {
            Some(index) => *index,
            None => {
                let index = self.pool.method_ref(
                    helper.class,
                    helper.name.as_bytes(),
                    helper.descriptor.as_bytes(),
                )?;
                self.helpers.insert(helper, index);
                index
            }
        };
        probe.op(INVOKESTATIC, 0);
        probe.code.extend(index.0.to_be_bytes());
        Ok(())
    }

    fn push_id(&mut self, probe: &mut Probe, number: u32) -> Result<(), Error> {
        match number {
            0..=5 => probe.op(3 + number.to_le_bytes()[0], 1),
            6..=127 => {
                probe.op(16, 1);
                probe.code.push(number.to_le_bytes()[0]);
            }
            128..=32767 => {
                probe.op(17, 1);
                probe.code.extend_from_slice(&number.to_be_bytes()[2..]);
            }
            _ => {
                let index = self.pool.integer(number.cast_signed())?;
                match u8::try_from(index.0) {
                    Ok(short) => {
                        probe.op(18, 1);
                        probe.code.push(short);
                    }
                    Err(_) => {
                        probe.op(19, 1);
                        probe.code.extend(index.0.to_be_bytes());
                    }
                }
            }
        }
        Ok(())
    }
}

impl Probe {
    /// Takes what a call gave, which stood on the stack.
    fn store_long(&mut self, variable: u16) {
        self.local(LSTORE, variable);
        self.stack = self.stack.max(2);
    }

    fn local(&mut self, opcode: u8, variable: u16) {
        match u8::try_from(variable) {
            Ok(short) => self.code.extend([opcode, short]),
            Err(_) => {
                self.code.extend([WIDE, opcode]);
                self.code.extend(variable.to_be_bytes());
            }
        }
    }

    fn op(&mut self, opcode: u8, pushes: u16) {
        self.code.push(opcode);
        self.depth += pushes;
        self.stack = self.stack.max(self.depth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_take_the_shortest_form() -> Result<(), Error> {
        let mut pool = PoolAppender::empty();
        let mut assembler = ProbeAssembler::new(&mut pool);
        let call = Helper::counting("c", "(I)V");
        let bytes = |probe: Probe| probe.code;
        assert_eq!(bytes(assembler.call(call, 3)?)[..1], [6]);
        assert_eq!(bytes(assembler.call(call, 100)?)[..2], [16, 100]);
        assert_eq!(bytes(assembler.call(call, 300)?)[..3], [17, 1, 44]);
        assert_eq!(bytes(assembler.call(call, 40_000)?)[0], 18);
        assert_eq!(assembler.call(call, 300)?.stack, 1);
        assert_eq!(
            assembler
                .call_with_long_top(Helper::counting("bj", "(JI)V"), 300)?
                .stack,
            3
        );
        Ok(())
    }
}
