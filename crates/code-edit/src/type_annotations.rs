//! Type annotations of the new code.
//!
//! | target | moved by |
//! |---|---|
//! | local variables | their ranges, as in the LocalVariableTable |
//! | a caught class | the new index of its row in the exception table |
//! | `new`, `instanceof`, casts, calls, method references | the instruction itself |

use ducktrack_classfile::{
    Attribute, CodeOffset, TypeAnnotation, TypeAnnotationTarget, TypeAnnotations,
};

use crate::exception_rows::ExceptionRows;
use crate::layout::Layout;
use crate::line_and_variable_tables::range;
use crate::skip_reason::SkipReason;

/// The new Runtime(In)VisibleTypeAnnotations, without name and length.
pub(crate) fn rewrite(
    layout: &Layout<'_>,
    exceptions: &ExceptionRows,
    attribute: &Attribute<'_>,
) -> Result<Vec<u8>, SkipReason> {
    let annotations = TypeAnnotations::parse(attribute)?;
    let mut out = Vec::with_capacity(attribute.data.len());
    out.extend_from_slice(attribute.data.get(..2).unwrap_or_default());
    for annotation in annotations.annotations() {
        out.push(annotation.target_type);
        target(layout, exceptions, annotation, &mut out)?;
        out.extend_from_slice(annotation.annotation);
    }
    Ok(out)
}

fn target(
    layout: &Layout<'_>,
    exceptions: &ExceptionRows,
    annotation: &TypeAnnotation<'_>,
    out: &mut Vec<u8>,
) -> Result<(), SkipReason> {
    let insn = |old: CodeOffset| {
        let new = layout.insn(old)?;
        u16::try_from(new).map_err(|_| SkipReason::TooLarge(new))
    };
    match annotation.target {
        TypeAnnotationTarget::LocalVariable(ranges) => {
            let count =
                u16::try_from(ranges.iter().len()).map_err(|_| SkipReason::TooLarge(u32::MAX))?;
            out.extend_from_slice(&count.to_be_bytes());
            for (start, length, local) in ranges.iter() {
                let (start, length) = range(layout, start, length)?;
                [start, length, local]
                    .iter()
                    .for_each(|field| out.extend_from_slice(&field.to_be_bytes()));
            }
        }
        TypeAnnotationTarget::Catch(row) => {
            let moved = exceptions
                .moved
                .get(usize::from(row))
                .ok_or(SkipReason::BadHandler)?;
            out.extend_from_slice(&moved.to_be_bytes());
        }
        TypeAnnotationTarget::Offset(old) => out.extend_from_slice(&insn(old)?.to_be_bytes()),
        TypeAnnotationTarget::TypeArgument(old, argument) => {
            out.extend_from_slice(&insn(old)?.to_be_bytes());
            out.push(argument);
        }
        TypeAnnotationTarget::Outside(bytes) => out.extend_from_slice(bytes),
    }
    Ok(())
}
