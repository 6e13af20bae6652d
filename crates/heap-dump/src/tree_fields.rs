//! The third walk over a dump: by which field each object is reached on its
//! shortest path, and how much memory direct buffers have outside of the heap.

use rustc_hash::FxHashMap;

use crate::DumpError;
use crate::class_table::{ClassIndex, ReferencePlan};
use crate::heap_graph::HeapGraph;
use crate::record_walk::{Extent, Identifier, ObjectRecord, RecordVisitor, walk};
use crate::shortest_paths::ShortestPaths;

/// Reached by no field: an element of an array, a static field, or a reference without a field.
const NONE: u16 = u16::MAX;
const DIRECT_BUFFER: &str = "java/nio/DirectByteBuffer";

/// A reference field, as its class declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredField<'a> {
    /// Its name.
    pub name: &'a str,
    /// The class that declares it.
    pub declared_by: ClassIndex,
}

/// A buffer whose memory is not in the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectBuffer {
    /// The buffer.
    pub object: u32,
    /// Its bytes outside of the heap.
    pub bytes: u64,
}

/// By object, the field by which it is reached.
#[derive(Debug, Default)]
pub struct TreeFields {
    of: Vec<u16>,
    plans: FxHashMap<ClassIndex, ReferencePlan>,
    /// Buffers that own memory outside of the heap, in the order of the file.
    pub direct_buffers: Vec<DirectBuffer>,
}

impl TreeFields {
    /// Reads the dump once more.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(graph: &HeapGraph, paths: &ShortestPaths) -> Result<Self, DumpError> {
        let mut reader = FieldReader {
            graph,
            paths,
            fields: Self {
                of: vec![NONE; graph.objects() as usize],
                ..Self::default()
            },
            buffers: FxHashMap::default(),
            object: 0,
            class: None,
        };
        let extent = match graph.cut() {
            Some(_) => Extent::Partial,
            None => Extent::Whole,
        };
        walk(&mut graph.file.open()?, &mut reader, extent)?;
        Ok(reader.fields)
    }

    /// The number of the field, among those of the holder's class, by which an object is reached; `None`: by no instance field.
    pub fn number(&self, object: u32) -> Option<u16> {
        let number = self.of.get(object as usize).copied();
        number.filter(|number| *number != NONE)
    }

    /// A field of the objects of a class by its number.
    pub fn field<'a>(
        &self,
        graph: &'a HeapGraph,
        class: ClassIndex,
        number: u16,
    ) -> Option<DeclaredField<'a>> {
        let field = self.plans.get(&class)?.fields.get(usize::from(number))?;
        Some(DeclaredField {
            name: graph.classes().string(field.name),
            declared_by: field.declared_by,
        })
    }
}

/// Where a direct buffer has its capacity, and the cleaner that only owners of memory have.
#[derive(Clone, Copy)]
struct BufferFields {
    capacity: u32,
    cleaner: u32,
}

struct FieldReader<'a> {
    graph: &'a HeapGraph,
    paths: &'a ShortestPaths,
    fields: TreeFields,
    buffers: FxHashMap<ClassIndex, Option<BufferFields>>,
    object: u32,
    /// Its class; `None`: its content is not needed.
    class: Option<ClassIndex>,
}

impl FieldReader<'_> {
    fn buffer(&mut self, class: ClassIndex) -> Option<BufferFields> {
        let classes = self.graph.classes();
        *self.buffers.entry(class).or_insert_with(|| {
            if !classes.is_a(class, DIRECT_BUFFER) {
                return None;
            }
            Some(BufferFields {
                capacity: classes.offset(class, "java/nio/Buffer", "capacity")?,
                cleaner: classes.offset(class, DIRECT_BUFFER, "cleaner")?,
            })
        })
    }

    fn note_buffer(&mut self, class: ClassIndex, content: &[u8]) {
        let Some(fields) = self.buffer(class) else {
            return;
        };
        let capacity = content.get(fields.capacity as usize..);
        let capacity = capacity.and_then(|bytes| bytes.first_chunk());
        let capacity = capacity.map_or(0, |bytes| i32::from_be_bytes(*bytes));
        if identifier(content, fields.cleaner).is_some_and(|cleaner| cleaner != 0) {
            self.fields.direct_buffers.push(DirectBuffer {
                object: self.object,
                bytes: u64::try_from(capacity).unwrap_or(0),
            });
        }
    }

    fn note_fields(&mut self, class: ClassIndex, content: &[u8]) {
        let graph = self.graph;
        let plan = self.fields.plans.entry(class);
        let plan = plan.or_insert_with(|| graph.classes().plan(class));
        for (number, field) in (0_u16..).zip(&plan.fields) {
            let target = identifier(content, field.offset).filter(|id| *id != 0);
            let target = target.and_then(|id| graph.object(id));
            let Some(target) = target.filter(|to| self.paths.before(*to) == Some(self.object))
            else {
                continue;
            };
            if let Some(place) = self.fields.of.get_mut(target as usize) {
                *place = number.min(*place);
            }
        }
    }
}

fn identifier(content: &[u8], offset: u32) -> Option<Identifier> {
    let bytes = content.get(offset as usize..)?.first_chunk()?;
    Some(u64::from_be_bytes(*bytes))
}

impl RecordVisitor for FieldReader<'_> {
    fn object(
        &mut self,
        _at: u64,
        id: Identifier,
        object: ObjectRecord,
    ) -> Result<bool, DumpError> {
        let ObjectRecord::Instance { class, bytes } = object else {
            return Ok(false);
        };
        self.class = self.graph.classes().by_id(class).filter(|_| bytes > 0);
        let Some(number) = self.graph.object(id).filter(|_| self.class.is_some()) else {
            return Ok(false);
        };
        self.object = number;
        Ok(true)
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), DumpError> {
        if let Some(class) = self.class {
            self.note_fields(class, bytes);
            self.note_buffer(class, bytes);
        }
        Ok(())
    }
}
