//! The original instructions, each with its room in the new code.

use ducktrack_classfile::{Code, CodeOffset, Instruction, Opcode};

/// Index of an instruction in its method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct UnitId(pub(crate) u32);

impl UnitId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// One original instruction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit<'c> {
    pub(crate) instruction: Instruction<'c>,
    /// Bytes inserted before its label.
    pub(crate) falling: u32,
    /// Bytes inserted between its label and the instruction itself.
    pub(crate) before: u32,
    /// It is written with a four-byte branch offset.
    pub(crate) wide: bool,
    /// Some of its targets are reached by a trampoline.
    pub(crate) routed: bool,
    /// New offset of the first byte placed before it.
    pub(crate) gap: u32,
    /// New target of branches to it.
    pub(crate) label: u32,
    /// New offset of the instruction itself.
    pub(crate) insn: u32,
}

impl Unit<'_> {
    /// Bytes that the instruction takes when it starts at `at`.
    pub(crate) fn size_at(&self, at: u32) -> u32 {
        let instruction = &self.instruction;
        let length = instruction.length();
        if instruction.opcode.is_switch() {
            return length - padding(instruction.offset.0) + padding(at);
        }
        if self.wide { 5 } else { length }
    }

    /// New offset after the instruction.
    pub(crate) fn end(&self) -> u32 {
        self.insn + self.size_at(self.insn)
    }

    /// A `goto`, `jsr`, or a wide form of them: it branches whenever control reaches it.
    pub(crate) fn always_branches(&self) -> bool {
        self.instruction.opcode.is_goto() || self.instruction.opcode.is_jsr()
    }

    /// Whether its branch offset has two bytes.
    pub(crate) fn has_short_branch(&self) -> bool {
        let opcode = self.instruction.opcode;
        let goto = matches!(opcode, Opcode::GOTO | Opcode::JSR);
        opcode.is_conditional_branch() || (goto && !self.wide)
    }
}

/// The padding after the opcode of a switch at `at`.
pub(crate) fn padding(at: u32) -> u32 {
    3 - (at & 3)
}

/// All original instructions, by ascending offset.
#[derive(Debug, Clone)]
pub(crate) struct Units<'c> {
    units: Vec<Unit<'c>>,
    /// Length of the original code.
    old_end: CodeOffset,
}

impl<'c> Units<'c> {
    pub(crate) fn new(code: &Code<'c>, instructions: &[Instruction<'c>]) -> Self {
        let unit = |instruction: &Instruction<'c>| {
            let old = instruction.offset.0;
            Unit {
                instruction: *instruction,
                falling: 0,
                before: 0,
                wide: false,
                routed: false,
                gap: old,
                label: old,
                insn: old,
            }
        };
        Self {
            units: instructions.iter().map(unit).collect(),
            old_end: code.end(),
        }
    }

    pub(crate) fn old_end(&self) -> CodeOffset {
        self.old_end
    }

    pub(crate) fn as_slice(&self) -> &[Unit<'c>] {
        &self.units
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [Unit<'c>] {
        &mut self.units
    }

    pub(crate) fn get(&self, id: UnitId) -> Option<&Unit<'c>> {
        self.units.get(id.index())
    }

    pub(crate) fn get_mut(&mut self, id: UnitId) -> Option<&mut Unit<'c>> {
        self.units.get_mut(id.index())
    }

    /// The instruction before `id`.
    pub(crate) fn previous(&self, id: UnitId) -> Option<&Unit<'c>> {
        self.units.get(id.index().checked_sub(1)?)
    }

    /// The instruction that starts at `offset`.
    pub(crate) fn find(&self, offset: CodeOffset) -> Option<UnitId> {
        let found = self
            .units
            .binary_search_by_key(&offset, |unit| unit.instruction.offset);
        Some(UnitId(u32::try_from(found.ok()?).ok()?))
    }

    /// The first instruction that starts at or after `offset`.
    pub(crate) fn at_or_after(&self, offset: CodeOffset) -> Option<&Unit<'c>> {
        let place = self
            .units
            .partition_point(|unit| unit.instruction.offset < offset);
        self.units.get(place)
    }
}
