//! Places that control may reach by a jump: targets of branches and switches,
//! and handlers. Facts known before such a place need not hold there.
//!
//! ```text
//!    0: iload_0
//!    1: ifeq 8
//!    4: iconst_3
//!    5: goto 9
//!    8: iconst_5       a label
//!    9: newarray int   a label: the length is 3 or 5
//! ```

use ducktrack_classfile::{Code, CodeOffset, Instruction};

/// The labels of a method of which these are all `instructions`, ascending.
pub(crate) fn labels(code: &Code<'_>, instructions: &[Instruction<'_>]) -> Vec<CodeOffset> {
    let handlers = code.exception_table().iter().map(|row| row.handler);
    let mut labels: Vec<CodeOffset> = handlers.collect();
    for instruction in instructions {
        labels.extend(instruction.targets());
    }
    labels.sort_unstable();
    labels
}
