//! An edit that takes every method apart and puts it together as it was.

use anyhow::Result;
use ducktrack_classfile::{ClassFile, CodeOffset, PoolAppender};
use ducktrack_code_edit::{
    CodeEdit, Insertion, Place, SkipReason, edit_code, rewrite_class_methods,
};

/// The class with an insertion of nothing in each method, and the number of these.
pub(crate) fn apply(class: &ClassFile<'_>) -> Result<(Vec<u8>, usize)> {
    let mut pool = PoolAppender::new(class.pool());
    let nothing = Insertion {
        place: Place::Before(CodeOffset(0)),
        code: Vec::new(),
        stack: 0,
    };
    let edit = CodeEdit {
        insertions: vec![nothing],
        handlers: Vec::new(),
        replacements: Vec::new(),
    };
    let mut edited = Vec::new();
    for (position, method) in class
        .methods()
        .enumerate()
        .filter(|(_, method)| method.code().is_some())
    {
        match edit_code(&method, &edit, &mut pool) {
            Ok(code) => edited.push((position, code.attribute)),
            Err(SkipReason::EmptyFinalizer | SkipReason::ObjectConstructor) => {}
            Err(other) => return Err(other.into()),
        }
    }
    let codes = edited
        .iter()
        .map(|(position, code)| (*position, code.as_slice()));
    Ok((rewrite_class_methods(class, codes, &pool)?, edited.len()))
}
