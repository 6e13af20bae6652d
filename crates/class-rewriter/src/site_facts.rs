//! Facts about a site that only its bytecode has: the loops around it, whether a new closure could be made before the loop, and the method
//! that takes a new array as its last argument.
//!
//! ```text
//!   20: aload_1                 written nowhere in 14..40: unchanged in the loop
//!   21: invokedynamic run       a closure that captures it
//!   26: iconst_1
//!   27: anewarray Object        taken as the last argument at 33
//!   30: dup; iconst_0; aload_2; aastore
//!   33: invokestatic String.format
//!   40: goto 14                 a loop from 14 to 40
//! ```

use ducktrack_classfile::{
    Code, CodeOffset, Instruction, MemberRef, MethodDescriptor, Opcode, Operand, ParameterType,
    StackEffect,
};
use ducktrack_probe_vocabulary::Captures;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The facts of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BytecodeFacts {
    /// Loops of the method around the site.
    pub loops: u8,
    /// The values that a closure captures.
    pub captures: Captures,
    /// The method that takes the new array as its last argument.
    pub passed_to: Option<CalledMethodName>,
}

/// Class, name and descriptor of a method as the code names it, modified UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CalledMethodName {
    /// The class, in internal form.
    pub class: Box<[u8]>,
    /// The name.
    pub name: Box<[u8]>,
    /// The descriptor.
    pub descriptor: Box<[u8]>,
}

impl From<&MemberRef<'_>> for CalledMethodName {
    fn from(member: &MemberRef<'_>) -> Self {
        Self {
            class: member.class.into(),
            name: member.name.into(),
            descriptor: member.descriptor.into(),
        }
    }
}

/// The code around the sites of one method.
pub(crate) struct Surroundings<'a> {
    code: &'a Code<'a>,
    instructions: &'a [Instruction<'a>],
    is_static: bool,
    /// First and last byte of each loop: a jump back, and its target. Compilers lay out loops in one piece.
    loops: Vec<(CodeOffset, CodeOffset)>,
}

