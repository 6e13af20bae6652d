//! Reads the content of chosen objects once more, in the order of the file.

use crate::DumpError;
use crate::class_table::{ClassIndex, ClassTable};
use crate::heap_graph::HeapGraph;
use crate::record_walk::{Extent, Identifier, ObjectRecord, RecordVisitor, walk};

/// An object whose content can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentHead {
    /// The object.
    pub object: u32,
    /// Its class.
    pub class: ClassIndex,
    /// Elements of an array; bytes in the dump of an instance's fields.
    pub length: u32,
}

/// Receives the content of objects.
pub trait ContentVisitor {
    /// An object; true if its content is needed.
    fn object(&mut self, head: ContentHead) -> bool;
    /// The content: an instance's fields at once (big-endian, [`ClassTable::fields`]
    /// has their offsets), an array's elements in runs that split none.
    fn content(&mut self, bytes: &[u8]);
    /// The end of the content.
    fn end(&mut self);
}

impl HeapGraph {
    /// Walks over all instances and arrays.
    ///
    /// # Errors
    /// If the dump cannot be read.
    pub fn visit_contents(&self, visitor: &mut impl ContentVisitor) -> Result<(), DumpError> {
        let mut walker = Walker {
            graph: self,
            visitor,
        };
        let extent = match self.cut() {
            Some(_) => Extent::Partial,
            None => Extent::Whole,
        };
        walk(&mut self.file.open()?, &mut walker, extent)?;
        Ok(())
    }
}

struct Walker<'a, V> {
    graph: &'a HeapGraph,
    visitor: &'a mut V,
}

impl<V: ContentVisitor> RecordVisitor for Walker<'_, V> {
    fn object(
        &mut self,
        _at: u64,
        id: Identifier,
        object: ObjectRecord,
    ) -> Result<bool, DumpError> {
        let Some(number) = self.graph.object(id) else {
            return Ok(false);
        };
        let by_id = |id| self.graph.classes().by_id(id);
        let (class, length) = match object {
            ObjectRecord::Instance { class, bytes } => (by_id(class), bytes),
            ObjectRecord::References { class, length } => (by_id(class), length),
            ObjectRecord::Primitives { ty, length } => {
                (Some(ClassTable::of_primitives(ty)), length)
            }
        };
        let Some(class) = class else {
            return Ok(false);
        };
        Ok(self.visitor.object(ContentHead {
            object: number,
            class,
            length,
        }))
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), DumpError> {
        self.visitor.content(bytes);
        Ok(())
    }

    fn end_object(&mut self) {
        self.visitor.end();
    }
}
