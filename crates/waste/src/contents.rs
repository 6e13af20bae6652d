//! One walk over the contents of a dump: what the judges need of strings, arrays, values, collections and fields.

use core::hash::Hasher;
use std::hash::DefaultHasher;

use rustc_hash::{FxHashMap, FxHashSet};

use ducktrack_heap_dump::{
    ClassField, ClassIndex, ContentHead, ContentVisitor, DumpError, HeapGraph, ValueType,
};

use crate::collection_shapes::{Count, Shape, ShapeNumber};
use crate::compact::CompactSizes;
use crate::field_use::FieldUse;
use crate::reach::Reach;
use crate::value_classes::ValueClass;

/// No object.
pub(crate) const NONE: u32 = u32::MAX;

/// What the walk keeps.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// By object: of an array of primitives its elements, of a value its
    /// primitive fields. Equal contents have equal hashes of 64 bits (SipHash).
    pub(crate) hashes: Vec<u64>,
    /// Strings whose characters take two bytes.
    pub(crate) wide_strings: FxHashSet<u32>,
    /// Arrays of bytes in which every other one is zero, as of characters of two bytes that would fit one; their lengths.
    pub(crate) narrow_arrays: FxHashMap<u32, u32>,
    /// Arrays whose second half is zero.
    pub(crate) tails: Vec<Tail>,
    /// By object.
    pub(crate) collections: Vec<CollectionFacts>,
    /// The keys of the entries of thread locals.
    pub(crate) thread_local_keys: FxHashMap<u32, u32>,
    /// Which fields of the program's own classes have values.
    pub(crate) field_uses: FxHashMap<ClassIndex, FieldUse>,
    /// Bytes that compact headers would save.
    pub(crate) compact_saves: Option<u64>,
}

/// An array of primitives that ends with zeros.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tail {
    pub(crate) object: u32,
    pub(crate) ty: ValueType,
    /// Elements before the zeros.
    pub(crate) used: u32,
}

/// What the fields of a collection say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CollectionFacts {
    pub(crate) object: u32,
    pub(crate) shape: ShapeNumber,
    /// Its size; of no meaning where that is not in a field.
    pub(crate) size: u32,
    /// The load factor, or the encoding of a builder.
    pub(crate) scale: f32,
    /// The table, or the collection inside; [`NONE`].
    pub(crate) table: u32,
}

impl Contents {
    pub(crate) fn read(graph: &HeapGraph, reach: &Reach) -> Result<Self, DumpError> {
        let mut reader = Reader {
            graph,
            reach,
            plans: FxHashMap::default(),
            contents: Self {
                hashes: vec![0; graph.objects() as usize],
                ..Self::default()
            },
            compact: CompactSizes::new(graph),
            current: None,
        };
        graph.visit_contents(&mut reader)?;
        let mut contents = reader.contents;
        contents.compact_saves = reader.compact.saved();
        contents
            .collections
            .sort_unstable_by_key(|facts| facts.object);
        Ok(contents)
    }

    /// The hash of an object's content.
    pub(crate) fn hash(&self, object: u32) -> u64 {
        self.hashes.get(object as usize).copied().unwrap_or(0)
    }

    /// The facts of a collection.
    pub(crate) fn collection(&self, object: u32) -> Option<&CollectionFacts> {
        let place = self
            .collections
            .binary_search_by_key(&object, |facts| facts.object);
        self.collections.get(place.ok()?)
    }
}

/// What is read of the instances of a class.
#[derive(Clone, Debug, Default)]
struct ClassPlan {
    array: Option<ValueType>,
    coder: Option<u32>,
    value: Option<Vec<ClassField>>,
    collection: Option<CollectionPlan>,
    thread_local_key: Option<u32>,
    is_own: bool,
}

#[derive(Clone, Copy, Debug)]
struct CollectionPlan {
    shape: ShapeNumber,
    size: Option<u32>,
    scale: Option<u32>,
    table: Option<u32>,
}

