//! Assembles the new Code attribute.
//!
//! ```text
//! u2 max_stack, u2 max_locals, u4 code_length, code,
//! u2 exception_table_length, 8-byte rows, attributes
//! ```

use ducktrack_classfile::{Attribute, Code, PoolAppender, PoolIndex};

use crate::EditedCode;
use crate::code_edit::CodeEdit;
use crate::emission::Emitted;
use crate::exception_rows::ExceptionRows;
use crate::inserted_code::max_locals;
use crate::layout::Layout;
use crate::line_and_variable_tables;
use crate::offset_map::OffsetMap;
use crate::skip_reason::SkipReason;
use crate::type_annotations;

/// Assembles the attribute; `frames` is the new StackMapTable.
pub(crate) fn assemble(
    layout: &Layout<'_>,
    edit: &CodeEdit,
    code: &Code<'_>,
    emitted: &Emitted,
    exceptions: &ExceptionRows,
    frames: Option<Vec<u8>>,
    pool: &mut PoolAppender,
) -> Result<EditedCode, SkipReason> {
    let grown = emitted.bytecode.len().saturating_sub(code.bytecode().len());
    let mut out = Vec::with_capacity(code.data().len() + grown + exceptions.bytes.len() + 64);
    out.extend_from_slice(&max_stack(edit, code)?.to_be_bytes());
    out.extend_from_slice(&max_locals(edit, code.max_locals())?.to_be_bytes());
    out.extend_from_slice(&layout.end.to_be_bytes());
    out.extend_from_slice(&emitted.bytecode);
    out.extend_from_slice(&exceptions.count()?.to_be_bytes());
    out.extend_from_slice(&exceptions.bytes);
    let mut attributes = AttributeWriter::new(out);
    let mut frames = frames;
    let mut dropped_attributes = 0;
    for attribute in code.attributes() {
        match moved(layout, exceptions, &attribute, &mut frames)? {
            Some(data) => attributes.push(attribute.name_index, &data)?,
            None => dropped_attributes += 1,
        }
    }
    if let Some(data) = frames {
        let known = code.pool().find_utf8(b"StackMapTable");
        let name = known.map_or_else(|| pool.utf8(b"StackMapTable"), Ok)?;
        attributes.push(name, &data)?;
    }
    Ok(EditedCode {
        attribute: attributes.finish(),
        offsets: OffsetMap::of(layout),
        dropped_attributes,
    })
}

/// One attribute of the code, with its offsets moved; `None` if its format is not known
/// well enough.
fn moved(
    layout: &Layout<'_>,
    exceptions: &ExceptionRows,
    attribute: &Attribute<'_>,
    frames: &mut Option<Vec<u8>>,
) -> Result<Option<Vec<u8>>, SkipReason> {
    Ok(match attribute.name {
        b"StackMapTable" => frames.take(),
        b"LineNumberTable" => Some(line_and_variable_tables::lines(layout, attribute)?),
        b"LocalVariableTable" | b"LocalVariableTypeTable" => {
            Some(line_and_variable_tables::variables(layout, attribute)?)
        }
        b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
            Some(type_annotations::rewrite(layout, exceptions, attribute)?)
        }
        _ => None,
    })
}

/// The original stack depth plus the deepest insertion.
fn max_stack(edit: &CodeEdit, code: &Code<'_>) -> Result<u16, SkipReason> {
    let insertions = edit
        .insertions
        .iter()
        .map(|insertion| insertion.stack)
        .max()
        .unwrap_or(0);
    let in_line = code
        .max_stack()
        .checked_add(insertions)
        .ok_or(SkipReason::TooDeep)?;
    let handlers = edit
        .handlers
        .iter()
        .filter(|handler| !handler.protects.is_empty());
    let handlers = handlers.map(|handler| handler.stack).max();
    // A stub starts with the exception on the stack and nothing else.
    let stubs = handlers
        .map_or(Some(0), |stack| stack.checked_add(1))
        .ok_or(SkipReason::TooDeep)?;
    Ok(in_line.max(stubs))
}

/// Writes attributes and counts them.
struct AttributeWriter {
    out: Vec<u8>,
    count_at: usize,
    count: u16,
}

impl AttributeWriter {
    fn new(mut out: Vec<u8>) -> Self {
        let count_at = out.len();
        out.extend_from_slice(&[0, 0]);
        Self {
            out,
            count_at,
            count: 0,
        }
    }

    fn push(&mut self, name: PoolIndex, data: &[u8]) -> Result<(), SkipReason> {
        let length = u32::try_from(data.len()).map_err(|_| SkipReason::TooLarge(u32::MAX))?;
        self.count = self.count.checked_add(1).ok_or(SkipReason::TooDeep)?;
        self.out.extend_from_slice(&name.0.to_be_bytes());
        self.out.extend_from_slice(&length.to_be_bytes());
        self.out.extend_from_slice(data);
        Ok(())
    }

    fn finish(mut self) -> Vec<u8> {
        let count = self.count.to_be_bytes();
        if let Some(place) = self.out.get_mut(self.count_at..self.count_at + 2) {
            place.copy_from_slice(&count);
        }
        self.out
    }
}
