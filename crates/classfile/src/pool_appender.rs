//! New constants after the last one of a pool.
//!
//! No existing index moves, so no existing instruction changes its size, and
//! the bytes of the pool stay as they are: only the count in front of it and
//! the bytes after it are new. Equal new constants are stored once.

use rustc_hash::FxHashMap;

use crate::constant_pool::{ConstantPool, PoolIndex, tag};
use crate::error::{Error, Part, Rule};

/// `constant_pool_count` is a `u16`, so the last index is one less than its maximum.
const MAX_COUNT: u32 = u16::MAX as u32;

/// Constants to be written after those that a class already has.
#[derive(Debug, Clone)]
pub struct PoolAppender {
    first: u32,
    count: u32,
    bytes: Vec<u8>,
    known: FxHashMap<Box<[u8]>, PoolIndex>,
}

impl PoolAppender {
    /// Appends to `pool`.
    #[must_use]
    pub fn new(pool: &ConstantPool<'_>) -> Self {
        Self::after(pool.count().into())
    }

    /// Starts a pool from nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self::after(1)
    }

    /// Appends after constants that were appended before: their bytes, and the count with them.
    #[must_use]
    pub fn resume(count: u16, bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            ..Self::after(count.into())
        }
    }

    fn after(count: u32) -> Self {
        Self {
            first: count,
            count,
            bytes: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    /// `constant_pool_count` of the pool with what was appended.
    #[must_use]
    pub fn count(&self) -> u16 {
        u16::try_from(self.count).unwrap_or(u16::MAX)
    }

    /// Nothing was appended.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == self.first
    }

    /// The bytes of what was appended.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends a constant, unless an equal one was appended before.
    fn append(&mut self, parts: &[&[u8]], slots: u32) -> Result<PoolIndex, Error> {
        let start = self.bytes.len();
        parts
            .iter()
            .for_each(|part| self.bytes.extend_from_slice(part));
        let appended = self.number(start, slots);
        if !matches!(appended, Ok((_, true))) {
            self.bytes.truncate(start);
        }
        appended.map(|(index, _)| index)
    }

    /// The index of the constant whose bytes are the last from `start` on, and whether it is new.
    fn number(&mut self, start: usize, slots: u32) -> Result<(PoolIndex, bool), Error> {
        let constant = self.bytes.get(start..).unwrap_or_default();
        if let Some(index) = self.known.get(constant) {
            return Ok((*index, false));
        }
        let full = Error::pool_full();
        let index = PoolIndex(u16::try_from(self.count).map_err(|_| full)?);
        if self.count + slots > MAX_COUNT {
            return Err(full);
        }
        self.known.insert(constant.into(), index);
        self.count += slots;
        Ok((index, true))
    }

    fn append_index(&mut self, tag: u8, index: PoolIndex) -> Result<PoolIndex, Error> {
        self.append(&[&[tag], &index.0.to_be_bytes()], 1)
    }

    fn append_pair(
        &mut self,
        tag: u8,
        one: PoolIndex,
        other: PoolIndex,
    ) -> Result<PoolIndex, Error> {
        self.append(&[&[tag], &one.0.to_be_bytes(), &other.0.to_be_bytes()], 1)
    }

    /// Text, in modified UTF-8.
    ///
    /// # Errors
    /// If the pool is full (as for all constants) or the text longer than 65,535 bytes.
    pub fn utf8(&mut self, text: &[u8]) -> Result<PoolIndex, Error> {
        let too_large = Error::new(Rule::TooLarge(text.len()), 0, Part::ConstantPool);
        let length = u16::try_from(text.len()).map_err(|_| too_large)?;
        self.append(&[&[tag::UTF8], &length.to_be_bytes(), text], 1)
    }

    /// A class by its internal name.
    ///
    /// # Errors
    /// As [`utf8`](Self::utf8).
    pub fn class(&mut self, name: &[u8]) -> Result<PoolIndex, Error> {
        let name = self.utf8(name)?;
        self.append_index(tag::CLASS, name)
    }

    /// A string.
    ///
    /// # Errors
    /// As [`utf8`](Self::utf8).
    pub fn string(&mut self, text: &[u8]) -> Result<PoolIndex, Error> {
        let text = self.utf8(text)?;
        self.append_index(tag::STRING, text)
    }

    /// An `int`.
    ///
    /// # Errors
    /// If the pool is full.
    pub fn integer(&mut self, value: i32) -> Result<PoolIndex, Error> {
        self.append(&[&[tag::INTEGER], &value.to_be_bytes()], 1)
    }

    /// A `long`; takes two indices.
    ///
    /// # Errors
    /// If the pool is full.
    pub fn long(&mut self, value: i64) -> Result<PoolIndex, Error> {
        self.append(&[&[tag::LONG], &value.to_be_bytes()], 2)
    }

    /// Name and descriptor.
    ///
    /// # Errors
    /// As [`utf8`](Self::utf8).
    pub fn name_and_type(&mut self, name: &[u8], descriptor: &[u8]) -> Result<PoolIndex, Error> {
        let (name, descriptor) = (self.utf8(name)?, self.utf8(descriptor)?);
        self.append_pair(tag::NAME_AND_TYPE, name, descriptor)
    }

    /// A field.
    ///
    /// # Errors
    /// As [`utf8`](Self::utf8).
    pub fn field_ref(
        &mut self,
        class: &[u8],
        name: &[u8],
        descriptor: &[u8],
    ) -> Result<PoolIndex, Error> {
        self.member(tag::FIELD_REF, class, name, descriptor)
    }

    /// A method of a class.
    ///
    /// # Errors
    /// As [`utf8`](Self::utf8).
    pub fn method_ref(
        &mut self,
        class: &[u8],
        name: &[u8],
        descriptor: &[u8],
    ) -> Result<PoolIndex, Error> {
        self.member(tag::METHOD_REF, class, name, descriptor)
    }

    /// A method of an interface.
    ///
    /// # Errors
    /// As [`utf8`](Self::utf8).
    pub fn interface_method_ref(
        &mut self,
        class: &[u8],
        name: &[u8],
        descriptor: &[u8],
    ) -> Result<PoolIndex, Error> {
        self.member(tag::INTERFACE_METHOD_REF, class, name, descriptor)
    }

    fn member(
        &mut self,
        tag: u8,
        class: &[u8],
        name: &[u8],
        descriptor: &[u8],
    ) -> Result<PoolIndex, Error> {
        let class = self.class(class)?;
        let name_and_type = self.name_and_type(name, descriptor)?;
        self.append_pair(tag, class, name_and_type)
    }

    /// A method handle; `member` is what it refers to.
    ///
    /// # Errors
    /// If the pool is full.
    pub fn method_handle(&mut self, kind: u8, member: PoolIndex) -> Result<PoolIndex, Error> {
        self.append(&[&[tag::METHOD_HANDLE, kind], &member.0.to_be_bytes()], 1)
    }

    /// A call site computed by a row of BootstrapMethods.
    ///
    /// # Errors
    /// As [`utf8`](Self::utf8).
    pub fn invoke_dynamic(
        &mut self,
        bootstrap: u16,
        name: &[u8],
        descriptor: &[u8],
    ) -> Result<PoolIndex, Error> {
        let name_and_type = self.name_and_type(name, descriptor)?;
        self.append_pair(tag::INVOKE_DYNAMIC, PoolIndex(bootstrap), name_and_type)
    }
}

#[cfg(test)]
mod tests {
    use super::PoolAppender;
    use crate::{Error, PoolIndex, Rule};

    #[test]
    fn equal_constants_are_stored_once_and_longs_take_two() -> Result<(), Error> {
        let mut pool = PoolAppender::empty();
        assert_eq!(pool.long(7)?, PoolIndex(1));
        assert_eq!(pool.integer(7)?, PoolIndex(3));
        assert_eq!(pool.long(7)?, PoolIndex(1));
        let method = pool.method_ref(b"A", b"m", b"()V")?;
        assert_eq!(pool.method_ref(b"A", b"m", b"()V")?, method);
        assert_eq!(pool.count(), method.0 + 1);
        Ok(())
    }

    #[test]
    fn the_last_index_is_65534() {
        let mut pool = PoolAppender::after(65_534);
        assert_eq!(pool.long(1).map_err(|e| e.rule), Err(Rule::PoolFull));
        assert_eq!(pool.integer(1).map_err(|e| e.rule), Ok(PoolIndex(65_534)));
        assert_eq!(pool.integer(2).map_err(|e| e.rule), Err(Rule::PoolFull));
        assert_eq!(pool.count(), 65_535);
    }
}
