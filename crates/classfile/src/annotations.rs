//! Annotations of classes and methods, with the texts in them (JVM specification 4.7.16).

use crate::attribute::Attributes;
use crate::constant_pool::{ConstantPool, PoolIndex};
use crate::modified_utf8::decode_modified_utf8;

/// Annotations inside of each other.
const DEEPEST: u32 = 8;

/// An annotation with the texts of its elements.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// Internal name of its type.
    pub ty: String,
    /// Texts and names of enum constants by element; those of a list one by one.
    texts: Vec<(String, String)>,
}

impl Annotation {
    /// The first text of one of these elements.
    #[must_use]
    pub fn text(&self, elements: &[&str]) -> Option<&str> {
        let mut texts = self.texts.iter();
        let found = texts.find(|(element, _)| elements.contains(&element.as_str()));
        found.map(|(_, text)| text.as_str())
    }
}

/// The annotations that a program can see at run time; those before the first one that is malformed.
#[must_use]
pub fn annotations(attributes: Attributes<'_>, pool: &ConstantPool<'_>) -> Vec<Annotation> {
    let Some(attribute) = attributes.find(b"RuntimeVisibleAnnotations") else {
        return Vec::new();
    };
    let mut reader = Reader {
        rest: attribute.data,
        pool,
    };
    let count = reader.number().unwrap_or(0);
    (0..count).map_while(|_| reader.annotation(0)).collect()
}

struct Reader<'a> {
    rest: &'a [u8],
    pool: &'a ConstantPool<'a>,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u16> {
        let (number, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u16::from_be_bytes(*number))
    }

    fn text(&mut self) -> Option<String> {
        let index = PoolIndex(self.number()?);
        let text = self.pool.utf8(index).ok()?;
        Some(decode_modified_utf8(text).into_owned())
    }

    fn annotation(&mut self, depth: u32) -> Option<Annotation> {
        let descriptor = self.text()?;
        let name = descriptor
            .strip_prefix('L')
            .and_then(|name| name.strip_suffix(';'));
        let mut annotation = Annotation {
            ty: name?.to_owned(),
            texts: Vec::new(),
        };
        for _ in 0..self.number()? {
            let element = self.text()?;
            self.value(&element, &mut annotation.texts, depth)?;
        }
        Some(annotation)
    }

    fn value(
        &mut self,
        element: &str,
        texts: &mut Vec<(String, String)>,
        depth: u32,
    ) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match self.byte()? {
            b's' => texts.push((element.to_owned(), self.text()?)),
            b'e' => {
                self.number()?;
                texts.push((element.to_owned(), self.text()?));
            }
            b'@' => {
                self.annotation(depth + 1)?;
            }
            b'[' => {
                for _ in 0..self.number()? {
                    self.value(element, texts, depth + 1)?;
                }
            }
            _ => {
                self.number()?;
            }
        }
        Some(())
    }
}
