//! Builds inserted code that calls a static method: pushes operands, calls, and tracks the stack depth.
//!
//! ```text
//! probes.build().dup().push(300).invoke(BOX).finish()
//!
//!   59            dup
//!   11 01 2c      sipush 300
//!   b8 00 57      invokestatic java/lang/DuckTrackEvents.boxedInteger(Ljava/lang/Integer;I)V      needs 2 slots
//! ```
//!
//! Before an instruction with several operands, a probe can copy any of them to the top of the stack:
//!
//! | operands | wanted | probe |
//! |---|---|---|
//! | object, value | object | `dup2; pop; ...` |
//! | object, long | object | `dup2_x1; pop2; dup; ...; dup_x2; pop` |
//! | array, index, value | array | `dup_x2; pop; dup2_x1; pop; ...` |
//! | array, index, long | array | `dup2_x2; pop2; dup2_x2; pop; ...` |

use ducktrack_classfile::{Error, MemberRef, MethodDescriptor, Opcode, PoolAppender, PoolIndex};

use crate::code_edit::{Insertion, Place};

/// A static method that probes call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProbeMethod {
    /// Internal name of its class.
    pub class: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its descriptor.
    pub descriptor: &'static str,
}

/// Inserted code, and the stack slots that it needs above the current depth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// The instructions.
    pub code: Vec<u8>,
    /// Stack slots at their peak.
    pub stack: u16,
}

impl Probe {
    /// The insertion of this probe at a place.
    #[must_use]
    pub fn at(self, place: Place) -> Insertion {
        Insertion {
            place,
            code: self.code,
            stack: self.stack,
        }
    }
}

/// Builds the probes of one class; their constants are appended to its pool.
#[derive(Debug)]
pub struct Probes {
    pool: PoolAppender,
    methods: Vec<CalledMethod>,
    has_numbers_in_code: bool,
    instead: Option<fn(ProbeMethod) -> ProbeMethod>,
    later: Vec<u32>,
}

/// A method that a probe of the class calls.
#[derive(Clone, Copy, Debug)]
struct CalledMethod {
    method: ProbeMethod,
    constant: PoolIndex,
    /// Slots that a call leaves more on the stack than it finds.
    change: i32,
}

impl Probes {
    /// Probes whose constants are appended here.
    #[must_use]
    pub fn new(pool: PoolAppender) -> Self {
        Self {
            pool,
            methods: Vec::new(),
            has_numbers_in_code: false,
            instead: None,
            later: Vec::new(),
        }
    }

    /// Replaces each method that a probe calls by the one that `instead` returns for it.
    #[must_use]
    pub fn instead(mut self, instead: fn(ProbeMethod) -> ProbeMethod) -> Self {
        self.instead = Some(instead);
        self
    }

    /// Makes numbers of more than 15 bits from smaller ones, instead of constants:
    /// the VM keeps the constants of all versions of a class in one pool.
    #[must_use]
    pub fn numbers_in_code(mut self, numbers_in_code: bool) -> Self {
        self.has_numbers_in_code = numbers_in_code;
        self
    }

    /// Whether numbers are made in the code.
    #[must_use]
    pub fn has_numbers_in_code(&self) -> bool {
        self.has_numbers_in_code
    }

    /// What [`ProbeBuilder::push_later`] was asked for, in its order.
    #[must_use]
    pub fn later(&self) -> &[u32] {
        &self.later
    }

    /// The constants of the class.
    pub fn pool(&mut self) -> &mut PoolAppender {
        &mut self.pool
    }

    /// Begins a probe.
    pub fn build(&mut self) -> ProbeBuilder<'_> {
        ProbeBuilder {
            probes: self,
            probe: Probe::default(),
            depth: 0,
            failure: None,
        }
    }

    /// The constant of a method, for a call that goes there instead of where it went.
    ///
    /// # Errors
    /// If the pool is full.
    pub fn method(&mut self, method: ProbeMethod) -> Result<PoolIndex, Error> {
        self.called(method).map(|called| called.constant)
    }

    fn called(&mut self, method: ProbeMethod) -> Result<CalledMethod, Error> {
        let method = self.instead.map_or(method, |instead| instead(method));
        if let Some(known) = self.methods.iter().find(|known| known.is(method)) {
            return Ok(*known);
        }
        let descriptor = MethodDescriptor::parse(method.descriptor.as_bytes())?;
        let returned = descriptor.returns().map_or(0, |returns| returns.slots());
        let called = CalledMethod {
            method,
            constant: self.pool.method_ref(
                method.class.as_bytes(),
                method.name.as_bytes(),
                method.descriptor.as_bytes(),
            )?,
            change: i32::from(returned) - i32::from(descriptor.parameter_slots()),
        };
        self.methods.push(called);
        Ok(called)
    }
}