impl<'a> Surroundings<'a> {
    pub(crate) fn of(
        code: &'a Code<'a>,
        instructions: &'a [Instruction<'a>],
        is_static: bool,
    ) -> Self {
        Self {
            code,
            instructions,
            is_static,
            loops: loops(instructions),
        }
    }

    /// The number of loops around a place.
    pub(crate) fn depth(&self, offset: CodeOffset) -> u8 {
        let around = self.loops.iter();
        let around = around.filter(|(first, last)| (*first..=*last).contains(&offset));
        u8::try_from(around.count()).unwrap_or(u8::MAX)
    }

    /// Whether the last argument of a call is a constant of the code.
    pub(crate) fn has_constant_argument(&self, offset: CodeOffset) -> bool {
        let Some(before) = self.position(offset).and_then(|at| at.checked_sub(1)) else {
            return false;
        };
        self.instructions
            .get(before)
            .is_some_and(|last| matches!(last.opcode.0, 1..=20))
    }

    /// The facts of a site that makes a closure with this descriptor.
    pub(crate) fn of_closure(&self, offset: CodeOffset, descriptor: &[u8]) -> BytecodeFacts {
        BytecodeFacts {
            loops: self.depth(offset),
            captures: self.captures(offset, descriptor).unwrap_or_default(),
            passed_to: None,
        }
    }

    /// The facts of a site that makes an array of this type.
    pub(crate) fn of_array(&self, offset: CodeOffset, ty: &[u8]) -> BytecodeFacts {
        BytecodeFacts {
            loops: self.depth(offset),
            captures: Captures::Unknown,
            passed_to: self.taker(offset, ty),
        }
    }

    /// The facts of another site.
    pub(crate) fn of_other(&self, offset: CodeOffset) -> BytecodeFacts {
        BytecodeFacts {
            loops: self.depth(offset),
            ..BytecodeFacts::default()
        }
    }

    fn position(&self, offset: CodeOffset) -> Option<usize> {
        self.instructions
            .binary_search_by_key(&offset, |instruction| instruction.offset)
            .ok()
    }

    /// `None` where the captured values are not plain local variables.
    fn captures(&self, offset: CodeOffset, descriptor: &[u8]) -> Option<Captures> {
        let mut wanted = MethodDescriptor::parse(descriptor)
            .ok()?
            .parameters()
            .count();
        let mut at = self.position(offset)?;
        let mut locals = Vec::new();
        while wanted > 0 {
            at = self.skip_null_check(at).checked_sub(1)?;
            let instruction = self.instructions.get(at)?;
            if !matches!(instruction.opcode.0, 21..=45) {
                return None;
            }
            locals.push(instruction.local()?);
            wanted -= 1;
        }
        if !self.is_static && locals == [0] {
            return Some(Captures::OnlyThis);
        }
        let innermost = self.loops.iter();
        let innermost = innermost.filter(|(first, last)| (*first..=*last).contains(&offset));
        let (first, last) = *innermost.min_by_key(|(first, last)| last.0 - first.0)?;
        let is_written = |instruction: &Instruction<'_>| {
            matches!(instruction.opcode.0, 54..=78 | 132)
                && instruction
                    .local()
                    .is_some_and(|local| writes(instruction, local, &locals))
        };
        let body = self.instructions.iter();
        let mut body = body.filter(|at| (first..=last).contains(&at.offset));
        (!body.any(is_written)).then_some(Captures::UnchangedInLoop)
    }

    /// Before a method reference that binds an object, javac checks it: `dup; invokestatic Objects.requireNonNull; pop`.
    fn skip_null_check(&self, at: usize) -> usize {
        let opcodes = at
            .checked_sub(3)
            .and_then(|from| self.instructions.get(from..at));
        match opcodes {
            Some([dup, call, pop])
                if dup.opcode == Opcode::DUP
                    && call.opcode == Opcode::INVOKESTATIC
                    && pop.opcode == Opcode::POP =>
            {
                at - 3
            }
            _ => at,
        }
    }

    /// The call that takes the value on top of the stack after `offset` as its last argument, where it is of this type.
    fn taker(&self, offset: CodeOffset, ty: &[u8]) -> Option<CalledMethodName> {
        let mut depth = Some(1i32);
        let mut at_target: FxHashMap<CodeOffset, i32> = FxHashMap::default();
        let start = self.position(offset)? + 1;
        for instruction in self.instructions.get(start..)? {
            if let Some(known) = at_target.get(&instruction.offset) {
                depth = Some(*known);
            }
            let before = depth?;
            let effect = StackEffect::of(instruction, self.code.pool()).ok()?;
            let left = before - i32::from(effect.pops);
            // `dup` takes the array and puts it back twice.
            if left < 0 || (left == 0 && instruction.opcode != Opcode::DUP) {
                return self.takes(instruction, before, ty);
            }
            depth = Some(left + i32::from(effect.pushes));
            for target in instruction.targets() {
                at_target.insert(target, left + i32::from(effect.pushes));
            }
            if instruction.is_unconditional_end() {
                depth = None;
            }
        }
        None
    }

    fn takes(&self, call: &Instruction<'_>, depth: i32, ty: &[u8]) -> Option<CalledMethodName> {
        if depth != 1 || !call.opcode.is_invoke() || call.opcode == Opcode::INVOKEDYNAMIC {
            return None;
        }
        let member = self.code.pool().member_ref(call.pool_index()?).ok()?;
        let last = MethodDescriptor::parse(member.descriptor)
            .ok()?
            .parameters()
            .last()?;
        (last == ParameterType::Reference(ty)).then(|| CalledMethodName::from(&member))
    }
}

/// Whether a store changes one of these variables; one of two slots changes the next, too.
fn writes(instruction: &Instruction<'_>, local: u16, locals: &[u16]) -> bool {
    let two_slots = matches!(instruction.opcode.0, 55 | 57 | 63..=66 | 71..=74);
    locals.contains(&local) || two_slots && locals.contains(&local.saturating_add(1))
}

/// The loops of a method: one for each target of jumps back, up to the last of these.
fn loops(instructions: &[Instruction<'_>]) -> Vec<(CodeOffset, CodeOffset)> {
    let mut loops: Vec<(CodeOffset, CodeOffset)> = Vec::new();
    for instruction in instructions {
        let is_jump = matches!(instruction.operand, Operand::Branch(_) | Operand::Switch(_));
        if !is_jump {
            continue;
        }
        for target in instruction.targets() {
            if target > instruction.offset {
                continue;
            }
            match loops.iter_mut().find(|(first, _)| *first == target) {
                Some((_, last)) => *last = instruction.offset,
                None => loops.push((target, instruction.offset)),
            }
        }
    }
    loops
}
