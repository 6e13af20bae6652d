//! Maps old offsets to new ones and back.

use ducktrack_classfile::CodeOffset;

use crate::layout::Layout;
use crate::unit::Units;

/// One original instruction.
#[derive(Debug, Clone, Copy)]
struct MovedInstruction {
    old: CodeOffset,
    label: CodeOffset,
    insn: CodeOffset,
}

/// The new offsets of a method's original instructions.
#[derive(Debug, Clone)]
pub struct OffsetMap {
    moved: Vec<MovedInstruction>,
}

impl OffsetMap {
    pub(crate) fn unchanged(units: &Units<'_>) -> Self {
        Self::collect(units)
    }

    pub(crate) fn of(layout: &Layout<'_>) -> Self {
        Self::collect(&layout.units)
    }

    fn collect(units: &Units<'_>) -> Self {
        let moved = units.as_slice().iter().map(|unit| MovedInstruction {
            old: unit.instruction.offset,
            label: CodeOffset(unit.label),
            insn: CodeOffset(unit.insn),
        });
        Self {
            moved: moved.collect(),
        }
    }

    fn get(&self, old: CodeOffset) -> Option<&MovedInstruction> {
        let place = self
            .moved
            .binary_search_by_key(&old, |moved| moved.old)
            .ok()?;
        self.moved.get(place)
    }

    /// The new target of branches to the old offset.
    #[must_use]
    pub fn label(&self, old: CodeOffset) -> Option<CodeOffset> {
        self.get(old).map(|moved| moved.label)
    }

    /// The new offset of the instruction itself.
    #[must_use]
    pub fn insn(&self, old: CodeOffset) -> Option<CodeOffset> {
        self.get(old).map(|moved| moved.insn)
    }

    /// The old offset of the instruction at `new`; `None` for inserted code.
    #[must_use]
    pub fn original(&self, new: CodeOffset) -> Option<CodeOffset> {
        let place = self
            .moved
            .binary_search_by_key(&new, |moved| moved.insn)
            .ok()?;
        self.moved.get(place).map(|moved| moved.old)
    }
}