impl CalledMethod {
    /// Names differ more often than classes.
    fn is(&self, method: ProbeMethod) -> bool {
        self.method.name == method.name
            && self.method.descriptor == method.descriptor
            && self.method.class == method.class
    }
}

/// One probe under construction. [`finish`](Self::finish) returns the first failure.
#[derive(Debug)]
pub struct ProbeBuilder<'b> {
    probes: &'b mut Probes,
    probe: Probe,
    /// Current depth relative to the start; negative while operands are rearranged.
    depth: i32,
    failure: Option<Error>,
}

impl ProbeBuilder<'_> {
    /// Returns the probe.
    ///
    /// # Errors
    /// If the pool is full.
    pub fn finish(self) -> Result<Probe, Error> {
        match self.failure {
            Some(error) => Err(error),
            None => Ok(self.probe),
        }
    }

    /// Pushes a number, as an int with these bits.
    #[must_use]
    pub fn push(self, number: u32) -> Self {
        match number {
            0..=5 => self.op(Opcode(Opcode::ICONST_0.0 + number.to_le_bytes()[0]), 1),
            6..=127 => self
                .op(Opcode::BIPUSH, 1)
                .operand(&number.to_le_bytes()[..1]),
            128..=32767 => self
                .op(Opcode::SIPUSH, 1)
                .operand(&number.to_be_bytes()[2..]),
            u32::MAX => self.op(Opcode::ICONST_M1, 1),
            _ if self.probes.has_numbers_in_code => self.push_in_two(number),
            _ => self.push_constant(number.cast_signed()),
        }
    }

    /// Pushes a number below 2^31 as a long.
    #[must_use]
    pub fn push_long(self, number: u32) -> Self {
        self.push(number).op(Opcode::I2L, 1)
    }

    /// `high << 15 | low`
    fn push_in_two(self, number: u32) -> Self {
        const LOW: u32 = 15;
        let high = self.push(number >> LOW).push(LOW).op(Opcode::ISHL, -1);
        let low = number & ((1 << LOW) - 1);
        high.push(low).op(Opcode::IOR, -1)
    }

    /// Pushes an int that is chosen when all code of the class is ready: three bytes that are replaced then. Until then
    /// they are an `ldc_w` of a constant beyond any pool, counted from the last index downwards. [`Probes::later`] lists
    /// the values of `what`. Where numbers are made in the code, there are seven bytes more, and room for a second slot.
    #[must_use]
    pub fn push_later(self, what: u32) -> Self {
        let number = u16::try_from(self.probes.later.len());
        let Some(index) = number.ok().and_then(|number| u16::MAX.checked_sub(number)) else {
            return self.failed(Error::pool_full());
        };
        self.probes.later.push(what);
        let is_in_code = self.probes.has_numbers_in_code;
        let pushed = self.op(Opcode::LDC_W, 1).operand(&index.to_be_bytes());
        match is_in_code {
            true => pushed
                .op(Opcode::NOP, 1)
                .op(Opcode::NOP, -1)
                .operand(&[0; 5]),
            false => pushed,
        }
    }

    fn push_constant(self, number: i32) -> Self {
        match self.probes.pool.integer(number) {
            Ok(index) => match u8::try_from(index.0) {
                Ok(short) => self.op(Opcode::LDC, 1).operand(&[short]),
                Err(_) => self.op(Opcode::LDC_W, 1).operand(&index.0.to_be_bytes()),
            },
            Err(error) => self.failed(error),
        }
    }

    /// `.., a` becomes `.., a, a`.
    #[must_use]
    pub fn dup(self) -> Self {
        self.op(Opcode::DUP, 1)
    }

    /// `.., a, b` becomes `.., a, b, a, b`; a long takes two slots.
    #[must_use]
    pub fn dup2(self) -> Self {
        self.op(Opcode::DUP2, 2)
    }

    /// `.., a, b, c` becomes `.., c, a, b, c`.
    #[must_use]
    pub fn dup_x2(self) -> Self {
        self.op(Opcode::DUP_X2, 1)
    }

    /// `.., a, b, c` becomes `.., b, c, a, b, c`.
    #[must_use]
    pub fn dup2_x1(self) -> Self {
        self.op(Opcode::DUP2_X1, 2)
    }

    /// `.., a, b, c, d` becomes `.., c, d, a, b, c, d`.
    #[must_use]
    pub fn dup2_x2(self) -> Self {
        self.op(Opcode::DUP2_X2, 2)
    }

    /// Drops one slot.
    #[must_use]
    pub fn pop(self) -> Self {
        self.op(Opcode::POP, -1)
    }

    /// Drops two slots.
    #[must_use]
    pub fn pop2(self) -> Self {
        self.op(Opcode::POP2, -2)
    }

    /// Replaces an array by its length.
    #[must_use]
    pub fn array_length(self) -> Self {
        self.op(Opcode::ARRAYLENGTH, 0)
    }

    /// Casts the top, for the verifier, to this class, or array type by its descriptor; `None` if it has that
    /// type already.
    #[must_use]
    pub fn cast(self, class: Option<&[u8]>) -> Self {
        let Some(class) = class else { return self };
        match self.probes.pool.class(class) {
            Ok(index) => self
                .op(Opcode::CHECKCAST, 0)
                .operand(&index.0.to_be_bytes()),
            Err(error) => self.failed(error),
        }
    }

    /// Replaces an object by the value of one of its fields of one slot.
    #[must_use]
    pub fn field(self, field: MemberRef<'_>) -> Self {
        let index = self
            .probes
            .pool
            .field_ref(field.class, field.name, field.descriptor);
        match index {
            Ok(index) => self.op(Opcode::GETFIELD, 0).operand(&index.0.to_be_bytes()),
            Err(error) => self.failed(error),
        }
    }

    /// Replaces an object by the value of one of its fields of two slots.
    #[must_use]
    pub fn long_field(mut self, field: MemberRef<'_>) -> Self {
        self.depth += 1;
        let mut probe = self.field(field);
        let depth = u16::try_from(probe.depth).unwrap_or(0);
        probe.probe.stack = probe.probe.stack.max(depth);
        probe
    }

    /// Like [`field`](Self::field), with a constant that the class has already: another class cannot name a hidden class.
    #[must_use]
    pub fn known_field(self, constant: PoolIndex) -> Self {
        self.op(Opcode::GETFIELD, 0)
            .operand(&constant.0.to_be_bytes())
    }

    /// Pushes the value of a static field of one slot, with a constant that the class has already.
    #[must_use]
    pub fn known_static_field(self, constant: PoolIndex) -> Self {
        self.op(Opcode::GETSTATIC, 1)
            .operand(&constant.0.to_be_bytes())
    }

    /// Pushes an int variable.
    #[must_use]
    pub fn load_int(self, variable: u16) -> Self {
        self.local(Opcode::ILOAD, variable, 1)
    }

    /// Pushes a long variable.
    #[must_use]
    pub fn load_long(self, variable: u16) -> Self {
        self.local(Opcode::LLOAD, variable, 2)
    }

    /// Pushes a reference.
    #[must_use]
    pub fn load_reference(self, variable: u16) -> Self {
        match variable {
            0..=3 => self.op(Opcode(Opcode::ALOAD_0.0 + variable.to_le_bytes()[0]), 1),
            _ => self.local(Opcode::ALOAD, variable, 1),
        }
    }

    /// Pops into an int variable.
    #[must_use]
    pub fn store_int(self, variable: u16) -> Self {
        self.local(Opcode::ISTORE, variable, -1)
    }

    /// Pops into a long variable.
    #[must_use]
    pub fn store_long(self, variable: u16) -> Self {
        self.local(Opcode::LSTORE, variable, -2)
    }

    /// Pops into a variable that holds a reference.
    #[must_use]
    pub fn store_reference(self, variable: u16) -> Self {
        self.local(Opcode::ASTORE, variable, -1)
    }

    /// Calls a method: pops its arguments and pushes its result.
    #[must_use]
    pub fn invoke(self, method: ProbeMethod) -> Self {
        match self.probes.called(method) {
            Ok(called) => self
                .op(Opcode::INVOKESTATIC, called.change)
                .operand(&called.constant.0.to_be_bytes()),
            Err(error) => self.failed(error),
        }
    }

    fn local(self, opcode: Opcode, variable: u16, change: i32) -> Self {
        match u8::try_from(variable) {
            Ok(short) => self.op(opcode, change).operand(&[short]),
            Err(_) => self
                .op(Opcode::WIDE, 0)
                .op(opcode, change)
                .operand(&variable.to_be_bytes()),
        }
    }

    fn op(mut self, opcode: Opcode, change: i32) -> Self {
        self.probe.code.push(opcode.0);
        self.depth += change;
        let depth = u16::try_from(self.depth).unwrap_or(0);
        self.probe.stack = self.probe.stack.max(depth);
        self
    }

    fn operand(mut self, bytes: &[u8]) -> Self {
        self.probe.code.extend_from_slice(bytes);
        self
    }

    fn failed(mut self, error: Error) -> Self {
        self.failure.get_or_insert(error);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: ProbeMethod = ProbeMethod {
        class: "H",
        name: "c",
        descriptor: "(I)V",
    };
    const NOTE: ProbeMethod = ProbeMethod {
        class: "H",
        name: "y",
        descriptor: "(I)J",
    };

    #[test]
    fn constants_take_the_shortest_form() -> Result<(), Error> {
        let mut probes = Probes::new(PoolAppender::empty());
        let mut code = |number| Ok(probes.build().push(number).invoke(COUNT).finish()?.code);
        assert_eq!(code(u32::MAX)?[..1], [2]);
        assert_eq!(code(3)?[..1], [6]);
        assert_eq!(code(100)?[..2], [16, 100]);
        assert_eq!(code(300)?[..3], [17, 1, 44]);
        assert_eq!(code(40_000)?[0], 18);
        Ok(())
    }

    #[test]
    fn a_number_in_code_takes_no_constant() -> Result<(), Error> {
        let mut probes = Probes::new(PoolAppender::empty()).numbers_in_code(true);
        let small = probes.build().push(32_767).finish()?;
        assert_eq!(small.code, [17, 0x7f, 0xff]);
        let large = probes.build().push(40_000).finish()?;
        // iconst_1, bipush 15, ishl, sipush 7232, ior
        assert_eq!(large.code, [4, 16, 15, 120, 17, 28, 64, 128]);
        assert_eq!(large.stack, 2);
        let largest = probes.build().push(1 << 30).finish()?;
        assert_eq!(
            largest.code[..5],
            [4, 16, 15, 120, 3],
            "its upper part in two, too"
        );
        assert!(probes.pool().is_empty());
        Ok(())
    }

    #[test]
    fn the_stack_at_its_peak_is_known() -> Result<(), Error> {
        let mut probes = Probes::new(PoolAppender::empty());
        let note = probes
            .build()
            .push(7)
            .invoke(NOTE)
            .store_long(300)
            .finish()?;
        assert_eq!(note.stack, 2);
        assert_eq!(note.code[note.code.len() - 4..], [196, 55, 1, 44]);
        // The probe may use operands below those that it pushes.
        let array = probes.build().dup_x2().pop().dup2_x1().pop();
        assert_eq!(array.finish()?.stack, 2);
        assert_eq!(probes.methods.len(), 1);
        Ok(())
    }

    #[test]
    fn a_full_pool_is_a_failure_of_the_probe() {
        let mut pool = PoolAppender::empty();
        while pool.integer(i32::from(pool.count())).is_ok() {}
        let mut probes = Probes::new(pool);
        assert!(probes.build().push(1).invoke(COUNT).finish().is_err());
    }
}
