//! Where control may come from elsewhere: targets of branches and switches, and handlers. What was known before such a place need not hold there.
//!
//! ```text
//!    0: iload_0
//!    1: ifeq 8
//!    4: iconst_3
//!    5: goto 9
//!    8: iconst_5       a label
//!    9: newarray int   a label: the length is 3 or 5
//! ```

use ducktrack_classfile::{Code, CodeOffset, Error};

/// The labels of a method, ascending.
///
/// # Errors
/// Of the class file reader.
pub(crate) fn labels(code: &Code<'_>) -> Result<Vec<CodeOffset>, Error> {
    let handlers = code.exception_table().iter().map(|row| row.handler);
    let mut labels: Vec<CodeOffset> = handlers.collect();
    for instruction in code.instructions() {
        labels.extend(instruction?.targets());
    }
    labels.sort_unstable();
    Ok(labels)
}
