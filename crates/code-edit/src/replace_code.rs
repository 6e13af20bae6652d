//! Replaces the code of some methods of a class.
//!
//! ```text
//! new class = magic and version | new pool count | old pool | appended constants
//!           | everything else unchanged, except for the chosen Code attributes
//! ```

use ducktrack_classfile::{ClassFile, PoolAppender};

use crate::skip_reason::SkipReason;

/// Magic and version, the bytes before the pool's count.
const BEFORE_POOL_COUNT: usize = 8;

/// Bytes of the length field before an attribute's data.
const LENGTH_FIELD: usize = 4;

/// The bytes of `class` with new Code attributes (without name and length) for the
/// methods at these positions, and with the constants of `pool` appended. All other bytes
/// stay the same.
///
/// # Errors
/// If one of the methods has no code, or is given twice.
pub fn rewrite_class_methods<'e>(
    class: &ClassFile<'_>,
    edits: impl IntoIterator<Item = (usize, &'e [u8])>,
    pool: &PoolAppender,
) -> Result<Vec<u8>, SkipReason> {
    let mut edits: Vec<(usize, &[u8])> = edits.into_iter().collect();
    edits.sort_by_key(|(method, _)| *method);
    let grown: usize = edits.iter().map(|(_, code)| code.len()).sum();
    let mut splice = Splice {
        old: class.bytes(),
        done: 0,
        out: Vec::new(),
    };
    splice
        .out
        .reserve(class.bytes().len() + pool.bytes().len() + grown);
    splice.copy_to(BEFORE_POOL_COUNT)?;
    splice.replace(2, &pool.count().to_be_bytes());
    splice.copy_to(class.pool().end())?;
    splice.replace(0, pool.bytes());
    for (position, new) in edits {
        let code = class
            .methods()
            .nth(position)
            .and_then(|method| method.code())
            .ok_or(SkipReason::NoCode)?;
        let length = u32::try_from(new.len()).map_err(|_| SkipReason::TooLarge(u32::MAX))?;
        splice.copy_to(code.offset().saturating_sub(LENGTH_FIELD))?;
        splice.replace(LENGTH_FIELD, &length.to_be_bytes());
        splice.replace(code.data().len(), new);
    }
    splice.copy_to(class.bytes().len())?;
    Ok(splice.out)
}

/// Copies the old bytes and replaces some on the way.
struct Splice<'a> {
    old: &'a [u8],
    done: usize,
    out: Vec<u8>,
}

impl Splice<'_> {
    /// Copies the old bytes up to `end`.
    fn copy_to(&mut self, end: usize) -> Result<(), SkipReason> {
        let copied = self.old.get(self.done..end).ok_or(SkipReason::NoCode)?;
        self.out.extend_from_slice(copied);
        self.done = end;
        Ok(())
    }

    /// Writes `new` instead of the next `length` old bytes.
    fn replace(&mut self, length: usize, new: &[u8]) {
        self.out.extend_from_slice(new);
        self.done += length;
    }
}
