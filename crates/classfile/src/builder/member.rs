//! Fields and methods of a class that is being built.

use super::assembler::CodeBuilder;
use super::fields::{BuiltAttribute, fits, write_attributes};
use crate::error::Error;
use crate::pool_appender::PoolAppender;

/// A field or method, kept until the class is complete.
#[derive(Debug, Clone)]
pub(super) struct BuiltMember {
    access_flags: u16,
    name: Vec<u8>,
    descriptor: Vec<u8>,
    annotations: Vec<Vec<u8>>,
    attributes: Vec<BuiltAttribute>,
}

impl BuiltMember {
    pub(super) fn new(access_flags: u16, name: &[u8], descriptor: &[u8]) -> Self {
        Self {
            access_flags,
            name: name.into(),
            descriptor: descriptor.into(),
            annotations: Vec::new(),
            attributes: Vec::new(),
        }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>, pool: &mut PoolAppender) -> Result<(), Error> {
        out.extend(self.access_flags.to_be_bytes());
        out.extend(pool.utf8(&self.name)?.0.to_be_bytes());
        out.extend(pool.utf8(&self.descriptor)?.0.to_be_bytes());
        let mut attributes = self.attributes.clone();
        attributes.extend(annotations_attribute(&self.annotations, pool)?);
        write_attributes(out, &attributes, pool)
    }
}

/// RuntimeVisibleAnnotations with these markers, if there are any.
pub(super) fn annotations_attribute(
    annotations: &[Vec<u8>],
    pool: &mut PoolAppender,
) -> Result<Option<BuiltAttribute>, Error> {
    if annotations.is_empty() {
        return Ok(None);
    }
    let mut data = fits::<u16>(annotations.len())?.to_be_bytes().to_vec();
    for descriptor in annotations {
        data.extend(pool.utf8(descriptor)?.0.to_be_bytes());
        data.extend([0, 0]);
    }
    Ok(Some((b"RuntimeVisibleAnnotations".to_vec(), data)))
}

/// A field of the class that is being built.
#[derive(Debug)]
pub struct FieldBuilder<'b> {
    pub(super) member: &'b mut BuiltMember,
}

impl FieldBuilder<'_> {
    /// Adds an annotation without values, by its descriptor (`Lpackage/Name;`).
    pub fn annotation(self, descriptor: &[u8]) -> Self {
        self.member.annotations.push(descriptor.into());
        self
    }
}

/// A method of the class that is being built.
#[derive(Debug)]
pub struct MethodBuilder<'b> {
    pub(super) member: &'b mut BuiltMember,
    pub(super) pool: &'b mut PoolAppender,
}

impl MethodBuilder<'_> {
    /// Adds an annotation without values, by its descriptor
    /// (`Ljdk/internal/vm/annotation/ForceInline;`).
    pub fn annotation(self, descriptor: &[u8]) -> Self {
        self.member.annotations.push(descriptor.into());
        self
    }

    /// Adds an attribute as bytes.
    pub fn attribute(self, name: &[u8], data: &[u8]) -> Self {
        self.member.attributes.push((name.into(), data.into()));
        self
    }

    /// Gives the method its code. Native and abstract methods go without.
    ///
    /// # Errors
    /// If a label is missing, a branch too far or the pool full.
    pub fn code(self, code: CodeBuilder) -> Result<Self, Error> {
        let data = code.finish(self.pool)?;
        self.member.attributes.push((b"Code".to_vec(), data));
        Ok(self)
    }
}
