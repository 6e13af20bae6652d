//! `tableswitch` and `lookupswitch` (JVM specification 6.5).
//!
//! ```text
//! tableswitch   opcode, 0-3 zero bytes up to a multiple of four, i4 default,
//!               i4 low, i4 high, (high - low + 1) x i4 offset
//! lookupswitch  opcode, padding, i4 default, i4 count, count x (i4 match, i4 offset)
//! ```
//!
//! Offsets count from the opcode. Example at offset 0:
//! `AA 00 00 00  00 00 00 10  00 00 00 05  00 00 00 05  00 00 00 14`
//! goes to 20 for the value 5, otherwise to 16.

use crate::code_offset::CodeOffset;
use crate::cursor::{Cursor, i32_at};
use crate::error::{Error, Part, Rule};
use crate::opcode::Opcode;

/// The targets of a switch.
#[derive(Debug, Clone, Copy)]
pub struct Switch<'c> {
    base: CodeOffset,
    default: CodeOffset,
    /// First case value of a `tableswitch`; `None` for `lookupswitch`.
    low: Option<i32>,
    /// Offsets, or pairs of match and offset.
    rows: &'c [u8],
}

impl<'c> Switch<'c> {
    /// Decodes a switch. Returns it and its length in bytes.
    pub(crate) fn decode(
        bytecode: &'c [u8],
        base: CodeOffset,
        opcode: Opcode,
    ) -> Result<(Self, u32), Error> {
        let first = (base.index() + 4) & !3;
        let mut cursor = Cursor::new(
            bytecode.get(first..).unwrap_or_default(),
            first,
            Part::Instruction,
        );
        let bad = Error::new(Rule::BadSwitch, base.index(), Part::Instruction);
        let default = cursor.i32()?;
        let low = cursor.i32()?;
        let (low, size) = if opcode == Opcode::TABLESWITCH {
            let high = cursor.i32()?;
            let count = i64::from(high) - i64::from(low) + 1;
            (Some(low), Some(count * 4).filter(|size| *size > 0))
        } else {
            (None, Some(i64::from(low) * 8))
        };
        let size = size
            .and_then(|size| usize::try_from(size).ok())
            .ok_or(bad)?;
        let rows = cursor.take(size)?;
        let end = u32::try_from(cursor.offset()).map_err(|_| bad)?;
        let switch = Self {
            base,
            default: target(bytecode, base, default)?,
            low,
            rows,
        };
        for (_, delta) in switch.raw() {
            target(bytecode, base, delta)?;
        }
        Ok((switch, end - base.0))
    }

    fn raw(&self) -> impl ExactSizeIterator<Item = (i32, i32)> + 'c {
        let (low, rows) = (self.low, self.rows);
        let size = if low.is_some() { 4 } else { 8 };
        rows.chunks_exact(size)
            .enumerate()
            .map(move |(row, bytes)| match low {
                Some(low) => (
                    low.wrapping_add_unsigned(u32::try_from(row).unwrap_or(0)),
                    i32_at(bytes, 0),
                ),
                None => (i32_at(bytes, 0), i32_at(bytes, 4)),
            })
    }

    /// Where values without a case go.
    #[must_use]
    pub fn default(&self) -> CodeOffset {
        self.default
    }

    /// First case value, if it is a `tableswitch`.
    #[must_use]
    pub fn low(&self) -> Option<i32> {
        self.low
    }

    /// Value and target of each case, in order.
    #[must_use]
    pub fn cases(&self) -> SwitchCases<'c> {
        SwitchCases {
            switch: *self,
            row: 0,
        }
    }

    /// Number of cases, the default not counted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.raw().len()
    }

    /// Without cases.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

fn target(bytecode: &[u8], base: CodeOffset, delta: i32) -> Result<CodeOffset, Error> {
    let target = base
        .branch(delta)
        .filter(|target| target.index() < bytecode.len());
    target.ok_or(Error::new(
        Rule::BranchOutOfCode(delta),
        base.index(),
        Part::Instruction,
    ))
}

/// The cases of a switch.
#[derive(Debug, Clone)]
pub struct SwitchCases<'c> {
    switch: Switch<'c>,
    row: usize,
}

impl Iterator for SwitchCases<'_> {
    type Item = (i32, CodeOffset);

    fn next(&mut self) -> Option<(i32, CodeOffset)> {
        let (value, delta) = self.switch.raw().nth(self.row)?;
        self.row += 1;
        Some((value, self.switch.base.branch(delta)?))
    }
}

/// Every place that an instruction may branch to; the default of a switch first.
/// The same target may come up more than once.
#[derive(Debug, Clone)]
pub struct Targets<'c> {
    first: Option<CodeOffset>,
    cases: Option<SwitchCases<'c>>,
}

impl<'c> Targets<'c> {
    pub(crate) fn none() -> Self {
        Self {
            first: None,
            cases: None,
        }
    }

    pub(crate) fn branch(target: CodeOffset) -> Self {
        Self {
            first: Some(target),
            cases: None,
        }
    }

    pub(crate) fn switch(switch: &Switch<'c>) -> Self {
        Self {
            first: Some(switch.default()),
            cases: Some(switch.cases()),
        }
    }
}

impl Iterator for Targets<'_> {
    type Item = CodeOffset;

    fn next(&mut self) -> Option<CodeOffset> {
        self.first
            .take()
            .or_else(|| self.cases.as_mut()?.next().map(|(_, target)| target))
    }
}
