//! Reads single objects of a dump again: the names of referring fields, and the text of strings.

use crate::DumpError;
use crate::class_table::ClassIndex;
use crate::graph::Graph;
use crate::heap_graph::HeapGraph;
use crate::record_walk::{Identifier, ObjectRecord, RecordVisitor, walk_objects};

/// How an object refers to another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    /// A field of an instance.
    Field(String),
    /// A static field of a class.
    Static(String),
    /// An element of an array.
    Element(u32),
    /// An object's class, a class's loader or superclass, or a class of a loader.
    Class,
}

/// Most bytes that are kept of an object's content.
const MOST_CONTENT: usize = 1 << 20;

impl HeapGraph {
    /// How an object refers to another.
    ///
    /// # Errors
    /// If the dump cannot be read.
    pub fn reference(&self, from: u32, to: u32) -> Result<Reference, DumpError> {
        if let Some(class) = self.as_class(from) {
            return Ok(self.static_field(class, self.id(to)));
        }
        let target = self.id(to);
        let Some(found) = self.content(from, Some(target))? else {
            return Ok(Reference::Class);
        };
        if let Some(element) = found.element {
            return Ok(Reference::Element(element));
        }
        let plan = self.classes().plan(self.class_of(from));
        let mut fields = plan.fields.iter();
        let field = fields.find(|field| found.identifier(field.offset) == Some(target));
        Ok(field.map_or(Reference::Class, |field| {
            Reference::Field(self.classes().string(field.name).to_owned())
        }))
    }

    /// The referent of a `java.lang.ref.Reference`. `None`: it was cleared, or the object is no reference.
    ///
    /// # Errors
    /// If the dump cannot be read.
    pub fn referent(&self, reference: u32) -> Result<Option<u32>, DumpError> {
        let class = self.class_of(reference);
        let offset = self
            .classes()
            .offset(class, "java/lang/ref/Reference", "referent");
        let Some(offset) = offset else {
            return Ok(None);
        };
        let content = self.content(reference, None)?;
        let target = content.and_then(|content| content.identifier(offset));
        Ok(target.and_then(|target| self.object(target)))
    }

    fn static_field(&self, class: ClassIndex, target: Identifier) -> Reference {
        let place = self.static_place(class, target);
        let field = place.and_then(|place| self.statics(class).get(place as usize));
        field.map_or(Reference::Class, |(name, _)| {
            Reference::Static(self.classes().string(*name).to_owned())
        })
    }

    /// The static field of a class that refers to an object, by its index among the class's static reference fields.
    pub fn static_place(&self, class: ClassIndex, target: Identifier) -> Option<u32> {
        let mut statics = self.statics(class).iter();
        let place = statics.position(|(_, value)| *value == target)?;
        u32::try_from(place).ok()
    }

    fn statics(&self, class: ClassIndex) -> &[(Identifier, Identifier)] {
        let class = self.classes().get(class);
        class.map_or(&[], |class| &class.record.statics)
    }

    /// The text of a `java.lang.String`, at most `most` characters; `None` for other objects.
    ///
    /// # Errors
    /// If the dump cannot be read.
    pub fn text(&self, string: u32, most: usize) -> Result<Option<String>, DumpError> {
        if self.class_name(string) != "java/lang/String" {
            return Ok(None);
        }
        let mut arrays = self.successors(string).iter();
        let Some(value) = arrays.find(|object| self.class_name(**object) == "[B") else {
            return Ok(None);
        };
        let Some(content) = self.content(*value, None)? else {
            return Ok(None);
        };
        let bytes = content.bytes;
        let (pairs, rest) = bytes.as_chunks::<2>();
        // Latin-1 text has no zero bytes; in UTF-16 text with Western letters every other byte is zero.
        let is_wide = rest.is_empty() && pairs.iter().any(|pair| pair.contains(&0));
        let text: String = match is_wide {
            true => char::decode_utf16(pairs.iter().map(|pair| u16::from_le_bytes(*pair)))
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .take(most)
                .collect(),
            false => bytes
                .iter()
                .take(most)
                .map(|byte| char::from(*byte))
                .collect(),
        };
        Ok(Some(text))
    }

    /// The name of a thread; `None` for other objects.
    ///
    /// # Errors
    /// If the dump cannot be read.
    pub fn thread_name(&self, thread: u32) -> Result<Option<String>, DumpError> {
        for target in self.successors(thread) {
            let is_name = self.class_name(*target) == "java/lang/String"
                && self.reference(thread, *target)? == Reference::Field("name".to_owned());
            if is_name {
                return self.text(*target, 80);
            }
        }
        Ok(None)
    }

    /// Reads the content of one object again. With `element`, searches an array for this element instead of keeping
    /// the content.
    fn content(
        &self,
        object: u32,
        element: Option<Identifier>,
    ) -> Result<Option<Content>, DumpError> {
        let Some(position) = self.numbering.positions.before(object) else {
            return Ok(None);
        };
        let mut finder = Finder {
            object: self.id(object),
            wanted: element,
            content: Content::default(),
            next_element: None,
            is_found: false,
        };
        let mut stream = self.file.open()?;
        stream.skip_to(position)?;
        walk_objects(&mut stream, &mut finder, |finder| finder.is_found)?;
        Ok(finder.is_found.then_some(finder.content))
    }
}

#[derive(Debug, Default)]
struct Content {
    bytes: Vec<u8>,
    /// Index of the wanted element.
    element: Option<u32>,
}

impl Content {
    fn identifier(&self, offset: u32) -> Option<Identifier> {
        let bytes = self.bytes.get(offset as usize..)?;
        Some(u64::from_be_bytes(*bytes.first_chunk()?))
    }
}

/// Skips objects until the wanted one.
struct Finder {
    /// The object whose content is read.
    object: Identifier,
    wanted: Option<Identifier>,
    content: Content,
    /// Index of the next element in an array of references.
    next_element: Option<u32>,
    is_found: bool,
}

impl RecordVisitor for Finder {
    fn object(
        &mut self,
        _at: u64,
        id: Identifier,
        object: ObjectRecord,
    ) -> Result<bool, DumpError> {
        if id != self.object {
            return Ok(false);
        }
        let is_array = matches!(object, ObjectRecord::References { .. });
        self.next_element = is_array.then_some(0);
        Ok(true)
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), DumpError> {
        let Some(next) = &mut self.next_element else {
            let room = MOST_CONTENT.saturating_sub(self.content.bytes.len());
            self.content.bytes.extend(bytes.iter().take(room));
            return Ok(());
        };
        for id in bytes.as_chunks().0 {
            if self.wanted == Some(u64::from_be_bytes(*id)) {
                self.content.element.get_or_insert(*next);
            }
            *next = next.saturating_add(1);
        }
        Ok(())
    }

    fn end_object(&mut self) {
        self.is_found = true;
    }
}
