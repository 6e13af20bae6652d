//! BootstrapMethods (JVM specification 4.7.23).
//!
//! ```text
//! u2 count, then per row: u2 method handle, u2 count, u2 arguments
//! ```

use crate::constant_pool::PoolIndex;
use crate::cursor::{Cursor, u16_at};
use crate::error::{Error, Part};

/// One row: a method handle and its static arguments.
#[derive(Debug, Clone, Copy)]
pub struct BootstrapMethod<'c> {
    /// Pool index of the method handle.
    pub method: PoolIndex,
    arguments: &'c [u8],
}

impl<'c> BootstrapMethod<'c> {
    /// Pool indices of the static arguments.
    pub fn arguments(&self) -> impl ExactSizeIterator<Item = PoolIndex> + 'c {
        self.arguments
            .chunks_exact(2)
            .map(|pair| PoolIndex(u16_at(pair, 0)))
    }
}

/// All rows, in order.
#[derive(Debug, Clone, Default)]
pub struct BootstrapMethods<'c> {
    rows: Vec<BootstrapMethod<'c>>,
}

impl<'c> BootstrapMethods<'c> {
    pub(crate) fn parse(data: &'c [u8], offset: usize) -> Result<Self, Error> {
        let mut cursor = Cursor::new(data, offset, Part::BootstrapMethods);
        let count = usize::from(cursor.u16()?);
        let mut rows = Vec::with_capacity(count.min(data.len() / 4));
        for _ in 0..count {
            let method = PoolIndex(cursor.u16()?);
            let arguments = usize::from(cursor.u16()?);
            rows.push(BootstrapMethod {
                method,
                arguments: cursor.take(2 * arguments)?,
            });
        }
        cursor.finish()?;
        Ok(Self { rows })
    }

    /// The row that a `Dynamic` constant names.
    #[must_use]
    pub fn get(&self, row: u16) -> Option<BootstrapMethod<'c>> {
        self.rows.get(usize::from(row)).copied()
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Without rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
