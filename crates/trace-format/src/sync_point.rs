//! Content of a block of kind 19: a part of a synchronization point, the live objects right after a collection.
//!
//! ```text
//! content = collection:varint  flags:varint  start:varint  object*         flags: 1: the last part
//! object  = head:varint  [gap:varint]  [age:varint]  [units:varint  class:varint  site:varint  thread:varint  caller:varint]
//! head    = shape << 2 | age follows << 1 | gap follows
//! ```
//!
//! Objects come in ascending order of address; `gap` is the number of units (8 bytes) between the end of the previous object (at
//! first: `start`, address / 8) and this one, or 0 if it is left out. `age` is the number of collections that the object has
//! survived (`collection` minus its birth); if it is left out, it is that of the previous object (at first: 0).
//!
//! A *shape* is length in units, class, site, thread and caller together. Shape 0 means that a new one follows; the n-th new shape of the
//! part gets the number n. After [`MAX_SHAPES`] shapes the list is emptied and starts again at 1. Site 0: unknown; caller 0: none. The
//! parts of one synchronization point stand one after the other at the start of a file; each part can be decoded alone.

use std::collections::HashMap;

use crate::varint::{FieldReader, put_varint};
use crate::{CallSiteId, FormatError, HeapClassId, SiteId, ThreadId};

/// The most shapes in the list of a part.
pub const MAX_SHAPES: usize = 1 << 14;

const LAST_PART: u64 = 1;

/// A live object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SyncObject {
    /// Its address.
    pub address: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its class.
    pub class: HeapClassId,
    /// Its allocation site; 0 if unknown.
    pub site: SiteId,
    /// The thread that allocated it (meaningless for site 0).
    pub thread: ThreadId,
    /// The caller to blame; 0 if none was recorded.
    pub caller: CallSiteId,
    /// The epoch in which it was allocated (for a found object: the epoch before the collection that found it).
    pub birth: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Shape {
    units: u64,
    class: HeapClassId,
    site: SiteId,
    thread: ThreadId,
    caller: CallSiteId,
}

/// Encodes one part.
#[derive(Clone, Debug)]
pub struct SyncEncoder {
    collection: u32,
    /// The objects only; the fields before them are written at the end.
    objects: Vec<u8>,
    start: u64,
    at: u64,
    age: u32,
    shapes: HashMap<Shape, u64>,
    count: u64,
}

impl SyncEncoder {
    /// An empty part of the point after this collection.
    pub fn new(collection: u32) -> Self {
        Self {
            collection,
            objects: Vec::new(),
            start: 0,
            at: 0,
            age: 0,
            shapes: HashMap::new(),
            count: 0,
        }
    }

    /// Adds an object, in ascending order of address. Addresses and bytes are multiples of 8.
    pub fn push(&mut self, object: &SyncObject) {
        if self.count == 0 {
            self.start = object.address;
            self.at = object.address;
        }
        self.count += 1;
        let gap = object.address.wrapping_sub(self.at) / 8;
        let age = self.collection.wrapping_sub(object.birth);
        let shape = Shape {
            units: object.bytes / 8,
            class: object.class,
            site: object.site,
            thread: object.thread,
            caller: object.caller,
        };
        let known = self.shapes.get(&shape).copied();
        let flags = u64::from(gap != 0) | u64::from(age != self.age) << 1;
        put_varint(known.unwrap_or(0) << 2 | flags, &mut self.objects);
        if gap != 0 {
            put_varint(gap, &mut self.objects);
        }
        if age != self.age {
            put_varint(u64::from(age), &mut self.objects);
        }
        if known.is_none() {
            self.write_shape(shape);
        }
        self.age = age;
        self.at = object.address.wrapping_add(object.bytes);
    }

    fn write_shape(&mut self, shape: Shape) {
        let numbers = [shape.class.0, shape.site.0, shape.thread.0, shape.caller.0];
        put_varint(shape.units, &mut self.objects);
        for number in numbers {
            put_varint(u64::from(number), &mut self.objects);
        }
        if self.shapes.len() == MAX_SHAPES {
            self.shapes.clear();
        }
        let number = self.shapes.len() as u64 + 1;
        self.shapes.insert(shape, number);
    }

    /// Bytes of the objects so far.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// True before the first object.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The content of the block.
    pub fn finish(self, last_part: bool) -> Vec<u8> {
        let mut content = Vec::with_capacity(self.objects.len() + 16);
        put_varint(u64::from(self.collection), &mut content);
        put_varint(if last_part { LAST_PART } else { 0 }, &mut content);
        put_varint(self.start / 8, &mut content);
        content.extend_from_slice(&self.objects);
        content
    }
}

/// Decodes one part.
#[derive(Clone, Debug)]
pub struct SyncDecoder<'a> {
    fields: FieldReader<'a>,
    collection: u32,
    is_last: bool,
    at: u64,
    age: u32,
    shapes: Vec<Shape>,
}

impl<'a> SyncDecoder<'a> {
    /// Starts at the first object.
    pub fn new(content: &'a [u8]) -> Result<Self, FormatError> {
        let mut fields = FieldReader::new(content);
        let collection = fields.varint_u32()?;
        let is_last = fields.varint()? & LAST_PART != 0;
        let start = fields.varint()?;
        let at = in_bytes(start, &fields)?;
        Ok(Self {
            fields,
            collection,
            is_last,
            at,
            age: 0,
            shapes: Vec::new(),
        })
    }

    /// The collection after which the objects were alive.
    pub fn collection(&self) -> u32 {
        self.collection
    }

    /// True when no further part follows.
    pub fn is_last(&self) -> bool {
        self.is_last
    }