impl ClassPlan {
    fn of(graph: &HeapGraph, class: ClassIndex) -> Self {
        let classes = graph.classes();
        let name = classes.name(class);
        if let Some(array) = name.strip_prefix('[') {
            return Self {
                array: primitive(array),
                ..Self::default()
            };
        }
        let value = ValueClass::of(classes, class);
        let offset = |class_of: &str, field: &str| classes.offset(class, class_of, field);
        let is_entry = name == "java/lang/ThreadLocal$ThreadLocalMap$Entry";
        Self {
            array: None,
            coder: match name {
                "java/lang/String" => offset(name, "coder"),
                _ => None,
            },
            value: value.map(|value| value.fields(classes, class)),
            collection: ShapeNumber::of(classes, class).map(|number| {
                let shape = number.shape();
                CollectionPlan {
                    shape: number,
                    size: size_field(shape).and_then(|field| offset(shape.class, field)),
                    scale: offset(shape.class, shape.scale),
                    table: offset(shape.class, shape.table),
                }
            }),
            thread_local_key: match is_entry {
                true => offset("java/lang/ref/Reference", "referent"),
                false => None,
            },
            is_own: ducktrack_heap_dump::is_own_class(name),
        }
    }

    fn reads_anything(&self) -> bool {
        self.array.is_some()
            || self.coder.is_some()
            || self.value.is_some()
            || self.collection.is_some()
            || self.thread_local_key.is_some()
            || self.is_own
    }
}

fn size_field(shape: &Shape) -> Option<&'static str> {
    match shape.count {
        Count::Field(field) => Some(field),
        _ => None,
    }
}

fn primitive(descriptor: &str) -> Option<ValueType> {
    Some(match descriptor {
        "Z" => ValueType::Boolean,
        "C" => ValueType::Char,
        "F" => ValueType::Float,
        "D" => ValueType::Double,
        "B" => ValueType::Byte,
        "S" => ValueType::Short,
        "I" => ValueType::Int,
        "J" => ValueType::Long,
        _ => return None,
    })
}

/// The array whose elements are under way.
struct OpenArray {
    ty: ValueType,
    hasher: DefaultHasher,
    /// Bytes so far, and of these up to the last that is not zero.
    bytes: u64,
    used_bytes: u64,
    is_narrow: bool,
}

enum Current {
    Array(ContentHead, OpenArray),
    Instance(ContentHead),
}

struct Reader<'a> {
    graph: &'a HeapGraph,
    reach: &'a Reach,
    plans: FxHashMap<ClassIndex, ClassPlan>,
    contents: Contents,
    compact: CompactSizes<'a>,
    current: Option<Current>,
}

impl Reader<'_> {
    fn fields(&mut self, head: ContentHead, bytes: &[u8]) {
        let Some(plan) = self.plans.get(&head.class) else {
            return;
        };
        if plan.coder.and_then(|at| bytes.get(at as usize)) == Some(&1) {
            self.contents.wide_strings.insert(head.object);
        }
        if let Some(fields) = &plan.value {
            set(
                &mut self.contents.hashes,
                head.object,
                value_hash(fields, bytes),
            );
        }
        if let Some(plan) = plan.collection {
            self.contents.collections.push(CollectionFacts {
                object: head.object,
                shape: plan.shape,
                size: plan.size.and_then(|at| int(bytes, at)).unwrap_or(0),
                scale: plan.scale.map_or(0.0, |at| scale(plan.shape, bytes, at)),
                table: plan
                    .table
                    .and_then(|at| self.target(bytes, at))
                    .unwrap_or(NONE),
            });
        }
        let key = plan.thread_local_key.and_then(|at| self.target(bytes, at));
        if let Some(key) = key {
            self.contents.thread_local_keys.insert(head.object, key);
        }
        if plan.is_own {
            let graph = self.graph;
            let uses = self.contents.field_uses.entry(head.class);
            let uses = uses.or_insert_with(|| FieldUse::of(graph.classes(), head.class));
            uses.note(bytes);
        }
    }

    fn target(&self, bytes: &[u8], offset: u32) -> Option<u32> {
        let id = bytes.get(offset as usize..)?.first_chunk()?;
        self.graph.object(u64::from_be_bytes(*id))
    }

    fn finish(&mut self, head: ContentHead, array: OpenArray) {
        set(
            &mut self.contents.hashes,
            head.object,
            array.hasher.finish(),
        );
        let width = array.ty.bytes();
        let used = u32::try_from(array.used_bytes.div_ceil(width)).unwrap_or(u32::MAX);
        if head.length > 0 && used <= head.length / 2 {
            self.contents.tails.push(Tail {
                object: head.object,
                ty: array.ty,
                used,
            });
        }
        if array.is_narrow && head.length > 0 && head.length.is_multiple_of(2) {
            self.contents.narrow_arrays.insert(head.object, head.length);
        }
    }
}

