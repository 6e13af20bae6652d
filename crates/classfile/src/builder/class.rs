//! The class that is being built.

use super::fields::{BuiltAttribute, fits, write_attributes};
use super::member::{BuiltMember, FieldBuilder, MethodBuilder, annotations_attribute};
use crate::error::Error;
use crate::pool_appender::PoolAppender;

/// Builds a class file from nothing.
#[derive(Debug, Clone)]
pub struct ClassBuilder {
    major_version: u16,
    access_flags: u16,
    name: Vec<u8>,
    super_class: Vec<u8>,
    interfaces: Vec<Vec<u8>>,
    annotations: Vec<Vec<u8>>,
    attributes: Vec<BuiltAttribute>,
    fields: Vec<BuiltMember>,
    methods: Vec<BuiltMember>,
    pool: PoolAppender,
}

impl ClassBuilder {
    /// A class without members. An empty `super_class` means none (`java/lang/Object`).
    #[must_use]
    pub fn new(major_version: u16, access_flags: u16, name: &[u8], super_class: &[u8]) -> Self {
        Self {
            major_version,
            access_flags,
            name: name.into(),
            super_class: super_class.into(),
            interfaces: Vec::new(),
            annotations: Vec::new(),
            attributes: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            pool: PoolAppender::empty(),
        }
    }

    /// Adds a direct superinterface.
    pub fn interface(&mut self, name: &[u8]) -> &mut Self {
        self.interfaces.push(name.into());
        self
    }

    /// Adds an annotation without values, by its descriptor.
    pub fn annotation(&mut self, descriptor: &[u8]) -> &mut Self {
        self.annotations.push(descriptor.into());
        self
    }

    /// Names the source file.
    ///
    /// # Errors
    /// If the pool is full.
    pub fn source_file(&mut self, name: &[u8]) -> Result<&mut Self, Error> {
        let index = self.pool.utf8(name)?;
        self.attributes
            .push((b"SourceFile".to_vec(), index.0.to_be_bytes().to_vec()));
        Ok(self)
    }

    /// Adds an attribute as bytes. Constants that it names come from [`pool`](Self::pool).
    pub fn attribute(&mut self, name: &[u8], data: &[u8]) -> &mut Self {
        self.attributes.push((name.into(), data.into()));
        self
    }

    /// The constants, to add more of them.
    pub fn pool(&mut self) -> &mut PoolAppender {
        &mut self.pool
    }

    /// Adds a field.
    pub fn field(&mut self, access_flags: u16, name: &[u8], descriptor: &[u8]) -> FieldBuilder<'_> {
        let member = self
            .fields
            .push_mut(BuiltMember::new(access_flags, name, descriptor));
        FieldBuilder { member }
    }

    /// Adds a method.
    pub fn method(
        &mut self,
        access_flags: u16,
        name: &[u8],
        descriptor: &[u8],
    ) -> MethodBuilder<'_> {
        let member = self
            .methods
            .push_mut(BuiltMember::new(access_flags, name, descriptor));
        MethodBuilder {
            member,
            pool: &mut self.pool,
        }
    }

    /// The bytes of the class.
    ///
    /// # Errors
    /// If a count does not fit its field or the pool is full.
    pub fn finish(mut self) -> Result<Vec<u8>, Error> {
        let body = self.body()?;
        let mut out = Vec::new();
        out.extend(0xCAFE_BABE_u32.to_be_bytes());
        out.extend(0_u16.to_be_bytes());
        out.extend(self.major_version.to_be_bytes());
        out.extend(self.pool.count().to_be_bytes());
        out.extend_from_slice(self.pool.bytes());
        out.extend(body);
        Ok(out)
    }

    /// Everything after the pool.
    fn body(&mut self) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        out.extend(self.access_flags.to_be_bytes());
        out.extend(self.pool.class(&self.name)?.0.to_be_bytes());
        let super_class = match self.super_class.is_empty() {
            true => 0,
            false => self.pool.class(&self.super_class)?.0,
        };
        out.extend(super_class.to_be_bytes());
        out.extend(fits::<u16>(self.interfaces.len())?.to_be_bytes());
        for name in &self.interfaces {
            out.extend(self.pool.class(name)?.0.to_be_bytes());
        }
        for members in [&self.fields, &self.methods] {
            out.extend(fits::<u16>(members.len())?.to_be_bytes());
            members
                .iter()
                .try_for_each(|member| member.write(&mut out, &mut self.pool))?;
        }
        let mut attributes = std::mem::take(&mut self.attributes);
        attributes.extend(annotations_attribute(&self.annotations, &mut self.pool)?);
        write_attributes(&mut out, &attributes, &mut self.pool)?;
        Ok(out)
    }
}
