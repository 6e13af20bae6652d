//! LineNumberTable, LocalVariableTable and LocalVariableTypeTable of the new code.
//!
//! Rows that start at the old offset 0 keep it, so that code inserted on method entry
//! belongs to the first line and sees the parameters. These tables only serve debuggers
//! and people: an offset inside of an instruction, which the JVM allows here, moves to
//! the next instruction.

use ducktrack_classfile::{Attribute, CodeOffset, LineNumberTable, LocalVariableTable};

use crate::layout::Layout;
use crate::skip_reason::SkipReason;

/// The new LineNumberTable, without name and length.
pub(crate) fn lines(layout: &Layout<'_>, attribute: &Attribute<'_>) -> Result<Vec<u8>, SkipReason> {
    let rows = LineNumberTable::parse(attribute)?.iter();
    let mut out = Vec::with_capacity(attribute.data.len());
    push16(&mut out, rows.len())?;
    for row in rows {
        push16(&mut out, start(layout, row.start)?)?;
        out.extend_from_slice(&row.line.to_be_bytes());
    }
    Ok(out)
}

/// The new LocalVariableTable or LocalVariableTypeTable, without name and length.
pub(crate) fn variables(
    layout: &Layout<'_>,
    attribute: &Attribute<'_>,
) -> Result<Vec<u8>, SkipReason> {
    let rows = LocalVariableTable::parse(attribute)?.iter();
    let mut out = Vec::with_capacity(attribute.data.len());
    push16(&mut out, rows.len())?;
    for row in rows {
        let (start, length) = range(layout, row.start, row.length)?;
        for field in [start, length, row.name.0, row.descriptor.0, row.local] {
            out.extend_from_slice(&field.to_be_bytes());
        }
    }
    Ok(out)
}

/// New start and length of the range of a variable.
pub(crate) fn range(
    layout: &Layout<'_>,
    from: CodeOffset,
    length: u16,
) -> Result<(u16, u16), SkipReason> {
    let new_start = start(layout, from)?;
    let to = CodeOffset(from.0 + u32::from(length));
    let new_end = if length == 0 {
        new_start
    } else {
        start(layout, to)?
    };
    let fit = |offset: u32| u16::try_from(offset).map_err(|_| SkipReason::TooLarge(offset));
    Ok((fit(new_start)?, fit(new_end.saturating_sub(new_start))?))
}

fn start(layout: &Layout<'_>, old: CodeOffset) -> Result<u32, SkipReason> {
    match layout.units.at_or_after(old) {
        _ if old.0 == 0 => Ok(0),
        Some(unit) => Ok(unit.label),
        None if old <= layout.units.old_end() => Ok(layout.main_end),
        None => Err(SkipReason::NotAnInstruction(old)),
    }
}

fn push16(out: &mut Vec<u8>, value: impl TryInto<u16>) -> Result<(), SkipReason> {
    let value = value
        .try_into()
        .map_err(|_| SkipReason::TooLarge(u32::MAX))?;
    out.extend_from_slice(&value.to_be_bytes());
    Ok(())
}
