//! The Code attribute of code that is being built.

use super::assembler::{CodeBuilder, Fixup};
use super::fields::{BuiltAttribute, fits, write_attributes, write_block};
use super::label::Label;
use crate::error::{Error, Part, Rule};
use crate::pool_appender::PoolAppender;

impl CodeBuilder {
    /// The bytes of the Code attribute, without name and length.
    pub(super) fn finish(mut self, pool: &mut PoolAppender) -> Result<Vec<u8>, Error> {
        self.resolve(pool)?;
        let mut out = Vec::new();
        out.extend(self.max_stack.to_be_bytes());
        out.extend(self.max_locals.to_be_bytes());
        write_block(&mut out, &self.bytes)?;
        out.extend(fits::<u16>(self.exceptions.len())?.to_be_bytes());
        for (start, end, handler, class) in &self.exceptions {
            for label in [start, end, handler] {
                out.extend(self.placed.offset16(*label)?.to_be_bytes());
            }
            let class = class
                .as_ref()
                .map(|class| class.resolve(pool))
                .transpose()?;
            out.extend(class.map_or(0, |class| class.0).to_be_bytes());
        }
        let attributes = self.attribute_list(pool)?;
        write_attributes(&mut out, &attributes, pool)?;
        Ok(out)
    }

    /// Fills in constants and branches.
    fn resolve(&mut self, pool: &mut PoolAppender) -> Result<(), Error> {
        for (at, fixup) in &self.fixups {
            let distance =
                |from: u32, to: Label| Ok(i64::from(self.placed.offset(to)?) - i64::from(from));
            let (value, width) = match fixup {
                Fixup::Constant(symbol) => (symbol.resolve(pool)?.0.to_be_bytes().to_vec(), 2),
                Fixup::Branch { from, to } => (
                    fits::<i16>(distance(*from, *to)?)?.to_be_bytes().to_vec(),
                    2,
                ),
                Fixup::WideBranch { from, to } => (
                    fits::<i32>(distance(*from, *to)?)?.to_be_bytes().to_vec(),
                    4,
                ),
            };
            if let Some(place) = self.bytes.get_mut(*at..*at + width) {
                place.copy_from_slice(&value);
            }
        }
        Ok(())
    }

    fn attribute_list(&mut self, pool: &mut PoolAppender) -> Result<Vec<BuiltAttribute>, Error> {
        let mut list = Vec::new();
        if !self.lines.is_empty() {
            let mut data = fits::<u16>(self.lines.len())?.to_be_bytes().to_vec();
            for (offset, line) in &self.lines {
                data.extend(fits::<u16>(*offset)?.to_be_bytes());
                data.extend(line.to_be_bytes());
            }
            list.push((b"LineNumberTable".to_vec(), data));
        }
        if !self.variables.is_empty() {
            list.push((b"LocalVariableTable".to_vec(), self.variable_table(pool)?));
        }
        if !self.frames.is_empty() {
            list.push((b"StackMapTable".to_vec(), self.stack_map_table(pool)?));
        }
        list.append(&mut self.attributes);
        Ok(list)
    }

    fn variable_table(&self, pool: &mut PoolAppender) -> Result<Vec<u8>, Error> {
        let mut data = fits::<u16>(self.variables.len())?.to_be_bytes().to_vec();
        for variable in &self.variables {
            let start = self.placed.offset16(variable.start)?;
            let length = self.placed.offset16(variable.end)?.wrapping_sub(start);
            let name = pool.utf8(&variable.name)?.0;
            let row = [
                start,
                length,
                name,
                pool.utf8(&variable.descriptor)?.0,
                variable.local,
            ];
            data.extend(row.iter().flat_map(|field| field.to_be_bytes()));
        }
        Ok(data)
    }

    fn stack_map_table(&self, pool: &mut PoolAppender) -> Result<Vec<u8>, Error> {
        let mut data = fits::<u16>(self.frames.len())?.to_be_bytes().to_vec();
        let mut next = 0;
        for frame in &self.frames {
            let bad = Error::new(Rule::BadFrameOffset, frame.offset as usize, Part::Builder);
            let delta = frame.offset.checked_sub(next).ok_or(bad)?;
            frame.write(fits(delta)?, &mut data, pool, &self.placed)?;
            next = frame.offset + 1;
        }
        Ok(data)
    }
}
