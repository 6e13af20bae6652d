//! The new exception table: the original rows with moved offsets, and those of added
//! handlers.

use std::ops::Range;

use ducktrack_classfile::{ExceptionEntry, PoolIndex};

use crate::code_edit::{Catch, CodeEdit, Rank};
use crate::emission::Emitted;
use crate::layout::Layout;
use crate::protection;
use crate::skip_reason::SkipReason;

/// The new exception table.
#[derive(Debug, Default)]
pub(crate) struct ExceptionRows {
    /// Rows of eight bytes.
    pub(crate) bytes: Vec<u8>,
    /// New position of each original row.
    pub(crate) moved: Vec<u16>,
}

impl ExceptionRows {
    /// Number of rows.
    pub(crate) fn count(&self) -> Result<u16, SkipReason> {
        u16::try_from(self.bytes.len() / 8).map_err(|_| SkipReason::TooManyHandlers)
    }

    fn push(
        &mut self,
        range: Range<u32>,
        handler: u32,
        catch_type: Option<PoolIndex>,
    ) -> Result<(), SkipReason> {
        for offset in [range.start, range.end, handler] {
            let offset = u16::try_from(offset).map_err(|_| SkipReason::TooLarge(offset))?;
            self.bytes.extend_from_slice(&offset.to_be_bytes());
        }
        let catch_type = catch_type.map_or(0, |class| class.0);
        self.bytes.extend_from_slice(&catch_type.to_be_bytes());
        Ok(())
    }
}

/// Moves the original rows and inserts those of added handlers between or after them.
pub(crate) fn rewrite(
    layout: &Layout<'_>,
    edit: &CodeEdit,
    emitted: &Emitted,
) -> Result<ExceptionRows, SkipReason> {
    let mut rows = ExceptionRows::default();
    for handler in &edit.handlers {
        let named = match handler.rank {
            Rank::BeforeOriginal(row) => layout.exceptions.get(row).is_some(),
            Rank::Last => true,
        };
        if !named {
            return Err(SkipReason::BadHandler);
        }
    }
    for (position, row) in layout.exceptions.iter().enumerate() {
        push_added(
            &mut rows,
            layout,
            edit,
            emitted,
            Rank::BeforeOriginal(position),
        )?;
        rows.moved.push(rows.count()?);
        push_original(&mut rows, layout, &row)?;
    }
    push_added(&mut rows, layout, edit, emitted, Rank::Last)?;
    rows.count()?;
    Ok(rows)
}

fn push_original(
    rows: &mut ExceptionRows,
    layout: &Layout<'_>,
    row: &ExceptionEntry,
) -> Result<(), SkipReason> {
    if row.start >= row.end {
        return Err(SkipReason::NotAnInstruction(row.end));
    }
    let range = layout.label(row.start)?..layout.range_end(row.end)?;
    rows.push(range, layout.label(row.handler)?, row.catch_type)
}

/// The rows of all added handlers of one rank.
fn push_added(
    rows: &mut ExceptionRows,
    layout: &Layout<'_>,
    edit: &CodeEdit,
    emitted: &Emitted,
    rank: Rank,
) -> Result<(), SkipReason> {
    for stub in &layout.stubs {
        let Some(handler) = edit
            .handlers
            .get(stub.handler)
            .filter(|handler| handler.rank == rank)
        else {
            continue;
        };
        let catch_type = match handler.catch {
            Catch::Any => None,
            Catch::SameAs(row) => {
                layout
                    .exceptions
                    .get(row)
                    .ok_or(SkipReason::BadHandler)?
                    .catch_type
            }
        };
        for range in protection::ranges(layout, edit, emitted, handler)? {
            rows.push(range, stub.at, catch_type)?;
        }
    }
    Ok(())
}
