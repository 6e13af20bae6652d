//! The Code attribute (JVM specification 4.7.3).
//!
//! ```text
//! u2 max_stack, u2 max_locals, u4 code_length, code,
//! u2 exception_table_length, 8-byte rows, attributes
//! ```

use crate::attribute::{AttributeList, Attributes, skip};
use crate::code_offset::CodeOffset;
use crate::constant_pool::ConstantPool;
use crate::cursor::Cursor;
use crate::error::{Error, Part, Rule};
use crate::exception_table::ExceptionTable;
use crate::instruction::Instruction;
use crate::line_number_table::LineNumbers;

/// The parts of a Code attribute, in the bytes of the class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodeParts<'a> {
    max_stack: u16,
    max_locals: u16,
    bytecode: &'a [u8],
    exceptions: ExceptionTable<'a>,
    attributes: AttributeList<'a>,
    data: &'a [u8],
    offset: usize,
}

impl<'a> CodeParts<'a> {
    /// Checks the shape of a Code attribute; does not look at its bytecode.
    pub(crate) fn parse(data: &'a [u8], offset: usize) -> Result<Self, Error> {
        let mut cursor = Cursor::new(data, offset, Part::Code);
        let (max_stack, max_locals) = (cursor.u16()?, cursor.u16()?);
        let bytecode = cursor.block()?;
        if bytecode.is_empty() || bytecode.len() > usize::from(u16::MAX) {
            let length = u32::try_from(bytecode.len()).unwrap_or(u32::MAX);
            return Err(Error::new(Rule::BadCodeLength(length), offset, Part::Code));
        }
        let rows = usize::from(cursor.u16()?);
        let exceptions = ExceptionTable {
            rows: cursor.take(8 * rows)?,
        };
        let attributes = skip(&mut cursor, |_, _, _| Ok(()))?;
        cursor.finish()?;
        Ok(Self {
            max_stack,
            max_locals,
            bytecode,
            exceptions,
            attributes,
            data,
            offset,
        })
    }
}

/// The code of one method.
#[derive(Debug, Clone, Copy)]
pub struct Code<'c> {
    pool: &'c ConstantPool<'c>,
    parts: CodeParts<'c>,
}

impl<'c> Code<'c> {
    pub(crate) fn new(pool: &'c ConstantPool<'c>, parts: &CodeParts<'c>) -> Self {
        Self {
            pool,
            parts: *parts,
        }
    }

    /// The constants that the code uses.
    #[must_use]
    pub fn pool(&self) -> &'c ConstantPool<'c> {
        self.pool
    }

    /// Most stack slots in use at any time.
    #[must_use]
    pub fn max_stack(&self) -> u16 {
        self.parts.max_stack
    }

    /// Slots for local variables, parameters included.
    #[must_use]
    pub fn max_locals(&self) -> u16 {
        self.parts.max_locals
    }

    /// The instructions as bytes: 1 to 65,535 of them.
    #[must_use]
    pub fn bytecode(&self) -> &'c [u8] {
        self.parts.bytecode
    }

    /// Offset just after the last instruction.
    #[must_use]
    pub fn end(&self) -> CodeOffset {
        CodeOffset(u32::try_from(self.parts.bytecode.len()).unwrap_or(u32::MAX))
    }

    /// The instructions, decoded one after the other.
    #[must_use]
    pub fn instructions(&self) -> Instructions<'c> {
        Instructions::new(self.parts.bytecode)
    }

    /// Its exception table.
    #[must_use]
    pub fn exception_table(&self) -> ExceptionTable<'c> {
        self.parts.exceptions
    }

    /// Its attributes.
    #[must_use]
    pub fn attributes(&self) -> Attributes<'c> {
        Attributes::new(self.pool, &self.parts.attributes)
    }

    /// Its lines; none if it was compiled without.
    #[must_use]
    pub fn line_numbers(&self) -> LineNumbers<'c> {
        LineNumbers::new(self.attributes())
    }

    /// The whole attribute without name and length.
    #[must_use]
    pub fn data(&self) -> &'c [u8] {
        self.parts.data
    }

    /// Position in the class file of [`data`](Self::data).
    #[must_use]
    pub fn offset(&self) -> usize {
        self.parts.offset
    }
}

/// Decodes instructions from front to back; ends after the first error.
#[derive(Debug, Clone)]
pub struct Instructions<'c> {
    bytecode: &'c [u8],
    next: CodeOffset,
}

impl<'c> Instructions<'c> {
    /// The instructions of a method's bytecode.
    #[must_use]
    pub fn new(bytecode: &'c [u8]) -> Self {
        Self {
            bytecode,
            next: CodeOffset(0),
        }
    }
}

impl<'c> Iterator for Instructions<'c> {
    type Item = Result<Instruction<'c>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next.index() >= self.bytecode.len() {
            return None;
        }
        let decoded = Instruction::decode(self.bytecode, self.next);
        self.next = match &decoded {
            Ok(instruction) => instruction.end(),
            Err(_) => CodeOffset(u32::MAX),
        };
        Some(decoded)
    }
}