impl ContentVisitor for Reader<'_> {
    fn object(&mut self, head: ContentHead) -> bool {
        if !self.reach.is_live(head.object) {
            return false;
        }
        self.compact.add(head);
        let graph = self.graph;
        let plan = self.plans.entry(head.class);
        let plan = plan.or_insert_with(|| ClassPlan::of(graph, head.class));
        if !plan.reads_anything() {
            return false;
        }
        self.current = Some(match plan.array {
            Some(ty) => Current::Array(head, OpenArray::new(ty, head.length)),
            None => Current::Instance(head),
        });
        true
    }

    fn content(&mut self, bytes: &[u8]) {
        match &mut self.current {
            Some(Current::Array(_, array)) => array.add(bytes),
            Some(Current::Instance(head)) => {
                let head = *head;
                self.fields(head, bytes);
            }
            None => {}
        }
    }

    fn end(&mut self) {
        if let Some(Current::Array(head, array)) = self.current.take() {
            self.finish(head, array);
        }
    }
}

impl OpenArray {
    fn new(ty: ValueType, length: u32) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write_u32(length);
        Self {
            ty,
            hasher,
            bytes: 0,
            used_bytes: 0,
            is_narrow: ty == ValueType::Byte,
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.hasher.write(bytes);
        if let Some(last) = bytes.iter().rposition(|byte| *byte != 0) {
            self.used_bytes = self.bytes + last as u64 + 1;
        }
        // The JVMs that write dumps have little-endian characters in strings.
        self.is_narrow = self.is_narrow && bytes.iter().skip(1).step_by(2).all(|byte| *byte == 0);
        self.bytes += bytes.len() as u64;
    }
}

/// Primitive fields by their bits; of references whether they are null, since the objects are compared apart.
fn value_hash(fields: &[ClassField], bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for field in fields {
        let start = field.offset as usize;
        let value = bytes.get(start..start + field.ty.bytes() as usize);
        let value = value.unwrap_or_default();
        match field.ty {
            ValueType::Reference => hasher.write_u8(u8::from(value.iter().all(|byte| *byte == 0))),
            _ => hasher.write(value),
        }
    }
    hasher.finish()
}

fn set(hashes: &mut [u64], object: u32, hash: u64) {
    if let Some(place) = hashes.get_mut(object as usize) {
        *place = hash;
    }
}

fn int(bytes: &[u8], offset: u32) -> Option<u32> {
    let value = bytes.get(offset as usize..)?.first_chunk()?;
    u32::try_from(i32::from_be_bytes(*value)).ok()
}

fn scale(shape: ShapeNumber, bytes: &[u8], offset: u32) -> f32 {
    let bytes = bytes.get(offset as usize..).unwrap_or_default();
    match shape.shape().scale {
        "coder" => bytes.first().map_or(0.0, |coder| f32::from(*coder)),
        _ => bytes
            .first_chunk()
            .map_or(0.0, |bits| f32::from_be_bytes(*bits)),
    }
}
