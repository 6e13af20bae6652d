//! The class file as a whole (JVM specification 4.1).
//!
//! ```text
//! u4 magic CAFEBABE, u2 minor, u2 major, constant pool,
//! u2 access_flags, u2 this_class, u2 super_class, u2 count + u2 interfaces,
//! u2 count + fields, u2 count + methods, attributes
//! ```

use crate::attribute::{AttributeList, Attributes, skip};
use crate::bootstrap_methods::BootstrapMethods;
use crate::constant_pool::{ConstantPool, PoolIndex};
use crate::cursor::{Cursor, u16_at};
use crate::error::{Error, Part, Rule};
use crate::member::Member;

const MAGIC: u32 = 0xCAFE_BABE;

/// A class file whose structure was checked; names and code stay in its bytes.
#[derive(Debug, Clone)]
pub struct ClassFile<'a> {
    bytes: &'a [u8],
    minor_version: u16,
    major_version: u16,
    pool: ConstantPool<'a>,
    access_flags: u16,
    this_class: PoolIndex,
    name: &'a [u8],
    super_class: Option<&'a [u8]>,
    interfaces: &'a [u8],
    pub(crate) fields: Vec<Member<'a>>,
    pub(crate) methods: Vec<Member<'a>>,
    attributes: AttributeList<'a>,
}

impl<'a> ClassFile<'a> {
    /// Reads a class file of any version.
    ///
    /// # Errors
    /// If its structure is broken. Bytecode is not looked at.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let mut cursor = Cursor::new(bytes, 0, Part::Header);
        let magic = cursor.u32()?;
        if magic != MAGIC {
            return Err(Error::new(Rule::BadMagic(magic), 0, Part::Header));
        }
        let (minor_version, major_version) = (cursor.u16()?, cursor.u16()?);
        cursor.enter(Part::ConstantPool);
        let pool = ConstantPool::parse(bytes, &mut cursor)?;
        cursor.enter(Part::ClassInfo);
        let access_flags = cursor.u16()?;
        let this_class = PoolIndex(cursor.u16()?);
        let name = pool.class_name(this_class)?;
        let super_class = match cursor.u16()? {
            0 => None,
            index => Some(pool.class_name(PoolIndex(index))?),
        };
        let interface_count = usize::from(cursor.u16()?);
        let interfaces = cursor.take(2 * interface_count)?;
        let fields = members(&mut cursor, &pool, Part::Field)?;
        let methods = members(&mut cursor, &pool, Part::Method)?;
        cursor.enter(Part::ClassAttributes);
        let attributes = skip(&mut cursor, |_, _, _| Ok(()))?;
        cursor.finish()?;
        Ok(Self {
            bytes,
            minor_version,
            major_version,
            pool,
            access_flags,
            this_class,
            name,
            super_class,
            interfaces,
            fields,
            methods,
            attributes,
        })
    }

    /// All bytes of the class file.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Major version: 52 is Java 8, 69 is Java 25.
    #[must_use]
    pub fn major_version(&self) -> u16 {
        self.major_version
    }

    /// Minor version; 65535 marks preview features.
    #[must_use]
    pub fn minor_version(&self) -> u16 {
        self.minor_version
    }

    /// Its constants.
    #[must_use]
    pub fn pool(&self) -> &ConstantPool<'a> {
        &self.pool
    }

    /// Its flags (see [`access`](crate::access)).
    #[must_use]
    pub fn access_flags(&self) -> u16 {
        self.access_flags
    }

    /// Its internal name (`java/lang/String`), in modified UTF-8.
    #[must_use]
    pub fn name(&self) -> &'a [u8] {
        self.name
    }

    /// Pool index of the class itself.
    #[must_use]
    pub fn this_class(&self) -> PoolIndex {
        self.this_class
    }

    /// Internal name of its superclass; `None` for `java/lang/Object` and modules.
    #[must_use]
    pub fn super_class(&self) -> Option<&'a [u8]> {
        self.super_class
    }

    /// Names of its direct superinterfaces; an index without a class is left out.
    pub fn interfaces(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        let indices = self
            .interfaces
            .chunks_exact(2)
            .map(|pair| PoolIndex(u16_at(pair, 0)));
        indices.filter_map(|index| self.pool.class_name(index).ok())
    }

    /// Its own attributes.
    #[must_use]
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(&self.pool, &self.attributes)
    }

    /// Name of its source file.
    #[must_use]
    pub fn source_file(&self) -> Option<&[u8]> {
        let attribute = self.attributes().find(b"SourceFile")?;
        self.pool.utf8(PoolIndex(u16_at(attribute.data, 0))).ok()
    }

    /// Its bootstrap methods; none if the attribute is missing.
    ///
    /// # Errors
    /// If the attribute is malformed.
    pub fn bootstrap_methods(&self) -> Result<BootstrapMethods<'_>, Error> {
        match self.attributes().find(b"BootstrapMethods") {
            Some(attribute) => BootstrapMethods::parse(attribute.data, attribute.offset),
            None => Ok(BootstrapMethods::default()),
        }
    }
}

fn members<'a>(
    cursor: &mut Cursor<'a>,
    pool: &ConstantPool<'a>,
    part: Part,
) -> Result<Vec<Member<'a>>, Error> {
    cursor.enter(part);
    let count = cursor.u16()?;
    // Eight bytes is the least that a member takes, so a lying count reserves little.
    let mut members = Vec::with_capacity(usize::from(count).min(cursor.rest().len() / 8));
    for _ in 0..count {
        members.push(Member::parse(cursor, pool, part)?);
    }
    Ok(members)
}