    fn object(&mut self) -> Result<SyncObject, FormatError> {
        let head = self.fields.varint()?;
        if head & 1 != 0 {
            let gap = self.fields.varint()?;
            let gap = in_bytes(gap, &self.fields)?;
            self.at = self.end_after(gap)?;
        }
        if head & 2 != 0 {
            self.age = self.fields.varint_u32()?;
        }
        let birth = self.collection.checked_sub(self.age);
        let birth = birth.ok_or_else(|| {
            self.fields
                .malformed("an object older than the first collection")
        })?;
        let shape = match head >> 2 {
            0 => self.new_shape()?,
            number => self.known_shape(number)?,
        };
        let bytes = in_bytes(shape.units, &self.fields)?;
        let address = self.at;
        self.at = self.end_after(bytes)?;
        Ok(SyncObject {
            address,
            bytes,
            class: shape.class,
            site: shape.site,
            thread: shape.thread,
            caller: shape.caller,
            birth,
        })
    }

    fn new_shape(&mut self) -> Result<Shape, FormatError> {
        let shape = Shape {
            units: self.fields.varint()?,
            class: HeapClassId(self.fields.varint_u32()?),
            site: SiteId(self.fields.varint_u32()?),
            thread: ThreadId(self.fields.varint_u32()?),
            caller: CallSiteId(self.fields.varint_u32()?),
        };
        if self.shapes.len() == MAX_SHAPES {
            self.shapes.clear();
        }
        self.shapes.push(shape);
        Ok(shape)
    }

    fn known_shape(&self, number: u64) -> Result<Shape, FormatError> {
        usize::try_from(number - 1)
            .ok()
            .and_then(|index| self.shapes.get(index))
            .copied()
            .ok_or_else(|| self.fields.malformed("a shape that was not stated before"))
    }

    fn end_after(&self, bytes: u64) -> Result<u64, FormatError> {
        self.at
            .checked_add(bytes)
            .ok_or_else(|| self.fields.malformed("an address beyond 64 bits"))
    }
}

fn in_bytes(units: u64, fields: &FieldReader<'_>) -> Result<u64, FormatError> {
    units
        .checked_mul(8)
        .ok_or_else(|| fields.malformed("an address beyond 64 bits"))
}

/// Ends after an error.
impl Iterator for SyncDecoder<'_> {
    type Item = Result<SyncObject, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.fields.is_at_end() {
            return None;
        }
        let object = self.object();
        if object.is_err() {
            self.fields = FieldReader::new(&[]);
        }
        Some(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn objects(shapes: u32) -> impl Strategy<Value = Vec<SyncObject>> {
        let object = (0_u64..40, 0..shapes, 0_u32..30);
        prop::collection::vec(object, 0..400).prop_map(|steps| {
            let mut at = 0x8000;
            let mut objects = Vec::new();
            for (gap, shape, age) in steps {
                at += gap.saturating_sub(20) * 8;
                let bytes = 16 + u64::from(shape % 50) * 8;
                objects.push(SyncObject {
                    address: at,
                    bytes,
                    class: HeapClassId(shape % 7),
                    site: SiteId(shape % 11),
                    thread: ThreadId(shape % 3),
                    caller: CallSiteId(shape % 5),
                    birth: 90 - age,
                });
                at += bytes;
            }
            objects
        })
    }

    fn encode(objects: &[SyncObject], last: bool) -> Vec<u8> {
        let mut encoder = SyncEncoder::new(90);
        for object in objects {
            encoder.push(object);
        }
        encoder.finish(last)
    }

    #[test]
    fn the_list_of_shapes_starts_again_when_it_is_full() {
        let many = |round: u64| {
            (0..MAX_SHAPES as u64 + 10).map(move |number| SyncObject {
                address: (round << 40) + number * 64,
                bytes: 64,
                class: HeapClassId(number as u32),
                site: SiteId(20),
                thread: ThreadId(1),
                caller: CallSiteId(0),
                birth: 90,
            })
        };
        let objects: Vec<SyncObject> = many(1).chain(many(2)).collect();
        let content = encode(&objects, true);
        let read: Result<Vec<_>, _> = SyncDecoder::new(&content).unwrap().collect();
        assert!(read.unwrap() == objects);
    }

    #[test]
    fn like_neighbours_cost_a_byte_each() {
        let objects: Vec<SyncObject> = (0..1_000)
            .map(|number| SyncObject {
                address: 0x8000 + number * 24,
                bytes: 24,
                class: HeapClassId(5),
                site: SiteId(400),
                thread: ThreadId(1),
                caller: CallSiteId(9),
                birth: 3,
            })
            .collect();
        assert!(encode(&objects, true).len() < 1_020);
    }

    proptest! {
        #[test]
        fn objects_round_trip(objects in objects(300), last: bool) {
            let content = encode(&objects, last);
            let decoder = SyncDecoder::new(&content).unwrap();
            prop_assert_eq!((decoder.collection(), decoder.is_last()), (90, last));
            let read: Result<Vec<_>, _> = decoder.collect();
            prop_assert_eq!(read.unwrap(), objects);
        }

        #[test]
        fn changed_bytes_never_panic(objects in objects(20), at: prop::sample::Index, byte: u8, cut: prop::sample::Index) {
            let mut content = encode(&objects, true);
            let at = at.index(content.len());
            content[at] = byte;
            content.truncate(cut.index(content.len() + 1));
            if let Ok(decoder) = SyncDecoder::new(&content) {
                prop_assert!(decoder.count() <= content.len());
            }
        }
    }
}
