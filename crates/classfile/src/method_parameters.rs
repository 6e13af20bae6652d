//! Adds the attribute `MethodParameters` (JVM specification 4.7.24) to methods of a class that has lost it.
//!
//! ```text
//! u1 parameters_count, then per parameter: u2 name_index (0: none), u2 access_flags
//! ```

use rustc_hash::FxHashMap;

use crate::class_file::ClassFile;
use crate::constant_pool::PoolIndex;
use crate::error::{Error, Part, Rule};
use crate::pool_appender::PoolAppender;

const NAME: &[u8] = b"MethodParameters";
/// Magic and version, the bytes before the pool's count.
const BEFORE_POOL_COUNT: usize = 8;

/// A parameter, as `-parameters` of javac describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedParameter<'a> {
    /// Its name in modified UTF-8; `None` if it has none.
    pub name: Option<&'a [u8]>,
    /// `final`, synthetic, mandated.
    pub flags: u16,
}

impl ClassFile<'_> {
    /// Whether the class names the attribute and no method has it: whoever wrote it again has left it out.
    #[must_use]
    pub fn has_lost_method_parameters(&self) -> bool {
        let has_attribute = |method: crate::Method<'_>| method.attributes().find(NAME).is_some();
        self.pool().find_utf8(NAME).is_some() && !self.methods().any(has_attribute)
    }

    /// The bytes of the class with the parameters that `parameters_of` gives for a
    /// method, by name and descriptor. Names that the pool has are not appended again.
    ///
    /// # Errors
    /// If the pool is full, or a method has more than 255 parameters.
    pub fn with_method_parameters<'p>(
        &self,
        parameters_of: impl Fn(&[u8], &[u8]) -> Option<Vec<NamedParameter<'p>>>,
    ) -> Result<Vec<u8>, Error> {
        let mut names = Names::new(self);
        // Each with the places of the method's attributes: their count, and their end.
        let mut added: Vec<(usize, usize, Vec<u8>)> = Vec::new();
        for member in &self.methods {
            if let Some(parameters) = parameters_of(member.name, member.descriptor) {
                let attribute = attribute(&mut names, &parameters)?;
                let first = member.attributes.offset;
                added.push((first - 2, first + member.attributes.bytes.len(), attribute));
            }
        }
        let old = self.bytes();
        let part = |from: usize, to: usize| old.get(from..to).unwrap_or_default();
        let mut new =
            Vec::with_capacity(old.len() + names.appended.bytes().len() + added.len() * 16);
        new.extend_from_slice(part(0, BEFORE_POOL_COUNT));
        new.extend_from_slice(&names.appended.count().to_be_bytes());
        new.extend_from_slice(part(BEFORE_POOL_COUNT + 2, self.pool().end()));
        new.extend_from_slice(names.appended.bytes());
        let mut done = self.pool().end();
        for (count, end, attribute) in added {
            new.extend_from_slice(part(done, count));
            let number = crate::cursor::u16_at(part(count, count + 2), 0);
            new.extend_from_slice(&number.saturating_add(1).to_be_bytes());
            new.extend_from_slice(part(count + 2, end));
            new.extend_from_slice(&attribute);
            done = end;
        }
        new.extend_from_slice(part(done, old.len()));
        Ok(new)
    }
}

/// The attribute with its name and length.
fn attribute(names: &mut Names<'_>, parameters: &[NamedParameter<'_>]) -> Result<Vec<u8>, Error> {
    let too_many = Error::new(Rule::TooLarge(parameters.len()), 0, Part::Method);
    let count = u8::try_from(parameters.len()).map_err(|_| too_many)?;
    let mut bytes = names.index(NAME)?.0.to_be_bytes().to_vec();
    bytes.extend_from_slice(&(1 + 4 * u32::from(count)).to_be_bytes());
    bytes.push(count);
    for parameter in parameters {
        let name = parameter.name.map(|name| names.index(name)).transpose()?;
        bytes.extend_from_slice(&name.map_or(0, |index| index.0).to_be_bytes());
        bytes.extend_from_slice(&parameter.flags.to_be_bytes());
    }
    Ok(bytes)
}

/// Texts by what they are, old ones first.
struct Names<'c> {
    known: FxHashMap<&'c [u8], PoolIndex>,
    appended: PoolAppender,
}

impl<'c> Names<'c> {
    fn new(class: &'c ClassFile<'_>) -> Self {
        let pool = class.pool();
        let texts = pool.iter().filter_map(|(index, constant)| match constant {
            crate::Constant::Utf8(text) => Some((text, index)),
            _ => None,
        });
        Self {
            known: texts.collect(),
            appended: PoolAppender::new(pool),
        }
    }

    fn index(&mut self, text: &[u8]) -> Result<PoolIndex, Error> {
        match self.known.get(text) {
            Some(index) => Ok(*index),
            None => self.appended.utf8(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClassBuilder, CodeBuilder, Opcode, access};

    fn class_with(texts: &[&[u8]]) -> Result<Vec<u8>, Error> {
        let mut builder = ClassBuilder::new(52, access::PUBLIC, b"Found", b"java/lang/Object");
        for text in texts {
            builder.pool().utf8(text)?;
        }
        for name in [b"one".as_slice(), b"two"] {
            let mut code = CodeBuilder::new(0, 2);
            code.op(Opcode::RETURN);
            builder
                .method(access::PUBLIC, name, b"(Ljava/lang/Object;)V")
                .code(code)?;
        }
        builder.finish()
    }

    fn category<'p>(name: &[u8], _: &[u8]) -> Option<Vec<NamedParameter<'p>>> {
        let parameter = |name, flags| NamedParameter { name, flags };
        (name == b"two").then(|| {
            vec![
                parameter(Some(b"category".as_slice()), 0x10),
                parameter(None, 0),
            ]
        })
    }

    #[test]
    fn a_class_that_has_lost_them_gets_them_back() -> Result<(), Error> {
        let bytes = class_with(&[NAME, b"category"])?;
        let class = ClassFile::parse(&bytes)?;
        assert!(class.has_lost_method_parameters());
        let restored = class.with_method_parameters(category)?;
        let restored = ClassFile::parse(&restored)?;
        assert!(!restored.has_lost_method_parameters());
        assert_eq!(
            restored.pool().count(),
            class.pool().count(),
            "nothing is appended"
        );
        let methods: Vec<_> = restored.methods().collect();
        assert!(methods[0].attributes().find(NAME).is_none());
        let found = methods[1].attributes().find(NAME).map(|found| found.data);
        let index = class
            .pool()
            .find_utf8(b"category")
            .map_or(0, |index| index.0);
        let [high, low] = index.to_be_bytes();
        assert_eq!(found, Some([2, high, low, 0, 0x10, 0, 0, 0, 0].as_slice()));
        assert!(methods[1].code().is_some());
        Ok(())
    }

    #[test]
    fn names_that_the_pool_does_not_have_are_appended() -> Result<(), Error> {
        let bytes = class_with(&[])?;
        let class = ClassFile::parse(&bytes)?;
        assert!(!class.has_lost_method_parameters(), "it never had them");
        let restored = class.with_method_parameters(category)?;
        let restored = ClassFile::parse(&restored)?;
        assert_eq!(restored.pool().count(), class.pool().count() + 2);
        Ok(())
    }
}
